"""Recipes as documents: read, written and read again without a loss, and mistakes named by file, line and key."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.errors import RecipeError
from anonscope.transform.recipe import parse, recipe_of
from anonscope.transform.steps import DropColumn, GeneraliseInterval, GeneraliseMapping, Mask, PostRandomise, Round
from support.drawn_steps import STEPS
from support.strategies import law

HEAD = 'schema = "anonscope/recipe/1"\n'
ROUND = '[[steps]]\napply = "round"\ncolumn = "age"\nto = 5\n'
# Column names and values that TOML, our comments or SQL could trip over; line separators that are none for TOML among them.
NASTY = st.sampled_from(
    ["age", "a b", 'say "hi"', "it's", "x = 1 # y", "[[steps]]", "a\nb", "tab\there", "back\\slash", "\u2028", "\x85", "\x1c", "é", "\x7f"]
) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
COMMENT = st.lists(st.sampled_from(["", "Why.", "# twice", "[[steps]]", 'x = "y" # z', "in  between", "é"]), max_size=3).map("\n".join)


def test_a_document_is_read_as_it_stands():
    """The example of the module's docstring, with its comments."""
    recipe = parse('# Head.\nschema = "anonscope/recipe/1"\n\n# Ages in years identify.\n# Decades hardly do.\n' + ROUND)

    assert recipe.steps == (Round(column="age", to=5),)
    assert (recipe.title, recipe.comments) == ("Head.", ("Ages in years identify.\nDecades hardly do.",))


@pytest.mark.parametrize("name", STEPS)
def test_every_transformation_is_written_and_read_without_a_loss(name):
    """Objects to TOML to objects gives the same objects, and TOML to objects to TOML the same bytes."""

    @law
    @given(step=STEPS[name], comment=COMMENT, title=COMMENT)
    def holds(step, comment, title):
        text = an.Recipe((step, step), (comment, ""), title).to_toml()
        read = parse(text)
        assert read.steps == (step, step)
        assert read.to_toml() == text
        assert [entry["apply"] for entry in tomllib.loads(text)["steps"]] == [name, name]

    holds()


@law
@given(column=NASTY, mapping=st.dictionaries(NASTY, NASTY, min_size=1, max_size=3), groups=st.lists(NASTY, min_size=1, max_size=3))
def test_nasty_names_and_values_travel_unharmed(column, mapping, groups):
    """Quotes, line breaks, signs of TOML and separators that only Python takes for line ends."""
    unlisted = tuple(value for value in dict.fromkeys(groups) if value not in mapping)
    steps = (
        DropColumn(column=column),
        GeneraliseMapping(column=column, mapping=mapping, groups=(unlisted,) if unlisted else ()),
        PostRandomise(column=column, matrix={key: {value: 1.0} for key, value in mapping.items()}, seed=1),
    )
    text = an.Recipe(steps, ("why", "", "because"), "head").to_toml()

    assert parse(text).steps == steps
    assert parse(text).comments == ("why", "", "because")
    assert parse(text).to_toml() == text


@law
@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4, unique=True))
def test_numbers_are_kept_to_the_last_digit(numbers):
    """Small, large and broken ones."""
    steps = (GeneraliseInterval(column="x", cuts=tuple(sorted(numbers)), whole=False),)

    assert parse(an.Recipe(steps).to_toml()).steps == steps


def test_no_comment_is_lost():
    """Above a step with a blank line between, within it, behind a setting, at the head and at the end; a # in a text is none."""
    text = (
        "# One.\n\n"
        + HEAD
        + "# Two.\n\n[[steps]]  \napply = 'mask' # three\n# Four.\ncolumn = \"a # b\"\npattern = 'x#y' # \"five\"\n\n"
        + "# Six.\n"
        + ROUND
        + "# Seven.\n"
    )
    recipe = parse(text)

    assert recipe.steps == (Mask(column="a # b", pattern="x#y"), Round(column="age", to=5))
    assert recipe.title == "One."
    assert recipe.comments == ('Two.\nthree\nFour.\n"five"', "Six.\nSeven.")
    assert parse(recipe.to_toml()) == recipe


def test_comments_that_toml_forbids_are_escaped():
    """A control character in a remark does not make the document unreadable."""
    text = an.Recipe((DropColumn(column="a"),), ("bell \x07\rreturn",)).to_toml()

    assert parse(text).comments == ("bell \\x07\nreturn",)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_files_of_other_editors(tmp_path, line_end):
    """With a byte order mark, and with line ends of Windows."""
    path = tmp_path / "recipe.toml"
    path.write_bytes(("\ufeff" + "# Head.\n" + HEAD + "# Why.\n" + ROUND).replace("\n", line_end).encode())
    recipe = an.load_recipe(path)

    assert (recipe.title, recipe.comments, recipe.folder) == ("Head.", ("Why.",), tmp_path)


def test_the_hash_is_about_what_a_recipe_does():
    """Comments do not change it; settings and order do; a default that is spelled out does not."""
    a, b = DropColumn(column="a"), Round(column="b", to=5)
    plain = an.Recipe((a, b)).hash

    assert an.Recipe((a, b), ("x", "y"), "z").hash == plain
    assert an.Recipe((a, Round(column="b", to=5, direction="nearest"))).hash == plain
    assert len({plain, an.Recipe((b, a)).hash, an.Recipe((a, Round(column="b", to=6))).hash}) == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must begin with: schema"),
        ('schema = "anonscope/recipe/9"\n' + ROUND, "line 1: schema: the recipe must begin with"),
        (HEAD, "at least one"),
        (HEAD + "steps = 3\n", "line 2: steps: there must be at least one"),
        (HEAD + "steps = [3]\n", "must be a table with what to apply"),
        (HEAD + "colour = 3\n" + ROUND, "line 2: colour: no such key"),
        (HEAD + ROUND + ROUND.replace("round", "rund"), "line 7: steps.apply: no such transformation; known are drop_column"),
        (HEAD + ROUND.replace('"round"', "{a = 1}"), "no such transformation"),
        (HEAD + ROUND + "width = 3\n", "line 6: steps.width: no such key; round knows column, otherwise, to, direction"),
        (HEAD + ROUND.replace("to = 5\n", ""), "line 2: steps.to: round needs to"),
        (HEAD + ROUND.replace("to = 5", "to = -5"), "line 5: steps.to: to must be a number above 0"),
        (HEAD + ROUND.replace("to = 5", "to = true"), "steps.to: to must be a number"),
        (HEAD + ROUND.replace('"age"', "7"), "steps.column: column must be"),
        (HEAD + ROUND + 'direction = {a = "b"}\n', "steps.direction: direction must be one of nearest, floor, ceiling"),
        (HEAD + ROUND + "otherwise = [1]\n", "steps.otherwise: otherwise must be one of"),
        (HEAD + '[[steps]]\napply = "generalise_interval"\ncolumn = "a"\ncuts = 5\n', "steps.cuts: cuts must be"),
        (
            HEAD + '[[steps]]\napply = "generalise_interval"\ncolumn = "a"\nwidth = 5\nwhole = "yes"\n',
            "steps.whole: whole must be true or false",
        ),
        (HEAD + '[[steps]]\napply = "generalise_mapping"\ncolumn = "a"\nmapping = {a = 1}\n', "steps.mapping: mapping must be a table"),
        ("schema = \n", "is not valid TOML"),
    ],
)
def test_mistakes_are_named(text, says):
    """With the line and the key."""
    with pytest.raises(RecipeError) as error:
        parse(text)

    assert says in str(error.value)


def test_no_value_of_a_recipe_is_in_an_error():
    """A list of values in the wrong place is not repeated."""
    with pytest.raises(RecipeError) as error:
        parse(HEAD + '[[steps]]\napply = "generalise_mapping"\ncolumn = "a"\n[steps.mapping]\nSecret = ["Name"]\n')

    assert "Secret" not in str(error.value) and "Name" not in str(error.value)


def test_a_recipe_is_made_of_steps():
    """Of one, of several, of a file; of nothing else, and never of none."""
    step = DropColumn(column="a")

    assert recipe_of(step) == recipe_of([step]) == recipe_of(an.Recipe((step,)))
    for given_, says in (([], "at least one step"), (["a"], "made of transformations"), (Path("nope.toml"), "No such file")):
        with pytest.raises(RecipeError, match=says):
            recipe_of(given_)
    with pytest.raises(RecipeError, match="2 comments for 1 steps"):
        an.Recipe((step,), ("a", "b"))

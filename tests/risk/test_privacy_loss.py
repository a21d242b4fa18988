"""Noise that protects cannot be drawn again, and what is lost per person is stated, or that nothing is promised."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import ColumnNotFound, RecipeError
from anonscope.risk.privacy_loss import PrivacyLoss, number, privacy_loss_of
from anonscope.transform.randomness.words import Repeatable
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.release.manifest import manifest_path, recipe_path
from anonscope.transform.steps import (
    AddNoise,
    ExponentialMechanism,
    GeneraliseInterval,
    LaplaceMechanism,
    RandomisedResponse,
    Recode,
    Round,
    SortRecords,
    SuppressCells,
    SuppressRecords,
    TopCode,
)
from anonscope.transform.steps.pseudonymise import Pseudonymise
from support.transformed import transformed

PEOPLE = 300
TRIED = 1500
ANSWERS = ("no", "yes")
TRUTH = [ANSWERS[i * i % 7 < 3] for i in range(PEOPLE)]


def response(column: str = "smoker", epsilon: float = 1.1, **settings) -> RandomisedResponse:
    return RandomisedResponse(column=column, epsilon=epsilon, values=ANSWERS, **settings)


def recovered(step: RandomisedResponse, released: list[str]) -> list[str] | None:
    """Return the answers of everybody, as somebody finds them who knows 40 of them and tries small seeds; None if no seed fits."""
    code = np.array([ANSWERS.index(answer) for answer in released])
    known = np.array([ANSWERS.index(answer) for answer in TRUTH[:40]])
    for seed in range(TRIED):
        chance = Repeatable(seed, step.name, step.column)
        chance.integers(1, PEOPLE)
        undone = np.where(chance.below(step.threshold, PEOPLE), code, 1 - code)
        if (undone[:40] == known).all():
            return [ANSWERS[i] for i in undone]
    return None


def test_trying_seeds_recovers_everybody_only_where_a_seed_was_chosen():
    """The attack that recovered all answers of 300 people: it works on a seed for tests, and finds nothing by default."""
    small = response(seed=1234)
    released = transformed(small, {"smoker": TRUTH})["smoker"]
    assert released != TRUTH
    assert recovered(small, released) == TRUTH
    assert recovered(response(), transformed(response(), {"smoker": TRUTH})["smoker"]) is None


def test_a_chosen_seed_records_no_epsilon_and_says_so(tmp_path):
    """In the recipe's words, the manifest, the text, the audit's JSON and its report."""
    with an.read(pa.table({"smoker": TRUTH, "age": [i % 9 for i in range(PEOPLE)]})) as data:
        made = an.apply(response(seed=1234), data)
        release = Path(made.save(tmp_path / "release.csv"))
    manifest = json.loads(manifest_path(release).read_text(encoding="utf-8"))
    assert manifest["epsilons"] == []
    assert (manifest["privacy_loss"]["epsilon_per_person"], manifest["privacy_loss"]["for_tests"]) == (None, ["smoker"])
    assert "chosen seed, for tests" in json.dumps(manifest)
    assert "1234" not in made.to_text() and "chosen seed, which is for tests: 'smoker'" in made.to_text()
    audit = an.audit(release, "pipeline", quasi_identifiers=["age"])
    assert audit.to_dict()["privacy_loss"]["epsilon_per_person"] is None
    for form in ("text", "markdown", "html"):
        assert "chosen seed, which is for tests" in audit.render(form)


def test_every_other_random_step_gets_a_seed_that_only_the_recipe_has(tmp_path):
    """It has 256 bits, it makes the same bytes again, and the step is not marked as for tests."""
    (tmp_path / "people.csv").write_text("age\n" + "".join(f"{i % 90}\n" for i in range(200)), encoding="utf-8")
    step = AddNoise(column="age", scale=5, distribution="normal")
    with an.read(tmp_path / "people.csv") as data:
        first, second = an.apply(step, data), an.apply(step, data)
        (seed,) = first.recipe.seeds
        assert isinstance(seed, str) and len(seed) == 64 and second.recipe.seeds != (seed,)
        assert not first.recipe.steps[0].for_tests and first.recipe.reproducible
        first.save(tmp_path / "first.csv")
        again = an.apply(parse(first.recipe.to_toml()), data)
        again.save(tmp_path / "again.csv")
        second.save(tmp_path / "second.csv")
    bytes_of = [(tmp_path / f"{name}.csv").read_bytes() for name in ("first", "again", "second")]
    assert bytes_of[0] == bytes_of[1] != bytes_of[2]
    assert seed not in manifest_path(tmp_path / "first.csv").read_text(encoding="utf-8")
    with an.read(tmp_path / "people.csv") as data:
        an.apply(recipe_path(tmp_path / "first.csv"), data).save(tmp_path / "again.csv", force=True)
    assert (tmp_path / "again.csv").read_bytes() == bytes_of[0]


def test_what_comes_after_a_release_is_seeded_too():
    """`then` is another way to carry a step out."""
    with an.read(pa.table({"age": [1, 2, 3], "x": ["a", "b", "c"]})) as data:
        made = an.apply(Round(column="age", to=2), data).then(AddNoise(column="age", scale=5))
        assert len(made.recipe.seeds) == 1 and made.recipe.reproducible


def test_columns_add_up_exactly():
    """Three times 0.1 is 0.3, and not 0.30000000000000004."""
    loss = Recipe((response("a", 0.1), response("b", 0.1), response("c", 0.1))).privacy_loss()
    assert (loss.per_person, loss.to_dict()["epsilon_per_person"], loss.to_dict()["exact"]) == (Fraction(3, 10), 0.3, "3/10")
    assert "epsilon 0.3 in total for every person, if every record belongs to a different person, which is assumed" in loss.sentences()[0]
    steps = (LaplaceMechanism(column="x", epsilon=0.5, lower=0, upper=1), ExponentialMechanism(column="y", epsilon=2, values=(1, 2)))
    assert Recipe((*steps, response())).privacy_loss().per_person == Fraction("3.6")


@pytest.mark.parametrize(
    ("value", "text"), [("1/3", "0.333334"), ("22", "22"), ("1.1", "1.1"), ("2000000.5", "2000001"), ("0.00001", "1e-05")]
)
def test_a_total_is_never_understated(value, text):
    """Rounded up where there are too many digits."""
    assert number(Fraction(value)) == text and Fraction(text) >= Fraction(value)


VISITS = pa.table({"who": ["a", "a", "b", "c", None, None], "smoker": ["yes", "no", "yes", "no", "no", None], "age": [1, 1, 2, 2, 3, 3]})


def test_records_of_a_person_add_up_where_the_recipe_bounds_them(tmp_path):
    """The bound is checked when the recipe is applied, written down, and multiplied."""
    recipe = Recipe((response(epsilon=0.5), response("smoker", 0.25), Pseudonymise(column="who")), person="who", records_per_person=2)
    assert parse(recipe.to_toml()) == recipe and "records_per_person = 2" in recipe.to_toml()
    assert recipe.hash != Recipe(recipe.steps).hash
    with an.read(VISITS, person="who") as data:
        made = an.apply(recipe, data)
        made.save(tmp_path / "release.parquet")
    assert made.privacy_loss.per_person == Fraction(3, 2)
    assert "epsilon 1.5 in total for every person: 0.75 for every record, of which nobody ('who') has more than 2" in made.to_text()
    for reading in ({"person": "who"}, {}):
        found = an.audit(tmp_path / "release.parquet", "pipeline", quasi_identifiers=["age"], **reading).to_dict()["privacy_loss"]
        assert (found["epsilon_per_person"], found["records_per_person"], found["person"]) == (1.5, 2, "who")
    # A bound for one column says nothing about people whom another one tells apart.
    other = an.audit(tmp_path / "release.parquet", "pipeline", quasi_identifiers=["smoker"], person="age").to_dict()["privacy_loss"]
    assert other["epsilon_per_person"] is None and "no guarantee: nothing bounds how many records" in other["sentences"][0]


@pytest.mark.parametrize(("values", "over"), [(["a", "a", "a"], "1 of"), (["a", None, None], "1 of"), (["a", "a", None, None], "2 of")])
def test_a_bound_that_is_passed_stops_the_release(values, over):
    """Also by records that name nobody, which may all be one person's. Counts only."""
    recipe = Recipe((response("x", 1),), person="who", records_per_person=1)
    with an.read(pa.table({"who": values, "x": ["yes"] * len(values)})) as data:
        with pytest.raises(RecipeError, match=f"^{over} the values of 'who' .* have more than 1 records"):
            an.apply(recipe, data)
        with pytest.raises(ColumnNotFound):
            an.apply(Recipe(recipe.steps, person="nobody", records_per_person=1), data)


def test_without_a_bound_nothing_is_promised(tmp_path):
    """Whoever knows that several records belong to one person gets no total: on release, and at an audit later."""
    with an.read(VISITS, person="who") as data:
        made = an.apply(Recipe((response(), Pseudonymise(column="who"))), data)
        release = Path(made.save(tmp_path / "release.csv"))
    assert made.privacy_loss.per_person is None
    assert "no guarantee: nothing bounds how many records one person has" in made.to_text()
    with an.read(VISITS) as data:
        assumed = an.apply(Recipe((response(), Pseudonymise(column="who"))), data)
        assumed.save(tmp_path / "assumed.csv")
    assert assumed.privacy_loss.per_person == Fraction("1.1")
    for path in (release, tmp_path / "assumed.csv"):
        found = an.audit(path, "pipeline", quasi_identifiers=["age"], person="who")
        assert found.privacy_loss.per_person is None
        assert "no guarantee: nothing bounds how many records one person has" in found.render("text")


@pytest.mark.parametrize(
    "before",
    [
        SortRecords(),
        SuppressRecords(quasi_identifiers=("smoker",), k=2),
        SuppressCells(column="age", where="smoker", where_values=("yes",)),
        SuppressCells(column="smoker", below=2),
        Recode(quasi_identifiers=("age",), sensitive=("smoker",), rules=({"metric": "l_diversity", "minimum": 1},)),
        TopCode(column="smoker", share=0.1),
        response(seed=1),
    ],
    ids=lambda step: step.name,
)
def test_what_was_told_before_is_not_made_private_afterwards(before):
    """The order of records, or another cell, may give away what the mechanism then hides."""
    loss = Recipe((before, response())).privacy_loss()
    if before.private:
        # A value that was changed by itself is a value; that the change can be undone takes nothing from what follows.
        assert loss.per_person == Fraction("1.1")
        return
    assert loss.per_person is None
    assert f"no guarantee: {before.name} looks at the values of 'smoker' before they are made private" in loss.sentences()[0]
    assert Recipe((response(), before)).privacy_loss().per_person == Fraction("1.1")
    assert Recipe((response("other"), before)).privacy_loss().per_person == Fraction("1.1")


def test_a_step_that_looks_at_every_value_by_itself_takes_nothing_away():
    """Nor does one that looks at other columns."""
    steps = (GeneraliseInterval(column="x", width=10), SuppressRecords(quasi_identifiers=("y",), k=2), Round(column="x", to=1))
    private = LaplaceMechanism(column="x", epsilon=1, lower=0, upper=9)
    assert Recipe((*steps, private)).privacy_loss().per_person == 1
    assert Recipe((TopCode(column="x", ceiling=5), private)).privacy_loss().per_person == 1


def test_a_release_of_a_release_loses_both(tmp_path):
    """Epsilon is added; where only one of them bounds the records of a person, nothing is promised."""
    bounded = {"person": "who", "records_per_person": 2}
    with an.read(VISITS) as data:
        an.apply(Recipe((response(epsilon=1),), **bounded), data).save(tmp_path / "first.csv")
    with an.read(tmp_path / "first.csv") as data:
        assert an.apply(Round(column="age", to=2), data).privacy_loss.per_person == 2
        assert an.apply(Recipe((response(epsilon=2),), **bounded), data).privacy_loss.per_person == 6
        assert an.apply(response(epsilon=2), data).privacy_loss.per_person is None
        tested = an.apply(response("smoker", 2, seed=1), data).privacy_loss
        assert (tested.per_person, tested.tests) == (2, ("smoker",))


def test_the_manifest_gives_back_what_it_was_given():
    """And what is no such thing is refused."""
    loss = Recipe((response(), SortRecords(), response("b", 0.3), AddNoise(column="c", scale=1, seed=1))).privacy_loss("who")
    assert privacy_loss_of(json.loads(json.dumps(loss.to_dict()))) == loss
    for wrong in (
        {"records_per_person": 0},
        {"records_per_person": True},
        {"mechanisms": [{"column": "x", "mechanism": "y", "epsilon": "-1"}]},
    ):
        with pytest.raises((ValueError, KeyError, TypeError)):
            privacy_loss_of(PrivacyLoss().to_dict() | wrong)


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ('person = "who"', "person and records_per_person belong together"),
        ("records_per_person = 2", "person and records_per_person belong together"),
        ('person = "who"\nrecords_per_person = 0', "records_per_person must be a whole number of at least 1"),
        ('person = "who"\nrecords_per_person = 1.5', "records_per_person must be a whole number of at least 1"),
        ('person = ""\nrecords_per_person = 1', "person must be the name of a column"),
        ('people = "who"', "no such key; known are schema, person, records_per_person, steps"),
    ],
)
def test_what_means_nothing_is_said(head, says):
    """With the name of the file, before any table is looked at."""
    with pytest.raises(RecipeError, match=says):
        parse(f'schema = "anonscope/recipe/1"\n{head}\n[[steps]]\napply = "drop_column"\ncolumn = "x"\n')


def test_the_command_says_it_too(tmp_path, monkeypatch):
    """`apply` prints the total, and `audit --recipe` states it for a release whose manifest is not at hand."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age,smoker\n" + "".join(f"{i % 3},{TRUTH[i]}\n" for i in range(30)), encoding="utf-8")
    Path("recipe.toml").write_text(Recipe((response(),)).to_toml(), encoding="utf-8")
    applied = CliRunner().invoke(app, ["apply", "recipe.toml", "people.csv", "-o", "release.csv", "--quiet"])
    assert "epsilon 1.1 in total for every person, if every record belongs to a different person" in applied.stdout
    manifest_path(Path("release.csv")).unlink()
    command = ["audit", "release.csv", "-q", "age", "--recipe", "recipe.toml", "--quiet", "--format", "json"]
    assert json.loads(CliRunner().invoke(app, command).stdout)["privacy_loss"]["exact"] == "11/10"


def test_a_value_that_is_starred_for_certain_has_no_epsilon():
    """Whoever is starred had none of the listed answers; no chance hides that, so nothing is promised."""
    step = RandomisedResponse(column="sex", values=("F", "X"), epsilon=0.5, otherwise="suppress")

    loss = Recipe((step,)).privacy_loss()

    assert loss.flaws and "randomised_response" in loss.flaws[0]
    assert not Recipe((RandomisedResponse(column="sex", values=("F", "M"), epsilon=0.5),)).privacy_loss().flaws

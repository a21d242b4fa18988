"""The levels P1, P2 and P3 as recipes: what table 5 of the paper says, from roles and from what columns hold."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.hierarchy.diagnosis_names import categories_of_names, grouped_names
from anonscope.errors import OptionError, RecipeError, RoleError
from anonscope.transform.ready.levels import LEVELS

PEOPLE: dict[str, list[Any]] = {
    "name": ["Ada", "Ben", "Cem"],
    "age": [38, 52, None],
    "zip": ["10489", "10482", "01234-5678"],
    "gender": ["F", "M", "M"],
    "income": [4_149_499, 3_850_500, 1_620_000],
    "icd10": ["I219", "I210", "C509"],
}
ROLES: dict[str, Any] = {"direct_identifiers": ["name"], "quasi_identifiers": ["age", "zip", "gender"], "sensitive": ["income", "icd10"]}
# Table 5 of S. Kim (2025), with the paper's own example for the postcode, 10489 to 1048 and to 104.
TABLE_5 = {
    "P1": {
        "age": [38, 52, None],
        "zip": ["10489", "10482", "01234*"],
        "income": [4_149_000, 3_851_000, 1_620_000],
        "icd10": PEOPLE["icd10"],
    },
    "P2": {
        "age": [40, 50, None],
        "zip": ["1048*", "1048*", "0123*"],
        "income": [4_150_000, 3_850_000, 1_620_000],
        "icd10": ["I21*", "I21*", "C50*"],
    },
    "P3": {
        "age": [40, 50, None],
        "zip": ["104*", "104*", "012*"],
        "income": [4_000_000, 4_000_000, 2_000_000],
        "icd10": ["I*", "I*", "C*"],
    },
}


def recipe_for(columns: dict[str, list[Any]], level: str, like: dict[str, str] | None = None, **roles: Any) -> an.Recipe:
    with an.read(pa.table(columns), threads=1, **roles) as data:
        return an.level_recipe(data, level, like=like)


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_does_what_table_5_says(level):
    """Ages, postcodes, incomes and diagnoses change as printed, gender stays, and names go."""
    with an.read(pa.table(PEOPLE), threads=1, **ROLES) as data:
        release = an.apply(an.level_recipe(data, level), data).table.to_pydict()

    assert release == {"gender": PEOPLE["gender"]} | TABLE_5[level]


@pytest.mark.parametrize(("level", "incomes"), [("P1", [41_500, 38_500]), ("P2", [41_500, 38_500]), ("P3", [40_000, 40_000])])
def test_amounts_are_rounded_by_their_own_size(level, incomes):
    """Incomes of ten thousands are rounded to 10, 100 and 10,000, where millions of won are to 1,000, 10,000 and 1,000,000."""
    people = {"age": [38, 52], "income": [41_499, 38_501]}
    with an.read(pa.table(people), threads=1, quasi_identifiers=["age"], sensitive=["income"]) as data:
        recipe = an.level_recipe(data, level)
        assert an.apply(recipe, data).table.to_pydict()["income"] == incomes
    assert "times 0.01" in " ".join(recipe.comments)


@pytest.mark.parametrize("level", LEVELS)
def test_the_recipe_can_be_read_back_and_every_step_says_why(level, tmp_path):
    """It is a plain recipe: steps with comments, equal after writing and reading."""
    recipe = recipe_for(PEOPLE, level, **ROLES)
    (tmp_path / "recipe.toml").write_text(recipe.to_toml(), encoding="utf-8")
    read = an.load_recipe(tmp_path / "recipe.toml")

    assert (read.steps, read.comments, read.title) == (recipe.steps, recipe.comments, recipe.title)
    assert all(recipe.comments)
    assert "S. Kim (2025)" in recipe.title


def test_what_no_rule_is_about_is_named():
    """A quasi-identifier without a rule stays, and so does the id of persons; the head of the recipe says so."""
    recipe = recipe_for(PEOPLE | {"who": [1, 2, 3]}, "P2", person="who", **ROLES)

    assert "stay as they are: 'gender'" in recipe.title
    assert "pseudonymise them before any release: 'who'" in recipe.title


def test_common_names_of_diagnoses_are_grouped_by_the_classification():
    """P2 by the block, P3 by the chapter, however they are written; any other name says nothing, and nothing of the table is listed."""
    names = ["Heart Attack", "asthma", "ASTHMA", "Stroke", "copd", "Type 2 diabetes", "flu", "Gout", "depression", "Zebra pox", None]
    columns = {"age": list(range(30, 41)), "diagnosis": names}
    roles: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": ["diagnosis"]}
    blocks = ["[I20-I25]", "[J40-J47]", "[J40-J47]", "[I60-I69]", "[J40-J47]", "[E10-E14]", "[J09-J18]", "[M05-M14]", "[F30-F39]"]
    with an.read(pa.table(columns), threads=1, **roles) as data:
        recipes = {level: an.level_recipe(data, level) for level in LEVELS}
        made = {level: an.apply(recipe, data).table.to_pydict()["diagnosis"] for level, recipe in recipes.items()}
    assert made["P1"] == names and made["P2"] == [*blocks, "*", None]
    # The letter of every block is that of the chapter.
    assert [label[:2] for label in made["P3"][:9]] == [label[:2] for label in blocks] and made["P3"][0] == "[I00-I99]"
    assert "1 values are none of these names and become *" in recipes["P2"].to_toml() and "Zebra" not in recipes["P2"].to_toml()
    other = recipe_for({"age": [30, 40], "diagnosis": ["Schnupfen", "asthma"]}, "P2", **roles)
    assert [step.columns for step in other.steps] == [("age",)]
    assert "holds no ICD-10 codes and few common names; grouping names needs a hierarchy" in other.title


def test_every_name_has_a_block_and_a_chapter():
    """Within which its category lies."""
    blocks, chapters = grouped_names(chapters=False), grouped_names(chapters=True)
    assert len(blocks) > 300 and set(blocks) == set(chapters) == set(categories_of_names())
    for name, category in categories_of_names().items():
        for label in (blocks[name], chapters[name]):
            first, last = label.strip("[]").split("-")
            assert first <= category <= last


def test_names_of_diagnoses_go_by_a_hierarchy_where_there_is_one(tmp_path):
    """P2 takes its first level and P3 the last that still tells something."""
    columns = {"age": [30, 40], "diagnosis": ["infarction", "asthma"]}
    roles: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": ["diagnosis"]}

    file = tmp_path / "diagnoses.csv"
    file.write_text("infarction;cardiovascular;internal medicine;*\nasthma;respiratory;internal medicine;*\n", encoding="utf-8")
    with an.read(pa.table(columns), threads=1, hierarchies={"diagnosis": file}, **roles) as data:
        made = {level: an.apply(an.level_recipe(data, level), data).table.to_pydict()["diagnosis"] for level in LEVELS}
    assert made == {"P1": ["infarction", "asthma"], "P2": ["cardiovascular", "respiratory"], "P3": ["internal medicine"] * 2}


def test_a_flat_hierarchy_groups_nothing(tmp_path):
    """One label for all is no group, so the column stays."""
    file = tmp_path / "flat.csv"
    file.write_text("infarction;*\nasthma;*\n", encoding="utf-8")
    columns = {"age": [30, 40], "diagnosis": ["infarction", "asthma"]}
    recipe = recipe_for(columns, "P3", quasi_identifiers=["age"], sensitive=["diagnosis"], hierarchies={"diagnosis": file})

    assert "no level between the values and one label for all" in recipe.title


def test_the_recipe_finds_the_hierarchy_from_where_it_stands(tmp_path, monkeypatch):
    """A recipe in another folder names the file as seen from there, and is applied from anywhere."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "diagnoses.csv").write_text("infarction;heart;*\nasthma;lungs;*\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    columns = pa.table({"age": [30, 40], "diagnosis": ["infarction", "asthma"]})
    with an.read(columns, quasi_identifiers=["age"], sensitive=["diagnosis"], hierarchies={"diagnosis": "diagnoses.csv"}) as data:
        made = an.level_recipe(data, "P2", folder="kept")
        Path("kept/recipe.toml").write_text(made.to_toml(), encoding="utf-8")
        monkeypatch.chdir("/")
        assert an.apply(tmp_path / "kept/recipe.toml", data).table.to_pydict()["diagnosis"] == ["heart", "lungs"]


@pytest.mark.parametrize(
    ("ages", "otherwise", "says"),
    [
        (["30"] * 10, "error", ""),
        (["30"] * 9 + ["90+"], "suppress", "1 values are no numbers and become *"),
        (["30-39", "40-49", "30"], None, "'age' is like an age, but holds no numbers"),
    ],
    ids=["numbers", "mostly", "bands"],
)
def test_columns_that_hold_something_else_than_their_name_says(ages, otherwise, says):
    """A few odd values are suppressed; a column of bands is left alone, and the recipe says so."""
    recipe = recipe_for({"age": ages, "zip": ["10489"] * len(ages)}, "P2", quasi_identifiers=["age", "zip"])
    found = [step for step in recipe.steps if step.name == "round"]

    assert [step.otherwise for step in found] == ([otherwise] if otherwise else [])
    assert says in "\n".join((recipe.title, *recipe.comments))


def test_a_column_is_treated_as_it_is_told():
    """Where the name does not say what a column is like, the user does."""
    recipe = recipe_for({"pay": [1_499_000, 2_500_000]}, "P1", like={"pay": "income"}, quasi_identifiers=["pay"])

    assert [(step.name, step.settings()["to"]) for step in recipe.steps] == [("round", 1_000)]


@pytest.mark.parametrize(
    ("level", "like", "roles", "error", "says"),
    [
        ("P4", {}, {"quasi_identifiers": ["sex"]}, OptionError, "must be one of P1, P2, P3"),
        ("P2", {"nope": "age"}, {"quasi_identifiers": ["sex"]}, OptionError, "not among"),
        ("P2", {"sex": "height"}, {"quasi_identifiers": ["sex"]}, OptionError, "can be like"),
        ("P2", {}, {"quasi_identifiers": ["sex"]}, RecipeError, "has nothing to change"),
        ("P2", {}, {"quasi_identifiers": ["nope"]}, RoleError, "No column is named"),
        ("P2", {}, {}, RoleError, "No quasi-identifier is given"),
    ],
)
def test_what_cannot_be_made_is_refused(level, like, roles, error, says):
    """With what is wrong, and without any value."""
    with pytest.raises(error, match=says):
        recipe_for({"sex": ["F", "M"]}, level, like, **roles)


def test_data_is_what_read_returns():
    """A path is not enough, because roles decide."""
    with pytest.raises(OptionError, match="read"):
        an.level_recipe("people.csv", "P2")  # type: ignore[arg-type]

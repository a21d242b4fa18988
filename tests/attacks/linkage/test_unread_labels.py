"""A label that nothing explains may be anything: it is never counted as matching nobody, and what hangs on it is not measured."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from linked import linked, matched
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.columns.hierarchy import Hierarchy
from anonscope.errors import AnonscopeError
from anonscope.transform.steps import GeneraliseInterval, GeneraliseMapping, Round

CHANCE = np.random.default_rng(7)
AGES = CHANCE.integers(18, 90, 400).tolist()
ZIPS = CHANCE.choice(["10115", "10117", "10203", "20245"], 400).tolist()
JOBS = CHANCE.choice(["nurse", "carer", "clerk", "mayor"], 400).tolist()
ORIGINAL = pa.table({"age": AGES, "zip": ZIPS, "job": JOBS})


def released(**columns: list[Any]) -> pa.Table:
    """Return the original with some columns as they were released."""
    names = ORIGINAL.column_names
    return pa.table({name: pa.array([str(x) for x in columns.get(name, ORIGINAL[name].to_pylist())]) for name in names})


@pytest.mark.parametrize(
    "columns",
    [
        {"job": ["group 1" if job in ("nurse", "carer") else "group 2" for job in JOBS]},
        {"zip": [code[:3] for code in ZIPS]},
        {"age": [10 * round(age / 10) for age in AGES]},
        {"age": [age + 1000 for age in AGES]},
        {"age": [f"{age // 10}th decade" for age in AGES]},
        {"age": [None if age > 80 else age for age in AGES]},
    ],
    ids=["a group's name", "bare beginnings", "rounded", "shifted", "words", "blanked"],
)
def test_an_unread_label_is_never_counted_as_nobody(columns: dict[str, list[Any]]) -> None:
    """The risk is not measured, everybody stays a candidate, and the ends hold what the truth is."""
    table = pa.table(
        {n: pa.array([None if x is None else str(x) for x in columns.get(n, ORIGINAL[n].to_pylist())]) for n in ORIGINAL.column_names}
    )
    found = linked(table, released())

    assert found.average_risk is None and not found.measured
    assert found.k_map is None and found.unique_match_share is None and found.scores is None
    assert found.matched_share == 1
    assert 0 < found.average_risk_range.least < found.average_risk_range.most <= 1
    assert 0 < found.unread_share <= 1 / 3
    assert found.undecided_records == sum(line.cells for line in found.readings if not line.read)


@pytest.mark.parametrize(
    "columns",
    [
        {"age": [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in AGES]},
        {"age": [f"{age // 10 * 10} to {age // 10 * 10 + 9}" for age in AGES]},
        {"age": [">=65" if age >= 65 else str(age) for age in AGES]},
        {"age": [f"[{age // 10 * 10}, {age // 10 * 10 + 10}[" for age in AGES]},
        {"age": ["unter 20" if age < 20 else f"{age // 10 * 10} bis {age // 10 * 10 + 9} Jahre" for age in AGES]},
        {"zip": [code[:3] + "xx" for code in ZIPS]},
        {"job": ["nurse|carer" if job in ("nurse", "carer") else "clerk;mayor" for job in JOBS]},
    ],
)
def test_the_usual_notations_are_read_as_the_recipe_would_say(columns: dict[str, list[Any]]) -> None:
    """Each record's candidates are those that the same recoding has in our own notation."""
    found = linked(released(**columns), released())
    (name,) = columns
    groups: dict[tuple[Any, ...], int] = {}
    keys = list(zip(*(columns.get(n, ORIGINAL[n].to_pylist()) for n in ORIGINAL.column_names), strict=True))
    for key in keys:
        groups[key] = groups.get(key, 0) + 1

    assert found.measured and found.unread_share == 0
    assert found.average_risk == pytest.approx(len(groups) / len(keys))
    assert all(line.how != "the value itself" or line.column != name or "65" in str(columns) for line in found.readings)


def test_one_reading_for_each_thing_that_explains() -> None:
    """What was told, and what was observed beside the original in the same order, is exact, and said."""
    groups = ["care" if job in ("nurse", "carer") else "office" for job in JOBS]
    exact = linked(released(job=["nurse|carer" if g == "care" else "clerk|mayor" for g in groups]), released()).average_risk
    table = released(job=groups)
    tree = Hierarchy("job", ("nurse", "carer", "clerk", "mayor"), (("care", "care", "office", "office"), ("*",) * 4))
    recipe = an.Recipe((GeneraliseMapping(column="job", mapping={"nurse": "care", "carer": "care", "clerk": "office", "mayor": "office"}),))
    with an.read(table) as data:
        by_tree = an.link(data, released(), hierarchies={"job": tree})
        by_recipe = an.link(data, released(), recipe=recipe)
        observed = an.link(data, released(), unknown="observed")
        nothing = an.link(data, released())
    assert by_tree.average_risk == by_recipe.average_risk == observed.average_risk == pytest.approx(exact)
    assert {line.how for found in (by_tree, by_recipe, observed) for line in found.readings if line.column == "job"} == {
        "by the hierarchy",
        "by the recipe",
        "as observed, record by record",
    }
    assert nothing.average_risk is None
    assert nothing.average_risk_range.least <= exact <= nothing.average_risk_range.most
    text = nothing.render()
    assert "not measured" in text and "How released values were read" in text and "--unknown observed" in text
    assert "care" not in text and "nurse" not in text


def test_what_is_told_by_column() -> None:
    """Bare beginnings are read as such when told; a column that is not there is refused, and so is an original of another size."""
    table = released(zip=[code[:3] for code in ZIPS])
    stars = linked(released(zip=[code[:3] + "**" for code in ZIPS]), released())
    assert linked(table, released(), unknown={"zip": "prefix"}).average_risk == stars.average_risk
    with pytest.raises(AnonscopeError, match="not among those compared"):
        linked(table, released(), unknown={"town": "prefix"})
    with pytest.raises(AnonscopeError, match="counts as"):
        linked(table, released(), unknown="nobody")
    with pytest.raises(AnonscopeError, match="400 records and the external table 399"):
        linked(table, released().slice(1), unknown="observed")


def test_few_unread_records_do_not_decide() -> None:
    """One record of 400 moves the mean by a quarter of a percentage point: the higher end is stated, and nothing is lower than it."""
    jobs = ["a group", *JOBS[1:]]
    found = linked(released(job=jobs), released())
    truth = linked(released(), released()).average_risk
    assert found.measured and found.average_risk == found.average_risk_range.most >= truth - 1e-12
    assert found.undecided_records == 1 and found.k_map is None


def test_unread_labels_that_nobody_else_fits_do_not_matter() -> None:
    """What other columns rule out stays ruled out, whatever the label means."""
    release = pa.table({"job": ["a group", "nurse"], "age": ["[90-99]", "[20-29]"]})
    external = pa.table({"job": ["nurse", "clerk"], "age": ["25", "70"]})
    found = linked(release, external)
    assert found.measured and found.average_risk == 0.5 and found.unread_cells == 1


def test_the_commands_say_so_and_exit_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text, JSON and page name the share of cells; with what explains them the exit code is 0."""
    from pyarrow import csv

    monkeypatch.chdir(tmp_path)
    csv.write_csv(released(), "original.csv")
    csv.write_csv(released(age=[age // 10 for age in AGES], job=["x" + job[0] for job in JOBS]), "release.csv")
    run = CliRunner().invoke
    said = run(app, ["link", "release.csv", "original.csv"])
    assert said.exit_code == 1 and "not measured" in said.stdout and "66.7 % of the cells" in said.stdout
    page = run(app, ["link", "release.csv", "original.csv", "-o", "linked.html"])
    assert page.exit_code == 1 and "not measured" in Path("linked.html").read_text(encoding="utf-8")
    document = run(app, ["link", "release.csv", "original.csv", "--format", "json"])
    found = json.loads(document.stdout)
    assert (found["status"], found["average_risk"], found["expected_matches"]) == ("not measured", None, None)
    assert found["unread_share"] == pytest.approx(2 / 3, abs=1e-4)
    assert {line["column"] for line in found["readings"] if not line["read"]} == {"age", "job"}
    seen = run(app, ["link", "release.csv", "original.csv", "--unknown", "observed", "--format", "json"])
    assert seen.exit_code == 0 and json.loads(seen.stdout)["status"] == "measured"
    Path("recipe.toml").write_text(
        an.Recipe((GeneraliseMapping(column="job", mapping={"nurse": "xn", "carer": "xc", "clerk": "xc", "mayor": "xm"}),)).to_toml()
    )
    told = run(app, ["link", "release.csv", "original.csv", "--recipe", "recipe.toml", "--unknown", "age=observed", "--format", "json"])
    # The recipe says that ages were left alone, and the register has none below 18: they are read as what they are.
    assert told.exit_code == 0 and json.loads(told.stdout)["unread_cells"] == 0
    both = run(app, ["link", "release.csv", "original.csv", "--unknown", "age=observed", "--unknown", "itself"])
    assert isinstance(both.exception, AnonscopeError)


def test_two_releases_are_not_composed_over_what_was_not_read() -> None:
    """Who is alone under both is not known where a label may be anything."""
    people = released()
    with an.read(people.select(["age"])) as ages, an.read(released(job=["g" + job[0] for job in JOBS]).select(["job"])) as jobs:
        found = an.compose(ages, jobs, people)
    assert not found.measured and found.newly_alone is None and found.both.fewest is None and found.first.fewest is not None
    assert "not measured" in found.render()


def test_a_recipe_that_rounds_explains_what_looks_rounded(tmp_path: Path) -> None:
    """The same numbers are unread without it."""
    with an.read(ORIGINAL) as data:
        made = an.apply([Round(column="age", to=10), GeneraliseInterval(column="zip", width=10000)], data)
        table = made.table
    with an.read(table) as alone, an.read(table, recipe=made.recipe) as told:
        assert an.link(alone, ORIGINAL).average_risk is None
        found = an.link(told, ORIGINAL)
    assert found.measured and found.matched_share == 1


def test_the_join_takes_unread_labels_for_anything() -> None:
    """Against comparing every pair by hand."""
    release, external = pa.table({"v": ["group", "a", "*"]}), pa.table({"v": ["a", "a", "b"]})
    found = matched(release, external)
    assert found.external_records[found.class_of].tolist() == [3, 2, 3]
    assert found.unread[found.class_of].tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("label", "there"),
    [("010**", ["1067", "1069"]), ("104**", ["D-10489", "D-10490"]), ("{Bachelors, Masters}", ["bachelors", "masters"])],
)
def test_a_notation_that_fits_no_value_is_not_read(label: str, there: list[str]) -> None:
    """Zeros may be lost, letters small: that nobody fits is then no finding."""
    found = linked(pa.table({"a": [label] * 4}), pa.table({"a": there * 2}))

    assert found.average_risk is None
    assert found.unread_share == 1


def test_a_recipe_explains_nothing_where_the_other_table_writes_otherwise(tmp_path: Path) -> None:
    """F here and female there: no label of the column means any value, so what it means there is not known."""
    people = pa.table({"sex": ["F", "F", "F", "M", "M", "M"]})
    with an.read(people, quasi_identifiers=["sex"]) as data:
        path = an.anonymise(data, limits={"k_anonymity": 3}).write(tmp_path / "release.csv")
    with an.read(path, quasi_identifiers=["sex"]) as released:
        found = an.link(released, pa.table({"sex": ["female", "male"] * 3}))

    assert found.average_risk is None
    assert found.unread_share == 1


def test_people_who_are_written_otherwise_may_be_anybody() -> None:
    """Half of the external table says male and female where the release has M and F: all six are there, so none is nobody."""
    release = pa.table({"age": ["[30-39]", "[30-39]", "[40-49]", "[40-49]", "[50-59]", "[50-59]"], "sex": ["M", "F"] * 3})
    external = pa.table({"age": ["31", "32", "44", "45", "51", "52"], "sex": ["M", "female", "male", "F", "male", "F"]})
    found = linked(release, external)

    assert found.matched_records == found.undecided_records == 6 and not found.measured
    # Three have one who fits and one who may; the others have one who may, or nobody.
    assert (found.average_risk_range.least, found.average_risk_range.most) == (3 * 0.5 / 6, 1)
    assert [(line.column, line.values, line.cells, line.share) for line in found.strays] == [("sex", 2, 3, 0.5)]
    assert found.stray_share == 0.25
    assert linked(release, external, unknown={"sex": "itself"}).matched_records == 3


@pytest.mark.parametrize("years", [["1949", "1940", "1990", "1999"], ["71", "1940", "30", "1999"]])
def test_years_do_not_fit_ages_without_an_upper_end(years: list[str]) -> None:
    """Years of birth lie beyond 65, but are hardly ages: whoever has one may be anybody."""
    found = linked(pa.table({"age": ["65+", "65+", "<65", "<65"]}), pa.table({"age": years}))

    assert found.matched_records == 4 and not found.measured


def test_open_ranges_of_which_one_is_empty_show_no_unit() -> None:
    """Nobody is above 65, and nothing tells whether the other table counts in the same unit: the label is not read."""
    found = linked(pa.table({"age": ["65+", "<65", "<65"]}), pa.table({"age": ["31", "28", "40"]}))

    assert found.matched_records == 3 and found.unread_share > 0


def test_people_of_other_ages_codes_and_days_are_not_in_the_release() -> None:
    """What is demonstrably written as what fits, and merely fits nobody, is no stray."""
    release = pa.table({"age": ["[30-39]", "[40-49]"], "zip": ["011*", "102*"], "born": ["1981-03", "1974-05"], "sex": ["F", "F"]})
    external = pa.table(
        {
            "age": ["31", "44", "77", "8"],
            "zip": ["01123", "10234", "80331", "04109"],
            "born": ["1981-03-02", "1974-05-17", "1940-01-13", "2011-10-09"],
            "sex": ["F", "F", "M", "F"],
        }
    )
    found = linked(release, external)

    assert found.strays == () and found.measured and found.matched_external_records == 2

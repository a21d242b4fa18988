"""What a comparison knows of released values: from path, table, recipe, hierarchy, or the original beside them; and what it does not."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError
from anonscope.risk.policy import from_rules
from anonscope.transform.steps import AddNoise, GeneraliseMapping, Round

AGES = [23, 27, 31, 34, 38, 35, 52, 57, 55, 59, 61, 64]
JOBS = ["nurse", "carer", "clerk"] * 4
PEOPLE = pa.table({"age": AGES, "job": JOBS, "ill": ["flu", "asthma", "gout", "flu"] * 3})
ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "job"], "sensitive": ["ill"]}
GROUPED = PEOPLE.set_column(1, "job", pa.array(["care" if job != "clerk" else "office" for job in JOBS]))
RECIPE = an.Recipe((GeneraliseMapping(column="job", mapping={"nurse": "care", "carer": "care", "clerk": "office"}),))


def ncp(found: an.Comparison, version: int = 1) -> float:
    measured = found.versions[version].utility("ncp")
    assert measured is not None and measured.value is not None
    return measured.value


def test_a_table_that_was_read_knows_what_its_path_knows(tmp_path: Path) -> None:
    """Recipe, manifest and name: `compare(data, an.read(path))` is `compare(data, path)`, and link says the same of both."""
    with an.read(PEOPLE, **ROLES) as data:
        rounded = Path(an.apply([Round(column="age", to=10), *RECIPE.steps], data).save(tmp_path / "rounded.csv"))
        noisy = Path(an.apply(AddNoise(column="age", distribution="normal", scale=5.0), data).save(tmp_path / "noisy.csv"))
        with an.read(rounded) as one, an.read(noisy) as other:
            by_table, by_path = an.compare(data, one, other), an.compare(data, rounded, noisy)
            assert by_table.to_dict() == by_path.to_dict()
            assert an.link(one, PEOPLE).measured
            assert an.link(other, PEOPLE, columns={"age": "age", "job": "job"}).average_risk is None
    assert by_path.versions[1].unread_share == 0 and not any("rounded" in note for note in by_path.notes)
    assert by_path.versions[2].balance is None


def test_apply_leaves_the_recipe_that_explains_its_release(tmp_path: Path) -> None:
    """Without what stands beside it the same file says numbers that nobody explains."""
    with an.read(PEOPLE, **ROLES) as data:
        path = Path(an.apply(Round(column="age", to=10), data).save(tmp_path / "release.csv"))
        alone = tmp_path / "alone.csv"
        alone.write_bytes(path.read_bytes())
        found = an.compare(data, path, alone)
    assert ncp(found, 1) < ncp(found, 2)
    assert any("alone.csv" in note and "rounded, shifted or perturbed" in note and "12 values of age" in note for note in found.notes)
    assert not any(note.startswith("release.csv") for note in found.notes)


def test_recipes_hierarchies_and_records_explain_labels(tmp_path: Path) -> None:
    """All three say the same of a group's name; without them it counts as lost, and the share is told in every format."""
    csv.write_csv(GROUPED, tmp_path / "release.csv")
    (tmp_path / "job.csv").write_text("nurse;care;*\ncarer;care;*\nclerk;office;*\n")
    release = tmp_path / "release.csv"
    with an.read(PEOPLE, **ROLES) as data:
        unread = an.compare(data, release)
        told = [
            an.compare(data, release, recipe=RECIPE),
            an.compare(data, release, hierarchies={"job": tmp_path / "job.csv"}),
            an.compare(data, release, unknown="observed"),
            an.compare(data, release, unknown={"job": "observed"}),
        ]
        with pytest.raises(AnonscopeError, match="1 releases and 2 recipes"):
            an.compare(data, release, recipe=[RECIPE, None])
    assert len({round(ncp(found), 9) for found in told}) == 1 and ncp(told[0]) < ncp(unread)
    assert [line.how for line in told[2].versions[1].readings if line.column == "job"] == ["as observed, record by record"]
    assert any("taken from the original, record by record" in note for note in told[2].notes)
    assert unread.versions[1].unread_share == pytest.approx(1 / 3)
    for form in ("text", "markdown", "html"):
        page = unread.render(form)
        assert "How released values were read" in page and "not read: may be anything" in page
        assert "take what they replaced" in page and ("--unknown observed" in page) == (form != "html")
        assert "office" not in page
    version = unread.to_dict()["versions"][1]
    assert version["unread_share"] == pytest.approx(1 / 3, abs=1e-4) and {line["column"] for line in version["readings"]} == {
        "age",
        "ill",
        "job",
    }


def test_what_hangs_on_unread_labels_is_not_called_best() -> None:
    """Two releases that differ only in whether a notation says what a group is: nobody knows that the readable one is better."""
    policy = from_rules([{"metric": "k_anonymity", "minimum": 1}])
    bands = PEOPLE.set_column(0, "age", pa.array(["[20-39]" if age < 40 else "[50-69]" for age in AGES]))
    names = PEOPLE.set_column(0, "age", pa.array(["young" if age < 40 else "old" for age in AGES]))
    coarse = PEOPLE.set_column(0, "age", pa.array(["[0-98]" if age < 40 else "[0-99]" for age in AGES]))
    with an.read(PEOPLE, **ROLES) as data, an.read(names) as unread, an.read(bands) as readable, an.read(coarse) as rival:
        found = an.compare(data, unread, rival, names=["grouped", "coarse"], policy=policy)
        known = an.compare(data, readable, rival, names=["grouped", "coarse"], policy=policy)
    grouped, read_so = found.versions[1], known.versions[1]
    assert grouped.balance is not None and grouped.balance_at_most is not None and read_so.balance is not None
    assert grouped.balance.utility < read_so.balance.utility <= grouped.balance_at_most.utility
    assert read_so.balance_at_most is None
    assert known.best("public-release") == "grouped"
    assert "not measured: it hangs on values of grouped" in found.render()
    assert found.best("public-release") is None and found.to_dict()["best"]["public-release"] is None


def test_an_external_risk_that_was_not_measured_balances_nothing() -> None:
    """The version is not weighed, and its row says so; told what its labels stand for, it is."""
    with an.read(PEOPLE, **ROLES) as data, an.read(GROUPED) as release:
        found = an.compare(data, release, external=PEOPLE, names=["grouped"])
        seen = an.compare(data, release, external=PEOPLE, names=["grouped"], unknown="observed")
    assert found.versions[0].linkage is not None and found.versions[0].linkage.measured
    version = found.versions[1]
    assert version.linkage is not None and version.linkage.unread_cells == 12
    assert version.balance is None or version.linkage.average_risk is not None
    assert seen.versions[1].balance is not None and seen.versions[1].linkage is not None and seen.versions[1].linkage.measured
    assert seen.versions[1].linkage.average_risk_range.most <= version.linkage.average_risk_range.most


def test_values_of_the_original_that_are_not_outside_are_still_values() -> None:
    """An outside table of some of the people leaves nothing unread: the original tells that its values are values."""
    with an.read(PEOPLE, **ROLES) as data, an.read(PEOPLE) as release:
        found = an.compare(data, release, external=PEOPLE.slice(0, 5))
    for version in found.versions:
        assert version.linkage is not None and version.linkage.measured and version.linkage.matched_records == 5


def test_the_command_takes_recipes_and_says_what_was_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--recipe and --unknown, for all releases or for each."""
    monkeypatch.chdir(tmp_path)
    csv.write_csv(PEOPLE, "people.csv")
    csv.write_csv(GROUPED, "release.csv")
    Path("recipe.toml").write_text(RECIPE.to_toml())
    words = ["compare", "people.csv", "release.csv", "-q", "age", "-q", "job", "-s", "ill", "--quiet", "--format", "json"]
    shares = []
    for more in ([], ["--recipe", "recipe.toml"], ["--unknown", "observed"], ["--unknown", "job=observed"]):
        result = CliRunner().invoke(app, [*words, *more])
        assert result.exit_code == 1 and "No release meets the policy scorr." in result.stderr
        shares.append(json.loads(result.stdout)["versions"][1]["unread_share"])
    assert shares[0] > 0 and shares[1:] == [0, 0, 0]

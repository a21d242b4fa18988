"""Versions side by side: an identical release loses nothing, a suppressed one everything, and the balance follows."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError
from anonscope.transform.steps import GeneraliseInterval, Round, SuppressColumn

PEOPLE = pa.table(
    {
        "id": [f"p{i}" for i in range(12)],
        "age": [23, 27, 31, 34, 38, 35, 52, 57, 55, 59, 61, 64],
        "sex": ["F", "M", "M", "F", "F", "M", "F", "F", "M", "M", "F", "M"],
        "ill": ["flu", "asthma", "flu", "flu", "asthma", "diabetes", "flu", "asthma", "flu", "diabetes", "flu", "asthma"],
    }
)
ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"], "insensitive": ["id"]}


def test_an_identical_release_loses_nothing():
    """Loss 0, similarity 1, utility 1, and the risk of the original."""
    with an.read(PEOPLE, **ROLES) as data:
        found = an.compare(data, an.apply(Round(column="age", to=1), data))
    before, after = found.versions
    assert after.balance is not None and before.balance is not None
    assert after.balance.utility == pytest.approx(1) and after.balance.risk == before.balance.risk == 1
    for name in ("ncp", "total_variation", "non_uniform_entropy", "suppressed_cells"):
        measured = after.utility(name)
        assert measured is not None and measured.value == pytest.approx(0, abs=1e-12)


def test_coarser_versions_are_safer_and_tell_less():
    """Risk falls and loss rises; both versions are on the frontier, the original is no choice, and the best meets the policy."""
    steps = [GeneraliseInterval(column="age", width=width) for width in (10, 40)]
    with an.read(PEOPLE, **ROLES) as data:
        found = an.compare(data, *(an.apply(step, data) for step in steps), names=["decades", "forties"], policy="pipeline")
    risks = [v.balance.risk for v in found.versions if v.balance]
    utilities = [v.balance.utility for v in found.versions if v.balance]
    losses = [v.utility("ncp").value for v in found.versions if v.utility("ncp")]
    assert risks[0] > risks[1] > risks[2]
    assert utilities[0] > utilities[1] > utilities[2]
    assert losses == sorted(losses)
    assert found.pareto == ("decades", "forties")
    assert found.met == ("forties",)
    assert found.best("public-release") == "forties"
    assert found.sweep.steps[0].best == "forties"


def test_a_release_that_waits_for_a_word_is_withheld_in_the_first_line():
    """Its limits are kept, but a column that nobody measured tells everything: it meets nothing and is not called the best."""
    original = pa.table({"age": [20, 30] * 20, "ill": ["flu", "gout"] * 20})
    release = pa.table({"age": ["*"] * 40, "ill": ["flu", "gout"] * 20, "x7": [2801 + i % 20 * 37 for i in range(40)]})
    with an.read(original, quasi_identifiers=["age"], sensitive=["ill"]) as data, an.read(release) as released:
        found = an.compare(data, released, names=["r2"], policy="pipeline")
    assert found.exit_code == 1 and found.met == () and found.best() is None and [v.name for v in found.waiting] == ["r2"]
    lead = found.render().split("\n\n")[1]
    assert "r2 is withheld" in lead and "a word is due about 'x7'" in lead
    assert "meets" not in lead and "best" not in lead


def test_records_are_matched_by_a_key_where_some_are_gone(tmp_path):
    """Rows in another order, one missing: with the key it is one lost record; without it both are wholes, and a note suggests the key."""
    release = PEOPLE.take([5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7])
    with an.read(PEOPLE, **ROLES) as data, an.read(release) as other:
        whole = an.compare(data, other)
        found = an.compare(data, other, key="id")
    lost = found.versions[1].utility("suppressed_records")
    assert lost is not None and lost.value == pytest.approx(1 / 12)
    assert any("1 of 12 records" in note for note in found.notes)
    assert whole.versions[1].whole and not found.versions[1].whole
    assert any("its 11 records do not correspond to the 12" in note and "--key" in note for note in whole.notes)


def test_recoded_values_of_other_numbers_of_records_need_a_key():
    """Labels would all seem new to a comparison of wholes, so it is said what to do instead."""
    release = pa.table({"age": ["[30-39]"] * 5, "sex": ["*"] * 5, "ill": ["flu"] * 5})
    with an.read(PEOPLE, **ROLES) as data, an.read(release) as other, pytest.raises(AnonscopeError, match="--key"):
        an.compare(data, other)


def test_a_release_that_tells_nothing_is_weighed_without_a_number_that_is_none():
    """All suppressed: everything is lost, and nothing is NaN."""
    with an.read(PEOPLE, **ROLES) as data:
        found = an.compare(data, an.apply([SuppressColumn(column="age"), SuppressColumn(column="sex")], data))
    ncp = found.versions[1].utility("ncp")
    assert ncp is not None and ncp.value == 1
    json.dumps(found.to_dict(), allow_nan=False)
    assert "NaN" not in found.render() and "nan" not in found.render().split()


def test_labels_of_an_anonymisation_are_read_through_its_hierarchies(tmp_path):
    """From the object, and from the files it wrote: the loss that the search reported."""
    with an.read(PEOPLE, **ROLES) as data:
        made = an.anonymise(data, limits={"k_anonymity": 3})
        path = made.write(tmp_path / "release.csv")
        found = an.compare(data, made, path, names=["object", "file"])
    by_name = {v.name: v.utility("ncp") for v in found.versions}
    assert by_name["object"].value == pytest.approx(made.losses["ncp"])
    assert by_name["file"].value == pytest.approx(made.losses["ncp"])


def test_an_external_table_raises_the_risk(tmp_path):
    """Risk is the larger of the internal and the external one; linking a table with itself gives its internal risk."""
    with an.read(PEOPLE, **ROLES) as data:
        found = an.compare(data, an.apply(GeneraliseInterval(column="age", width=10), data), external=PEOPLE)
        linked = an.link(data, PEOPLE)
    for version in found.versions:
        assert version.linkage is not None and version.balance is not None
        assert version.balance.external_risk == version.linkage.average_risk == pytest.approx(version.balance.internal_risk)
    assert linked.average_risk == pytest.approx(linked.internal_risk) == 1
    assert linked.matched_share == 1


def test_weights_follow_from_limits():
    """The smallest weight that keeps a limit on risk; and a limit nobody keeps is said."""
    with an.read(PEOPLE, **ROLES) as data:
        releases = [an.apply(GeneraliseInterval(column="age", width=width), data) for width in (10, 40)]
        found = an.compare(data, *releases, most_risk=0.4)
        none = an.compare(data, *releases, most_risk=0.01)
    assert found.choice is not None and found.choice.version == "release 2"
    assert none.choice is not None and none.choice.weights is None and "risk" in str(none.choice.reason)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"names": ["a", "b"]}, "as many different names"),
        ({"names": ["original"]}, "none of them"),
        ({"weights": {"age": -1.0}}, "at least 0"),
        ({"like": {"age": "height"}}, "can be like"),
        ({"columns": ["agee"]}, "age"),
        ({"key": "passport"}, "passport"),
    ],
)
def test_bad_wishes_are_named(options, says):
    """One sentence each."""
    with an.read(PEOPLE, **ROLES) as data, pytest.raises(AnonscopeError, match=says):
        an.compare(data, an.apply(Round(column="age", to=5), data), **options)


def test_nothing_to_compare_is_said():
    """An original alone is no comparison, and a path must lead somewhere."""
    with an.read(PEOPLE, **ROLES) as data, pytest.raises(AnonscopeError, match="at least one release"):
        an.compare(data)
    with pytest.raises(AnonscopeError, match="No such file"):
        an.compare("people.csv", "release.csv")


def test_the_commands_write_what_they_found(tmp_path, monkeypatch):
    """compare and link, as text, JSON and a page with charts."""
    monkeypatch.chdir(tmp_path)
    with an.read(PEOPLE, **ROLES) as data:
        an.apply(Round(column="id", to=1, otherwise="keep"), data).save("people.csv")
        an.apply(GeneraliseInterval(column="age", width=20), data).save("release.csv")
    roles = ["-q", "age", "-q", "sex", "-s", "ill"]
    page = CliRunner().invoke(app, ["compare", "people.csv", "release.csv", *roles, "-o", "comparison.html", "--quiet"])
    assert page.exit_code == 1 and "No release meets the policy scorr." in page.stderr
    text = Path("comparison.html").read_text(encoding="utf-8")
    assert text.count("<svg") >= 4 and "asthma" not in text
    document = CliRunner().invoke(app, ["compare", "people.csv", "release.csv", *roles, "--format", "json", "--quiet"])
    assert [v["version"] for v in json.loads(document.stdout)["versions"]] == ["original", "release.csv"]
    Path("one.toml").write_text(
        'schema = "anonscope/policy/1"\nname = "one"\ntitle = "one"\nversion = "1"\norigin = "a test"\n\n'
        '[[rules]]\nmetric = "k_anonymity"\nminimum = 1\n'
    )
    met = CliRunner().invoke(
        app, ["compare", "people.csv", "release.csv", "release.csv", *roles, "-i", "id", "--policy", "one.toml", "--quiet"]
    )
    assert met.exit_code == 0 and "No release" not in met.stderr
    linked = CliRunner().invoke(app, ["link", "release.csv", "people.csv", "-q", "age", "-q", "sex", "--format", "json"])
    assert linked.exit_code == 0, linked.output
    assert json.loads(linked.stdout)["average_risk"] == pytest.approx(6 / 12, abs=0.2)
    refused = CliRunner().invoke(app, ["link", "release.csv", "people.csv", "--column", "age=height"])
    assert isinstance(refused.exception, AnonscopeError)


def test_two_harmless_releases_may_single_somebody_out_together(tmp_path, monkeypatch):
    """By age alone and by sex alone everybody has company; whoever has both does not."""
    monkeypatch.chdir(tmp_path)
    people = pa.table({"age": [30, 30, 50, 50], "sex": ["F", "M", "F", "M"]})
    with an.read(people.select(["age"])) as ages, an.read(people.select(["sex"])) as sexes:
        found = an.compose(ages, sexes, people)
        an.apply(Round(column="age", to=10), ages).save("ages.csv")
        an.apply(Round(column="sex", to=1, otherwise="keep"), sexes).save("sexes.csv")
    assert (found.first.fewest, found.second.fewest, found.both.fewest, found.newly_alone) == (2, 2, 1, 4)
    with an.read(people) as data:
        an.apply(Round(column="age", to=1), data).save("people.csv")
    result = CliRunner().invoke(app, ["link", "ages.csv", "people.csv", "--also", "sexes.csv", "--format", "json"])
    assert json.loads(result.stdout)["newly_alone"] == 4
    assert "4 people who have company" in found.render()

"""A plan offers drawn tables where recoding costs too much, says exactly what they guarantee, and its commands work."""

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.operations.planning.drawn import drawn_instead
from anonscope.operations.synthesising.trial import MOST_RECORDS

ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"], "direct_identifiers": ["name"]}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixty people of all ages, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    rows = [f"n{i},{20 + i},{'fm'[i % 2]},{('no', 'yes', 'unknown')[i % 3]}" for i in range(60)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["name,age,sex,ill", *rows, ""]), encoding="utf-8")
    return path


def planned(table: Path, **asked) -> an.Plan:
    with an.read(table, **ROLES) as data:
        return an.plan(data, **asked)


def test_where_recoding_costs_little_nothing_is_drawn(table):
    """Nor where the table meets the policy as it is."""
    found = planned(table, limits={"k_anonymity": 2})
    assert found.best is not None and found.best.loss < 0.4 and found.drawn == ()
    assert planned(table, limits={"average_class_size": 1}).drawn == ()


@pytest.mark.parametrize("limits", [{"k_anonymity": 31}, {"k_anonymity": 61}])
def test_where_it_costs_much_or_cannot_be_two_are_offered_with_what_a_trial_was_like(table, limits):
    """The private one says that a draft guarantees nothing, the other that nothing is guaranteed; what each tells was measured."""
    found = planned(table, limits=limits, seconds=5)
    assert found.best is None or found.best.loss > 0.4

    private, other = found.drawn
    assert "a factor 2.72, plus 0.000000001 (epsilon 1, delta 0.000000001)" in private.guaranteed
    assert "As drafted, nothing is guaranteed" in private.guaranteed and "limits" in private.not_guaranteed
    assert other.guaranteed == "nothing" and "no proof" in other.not_guaranteed
    assert all(
        way.utility.startswith("in a trial draw from 60 records, which was thrown away, pairs of columns are") for way in found.drawn
    )
    # So few records are nearly all noise for the private one.
    off = [float(way.utility.partition("columns are ")[2].partition("%")[0]) for way in found.drawn]
    assert off[0] > 1.5 * off[1] > 0
    usual = planned(table, limits=limits).drawn
    assert usual[0] == private and usual[1].utility.startswith("not tried") and "--seconds" in usual[1].utility
    assert [way["commands"] for way in json.loads(found.render("json"))["drawn"]] == [list(way.commands) for way in found.drawn]
    assert all(command in found.render("markdown") for way in found.drawn for command in way.commands)


def test_a_small_table_is_told_that_leaves_are_too_large_for_it(table):
    """Of sixty people no leaf of 200 tells anything apart: the trial is right to say how far off that is, and the plan says why."""
    pytest.importorskip("sklearn")
    _, other = planned(table, limits={"k_anonymity": 61}, seconds=5).drawn
    assert "0 leaves of 200 records" in other.utility and "--parameter leaf=" in other.utility
    with an.read(table, **ROLES) as data:
        said = " ".join(an.synthesise(data, method="cart").notes)
        assert "0 leaves of 200 records" in said
        assert "leaves" not in " ".join(an.synthesise(data, method="cart", parameters={"leaf": 6}).notes)


def test_a_trial_from_part_of_a_table_says_so(tmp_path, monkeypatch):
    """A leaf of 200 is a larger share of fewer records, so a whole table is closer than the trial from its first records."""
    pytest.importorskip("sklearn")
    rows = [f"{i % 7},{(i * i) % 11},{(i // 3) % 5}" for i in range(6000)]
    (tmp_path / "large.csv").write_text("\n".join(["a,b,c", *rows, ""]), encoding="utf-8")
    with an.read(tmp_path / "large.csv", quasi_identifiers=["a", "b"], sensitive=["c"]) as data:
        part, whole = (foreseen(data, monkeypatch, most) for most in (3000, 6000))
    assert "from the first 3,000 of 6,000 records" in part and "drawn from all of them it should be closer" in part
    assert "from 6,000 records" in whole and "closer" not in whole
    off = [float(said.partition("columns are ")[2].partition("%")[0]) for said in (part, whole)]
    assert off[0] > off[1]


def foreseen(data, monkeypatch, most: int) -> str:
    """Return what a trial draw of trees from at most so many records is said to be like."""
    monkeypatch.setitem(MOST_RECORDS, False, most)
    return drawn_instead(data, an.audit(data).verdict, "ours", ("cart",))[1].utility


@pytest.mark.parametrize("accepted", [False, True])
def test_the_commands_work_in_their_order_and_a_draft_guarantees_nothing(table, accepted):
    """As they are printed, also where roles were proposed and accepted: the draft, the private table, and the one without a guarantee."""
    pytest.importorskip("opendp")
    pytest.importorskip("sklearn")
    if accepted:
        with an.read(table) as data:
            data.accept(an.suggest(data))
            found = an.plan(data, limits={"k_anonymity": 61})
    else:
        found = planned(table, limits={"k_anonymity": 61})
    for command in (command for way in found.drawn for command in way.commands):
        parts = shlex.split(command)
        done = CliRunner().invoke(app, parts[1:])
        assert done.exit_code == 0, (command, done.output)
        if "--domain" in parts:
            assert "No guarantee" in done.output
    assert Path("domain.toml").exists() and len(list(Path().glob("*.csv.manifest.json"))) == 2
    assert "[columns.name]" not in Path("domain.toml").read_text(encoding="utf-8")
    # What is there by now is not written over.
    assert "domain-2.toml" in planned(table, limits={"k_anonymity": 61}).drawn[0].commands[0]

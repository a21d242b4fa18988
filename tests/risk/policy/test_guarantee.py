"""The policy differential-privacy: a guarantee that is stated for this very file passes, and nothing else does."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import PolicyError
from anonscope.risk.policy import load
from anonscope.risk.policy.guarantee import GuaranteeLimit, StatedGuarantee, StatedTogether, check_guarantee, stated_of
from anonscope.synthesis.domain_file import parse_domain

ROLES = {"quasi_identifiers": ["sex"], "sensitive": ["smokes"]}
DOMAIN = parse_domain('[columns.sex]\ncategories = ["F", "M"]\n[columns.smokes]\ncategories = ["no", "yes"]\n')
LIMIT = GuaranteeLimit(Fraction(1), Fraction(1, 10**6), "person")
POLICY = """schema = "anonscope/policy/1"
name = "ours"
title = "Ours"
version = "1"
origin = "us"
"""


def stated(epsilon="1", delta="1/1000000000", unit=None, kind=None):
    return StatedGuarantee(epsilon=Fraction(epsilon), delta=Fraction(delta), unit=unit, unit_kind=kind, reasons=())


def drawn(folder: Path, **asked) -> Path:
    """Write a synthetic table, and return its path."""
    people = pa.table({"sex": ["F", "M"] * 50, "smokes": ["no", "no", "yes", "yes"] * 25})
    with an.read(people, **ROLES) as data:
        return an.synthesise(data, DOMAIN, **asked).write(folder / "synthetic.csv")


def judged(path: Path, policy="differential-privacy"):
    with an.read(path, **ROLES) as data:
        return an.audit(data, policy).verdict


@pytest.mark.parametrize(
    ("given", "statuses"),
    [
        (stated(), ["pass"] * 4),
        (stated("100000001/100000000"), ["pass", "fail", "pass", "pass"]),
        (stated(delta="1/1000"), ["pass", "pass", "fail", "pass"]),
        (stated(unit="patient", kind="person"), ["pass"] * 4),
        (stated(unit="home", kind="household"), ["pass"] * 4),
        (None, ["not measured"] * 4),
        (StatedGuarantee(epsilon=None, delta=None, unit=None, unit_kind=None, reasons=("no",)), ["fail", *["not measured"] * 3]),
    ],
)
def test_each_limit_is_checked_exactly(given, statuses):
    """By fractions: a hair above 1 is above 1; what nobody states is not measured."""
    assert [check.status for check in check_guarantee(LIMIT, given, None)] == statuses


def test_records_are_people_only_where_nobody_says_otherwise():
    """What protects records protects no person who has several; what protects people protects no household."""
    assert check_guarantee(LIMIT, stated(), "patient")[3].status == "fail"
    assert "nobody checked" in check_guarantee(LIMIT, stated(), None)[3].reason
    household = GuaranteeLimit(Fraction(1), Fraction(0), "household")
    assert check_guarantee(household, stated(delta="0", unit="patient", kind="person"), None)[3].status == "fail"


@pytest.mark.parametrize(
    ("together", "status"),
    [
        (StatedTogether(Fraction(1), Fraction(1, 10**9), 0, 0), "pass"),
        (StatedTogether(Fraction(1), Fraction(1, 10**6), 2, 0), "pass"),
        (StatedTogether(Fraction(100000001, 100000000), Fraction(0), 1, 0), "fail"),
        (StatedTogether(Fraction(1), Fraction(2, 10**6), 1, 0), "fail"),
        (StatedTogether(Fraction(1), Fraction(0), 2, 1), "not measured"),
    ],
)
def test_what_a_register_adds_up_is_held_to_the_same_limits(together, status):
    """Epsilons and deltas of all releases of the same people; one that states none leaves the sum unknown."""
    checks = check_guarantee(LIMIT, replace(stated(), together=together), None)
    assert [check.status for check in checks] == [*["pass"] * 4, status]


def test_a_second_table_of_the_same_people_costs_what_both_do(tmp_path):
    """Either alone is fine; the second is judged with the first, because it was published into the register that has it."""
    pytest.importorskip("opendp")
    (tmp_path / "register").mkdir()
    registration = an.Registration(folder=tmp_path / "register", population="people")
    people = pa.table({"sex": ["F", "M"] * 50, "smokes": ["no", "no", "yes", "yes"] * 25})
    with an.read(people, **ROLES) as data:
        found = an.synthesise(data, DOMAIN, epsilon=0.6)
        paths = [found.write(tmp_path / name, registration=registration) for name in ("first.csv", "second.csv")]
    first, second = (judged(path) for path in paths)
    assert first.outcome == "release" and first.checks[4].found == "0.6, 1e-09"
    assert second.outcome == "withhold" and second.checks[4].found == "1.2, 2e-09" and "1 other release" in second.checks[4].reason
    with an.read(people, **ROLES) as data:
        third = an.synthesise(data, method="copula").write(tmp_path / "third.csv", registration=replace(registration, population="others"))
        told = json.loads(third.with_name("third.csv.manifest.json").read_text(encoding="utf-8"))["composition"]
    assert told["epsilon"] is None


@pytest.mark.parametrize("changed", [{"epsilon": "0"}, {"epsilon": "-1"}, {"delta": "1"}, {"epsilon": "x"}, {"epsilon": None}])
def test_a_guarantee_that_means_nothing_is_none(changed):
    content = {"holds": True, "epsilon": "1", "delta": "0", "unit": None, "unit_kind": None, "reasons": []}
    assert stated_of(content).epsilon == 1
    with pytest.raises((ValueError, TypeError)):
        stated_of(content | changed)


def test_a_table_that_was_drawn_privately_passes_until_somebody_touches_it(tmp_path):
    """The file, or the manifest: then nobody states anything of it any more."""
    pytest.importorskip("opendp")
    path = drawn(tmp_path, epsilon=1)
    found = judged(path)
    assert found.outcome == "release" and [check.found for check in found.checks] == ["stated", "1", "1e-09", "record"]

    manifest = next(tmp_path.glob("*.manifest.json"))
    kept = manifest.read_text(encoding="utf-8")
    content = json.loads(kept)
    assert content["synthesis"]["guarantee"]["epsilon"] == "1"
    manifest.write_text(kept.replace('"epsilon": "1"', '"epsilon": "1/2"'), encoding="utf-8")
    assert judged(path).checks[0].status == "not measured"
    manifest.write_text(kept, encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8") + "F,no\n", encoding="utf-8")
    found = judged(path)
    assert found.outcome == "withhold" and found.checks[0].status == "not measured"


@pytest.mark.parametrize("asked", [{"epsilon": 1, "seed": 3}, {"method": "copula"}])
def test_a_table_whose_maker_guarantees_nothing_fails(tmp_path, asked):
    found = judged(drawn(tmp_path, **asked))

    assert found.outcome == "withhold" and found.checks[0].status == "fail" and "no guarantee" in found.checks[0].reason.lower()


def test_no_recoding_gives_a_guarantee(tmp_path):
    """An ordinary table is not measured, and whoever looks for a recoding is told what makes a guarantee."""
    with an.read(pa.table({"sex": ["F", "M"], "smokes": ["no", "yes"]}), **ROLES) as data:
        assert an.audit(data, "differential-privacy").verdict.outcome == "withhold"
        for search in (an.anonymise, an.explore, an.pipeline):
            with pytest.raises(PolicyError, match="no recoding gives"):
                search(data, policy="differential-privacy")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('checklist = "differential-privacy"\n', "go together"),
        ('checklist = "safe-harbor"\n[guarantee]\nepsilon = 1\n', "go together"),
        ('checklist = "differential-privacy"\n[guarantee]\ndelta = 0\n', "epsilon: must be a number"),
        ('checklist = "differential-privacy"\n[guarantee]\nepsilon = 0\n', "epsilon: must be above 0"),
        ('checklist = "differential-privacy"\n[guarantee]\nepsilon = nan\n', "epsilon: must be a number"),
        ('checklist = "differential-privacy"\n[guarantee]\nepsilon = 1\ndelta = 1\n', "delta: must be below 1"),
        ('checklist = "differential-privacy"\n[guarantee]\nepsilon = 1\nunit = "visit"\n', "unit: must be one of record"),
        ('checklist = "differential-privacy"\n[guarantee]\nepsilon = 1\nrho = 1\n', "no such key"),
    ],
)
def test_a_policy_file_that_asks_for_nonsense_is_refused(tmp_path, text, problem):
    path = tmp_path / "ours.toml"
    path.write_text(POLICY + text, encoding="utf-8")
    with pytest.raises(PolicyError, match=problem):
        load(path)

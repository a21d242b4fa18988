"""What releases lose together: epsilon and delta have a budget, are refused before anything is read, and add up for the same unit only."""

import json
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import NotPublished, OptionError, RegisterError
from anonscope.synthesis.domain_file import parse_domain

pytest.importorskip("opendp")
ROLES = {"quasi_identifiers": ["sex"], "sensitive": ["smokes"]}
COLUMNS = '[columns.sex]\ncategories = ["F", "M"]\n[columns.smokes]\ncategories = ["no", "yes"]\n'
BY_RECORD, DECLARED, BY_PERSON, BY_HOME = (
    COLUMNS,
    f"record_is_person = true\n{COLUMNS}",
    f"person = 'who'\nrecords_per_person = 1\n{COLUMNS}",
    f"household = 'who'\nrecords_per_household = 1\n{COLUMNS}",
)


@pytest.fixture
def folder(tmp_path) -> Path:
    people = {"who": list(range(100)), "sex": ["F", "M"] * 50, "smokes": ["no", "no", "yes", "yes"] * 25}
    pyarrow.csv.write_csv(pa.table(people), tmp_path / "people.csv")
    (tmp_path / "register").mkdir()
    return tmp_path


def drawn(folder: Path, name: str, domain: str = BY_RECORD, register: bool = True, accepted: str | None = None, **asked) -> Path:
    """Draw a private table, and publish it with the register or without."""
    registration = an.Registration(folder=folder / "register", population="people", accepted=accepted) if register else None
    with an.read(folder / "people.csv", **ROLES, insensitive=["who"], threads=1) as data:
        found = an.synthesise(data, parse_domain(domain), **{"epsilon": 0.5, **asked})
        return found.write(folder / name, registration=registration)


def judged(path: Path, **how):
    with an.read(path, **ROLES, **how) as data:
        return an.audit(data, "differential-privacy").verdict


def ran(*said: object):
    return CliRunner().invoke(app, [*map(str, said)])


def test_a_delta_has_a_budget_too(folder):
    """Two deltas of a billionth are more than one and a half; the epsilon alone would have let it go."""
    register = folder / "register"
    set_to = ran("register", "budget", register, "--population-name", "people", "--epsilon", 3, "--delta", 1.5e-9)
    assert set_to.exit_code == 0 and "delta 1.5e-09" in set_to.output
    drawn(folder, "first.csv")
    with pytest.raises(NotPublished, match=r"a delta of 1e-09, and of their budget of 1\.5e-09, 1e-09 is spent"):
        drawn(folder, "second.csv")
    assert not (folder / "second.csv").exists()
    (one,) = an.register(register).populations
    assert (one.delta, one.delta_budget, one.left) == (Fraction(1, 10**9), Fraction(3, 2 * 10**9), Fraction(5, 2))
    told = json.loads(an.register(register).render("json"))["populations"][0]
    assert told["delta_budget"] == "3/2000000000" and "1.5e-09" in an.register(register).render("text")


def test_without_a_budget_of_delta_any_delta_goes(folder):
    """An epsilon alone bounds no delta, and the register says that none was set."""
    an.register_budget(folder / "register", "people", 3)
    drawn(folder, "first.csv", delta=1e-3)
    (one,) = an.register(folder / "register").populations
    assert one.delta_budget is None and "no budget of delta" in an.register(folder / "register").render("text")


def test_a_delta_that_is_spent_is_a_problem(folder):
    """Exactly spent is spent; a budget of 0 is for mechanisms without any delta, and is not spent by itself."""
    an.register_budget(folder / "register", "people", 3, delta=1e-9)
    assert an.register(folder / "register").fine
    drawn(folder, "first.csv")
    assert "The budget of delta of 'people' is spent." in an.register(folder / "register").problems
    an.register_budget(folder / "register", "others", 3, delta=0)
    assert not any("others" in problem for problem in an.register(folder / "register").problems)


@pytest.mark.parametrize("delta", [-1e-9, 1, float("nan"), True])
def test_a_budget_of_delta_is_from_0_to_below_1(folder, delta):
    with pytest.raises(OptionError, match="delta"):
        an.register_budget(folder / "register", "people", 1, delta=delta)
    assert not an.register(folder / "register").entries


def test_a_table_over_budget_is_refused_before_anything_is_read(folder, monkeypatch):
    """The source need not even be there: nothing of it was asked."""
    register = folder / "register"
    an.register_budget(register, "people", 1)
    (folder / "domain.toml").write_text(BY_RECORD)
    said = ("--domain", folder / "domain.toml", "-o", folder / "x.csv", "--register", register, "--population-name", "people")
    refused = ran("synthesise", folder / "not-there.csv", "--epsilon", 2, *said)
    assert isinstance(refused.exception, NotPublished) and "an epsilon of 2" in str(refused.exception)
    # Nothing of this is guaranteed, so nothing of it is in the sum: it is refused for another reason, once it is read.
    unread = ran("synthesise", folder / "not-there.csv", "--epsilon", 2, "--seed", 1, *said)
    assert not isinstance(unread.exception, NotPublished) and "No such file" in str(unread.exception)


def test_a_table_that_is_added_later_is_judged_with_the_others(folder):
    """Check 5: the manifest of a table that was added later knows of no other; the register does, of those that came after as well."""
    first, second = drawn(folder, "first.csv", register=False), drawn(folder, "second.csv", register=False)
    register = folder / "register"
    for path in (first, second):
        assert ran("register", "add", register, path, "--population-name", "people").exit_code == 0
    assert len(judged(first).checks) == 4
    check = judged(first, registered_in=register).checks[4]
    assert (check.number, check.status, check.found) == (5, "pass", "1, 2e-09") and "1 other release" in check.reason
    drawn(folder, "third.csv")
    for path in (first, second):
        verdict = judged(path, registered_in=register)
        assert verdict.checks[4].status == "fail" and verdict.checks[4].found == "1.5, 3e-09" and verdict.outcome == "withhold"
    said = ("--policy", "differential-privacy", "-q", "sex", "-s", "smokes")
    assert ran("audit", first, *said).exit_code == 0
    done = ran("audit", first, *said, "--registered-in", register)
    assert done.exit_code == 1 and "1.5, 3e-09" in ran("audit", first, *said, "--registered-in", register, "--format", "text").output


def test_a_register_that_does_not_know_a_table_says_so(folder):
    """By its bytes: a copy is the same table, a changed one is none of the register's; without a guarantee there is nothing to add up."""
    path = drawn(folder, "first.csv")
    (folder / "copy.csv").write_bytes(path.read_bytes())
    (folder / "copy.csv.manifest.json").write_bytes((folder / "first.csv.manifest.json").read_bytes())
    assert len(judged(folder / "copy.csv", registered_in=folder / "register").checks) == 5
    other = drawn(folder, "other.csv", register=False)
    with pytest.raises(RegisterError, match=r"has no release with the bytes of 'other\.csv'"):
        judged(other, registered_in=folder / "register")
    with pytest.raises(RegisterError, match="is no file"), an.read(pa.table({"a": [1]}), registered_in=folder / "register"):
        pass
    line = (folder / "register" / "register.jsonl").read_text()
    (folder / "register" / "register.jsonl").write_text(line.replace("people", "peoples"))
    with pytest.raises(RegisterError, match="is broken"):
        judged(path, registered_in=folder / "register")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (BY_RECORD, BY_RECORD, True),
        (BY_PERSON, BY_PERSON, True),
        (BY_PERSON, BY_HOME, True),  # what protects a home protects everybody in it
        (BY_PERSON, DECLARED, True),  # somebody stated that a record is a person
        (BY_PERSON, BY_RECORD, False),
        (BY_RECORD, BY_PERSON, False),
        (BY_HOME, BY_RECORD, False),
    ],
)
def test_losses_of_records_are_not_added_to_those_of_people(folder, one, other, alike):
    """An epsilon of a record bounds no person who has several: such a sum is nobody's, and is not measured."""
    drawn(folder, "first.csv", one)
    second = drawn(folder, "second.csv", other)
    check = judged(second).checks[4]
    assert check.status == ("pass" if alike else "not measured")
    assert alike or "protect single records, and the others people" in check.reason
    problems = an.register(folder / "register").problems
    assert bool(problems) is not alike and (alike or "no sum of these is what a person loses" in problems[0])
    assert an.verify(second).holds


def test_a_budget_is_not_kept_by_losses_that_do_not_add_up(folder):
    """Refused as not measured, until a person says why it goes."""
    an.register_budget(folder / "register", "people", 3)
    drawn(folder, "first.csv", BY_PERSON)
    with pytest.raises(NotPublished, match="protect single records"):
        drawn(folder, "second.csv", BY_RECORD)
    drawn(folder, "second.csv", BY_RECORD, accepted="nobody has two records")
    assert len(an.register(folder / "register").entries) == 3


def test_answers_know_whom_they_protect(folder):
    """A file of queries about records, after a table about people."""
    drawn(folder, "first.csv", BY_PERSON)
    (folder / "queries.toml").write_text(f'epsilon = 0.1\n[[queries]]\nkind = "count"\n{COLUMNS}')
    said = ["answer", folder / "people.csv", folder / "queries.toml", "--register", folder / "register", "--population-name", "people"]
    assert ran(*said).exit_code == 0
    assert [entry.unit for entry in an.register(folder / "register").entries] == ["person", "record"]
    assert not an.register(folder / "register").fine

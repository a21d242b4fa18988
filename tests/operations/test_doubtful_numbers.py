"""Numbers that may be ids are for somebody to answer for, and repeated ids of no known form are told by whom they belong to."""

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import DomainError, IdentifierGiven
from anonscope.risk.policy import from_limits
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.queries import parse_queries

_LIMITS = from_limits({"k_anonymity": 2})


def _table(result: list[Any], records: int = 200) -> pa.Table:
    drawn = Random(3)
    return pa.table({"age": [drawn.choice([30, 40]) for _ in range(records)], "result": result})


def _spread(kind: str, records: int = 200) -> list[Any]:
    drawn = Random(5)
    return {
        "ids": [str(n) for n in sorted(drawn.sample(range(1_000_000, 9_999_999), records))],
        "decimals": [n + 0.0 for n in drawn.sample(range(1_000_000, 9_999_999), records)],
        "gaps": drawn.sample(range(1, 60_000), records),
        "incomes": [int(drawn.lognormvariate(10.3, 0.8)) for _ in range(records)],
        "round": [n * 100 for n in drawn.sample(range(100, 9_000), records)],
        "scores": [drawn.randint(0, 100) for _ in range(records)],
    }[kind]


@pytest.mark.parametrize("kind", ["ids", "decimals", "gaps"])
def test_numbers_that_may_be_ids_need_a_word(kind: str, tmp_path: Path) -> None:
    """Given as sensitive, such numbers are not withheld and not simply released: the verdict says acknowledgement, and no file is made."""
    table = _table(_spread(kind))
    with an.read(table, quasi_identifiers=["age"], sensitive=["result"]) as data:
        verdict = an.audit(data, _LIMITS).verdict
        assert verdict.outcome == "release with acknowledgement" and verdict.unanswered == ("result",) and verdict.exit_code == 1
        with pytest.raises(IdentifierGiven, match="may be ids"):
            an.anonymise(data, _LIMITS)
    with an.read(table, quasi_identifiers=["age"], sensitive=["result"], acknowledge_rest="Laboratory values.") as data:
        assert an.audit(data, _LIMITS).verdict.exit_code == 0
        found = an.anonymise(data, _LIMITS)
        found.write(tmp_path / "release.csv")
        assert found.after is not None and found.after.verdict.outcome == "release with acknowledgement"


@pytest.mark.parametrize("kind", ["incomes", "round", "scores"])
def test_what_is_measured_needs_none(kind: str) -> None:
    """Incomes, round amounts and scores are not taken for ids."""
    with an.read(_table(_spread(kind)), quasi_identifiers=["age"], sensitive=["result"]) as data:
        assert an.audit(data, _LIMITS).verdict.telling == ()


def _visits(*, mixed: bool) -> pa.Table:
    drawn, rows = Random(7), []
    for i in range(60):
        sex = drawn.choice("mf")
        rows += [(f"{7000 + i * 13}", drawn.choice("mf") if mixed else sex, drawn.choice([30, 40])) for _ in range(3)]
    return pa.table(dict(zip(("x7", "sex", "age"), map(list, zip(*rows, strict=True)), strict=True)))


def test_repeated_ids_of_no_known_form_are_told_by_their_sex() -> None:
    """Codes whose records all have one sex each are people's: counting records is refused until somebody says otherwise."""
    with an.read(_visits(mixed=False), quasi_identifiers=["x7", "sex", "age"]) as data:
        verdict = an.audit(data, _LIMITS).verdict
        assert [c.column for c in verdict.repeated] == ["x7"] and verdict.outcome == "withhold"
    with an.read(_visits(mixed=True), quasi_identifiers=["x7", "sex", "age"]) as data:
        assert an.audit(data, _LIMITS).verdict.repeated == ()


_DOMAIN = '[columns.sex]\ncategories = ["m", "f"]\n'


def test_an_epsilon_needs_the_unit_where_people_repeat() -> None:
    """Where ids of people repeat, no epsilon is stated for every record until the domain says who is protected."""
    pytest.importorskip("opendp")
    rows = _visits(mixed=False).rename_columns(["patient_id", "sex", "age"])
    with an.read(rows) as data:
        with pytest.raises(DomainError, match="records_per_person"):
            an.synthesise(data, parse_domain(_DOMAIN), epsilon=1)
        made = an.synthesise(data, parse_domain("record_is_person = true\n" + _DOMAIN), epsilon=1)
        assert "which is declared" in made.render("text")
        asked = _DOMAIN + '[[queries]]\nname = "all"\nkind = "table"\nby = ["sex"]\n'
        with pytest.raises(DomainError, match="Nothing was spent"):
            an.answer(data, parse_queries("epsilon = 1\n" + asked))
        assert "which is declared" in str(an.answer(data, parse_queries("epsilon = 1\nrecord_is_person = true\n" + asked)).guarantee)


@pytest.mark.parametrize("told", ["sex", "age", "nothing"])
def test_an_epsilon_needs_the_unit_where_codes_may_be_people(told: str) -> None:
    """Codes that are called nothing repeated, and an epsilon for every record was stated as one for every person."""
    pytest.importorskip("opendp")
    drawn, rows = Random(7), []
    for i in range(60):
        stays = {"sex": drawn.choice("mf")} if told == "sex" else {"age": drawn.randrange(20, 80)} if told == "age" else {}
        rows += [{"x7": f"{7000 + i * 13}", "sort": drawn.choice("abc"), **stays} for _ in range(3)]
    domain = '[columns.sort]\ncategories = ["a", "b", "c"]\n'
    with an.read(pa.Table.from_pylist(rows)) as data:
        with pytest.raises(DomainError, match='person = "x7"'):
            an.synthesise(data, parse_domain(domain), epsilon=1)
        assert an.synthesise(data, parse_domain("record_is_person = true\n" + domain), epsilon=1).render("text")

"""Short numbers that were handed out, and codes that repeat and mean nothing: a person has to say a word, whatever they are called."""

from random import Random
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.suggestion.own_values import handed_out
from anonscope.errors import IdentifierGiven
from anonscope.risk.policy import from_limits

_LIMITS = from_limits({"k_anonymity": 2})
_RECORDS = 400


def _drawn(kind: str) -> list[Any]:
    drawn = Random(11)
    return {
        "running": drawn.sample(range(1, _RECORDS + 1), _RECORDS),
        "gaps": drawn.sample(range(1, 3_000), _RECORDS),
        "four digits": drawn.sample(range(1_000, 10_000), _RECORDS),
        "tens": [10 * n for n in drawn.sample(range(1, 1_500), _RECORDS)],
        "and nobody's": [*drawn.sample(range(1, 2_000), _RECORDS - 20), *[9_999] * 20],
        "points": [drawn.randint(0, 2_000) for _ in range(_RECORDS)],
        "grades": [min(1_000, max(0, int(drawn.gauss(500, 100)))) for _ in range(_RECORDS)],
        "incomes": [int(drawn.lognormvariate(7.5, 0.5)) for _ in range(_RECORDS)],
        "places": [drawn.choice(range(1_001, 1_400, 3)) for _ in range(_RECORDS)],
    }[kind]


def _table(values: list[Any], name: str) -> pa.Table:
    drawn = Random(3)
    return pa.table({"age": [drawn.choice([30, 40]) for _ in values], name: values})


@pytest.mark.parametrize("name", ["result", "points", "income"])
@pytest.mark.parametrize("kind", ["running", "gaps", "four digits", "tens", "and nobody's"])
def test_short_numbers_that_nobody_shares_need_a_word(kind: str, name: str) -> None:
    """Numbers below 10,000 left as a secret with "The policy is met", though hardly two records had one: amounts would coincide."""
    with an.read(_table(_drawn(kind), name), quasi_identifiers=["age"], sensitive=[name]) as data:
        verdict = an.audit(data, _LIMITS).verdict
        assert verdict.outcome == "release with acknowledgement" and verdict.unanswered == (name,) and verdict.exit_code == 1
        with pytest.raises(IdentifierGiven, match="may be ids"):
            an.anonymise(data, _LIMITS)


@pytest.mark.parametrize("name", ["result", "income"])
@pytest.mark.parametrize("kind", ["points", "grades", "incomes", "places"])
def test_what_coincides_as_amounts_do_needs_none(kind: str, name: str) -> None:
    with an.read(_table(_drawn(kind), name), quasi_identifiers=["age"], sensitive=[name]) as data:
        assert an.audit(data, _LIMITS).verdict.telling == ()


_DRESSED = {
    "bytes": lambda n: str(n).encode(),
    "minus": lambda n: -n,
    "weight": lambda n: f"{n} kg",
    "percent": lambda n: f"{n} %",
    "money": lambda n: f"€{n}",
    "tenth": lambda n: n / 10,
    "hundredth": lambda n: n / 100,
    "written hundredth": lambda n: f"{n / 100:.2f}",
}


@pytest.mark.parametrize("kind", _DRESSED)
def test_numbers_in_a_unit_a_sign_or_a_scale_are_the_same_numbers(kind: str) -> None:
    """`3708 kg`, -3708 and 37.08 left as a secret where 3708 needed a word; what coincides as amounts do needs none in any dress."""
    dressed = _DRESSED[kind]
    for numbers, asked in ((_drawn("four digits"), ["result"]), (_drawn("incomes"), [])):
        with an.read(_table([dressed(n) for n in numbers], "result"), quasi_identifiers=["age"], sensitive=["result"]) as data:
            assert [c.column for c in an.audit(data, _LIMITS).verdict.telling] == asked


def test_few_short_numbers_are_asked_about_where_no_name_says_what_they_are() -> None:
    """Sixty numbers of four digits may be either: a name that says what is measured is believed, one that fits everything is not."""
    few = Random(2).sample(range(1_000, 10_000), 60)
    for name, asked in (("points", ["points"]), ("income", [])):
        with an.read(_table(few, name), quasi_identifiers=["age"], sensitive=[name]) as data:
            assert [c.column for c in an.audit(data, _LIMITS).verdict.telling] == asked


def test_draws_of_every_kind_are_taken_for_ids_as_seldom_as_is_said() -> None:
    """Even draws coincide least of all, and fewer than one in a hundred such tables is asked about."""
    drawn = Random(5)
    asked = 0
    for _ in range(600):
        places = drawn.choice([50, 200, 1_000, 5_000])
        numbers = [drawn.randrange(places) for _ in range(drawn.choice([30, 100, 500]))]
        pairs = sum(numbers.count(n) - 1 for n in numbers) // 2
        asked += handed_out(sorted(set(numbers)), len(numbers), pairs)
    assert asked < 6


def _visits(*, code: str, own: dict[str, Any], people: int = 70, visits: int = 4) -> pa.Table:
    """Return visits of people who are called by a code, with what is drawn for each of them, and for each visit what is called so."""
    drawn, rows = Random(7), []
    numbers = drawn.sample(range(1_000, 99_999), people)
    for i in range(people):
        stays = {name: drawn.choice(values) for name, values in own.items()}
        x = {"numbers": numbers[i], "codes": f"K{numbers[i]}Q", "dense": i + 1}[code]
        rows += [{"x": x, "job": drawn.choice("abc"), **stays} for _ in range(visits)]
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive"])
@pytest.mark.parametrize("code", ["numbers", "codes"])
def test_codes_that_repeat_and_mean_nothing_need_a_word(code: str, role: str) -> None:
    """Four visits of one person were a group of four people, and the policy was met."""
    roles: dict[str, Any] = {"quasi_identifiers": ["job"]}
    roles[role] = [*roles.get(role, ()), "x"]
    with an.read(_visits(code=code, own={}), **roles) as data:
        verdict = an.audit(data, _LIMITS).verdict
        assert [c.column for c in verdict.telling] == ["x"] and verdict.telling[0].doubtful and verdict.exit_code == 1
        with pytest.raises(IdentifierGiven, match="ids of people who have several records"):
            an.anonymise(data, _LIMITS)
    with an.read(_visits(code=code, own={}), acknowledge={"x": "Codes of wards."}, **roles) as data:
        assert an.audit(data, from_limits({"k_anonymity": 1})).verdict.exit_code == 0


def test_what_stays_with_a_person_tells_even_of_small_numbers() -> None:
    """Numbers from 1 on may be points; that all who share one are of one age or were born on one day is no chance."""
    for own in ({"age": range(20, 80)}, {"birth_year": range(1940, 2000)}):
        with an.read(_visits(code="dense", own=own), quasi_identifiers=["x", "job"], acknowledge_rest="known") as data:
            (found,) = an.audit(data, _LIMITS).verdict.telling
            assert found.column == "x" and "agrees in" in found.reason


def test_codes_whose_holders_differ_are_no_people() -> None:
    """Who shares a municipality differs in age: no word is asked for, whatever it is called."""
    drawn = Random(1)
    table = _visits(code="numbers", own={})
    table = table.append_column("age", pa.array([drawn.randrange(20, 80) for _ in range(table.num_rows)]))
    with an.read(table, quasi_identifiers=["x", "age"], insensitive=["job"]) as data:
        assert an.audit(data, _LIMITS).verdict.telling == ()


def test_a_scale_needs_no_word() -> None:
    drawn = Random(1)
    with an.read(
        pa.table({"x": [drawn.randrange(60) for _ in range(300)], "job": [drawn.choice("abc") for _ in range(300)]}),
        quasi_identifiers=["x", "job"],
    ) as data:
        assert an.audit(data, _LIMITS).verdict.telling == ()

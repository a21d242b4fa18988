"""Markov chain risk of who knows several attributes first: the printed figure, a slow definition, and bad input."""

import random
from statistics import median

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import OptionError

FIGURE_9 = {
    "education": ["Bachelors", "Bachelors", "HS-grad", "11th", "Bachelors", "Masters"],
    "sex": ["Male"] * 4 + ["Female"] * 2,
    "hours": [40, 13, 40, 40, 40, 40],
}


def slowly(columns: dict[str, list], begin: list[str]) -> list[float]:
    """Equations 25 and 26 with S the whole record, record by record."""
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    def count(row: dict, names: list[str]) -> int:
        return sum(all(other[name] == row[name] for name in names) for other in rows)

    risks = []
    for row in rows:
        whole = count(row, list(columns))
        missed = count(row, begin) / len(rows) * (1 - whole / count(row, begin))
        last = begin
        for name in (name for name in columns if name not in begin):
            missed *= count(row, [*last, name]) / count(row, last) * (1 - whole / count(row, [name]))
            last = [name]
        risks.append(1 - missed)
    return risks


def test_figure_9_in_all_its_forms() -> None:
    """Beginning with education the mean is 0.9759 as published for S the whole record; four of six are found for sure."""
    with an.read(pa.table(FIGURE_9), threads=1, quasi_identifiers=list(FIGURE_9)) as data:
        (found,) = an.audit(data, chains=[["education"]]).chains

    assert found.mean == pytest.approx(0.9759, abs=5e-5)
    assert (found.least, found.median, found.largest) == pytest.approx((0.9, 1.0, 1.0))
    assert found.marketer == pytest.approx(4 / 6)


@pytest.mark.parametrize("begin", [["a"], ["a", "b"], ["d", "b"], ["a", "b", "c", "d"]])
def test_any_set_agrees_with_the_definition(begin: list[str]) -> None:
    """Two attributes, two in another order, all of them."""
    draw = random.Random(5)
    columns = {name: [draw.choice("xyz"[: 2 + i % 2]) for _ in range(60)] for i, name in enumerate("abcd")}
    with an.read(pa.table(columns), threads=1, quasi_identifiers=list(columns)) as data:
        audit = an.audit(data, chains=[begin])
        text = audit.render("text")
    expected = slowly(columns, begin)
    (found,) = audit.chains

    assert found.mean == pytest.approx(sum(expected) / 60)
    assert found.median == pytest.approx(median(expected))
    assert (found.least, found.largest) == pytest.approx((min(expected), max(expected)))
    assert found.marketer == pytest.approx(sum(risk > 1 - 1e-9 for risk in expected) / 60)
    assert audit.to_dict()["chains"][0]["known"] == begin
    assert "Markov chain risk of who knows some attributes first" in text


def test_a_chain_of_what_nobody_knows_is_refused() -> None:
    """It must begin with quasi-identifiers."""
    with (
        an.read(pa.table(FIGURE_9), threads=1, quasi_identifiers=["sex", "hours"]) as data,
        pytest.raises(OptionError, match="no attacker"),
    ):
        an.audit(data, chains=[["education"]])

"""What tests of answers and of synthetic tables on other engines share: one table, its domain, and every kind of question."""

from typing import Any

import pyarrow as pa

import anonscope as an
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.queries import parse_queries

NAMES = ("id", "sex", "region", "age", "weight", "seen")
TYPES = "id STRING, sex STRING, region STRING, age INT, weight DOUBLE, seen DATE"
DOMAIN = """
person = "id"
records_per_person = 2
[columns.sex]
categories = ["f", "m"]
[columns.region]
categories = ["N", "S"]
other = "elsewhere"
missing = true
[columns.age]
lower = 0
upper = 99
bins = 5
whole = true
[columns.weight]
lower = 0
upper = 120
decimals = 1
bins = 4
missing = true
[columns.seen]
first = 2020-01-01
last = 2020-12-31
unit = "quarter"
"""
# So large that there is no noise to speak of: what is left is what was counted.
QUESTIONS = """
[[queries]]
name = "people"
kind = "count"
[[queries]]
name = "records"
kind = "count"
of = "records"
[[queries]]
name = "table"
kind = "table"
by = ["sex", "region"]
cells_per_person = 2
[[queries]]
name = "seen"
kind = "histogram"
by = ["seen"]
[[queries]]
name = "sum"
kind = "sum"
column = "weight"
by = ["sex"]
[[queries]]
name = "mean"
kind = "mean"
column = "age"
by = ["sex"]
[[queries]]
name = "median"
kind = "quantile"
column = "age"
by = ["sex"]
[[queries]]
name = "rounded"
kind = "table"
by = ["sex", "region"]
protect = "round"
[[queries]]
name = "withheld"
kind = "table"
by = ["sex", "region"]
column = "weight"
protect = "suppress"
dominance = [2, 85]
"""


def rows() -> list[tuple[Any, ...]]:
    """Return 120 people with one to four visits each, some of whose values have no place or are missing."""
    from datetime import date

    return [
        (
            f"p{i}",
            "fm"[i % 2],
            ("N", "S", "Q", None)[(i + j) % 4],
            (i * 7 + j) % 110 - 3,
            None if i % 11 == 0 else 40 + i % 50 + j / 10,
            date(2020, 1 + (i + j) % 12, 1 + i % 28),
        )
        for i in range(120)
        for j in range(1 + i % 4)
    ]


def table() -> pa.Table:
    """Return them as an Arrow table."""
    return pa.table({name: [row[i] for row in rows()] for i, name in enumerate(NAMES)})


def answers(source: Any, **reading: Any) -> dict[tuple[str, ...], float | None]:
    """Return all answers by their question and group, nearly without noise."""
    asked = parse_queries("epsilon = 1_000_000\n" + DOMAIN + QUESTIONS)
    with an.read(source, **reading) as data:
        found = an.answer(data, asked)
    assert found.guarantee is not None
    return {(a.query, a.statistic, *a.group): a.value for a in found.answers}


def people(source: Any, **reading: Any) -> dict[tuple[str, ...], float | None]:
    """Return answers about people, each one record made of all of theirs, nearly without noise."""
    taken = {"visits": "count", "age": "mean", "region": "most", "seen": "latest", "weight": "highest"}
    text = 'epsilon = 1_000_000\nperson = "id"\n'
    for name, take in taken.items():
        bounds = {"region": 'categories = ["N", "S", "Q"]', "seen": "first = 2020-01-01\nlast = 2020-12-31\nunit = 'month'"}
        declared = bounds.get(name, "lower = 0\nupper = 99\nbins = 9")
        text += f"[columns.{name}]\ntake = '{take}'\nmissing = true\n{declared}\n"
    for name in taken:
        text += f"[[queries]]\nname = '{name}'\nkind = 'histogram'\nby = ['{name}']\n"
    with an.read(source, **reading) as data:
        found = an.answer(data, parse_queries(text))
    return {(a.query, *a.group): a.value for a in found.answers}


def margins(source: Any, **reading: Any) -> dict[tuple[Any, ...], int]:
    """Return how often values of single columns are in a synthetic table, drawn nearly without noise from a tree of three."""
    domain = parse_domain(DOMAIN).only(["sex", "region", "age"])
    with an.read(source, person="id", **reading) as data:
        made = an.synthesise(data, domain, epsilon=1_000_000, records=2400)
    assert made.guarantee.holds and made.structure
    return counted(made.table)


def counted(made: pa.Table) -> dict[tuple[Any, ...], int]:
    """Return how often every sex, region and bin of ages is there."""
    found: dict[tuple[Any, ...], int] = {}
    for sex, region, age in zip(*(column.to_pylist() for column in made.columns), strict=True):
        for key in (("sex", sex), ("region", region), ("age", age // 20)):
            found[key] = found.get(key, 0) + 1
    return found


def assert_near(found: dict[Any, Any], wanted: dict[Any, Any], within: float) -> None:
    """Hold two sets of numbers to each other: the same keys, and every number as near as that."""
    assert found, "nothing was counted"
    assert set(found) == set(wanted)
    for key, value in wanted.items():
        assert (found[key] is None) == (value is None), key
        assert value is None or abs(found[key] - value) <= within, (key, found[key], value)

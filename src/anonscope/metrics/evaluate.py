"""Evaluate every expression that lives on the same table in one SELECT.

The views below give each level of the counts the same column names, so that one expression serves the whole
quasi-identifier and each attribute, with or without person ids: where every record is its own person, pair_n and
person_value_n are 1.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from anonscope.engines import Engine
from anonscope.metrics.metric import ClassSizes, ClassStatistic, RecordRisk, Totals, Variant


class Summary(NamedTuple):
    """A record risk over all records."""

    min: float
    mean: float
    max: float


_CLASS = "SELECT k.q, k.n, k.n AS class_n, 1 AS pair_n, w.n AS total_n FROM class AS k CROSS JOIN total AS w"
_PAIR = "SELECT p.q, p.n, k.n AS class_n, p.n AS pair_n, w.n AS total_n FROM pair AS p JOIN class AS k ON p.q = k.q CROSS JOIN total AS w"
_CELL = (
    "SELECT c.q, c.n, k.n AS class_n, 1 AS pair_n, c.n AS cell_n, v.n AS value_n, 1 AS person_value_n, w.n AS total_n "
    "FROM cell AS c JOIN class AS k ON c.q = k.q JOIN value AS v ON c.t = v.t CROSS JOIN total AS w"
)
_TRIPLE = (
    "SELECT x.q, x.n, k.n AS class_n, p.n AS pair_n, c.n AS cell_n, v.n AS value_n, y.n AS person_value_n, w.n AS total_n "
    "FROM triple AS x JOIN pair AS p ON x.q = p.q AND x.u = p.u JOIN person_value AS y ON x.t = y.t AND x.u = y.u "
    "JOIN cell AS c ON x.q = c.q AND x.t = c.t JOIN class AS k ON x.q = k.q JOIN value AS v ON x.t = v.t CROSS JOIN total AS w"
)
_EACH_CLASS = "SELECT k.attribute, k.n, k.n AS class_n, 1 AS pair_n, w.n AS total_n FROM attribute_class AS k CROSS JOIN total AS w"
_EACH_PAIR = (
    "SELECT p.attribute, p.n, k.n AS class_n, p.n AS pair_n, w.n AS total_n "
    "FROM attribute_pair AS p JOIN attribute_class AS k ON p.attribute = k.attribute AND p.a = k.a CROSS JOIN total AS w"
)
_EACH_CELL = (
    "SELECT c.attribute, c.n, k.n AS class_n, c.n AS cell_n, w.n AS total_n "
    "FROM attribute_cell AS c JOIN attribute_class AS k ON c.attribute = k.attribute AND c.a = k.a CROSS JOIN total AS w"
)


def table_for(risk: RecordRisk, *, event_level: bool) -> str:
    """Return the table a risk is evaluated on; without person ids pairs are classes and triples are cells."""
    if event_level:
        return risk.table
    return {"pair": "class", "triple": "cell"}.get(risk.table, risk.table)


def summarise(engine: Engine, table: str, risks: Sequence[RecordRisk]) -> list[Summary]:
    """Return min, mean and max over records of each risk, for the whole quasi-identifier."""
    if not risks:
        return []
    view = {"class": _CLASS, "pair": _PAIR, "cell": _CELL, "triple": _TRIPLE}[table]
    (row,) = engine.rows(f"SELECT {_over_records(risks)} FROM ({view}) AS x")
    return _summaries(row)


def summarise_each(engine: Engine, table: str, risks: Sequence[RecordRisk]) -> dict[int, list[Summary]]:
    """Return the same for every attribute on its own, by attribute number."""
    if not risks:
        return {}
    view = {"class": _EACH_CLASS, "pair": _EACH_PAIR, "cell": _EACH_CELL}[table]
    rows = engine.rows(f"SELECT attribute, {_over_records(risks)} FROM ({view}) AS x GROUP BY attribute")
    return {row[0]: _summaries(row[1:]) for row in rows}


def worst_classes(engine: Engine, statistics: Sequence[tuple[ClassStatistic, Variant]]) -> list[float]:
    """Return the worst class's value of statistics that are columns of `class`."""
    columns = ", ".join(f"{_worst(metric)}({variant.sql})" for metric, variant in statistics)
    (row,) = engine.rows(f"SELECT {columns} FROM (SELECT n AS class_n, persons FROM class) AS x")
    return list(row)


def fewest_persons(engine: Engine) -> int:
    """Return how many distinct persons the smallest class has."""
    ((persons,),) = engine.rows("SELECT MIN(persons) FROM class")
    return int(persons)


def worst_cells(
    engine: Engine, statistics: Sequence[tuple[ClassStatistic, Variant]], risks: Sequence[RecordRisk]
) -> tuple[list[float], list[Summary]]:
    """Return class statistics and risks that both live on cells: one join, grouped by class, serves all."""
    inner = [f"{variant.sql} AS s{i}" for i, (_, variant) in enumerate(statistics)]
    outer = [f"{_worst(metric)}(s{i})" for i, (metric, _) in enumerate(statistics)]
    for i, risk in enumerate(risks):
        inner.append(f"MIN({risk.sql}) AS low{i}, SUM(n * ({risk.sql})) AS sum{i}, MAX({risk.sql}) AS high{i}")
        outer.append(f"MIN(low{i}), SUM(sum{i}) / SUM(n), MAX(high{i})")
    (row,) = engine.rows(f"SELECT {', '.join(outer)} FROM (SELECT q, SUM(n) AS n, {', '.join(inner)} FROM ({_CELL}) AS x GROUP BY q) AS y")
    return list(row[: len(statistics)]), _summaries(row[len(statistics) :])


def worst_ordered(engine: Engine) -> float:
    """Return the largest ordered distance of any class."""
    ((distance,),) = engine.rows("SELECT MAX(emd) FROM ordered_distance")
    return float(distance)


def class_sizes(engine: Engine, *, event_level: bool) -> ClassSizes:
    """Return how many classes there are of each size."""
    records = _frequencies(engine, "n")
    return ClassSizes(records, _frequencies(engine, "persons") if event_level else records)


def table_totals(engine: Engine, *, event_level: bool) -> Totals:
    """Return what is true of the table whatever the quasi-identifiers are."""
    ((records,),) = engine.rows("SELECT n FROM total")
    if not event_level:
        return Totals(records, records, 1 / records)
    ((persons, busiest),) = engine.rows("SELECT COUNT(*), MAX(n) FROM (SELECT u, CAST(SUM(n) AS BIGINT) AS n FROM pair GROUP BY u) AS x")
    return Totals(records, persons, busiest / records)


def value_totals(engine: Engine, totals: Totals) -> Totals:
    """Return the totals with what is true of the sensitive attribute that is open."""
    ((values, commonest),) = engine.rows("SELECT COUNT(*), MAX(n) FROM value")
    return Totals(totals.records, totals.persons, totals.busiest_person, values, commonest / totals.records)


def missing_by_attribute(engine: Engine) -> dict[int, int]:
    """Return how many records lack a value, by attribute number."""
    return dict(engine.rows("SELECT attribute, n FROM attribute_class WHERE a = 0"))


def missing_values(engine: Engine) -> int:
    """Return how many records lack the sensitive value that is open."""
    ((n,),) = engine.rows("SELECT COALESCE(SUM(n), 0) FROM value WHERE t = 0")
    return int(n)


def missing_persons(engine: Engine) -> int:
    """Return how many records lack a person id."""
    ((n,),) = engine.rows("SELECT COALESCE(SUM(n), 0) FROM pair WHERE u = 0")
    return int(n)


def _frequencies(engine: Engine, column: str) -> tuple[tuple[int, int], ...]:
    return tuple(engine.rows(f"SELECT {column} AS size, COUNT(*) AS classes FROM class GROUP BY {column} ORDER BY size"))


def _over_records(risks: Iterable[RecordRisk]) -> str:
    return ", ".join(f"MIN({r.sql}), SUM(n * ({r.sql})) / SUM(n), MAX({r.sql})" for r in risks)


def _summaries(row: Sequence[Any]) -> list[Summary]:
    return [Summary(*(float(x) for x in row[i : i + 3])) for i in range(0, len(row), 3)]


def _worst(metric: ClassStatistic) -> str:
    return "MIN" if metric.safer == "higher" else "MAX"

"""Evaluate every expression that lives on the same table in one SELECT.

The views below give each level of the counts the same column names, so that one expression serves the whole
quasi-identifier and each attribute, with or without person ids: where every record is its own person, pair_n and
person_value_n are 1.
"""

from collections.abc import Iterable, Sequence
from math import log2
from typing import Any, NamedTuple

from anonscope.engines import Engine
from anonscope.risk.metrics.metric import ClassSizes, ClassStatistic, EntropyProfile, RecordRisk, Totals, Variant
from anonscope.risk.metrics.profile import OVER_CLASSES, profile


class Summary(NamedTuple):
    """A record risk over all records."""

    min: float
    mean: float
    max: float


_SHARE = "cell_n / CAST(class_n AS DOUBLE)"
_ENTROPY = "SUM(x.n * LN(w.n / CAST(x.n AS DOUBLE))) / MIN(w.n) / LN(2)"
_CLASS = "SELECT k.n * k.m AS n, k.n AS class_n, 1 AS pair_n, w.n AS total_n FROM class_size AS k CROSS JOIN total AS w"
_PAIR = "SELECT p.n * p.m AS n, p.class_n, p.n AS pair_n, w.n AS total_n FROM kind_pair AS p CROSS JOIN total AS w"
_CELL = (
    "SELECT c.q, c.m, c.n, c.class_n, 1 AS pair_n, c.n AS cell_n, v.n AS value_n, v.surprise, y.values_n, 1 AS person_value_n, "
    "w.n AS total_n FROM kind_cell AS c JOIN (SELECT x.t, x.n, LN(y.n / CAST(x.n AS DOUBLE)) AS surprise "
    "FROM value AS x CROSS JOIN total AS y) AS v ON c.t = v.t "
    "CROSS JOIN (SELECT COUNT(*) AS values_n FROM value) AS y CROSS JOIN total AS w"
)
# Where a class has one value, or one person, all its records have it: only the cells and pairs of the others are looked up.
_TRIPLE = (
    "SELECT x.n, k.n AS class_n, COALESCE(p.n, k.n) AS pair_n, COALESCE(c.n, k.n) AS cell_n, v.n AS value_n, y.n AS person_value_n, "
    "w.n AS total_n FROM triple AS x JOIN class AS k ON x.q = k.q "
    "LEFT JOIN (SELECT q, t, n FROM kind_cell WHERE kinds > 1) AS c ON x.q = c.q AND x.t = c.t "
    "LEFT JOIN (SELECT q, u, n FROM kind_pair WHERE persons > 1) AS p ON x.q = p.q AND x.u = p.u "
    "JOIN value AS v ON x.t = v.t JOIN person_value AS y ON x.t = y.t AND x.u = y.u CROSS JOIN total AS w"
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
    view = {"class": _CLASS, "pair": _PAIR, "triple": _TRIPLE}[table]
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
    """Return the worst class's value of statistics that follow from the size of a class."""
    if not statistics:
        return []
    columns = ", ".join(f"{_worst(metric)}({variant.sql})" for metric, variant in statistics)
    (row,) = engine.rows(f"SELECT {columns} FROM (SELECT n AS class_n FROM class_size) AS x")
    return list(row)


def fewest_persons(engine: Engine) -> int:
    """Return how many distinct persons the smallest class has."""
    ((persons,),) = engine.rows("SELECT MIN(persons) FROM class")
    return int(persons)


class CellFindings(NamedTuple):
    """Everything that one pass over the cells gives. A statistic is None where it is unbounded."""

    statistics: list[float | None]
    risks: list[Summary]
    profile: EntropyProfile


def worst_cells(
    engine: Engine, statistics: Sequence[tuple[ClassStatistic, Variant]], risks: Sequence[RecordRisk], entropy: float
) -> CellFindings:
    """Return class statistics, risks and the entropy profile that all live on cells: one join, grouped by class, serves all."""
    inner = ["SUM(cell_n * LN(class_n / CAST(cell_n AS DOUBLE))) / MIN(class_n) AS h", f"MAX({_SHARE}) AS top"]
    outer = [OVER_CLASSES]
    for i, (metric, variant) in enumerate(statistics):
        inner.append(f"{variant.sql} AS s{i}, {variant.unbounded or '0'} AS u{i}")
        outer.append(f"{_worst(metric)}(s{i}), MAX(u{i})")
    for i, risk in enumerate(risks):
        inner.append(f"MIN({risk.sql}) AS low{i}, SUM(n * ({risk.sql})) AS sum{i}, MAX({risk.sql}) AS high{i}")
        outer.append(f"MIN(low{i}), SUM(m * sum{i}) / SUM(m * n), MAX(high{i})")
    (row,) = engine.rows(
        f"SELECT {', '.join(outer)} FROM (SELECT q, MIN(m) AS m, MIN(class_n) AS n, MIN(class_n) AS class_n, MIN(total_n) AS total_n, "
        f"{', '.join(inner)} FROM ({_CELL}) AS x GROUP BY q) AS y"
    )
    split = 5 + 2 * len(statistics)
    values = [None if unbounded else value for value, unbounded in zip(row[5:split:2], row[6:split:2], strict=True)]
    return CellFindings(values, _summaries(row[split:]), profile(row[:5], entropy))


def worst_ranked(engine: Engine, variant: Variant, diversity: int) -> float:
    """Return the worst class's value of a statistic over the count of its commonest value and the tail from the l-th on."""
    ranked = "SELECT q, n, ROW_NUMBER() OVER (PARTITION BY q ORDER BY n DESC, t) AS place FROM cell"
    tail = f"CAST(SUM(CASE WHEN place < {diversity} THEN 0 ELSE n END) AS BIGINT) AS tail"
    tails = f"SELECT q, MAX(n) AS r1, {tail} FROM ({ranked}) AS x GROUP BY q"
    ((worst,),) = engine.rows(f"SELECT MAX({variant.sql}) FROM ({tails}) AS y")
    return float(worst)


def worst_distance(engine: Engine, table: str) -> float:
    """Return the largest earth mover's distance of any class: of `ordered_distance` or `hierarchical_distance`."""
    ((distance,),) = engine.rows(f"SELECT MAX(emd) FROM {table}")
    return float(distance)


def class_sizes(engine: Engine, *, event_level: bool) -> ClassSizes:
    """Return how many classes there are of each size."""
    records = tuple(engine.rows("SELECT n, m FROM class_size ORDER BY n"))
    if not event_level:
        return ClassSizes(records, records)
    persons = engine.rows("SELECT persons AS size, COUNT(*) AS classes FROM class GROUP BY persons ORDER BY size")
    return ClassSizes(records, tuple(persons))


def tuple_count(engine: Engine) -> int:
    """Return how many distinct tuples the open scenario has."""
    ((tuples,),) = engine.rows("SELECT classes FROM total")
    return int(tuples)


def table_totals(engine: Engine, *, event_level: bool) -> Totals:
    """Return what is true of the table whatever the quasi-identifiers are."""
    ((records,),) = engine.rows("SELECT n FROM total")
    if not event_level:
        return Totals(records, records, 1 / records, entropy=log2(records))
    ((persons, busiest, entropy),) = engine.rows(
        f"SELECT COUNT(*), MAX(x.n), {_ENTROPY} "
        "FROM (SELECT u, CAST(SUM(n) AS BIGINT) AS n FROM pair GROUP BY u) AS x CROSS JOIN total AS w"
    )
    return Totals(records, persons, busiest / records, entropy=entropy)


def value_totals(engine: Engine, totals: Totals) -> Totals:
    """Return the totals with what is true of the sensitive attribute that is open."""
    ((values, commonest, entropy),) = engine.rows(f"SELECT COUNT(*), MAX(x.n), {_ENTROPY} FROM value AS x CROSS JOIN total AS w")
    return Totals(totals.records, totals.persons, totals.busiest_person, values, commonest / totals.records, entropy=entropy)


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


def _over_records(risks: Iterable[RecordRisk]) -> str:
    return ", ".join(f"MIN({r.sql}), SUM(n * ({r.sql})) / SUM(n), MAX({r.sql})" for r in risks)


def _summaries(row: Sequence[Any]) -> list[Summary]:
    return [Summary(*(float(x) for x in row[i : i + 3])) for i in range(0, len(row), 3)]


def _worst(metric: ClassStatistic) -> str:
    return "MIN" if metric.safer == "higher" else "MAX"

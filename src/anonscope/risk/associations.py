"""How much columns say about each other: mutual information, Pearson's correlation and Cramér's V of every pair.

R. Aufschläger et al. (2023), "Anonymization Procedures for Tabular Data", Information 14, 487: equations 30 and 33 to 35, figures
10 and 11. A missing value is a value of its own for mutual information and Cramér's V; Pearson's correlation is about numbers,
so it leaves out the records that lack one of the two.

    attribute_value(attribute, a, n)        how often each value occurs
    number(attribute, a, z)                 numeric columns: the value, moved to mean 0 and scaled by its range
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.errors import ColumnNotFound, OptionError
from anonscope.io.progress import Progress
from anonscope.io.sources import Relation
from anonscope.risk.counting import Layout, encode, is_numeric
from anonscope.risk.counting.encode import Radix

MOST_COLUMNS = 100
Matrix = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A number that does not exist for a pair of columns, and why."""

    measure: str
    one: str
    other: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseFindings:
    """Symmetric matrices over the same columns; None where a number does not exist, with its reason in `unmeasured`."""

    source: str
    rows: int
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    mutual_information: Matrix
    pearson: Matrix
    cramers_v: Matrix
    unmeasured: tuple[Unmeasured, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Pair:
    """What one GROUP BY over two columns adds up to."""

    mutual_information: float
    chi_squared: float  # over n, so that it needs no number of records
    records: int  # that have a number in both columns
    one: float
    other: float
    one_squared: float
    other_squared: float
    product: float


def measure(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    columns: Sequence[str] | None = None,
    rows: int | None = None,
    progress: Progress | None = None,
) -> PairwiseFindings:
    """Return the associations of the columns given, or of all that are no identifier and no weight."""
    chosen = choose(relation.names, roles, columns)
    layout = encode(engine, relation, Roles(quasi_identifiers=chosen), rows)
    numeric = tuple(is_numeric(engine, i) for i in range(len(chosen)))
    _open_values(engine, layout, numeric)
    ((records,),) = engine.rows("SELECT n FROM total")
    values = dict(engine.rows("SELECT attribute, COUNT(*) AS r FROM attribute_value GROUP BY attribute"))
    entropies = dict(engine.rows(_ENTROPY))
    found = _Collected(chosen, numeric, values)
    for i in range(len(chosen)):
        found.itself(i, float(entropies[i]))
    pairs = list(combinations(range(len(chosen)), 2))
    for done, (i, j) in enumerate(pairs):
        if progress is not None:
            progress("comparing columns", done, len(pairs))
        found.pair(i, j, _measure_pair(engine, layout.radices[i], layout.radices[j]))
    return PairwiseFindings(
        source=relation.name,
        rows=int(records),
        columns=chosen,
        numeric=numeric,
        mutual_information=found.matrix("mutual information"),
        pearson=found.matrix("Pearson"),
        cramers_v=found.matrix("Cramér's V"),
        unmeasured=tuple(found.unmeasured),
        notes=tuple(_notes(found, int(records), rows)),
    )


def choose(names: Sequence[str], roles: Roles, columns: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns to compare; a clear error when there is nothing to compare or too much."""
    if columns is None:
        aside = {*roles.direct_identifiers, roles.person, roles.household, roles.weight}
        chosen = tuple(name for name in names if name not in aside)
    else:
        if isinstance(columns, str):
            raise OptionError(f"columns takes a list of column names; write [{columns!r}], not {columns!r}.")
        chosen = tuple(dict.fromkeys(columns))
    for name in chosen:
        if name not in names:
            raise ColumnNotFound(name, names)
    if len(chosen) < 2:
        raise OptionError(f"An association needs at least two columns, not {len(chosen)}. Name the columns to compare.")
    if len(chosen) > MOST_COLUMNS:
        raise OptionError(f"{len(chosen):,} columns have too many pairs; name at most {MOST_COLUMNS} columns to compare.")
    return chosen


class _Collected:
    """Matrices under way."""

    def __init__(self, columns: tuple[str, ...], numeric: tuple[bool, ...], values: dict[int, int]) -> None:
        self.columns, self.numeric, self.values = columns, numeric, values
        self.unmeasured: list[Unmeasured] = []
        self._cells: dict[tuple[str, int, int], float] = {}

    def itself(self, i: int, entropy: float) -> None:
        """A column tells all of its own entropy; it is perfectly associated with itself unless it is constant."""
        self._cells["mutual information", i, i] = max(entropy, 0.0)
        constant = self.values[i] == 1
        self._set("Cramér's V", i, i, None if constant else 1.0, "the column has one value only")
        if self.numeric[i]:
            self._set("Pearson", i, i, None if constant else 1.0, "the column has one value only")
        else:
            self._set("Pearson", i, i, None, "the column is not numeric")

    def pair(self, i: int, j: int, sums: _Pair) -> None:
        self._cells["mutual information", i, j] = max(sums.mutual_information, 0.0)
        fewest = min(self.values[i], self.values[j]) - 1
        v = math.sqrt(min(max(sums.chi_squared, 0.0) / fewest, 1.0)) if fewest else None
        self._set("Cramér's V", i, j, v, "a column has one value only")
        if not (self.numeric[i] and self.numeric[j]):
            self._set("Pearson", i, j, None, "a column is not numeric")
            return
        self._set("Pearson", i, j, _pearson(sums), "a column is constant where both have a number")

    def matrix(self, measure: str) -> Matrix:
        size = range(len(self.columns))
        return tuple(tuple(self._cells.get((measure, min(i, j), max(i, j))) for j in size) for i in size)

    def _set(self, measure: str, i: int, j: int, value: float | None, reason: str) -> None:
        if value is None:
            self.unmeasured.append(Unmeasured(measure, self.columns[i], self.columns[j], reason))
        else:
            self._cells[measure, i, j] = value


def _pearson(sums: _Pair) -> float | None:
    if not sums.records:
        return None
    n = sums.records
    one, other = sums.one / n, sums.other / n
    spread = (sums.one_squared / n - one * one) * (sums.other_squared / n - other * other)
    # Squares of numbers scaled to at most 1 are known to about 16 digits; a spread below that is rounding.
    if not spread > 1e-24:
        return None
    return min(max((sums.product / n - one * other) / math.sqrt(spread), -1.0), 1.0)


def _open_values(engine: Engine, layout: Layout, numeric: Sequence[bool]) -> None:
    parts = " UNION ALL ".join(
        f"SELECT {r.attribute} AS attribute, a, CAST(SUM(n) AS BIGINT) AS n FROM (SELECT {_part(r)} AS a, n FROM record) AS r{r.attribute} "
        "GROUP BY a"
        for r in layout.radices
    )
    engine.materialise("attribute_value", parts)
    engine.materialise("total", "SELECT CAST(SUM(n) AS BIGINT) AS n FROM record")
    numbers = [i for i, is_number in enumerate(numeric) if is_number]
    texts = " UNION ALL ".join(f"SELECT attribute, w AS a, CAST(TRIM(v) AS DOUBLE) AS x FROM weight WHERE attribute = {i}" for i in numbers)
    if not numbers:
        texts = "SELECT 0 AS attribute, CAST(0 AS BIGINT) AS a, CAST(0 AS DOUBLE) AS x FROM total WHERE n < 0"
    engine.materialise("numeric_value", texts)
    engine.materialise("number", _NUMBER)


def _part(radix: Radix) -> str:
    return f"(w{radix.word} % {radix.hi}) - (w{radix.word} % {radix.lo})"


# A column whose numbers differ by nothing, or by more than a double can hold, has no scale and no correlation.
_NUMBER = """
SELECT x.attribute, x.a, (x.x - s.mean) / NULLIF(s.high - s.low, 0) AS z
FROM numeric_value AS x
JOIN (
  SELECT y.attribute, SUM(v.n * y.x) / SUM(v.n) AS mean, MIN(y.x) AS low, MAX(y.x) AS high
  FROM numeric_value AS y JOIN attribute_value AS v ON y.attribute = v.attribute AND y.a = v.a
  GROUP BY y.attribute
) AS s ON x.attribute = s.attribute
"""

_ENTROPY = """
SELECT v.attribute, SUM(v.n / CAST(w.n AS DOUBLE) * LN(w.n / CAST(v.n AS DOUBLE)) / LN(2)) AS h
FROM attribute_value AS v CROSS JOIN total AS w
GROUP BY v.attribute
"""


def _measure_pair(engine: Engine, one: Radix, other: Radix) -> _Pair:
    """Return the sums over one pair of columns: one GROUP BY of the records, joined with the two marginals."""
    both = "CASE WHEN x.z IS NULL OR y.z IS NULL THEN 0 ELSE c.n END"
    (row,) = engine.rows(
        "SELECT SUM(c.n / CAST(w.n AS DOUBLE) * LN(c.n * CAST(w.n AS DOUBLE) / (CAST(v.n AS DOUBLE) * u.n))) / LN(2), "
        "SUM(CAST(c.n AS DOUBLE) * c.n / (CAST(v.n AS DOUBLE) * u.n)) - 1, "
        f"CAST(SUM({both}) AS BIGINT), SUM({both} * COALESCE(x.z, 0)), SUM({both} * COALESCE(y.z, 0)), "
        f"SUM({both} * COALESCE(x.z * x.z, 0)), SUM({both} * COALESCE(y.z * y.z, 0)), SUM({both} * COALESCE(x.z * y.z, 0)) "
        "FROM (SELECT a, b, CAST(SUM(n) AS BIGINT) AS n "
        f"FROM (SELECT {_part(one)} AS a, {_part(other)} AS b, n FROM record) AS r GROUP BY a, b) AS c "
        f"JOIN attribute_value AS v ON v.attribute = {one.attribute} AND v.a = c.a "
        f"JOIN attribute_value AS u ON u.attribute = {other.attribute} AND u.a = c.b "
        f"LEFT JOIN number AS x ON x.attribute = {one.attribute} AND x.a = c.a "
        f"LEFT JOIN number AS y ON y.attribute = {other.attribute} AND y.a = c.b CROSS JOIN total AS w"
    )
    finite = [value if value is not None and math.isfinite(value) else 0.0 for value in row]
    return _Pair(finite[0], finite[1], int(finite[2]), *finite[3:])


def _notes(found: _Collected, records: int, rows: int | None) -> list[str]:
    notes = []
    constant = [name for i, name in enumerate(found.columns) if found.values[i] == 1]
    if constant:
        notes.append(f"Columns with one value only say nothing about any other: {', '.join(constant)}.")
    if not any(found.numeric):
        notes.append("No column is numeric, so Pearson's correlation is not measured.")
    alone = [name for i, name in enumerate(found.columns) if found.values[i] == records > 1]
    if alone:
        notes.append(f"Every record has its own value, which determines all others without meaning anything: {', '.join(alone)}.")
    if rows is not None:
        notes.append(f"Only the first {records:,} records were measured; the rest of the table is not assessed.")
    return notes

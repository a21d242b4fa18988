"""How much columns say about each other: mutual information, Pearson's correlation and Cramér's V of every pair.

R. Aufschläger et al. (2023), "Anonymization Procedures for Tabular Data", Information 14, 487: equations 30 and 33 to 35, figures
10 and 11. A missing value is a value of its own for mutual information and Cramér's V; Pearson's correlation is about numbers,
so it leaves out the records that lack one of the two.

Mutual information as equation 30 has it grows with the number of values: a column of 21,648 numbers tells 0.568 bits of an income, and
0.54 of one that was shuffled. The corrected one puts numbers of more than 20 values into 20 bins of equally many records each, as far as
equal values allow, and takes off what columns with these counts of values have by chance (see `expected_information`); below that it is 0.

    attribute_value(attribute, a, n)        how often each value occurs
    number(attribute, a, z)                 numeric columns: the value, moved to mean 0 and scaled by its range
    binned(attribute, a, b, n)              the bin of every value: itself where a column has few or is not numeric
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
from anonscope.risk.expected_information import expected_information

MOST_COLUMNS = 100
# Numbers of more values than this are put into so many bins.
BINS = 20
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
    corrected_information: Matrix  # of numbers in bins, less what there is by chance
    pearson: Matrix
    cramers_v: Matrix
    unmeasured: tuple[Unmeasured, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Pair:
    """What one GROUP BY over two columns adds up to."""

    mutual_information: float
    binned_information: float
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
    _open_bins(engine, [i for i, number in enumerate(numeric) if number and values[i] > BINS])
    entropies = dict(engine.rows(_ENTROPY))
    found = _Collected(chosen, numeric, values, _counts(engine, len(chosen)), int(records))
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
        corrected_information=found.matrix("corrected mutual information"),
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

    def __init__(
        self, columns: tuple[str, ...], numeric: tuple[bool, ...], values: dict[int, int], counts: list[list[int]], records: int
    ) -> None:
        self.columns, self.numeric, self.values, self.counts, self.records = columns, numeric, values, counts, records
        self.unmeasured: list[Unmeasured] = []
        self._cells: dict[tuple[str, int, int], float] = {}

    def itself(self, i: int, entropy: float) -> None:
        """A column tells all of its own entropy; it is perfectly associated with itself unless it is constant."""
        self._cells["mutual information", i, i] = max(entropy, 0.0)
        shares = [count / self.records for count in self.counts[i]]
        self._correct(i, i, -sum(share * math.log2(share) for share in shares))
        constant = self.values[i] == 1
        self._set("Cramér's V", i, i, None if constant else 1.0, "the column has one value only")
        if self.numeric[i]:
            self._set("Pearson", i, i, None if constant else 1.0, "the column has one value only")
        else:
            self._set("Pearson", i, i, None, "the column is not numeric")

    def pair(self, i: int, j: int, sums: _Pair) -> None:
        self._cells["mutual information", i, j] = max(sums.mutual_information, 0.0)
        self._correct(i, j, sums.binned_information)
        fewest = min(self.values[i], self.values[j]) - 1
        v = math.sqrt(min(max(sums.chi_squared, 0.0) / fewest, 1.0)) if fewest else None
        self._set("Cramér's V", i, j, v, "a column has one value only")
        if not (self.numeric[i] and self.numeric[j]):
            self._set("Pearson", i, j, None, "a column is not numeric")
            return
        self._set("Pearson", i, j, _pearson(sums), "a column is constant where both have a number")

    def _correct(self, i: int, j: int, information: float) -> None:
        """Take off what two columns with these counts have by chance."""
        chance = expected_information(self.counts[i], self.counts[j], self.records)
        self._cells["corrected mutual information", i, j] = max(information - chance, 0.0)

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


def _open_bins(engine: Engine, numbers: Sequence[int]) -> None:
    """Make `binned`: numbers in bins of equally many records, everything else as it is; a missing number has a bin of its own."""
    cut = f"FLOOR({BINS} * (SUM(v.n) OVER (PARTITION BY v.attribute ORDER BY x.x, v.a) - CAST(v.n AS DOUBLE) / 2) / k.n)"
    chosen = ", ".join(map(str, numbers)) or "-1"
    binned = (
        f"SELECT v.attribute, v.a, -1 - CAST({cut} AS BIGINT) AS b, v.n FROM attribute_value AS v "
        "JOIN numeric_value AS x ON x.attribute = v.attribute AND x.a = v.a "
        "JOIN (SELECT y.attribute, CAST(SUM(y.n) AS DOUBLE) AS n FROM attribute_value AS y "
        "JOIN numeric_value AS z ON z.attribute = y.attribute AND z.a = y.a GROUP BY y.attribute) AS k ON k.attribute = v.attribute "
        f"WHERE v.attribute IN ({chosen})"
    )
    rest = (
        "SELECT v.attribute, v.a, v.a AS b, v.n FROM attribute_value AS v "
        "LEFT JOIN numeric_value AS x ON x.attribute = v.attribute AND x.a = v.a "
        f"WHERE v.attribute NOT IN ({chosen}) OR x.x IS NULL"
    )
    engine.materialise("binned", f"{binned} UNION ALL {rest}")


def _counts(engine: Engine, columns: int) -> list[list[int]]:
    """Return how many records every bin of every column has."""
    found: list[list[int]] = [[] for _ in range(columns)]
    for attribute, n in engine.rows("SELECT attribute, CAST(SUM(n) AS BIGINT) AS n FROM binned GROUP BY attribute, b"):
        found[int(attribute)].append(int(n))
    return found


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
    ((information,),) = engine.rows(_binned_information(one, other))
    finite = [value if value is not None and math.isfinite(value) else 0.0 for value in row]
    return _Pair(finite[0], float(information or 0.0), finite[1], int(finite[2]), *finite[3:])


def _binned_information(one: Radix, other: Radix) -> str:
    """Return the statement of the mutual information between the bins of two columns."""
    marginal = "SELECT b, CAST(SUM(n) AS DOUBLE) AS n FROM binned WHERE attribute = {} GROUP BY b"
    return (
        "SELECT SUM(c.n / w.n * LN(c.n * w.n / (p.n * q.n))) / LN(2) FROM (SELECT x.b AS a, y.b AS b, CAST(SUM(r.n) AS DOUBLE) AS n "
        f"FROM (SELECT {_part(one)} AS a, {_part(other)} AS b, n FROM record) AS r "
        f"JOIN binned AS x ON x.attribute = {one.attribute} AND x.a = r.a "
        f"JOIN binned AS y ON y.attribute = {other.attribute} AND y.a = r.b GROUP BY x.b, y.b) AS c "
        f"JOIN ({marginal.format(one.attribute)}) AS p ON p.b = c.a JOIN ({marginal.format(other.attribute)}) AS q ON q.b = c.b "
        "CROSS JOIN (SELECT CAST(n AS DOUBLE) AS n FROM total) AS w"
    )


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

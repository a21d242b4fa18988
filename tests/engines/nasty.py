"""The tables that every engine must count alike, what is asked of them, and when two audits are the same.

A table has what engines disagree on: missing values, empty text, text that differs by a blank, by case or by the composition of an
accent, values that are no number and numbers that print in many ways, whole numbers that no floating point number holds, and names
with every sign that some dialect takes for its own.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from random import Random
from typing import Any

import pyarrow as pa

import anonscope as an
from anonscope.risk.measuring.about import REMOTE_ATTRIBUTES

TOLERANCE = 1e-9
WIDE = 130

# A quote, a double quote, what drivers take for parameters, a backtick, an umlaut, blanks, a keyword, and one like our own tables.
TEXT, FLOAT, WHOLE, AMOUNT = "it's", 'say "no"', "100%s %(x)s", "a:b :c"
DAY, FLAG, MOMENT, CONSTANT = "back`tick", "Größe", " two  blanks ", "select"
NOTHING, SMALL_FLOAT, CODE = "[class]; --", "c0", "zip\\code"
ILL, COST, WHO, WEIGHT, HOME = "source", "cost", "who?", "weight", "{house}"
KNOWN = (TEXT, FLOAT, WHOLE, AMOUNT, DAY, FLAG, MOMENT, CONSTANT, NOTHING, SMALL_FLOAT, CODE)

# Composed and decomposed, a trailing blank, case, a line end, what LIKE and formats take for signs, and what reads like nothing.
_TEXTS = ("", " ", "a", "A", "a ", "\u00e9", "e\u0301", "ß", "ss", "NULL", "nan", "100%", "O'Brien", 'q"q', "a\nb", "\\N", "日本", ":x")
_FLOATS = (0.0, -0.0, 1.0, -1.5, 0.1, 0.1 + 0.2, 0.3, 1e15, 1e16, 1e20, 1e-7, 5e-324, math.nan, math.inf, -math.inf, 123456.789)
_WHOLES = (0, 1, -1, 2**53, 2**53 + 1, 2**62, -(2**62), 10)
_CODES = ("01", "1", "1.0", "10", "9", "0x1f", "1e3", "007")

# For what is not about counting.
SMALL = pa.table({"age": ["1", "1", "2", None], "ill": ["a", "b", "a", "a"]})


@dataclass(frozen=True)
class Case:
    """A table, what its columns are (for `read`) and what is asked (of `audit`)."""

    name: str
    table: pa.Table
    roles: dict[str, Any]
    asked: dict[str, Any] = field(default_factory=dict)

    def audited(self, source: Any = None, **reading: Any) -> an.Audit:
        """Return the audit, of the table as it is or of where a test has put it."""
        with an.read(self.table if source is None else source, **self.roles, **reading) as data:
            return an.audit(data, **self.asked)


def nasty_table(rows: int = 240) -> pa.Table:
    """Return records with everything that engines may see differently, the same at every call."""
    draw = Random(9)

    def of(values: tuple[Any, ...], kind: pa.DataType, missing: float = 0.15) -> pa.Array:
        # Skewed, so that some classes are large and many values are rare.
        picked = [values[min(draw.randrange(len(values)), draw.randrange(len(values)))] for _ in range(rows)]
        return pa.array([None if draw.random() < missing else value for value in picked], kind)

    columns = {
        TEXT: of(_TEXTS, pa.string()),
        FLOAT: of(_FLOATS, pa.float64()),
        WHOLE: of(_WHOLES, pa.int64()),
        AMOUNT: of(tuple(Decimal(n) / 100 for n in (0, 3450, 3405, -1, 10**9)), pa.decimal128(18, 2)),
        DAY: of((date(1900, 1, 1), date(1969, 12, 31), date(2024, 2, 29)), pa.date32()),
        FLAG: of((True, False), pa.bool_()),
        MOMENT: of((datetime(2024, 3, 31, 2, 30), datetime(2024, 3, 31, 2, 30, 0, 1)), pa.timestamp("us")),
        CONSTANT: pa.array(["one"] * rows),
        NOTHING: pa.array([None] * rows, pa.string()),
        SMALL_FLOAT: of((0.1, 0.2, 3.0), pa.float32()),
        CODE: of(_CODES, pa.string()),
        ILL: of(_TEXTS[:9], pa.string()),
        COST: of((-2.5, 0.0, 1.0, 9.0, 10.0, 100.25), pa.float64()),
        WHO: of(tuple(f"p{i}" for i in range(rows // 4)), pa.string(), 0.03),
        WEIGHT: pa.array([draw.choice((1.0, 2.5, 10.0, 4.0)) for _ in range(rows)]),
        HOME: of(tuple(range(rows // 3)), pa.int32(), 0.05),
    }
    table = pa.table(columns)
    # With most records there twice, classes are not all of one.
    return table.take([i for i in range(rows) for _ in range(1 + draw.randrange(3))])


def wide_table(rows: int = 90) -> pa.Table:
    """Return 130 quasi-identifiers whose packed key fills several words, with a sensitive column and persons."""
    draw = Random(130)
    columns = {
        f"w{i:03d}%": pa.array([None if (v := draw.randrange(-1, 1 + i % 9)) < 0 else f"v{v}" for _ in range(rows)], pa.string())
        for i in range(WIDE)
    }
    columns[ILL] = pa.array([draw.choice(["a", "b", "c", None]) for _ in range(rows)])
    columns[WHO] = pa.array([f"p{draw.randrange(rows // 2)}" for _ in range(rows)])
    return pa.table(columns).take([i for i in range(rows) for _ in range(1 + i % 2)])


@lru_cache
def cases() -> dict[str, Case]:
    """Return every case by name."""
    nasty, wide = nasty_table(), wide_table()
    few = (TEXT, FLAG, CODE)
    attackers = {"neighbour": [FLAG, DAY], "colleague": [TEXT, WHOLE, FLOAT], "one column": [CODE]}
    both = [ILL, COST]
    made = (
        Case("person level", nasty, {"quasi_identifiers": KNOWN, "sensitive": both}),
        Case("few attributes", nasty, {"quasi_identifiers": [FLAG, FLOAT], "sensitive": [COST]}),
        Case("no sensitive attribute", nasty, {"quasi_identifiers": few}),
        Case(
            "scenarios, pairs and joined",
            nasty,
            {"quasi_identifiers": few, "sensitive": both, "scenarios": attackers},
            {"pairs": True, "joined": True},
        ),
        Case(
            "event level",
            nasty,
            {"quasi_identifiers": [*few, FLOAT], "sensitive": both, "person": WHO, "scenarios": attackers},
            {"literal_chain": True},
        ),
        Case(
            "weights and households",
            nasty,
            {"quasi_identifiers": few, "sensitive": [ILL], "weight": WEIGHT, "household": HOME, "population_size": 90_000},
            {"policy": "ema-0070"},
        ),
        Case("one record", nasty.slice(0, 1), {"quasi_identifiers": [TEXT, WHOLE], "sensitive": both}),
        Case("130 columns", wide, {"quasi_identifiers": wide.column_names[:WIDE], "sensitive": [ILL]}),
        Case("130 columns, event level", wide, {"quasi_identifiers": wide.column_names[:WIDE], "sensitive": [ILL], "person": WHO}),
    )
    return {case.name: case for case in made}


@lru_cache
def expected(name: str) -> an.Audit:
    """Return the audit of a case as DuckDB counts it."""
    return cases()[name].audited()


def assert_same(found: an.Audit, wanted: an.Audit, tolerance: float = TOLERANCE) -> None:
    """Fail unless two audits of one table have the same measurements, counts and verdict; say where they differ."""
    differing = list(differences(found, wanted, tolerance))
    assert not differing, f"{len(differing)} differences:\n" + "\n".join(differing[:20])


def differences(found: an.Audit, wanted: an.Audit, tolerance: float = TOLERANCE) -> Iterator[str]:
    """Yield what two audits do not agree on, a line each."""
    beyond = _beyond(found) | _beyond(wanted)
    mine, theirs = _measurements(found, beyond), _measurements(wanted, beyond)
    yield from (f"not found: {key}" for key in theirs.keys() - mine.keys())
    yield from (f"not wanted: {key}" for key in mine.keys() - theirs.keys())
    for key in theirs.keys() & mine.keys():
        for part, value in theirs[key].items():
            if not _alike(mine[key][part], value, tolerance):
                yield f"{key} {part}: {mine[key][part]!r}, not {value!r}"
    for part, of in _WHOLE_AUDIT.items():
        if not _alike(of(found), of(wanted), tolerance):
            yield f"{part}: {of(found)!r}, not {of(wanted)!r}"


_WHOLE_AUDIT: dict[str, Callable[[an.Audit], Any]] = {
    "rows": lambda audit: audit.rows,
    "persons": lambda audit: audit.persons,
    "columns": lambda audit: audit.columns,
    "missing": lambda audit: sorted(audit.missing.items()),
    "class sizes": lambda audit: [(s.name, asdict(s.sizes)) for s in audit.scenarios],
    "sensitive": lambda audit: [asdict(facts) for facts in audit.sensitive],
    "outcome": lambda audit: audit.verdict.outcome,
    # Not which of several measurements is the worst: those that differ by rounding only are equally bad.
    "rules": lambda audit: [{k: v for k, v in asdict(rule).items() if k != "measurement"} for rule in audit.verdict.rules],
}


def _beyond(audit: an.Audit) -> set[tuple[str, str]]:
    """Return which metrics of which attackers an engine that holds the data elsewhere says it does not measure of so many attributes."""
    wide = {s.name for s in audit.scenarios if len(s.quasi_identifiers) > REMOTE_ATTRIBUTES}
    limit = f"at most {REMOTE_ATTRIBUTES} attributes"
    return {(m.metric, m.scenario) for m in audit.measurements if m.scenario in wide and limit in (m.reason or "")}


def _measurements(audit: an.Audit, beyond: set[tuple[str, str]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return every measurement by what it is of."""
    names = ("metric", "scenario", "attributes", "sensitive", "variant", "level")
    compared = [m for m in audit.measurements if (m.metric, m.scenario) not in beyond]
    by_key = {tuple(getattr(m, name) for name in names): asdict(m) for m in compared}
    assert len(by_key) == len(compared), "two measurements of the same thing"
    return by_key


def _alike(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key], tolerance) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_alike(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, float | int) and isinstance(other, float | int) and not isinstance(one, bool):
        # A Decimal or a NumPy number would be a type that leaked out of a driver.
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return bool(one == other) and type(one) is type(other)

"""Small tables of every type, with what files and engines confuse, and what is asked of their releases; a seed gives the same again."""

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa

METHODS = ("global", "local", "mondrian", "subtree", "auto")
FATES = ("keep", "drop")
FORMATS = ("csv", "tsv", "parquet", "arrow")

# What a column may hold, by kind; every column draws a few of them.
_KINDS: dict[str, tuple[tuple[Any, ...], pa.DataType]] = {
    "floats": ((0.0, -0.0, math.nan, None, 1.0, 1.5, 2.0, math.inf, -math.inf, 1e20, 0.1, 0.1 + 0.2), pa.float64()),
    "small floats": ((0.0, -0.0, math.nan, None, 0.1, 2.5, 16777216.0, math.inf), pa.float32()),
    "whole numbers": ((0, 1, 2, 7, 13, -4, None, 2**40), pa.int64()),
    "small whole numbers": ((20, 21, 25, 30, 41, 58, None), pa.int16()),
    "decimals": ((Decimal("34.50"), Decimal("34.05"), Decimal("0.00"), Decimal("-1.10"), Decimal("100.00"), None), pa.decimal128(9, 2)),
    "texts": (("", None, " ", "a", "A", "a ", " a", "ß", "ss", "NA", "null", "NULL", "nan", "None", "0"), pa.string()),
    "look-alikes": (("\u00e9", "e\u0301", "\u0430", "a", "\u212b", "\u00c5", "A\u030a", "", None, "\u200b", "\u00a0"), pa.string()),
    "signs": (('"', '""', ",", ";", "\t", "\n", "\r", "\r\n", "a\nb", "a,b", "'", "\\", "#", "", None, "\ufeff", "-"), pa.string()),
    "labels": (("*", "**", "[1-2]", "1-2", "{a, b}", "1*", "<3", ">=3", "", None, "other"), pa.string()),
    "codes": (("01234", "01239", "1234", "02139", "99999", "", None), pa.string()),
    "numbers as text": (("1", "2", "10", "3.5", "", None, "-7"), pa.string()),
    "categories": (("a", "b", "c", "", None), pa.dictionary(pa.int8(), pa.string())),
    "moments": (
        (*(datetime(2020, 3, 29, h, 30, 0, us, tzinfo=UTC) for h, us in ((0, 0), (1, 0), (2, 0), (2, 1), (2, 1000))), None),
        pa.timestamp("us", "Europe/Berlin"),
    ),
    "local moments": ((datetime(1969, 12, 31, 23, 59), datetime(2020, 2, 29), datetime(2020, 2, 29, 0, 0, 0, 1), None), pa.timestamp("us")),
    "fine moments": ((0, 1, 999, 1000, None), pa.timestamp("ns")),
    "durations": (
        (timedelta(0), timedelta(microseconds=1), timedelta(days=1), timedelta(hours=25), timedelta(-1), None),
        pa.duration("us"),
    ),
    "fine durations": ((0, 1, 2, 1000, 10**15, None), pa.duration("ns")),
    "days": ((date(2020, 2, 29), date(1999, 12, 31), date(1, 1, 1), date(2020, 3, 1), None), pa.date32()),
    "times": ((time(0), time(12, 30), time(12, 30, 0, 1), None), pa.time64("us")),
    "truths": ((True, False, None), pa.bool_()),
    "bytes": ((b"", None, b"a", b"\x00", b"\xff", b"\\x61", b"A"), pa.binary()),
    "nothing": ((None,), pa.string()),
}
_PERSONS = (
    ("", None, "1", "2", "3", "4", "5", "a", "A", "a "),
    (None, math.nan, 0.0, -0.0, 1.0, 2.0, 3.0, 4.5),
    (None, 1, 2, 3, 4, 5, 6, 7, 8),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A table, the roles of its columns, and what is asked of its release."""

    seed: int
    table: pa.Table
    roles: dict[str, Any]
    limits: dict[str, float]
    method: str
    suppressed: str
    suppression: float


def case(seed: int) -> Case:
    """Return the case that has this number; methods and what becomes of suppressed records take turns."""
    draw = Random(seed)
    rows = draw.randint(8, 40)
    columns: dict[str, Any] = {}
    known = [f"q{i}" for i in range(draw.choice((1, 1, 1, 2, 3)))]
    told = [f"s{i}" for i in range(draw.choice((0, 0, 1, 1, 1, 2)))]
    for name in (*known, *told):
        columns[name] = _column(draw, rows)
    roles: dict[str, Any] = {"quasi_identifiers": known, "sensitive": told}
    if draw.random() < 0.4:
        columns["who"] = pa.array(draw.choices(draw.choice(_PERSONS), k=rows))
        roles["person"] = "who"
    limits: dict[str, float] = {"k_anonymity": draw.choice((2, 2, 3, 4))}
    if told and draw.random() < 0.8:
        limits["l_diversity"] = draw.choice((2, 2, 3))
    if told and draw.random() < 0.4:
        limits["t_closeness"] = draw.choice((0.3, 0.5, 0.7))
    order = draw.sample(sorted(columns), len(columns))
    return Case(
        seed=seed,
        table=pa.table({name: columns[name] for name in order}),
        roles=roles,
        limits=limits,
        method=METHODS[seed % len(METHODS)],
        suppressed=FATES[seed // len(METHODS) % len(FATES)],
        suppression=draw.choice((0.0, 0.1, 0.3, 0.6)),
    )


def _column(draw: Random, rows: int) -> Any:
    values, kind = _KINDS[draw.choice(sorted(_KINDS))]
    few = draw.sample(values, min(len(values), draw.randint(2, 5)))
    # Some values are common and some rare, so that there is something to suppress.
    weights = [draw.choice((1, 3, 9)) for _ in few]
    drawn = draw.choices(few, weights, k=rows)
    if pa.types.is_dictionary(kind):
        return pa.array(drawn, pa.string()).dictionary_encode()
    return pa.array(drawn, kind)

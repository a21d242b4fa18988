"""What a stranger finds in a file: read by Python's csv module or pyarrow, counted slowly; no line of anonscope is used."""

import csv
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.feather as feather
import pyarrow.parquet as pq

_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
_CODE = re.compile(r"\s*[+-]?0\d")
_ROUNDING = 1e-9

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """The smallest class, in people; the fewest sensitive values of a class and the largest distance, by sensitive attribute."""

    records: int
    k: int
    diversities: dict[str, int]
    distances: dict[str, float]

    def broken(self, limits: dict[str, float]) -> Iterator[str]:
        """Yield what is not as it was asked for."""
        if self.k < limits.get("k_anonymity", 0):
            yield f"k is {self.k}"
        for name, diversity in self.diversities.items():
            if diversity < limits.get("l_diversity", 0):
                yield f"l of {name} is {diversity}"
        for name, distance in self.distances.items():
            if distance > limits.get("t_closeness", 1) + _ROUNDING:
                yield f"t of {name} is {distance}"


def read(path: Path) -> list[Row]:
    """Return the records of a file; an empty field of delimited text is missing."""
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True))
        return [{name: field or None for name, field in zip(lines[0], line, strict=True)} for line in lines[1:]]
    table = pq.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)
    columns = {name: _typed(table.column(name)) for name in table.column_names}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _typed(column: Any) -> list[Any]:
    if str(column.type).startswith("timestamp[ns"):
        return [None if value.value is None else (value.value, "ns") for value in column]
    return [value.as_py() for value in column]


def found_in(rows: Sequence[Row], quasi_identifiers: Sequence[str], sensitive: Sequence[str], person: str | None) -> Found:
    """Return what the records say, by definition."""
    classes: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        classes[tuple(_shown(row[name]) for name in quasi_identifiers)].append(row)
    people = [len({_shown(row[person]) for row in members}) if person else len(members) for members in classes.values()]
    diversities, distances = {}, {}
    for name in sensitive:
        whole = Counter(_shown(row[name]) for row in rows)
        parts = [Counter(_shown(row[name]) for row in members) for members in classes.values()]
        ranks = _ranks({_shown(row[name]): row[name] for row in rows})
        diversities[name] = min(len(part) for part in parts)
        distances[name] = max(_distance(part, whole, ranks) for part in parts)
    return Found(len(rows), min(people), diversities, distances)


def shared_profiles(rows: Sequence[Row], quasi_identifiers: Sequence[str], person: str) -> int | None:
    """Return how many people share all of their records, where the fewest do; None where nobody has two."""
    profiles: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for row in rows:
        profiles[_shown(row[person])].append(tuple(_shown(row[name]) for name in quasi_identifiers))
    if len(profiles) == len(rows):
        return None
    return min(Counter(tuple(sorted(records)) for records in profiles.values()).values())


def _shown(value: Any) -> str:
    """Return how a value looks: 0.0 and -0.0, NaN and a missing value, empty text and a missing value look different."""
    return repr(value)


def _ranks(values: dict[str, Any]) -> dict[str, int] | None:
    """Return the place of every value of numbers, a missing one first; None where they are no numbers."""
    numbers = {shown: _number(value) for shown, value in values.items() if value is not None}
    if not numbers or None in numbers.values():
        return None
    known = sorted({number for number in numbers.values() if number is not None})
    ranks = {shown: known.index(number) for shown, number in numbers.items() if number is not None}
    if "None" in values:
        ranks = {shown: rank + 1 for shown, rank in ranks.items()} | {"None": 0}
    return ranks


def _number(value: Any) -> float | None:
    if isinstance(value, bytes):
        value = value.hex()
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) and not _CODE.match(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return float(value) if math.isfinite(value) else None


def _distance(part: Counter[str], whole: Counter[str], ranks: dict[str, int] | None) -> float:
    """Return the earth mover's distance: by ranks, or all values equally far apart."""
    here, everywhere = part.total(), whole.total()
    moved = {shown: part[shown] / here - whole[shown] / everywhere for shown in whole}
    if ranks is None:
        return sum(abs(share) for share in moved.values()) / 2
    steps = max(ranks.values())
    if not steps:
        return 0.0
    passed, total = 0.0, 0.0
    for rank in range(steps):
        passed += sum(share for shown, share in moved.items() if ranks[shown] == rank)
        total += abs(passed)
    return total / steps

"""Delimited files made at random, read by us and by Python's csv module: python -m benchmarks.fuzz_delimited [--files 10000] [--seed 0]."""

import argparse
import csv
import io
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anonscope as an
from anonscope.errors import SourceError

_PIECES = [
    "x",
    "y",
    "canary",
    " ",
    "  ",
    '"',
    '""',
    '" ',
    ' "',
    "\n",
    "\r",
    "\r\n",
    "\t",
    ";",
    ",",
    "|",
    "'",
    "é",
    "5",
    "",
    "sep=;",
    "\\",
    "\v",
]
_ENDS = ["\n", "\n", "\r\n", "\r\n", "\r"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A file, and the delimiter that whoever reads it is told."""

    content: bytes
    delimiter: str
    declared: bool


def drawn(chance: random.Random) -> Drawn:
    """Return a file: mostly a table with mistakes of the kind that programs and people make."""
    delimiter, end, width = chance.choice(",;\t|"), chance.choice(_ENDS), chance.choice([1, 1, 2, 2, 3])
    careless = chance.random() < 0.6
    header = delimiter.join(f"{name}" for name in ("a", " b", '"c"')[:width])
    lines = [header]
    for _ in range(chance.randint(1, 6)):
        fields = [_field(chance, delimiter, careless) for _ in range(width)]
        if careless and chance.random() < 0.1:
            fields += [""] * chance.randint(1, 2)
        if careless and chance.random() < 0.05:
            fields = fields[:-1]
        lines.append(delimiter.join(fields) if not careless or chance.random() > 0.05 else chance.choice(["", delimiter, " "]))
    ends = [chance.choice(_ENDS) if careless and chance.random() < 0.1 else end for _ in lines]
    text = "".join(line + its for line, its in zip(lines, ends, strict=True))
    text = text[: -len(ends[-1])] if chance.random() < 0.3 else text
    declared = chance.random() < 0.1
    return Drawn(((f"sep={delimiter}{end}" if declared else "") + text).encode(), delimiter, declared)


def _field(chance: random.Random, delimiter: str, careless: bool) -> str:
    text = "".join(chance.choices(_PIECES, k=chance.randint(0, 3)))
    if careless and chance.random() < 0.3:
        return text
    if chance.random() < 0.5 or any(c in text for c in f'"\r\n{delimiter}'):
        return '"' + text.replace('"', '""') + '"'
    return text


def as_python_reads(file: Drawn) -> list[list[str]] | None:
    """Return the records as Python's csv module has them, or nothing where it refuses them or they make no table."""
    text = file.content.decode()
    if file.declared:
        text = text[text.index("\r\n") + 2 if "\r\n" in text[:8] else 6 :]
    for dialect in ({}, {"doublequote": False, "escapechar": "\\"}):
        try:
            records = list(csv.reader(io.StringIO(text, newline=""), delimiter=file.delimiter, strict=True, **dialect))
        except csv.Error:
            if '\\"' not in text:
                return None
            continue
        header, *rest = records
        if len(header) == 1 and not all(rest):
            return None
        rest = [record for record in rest if record]
        return rest if rest and all(len(record) == len(header) for record in rest) else None
    return None


def as_we_read(data: Any) -> list[list[str]]:
    """Return the records of an open table, a missing value as an empty text."""
    data.engine.stage("fuzzed", f"SELECT * FROM {data.relation.origin}", large=False, ordered=True)
    return [["" if value is None else value for value in record] for record in data.engine.rows("SELECT * FROM fuzzed")]


def main() -> None:
    """Count files that are read alike, refused by both, and differently read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chance, begun = random.Random(given.seed), time.monotonic()
    alike = refused = different = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.csv"
        for _ in range(given.files):
            file = drawn(chance)
            path.write_bytes(file.content)
            expected = as_python_reads(file)
            try:
                with an.read(path, delimiter=file.delimiter, quote='"', threads=1) as data:
                    found = as_we_read(data)
            except SourceError:
                found = None
            if found != expected:
                different += 1
                print(file, "\n  Python", expected, "\n  anonscope", found)
            elif found is None:
                refused += 1
            else:
                alike += 1
    print(f"{given.files:,} files, seed {given.seed}: {alike:,} read alike, {refused:,} refused by both, {different:,} differently read")
    print(f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()

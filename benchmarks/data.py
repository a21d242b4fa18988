"""Files of the tables, drawn once and kept in benchmarks/data. As a command it draws one: python -m benchmarks.data."""

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.job import ROOT
from benchmarks.tables import Size, Table, table_named

FOLDER = ROOT / "benchmarks" / "data"
_PARTS = 10
_FORMATS = {"parquet": "FORMAT PARQUET", "csv": "FORMAT CSV, HEADER"}


def file_of(table: Table, size: Size, format: str = "parquet") -> Path:
    """Return the file of a table, drawing it if it is not there yet."""
    return _drawn(table, size, f".{format}")


def folder_of(table: Table, size: Size) -> Path:
    """Return the folder of a table in several Parquet files, drawing it if it is not there yet."""
    return _drawn(table, size, "")


def _drawn(table: Table, size: Size, ending: str) -> Path:
    # The name holds a digest of the statement, or a file drawn by an older one would be taken for this one's.
    digest = hashlib.sha256(table.select(size).encode()).hexdigest()[:8]
    path = FOLDER / f"{table.name.partition(':')[0]}-{size}-{digest}{ending}"
    if not path.exists():
        # In a process of its own, so that the one that starts the measurements stays small.
        subprocess.run(
            [sys.executable, "-m", "benchmarks.data", table.name, str(size.rows), str(size.persons), str(path)], cwd=ROOT, check=True
        )
    return path


def draw(table: Table, size: Size, path: Path) -> None:
    """Draw a table into a file, or into a folder of parts if the name has no ending; memory does not grow with the records."""
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    # A run that is interrupted must not leave half a table behind under the right name.
    unfinished = path.with_name(path.name + ".part")
    pieces = {unfinished: size}
    if not path.suffix:
        unfinished.mkdir(exist_ok=True)
        each = -(-size.rows // _PARTS)
        starts = range(0, size.rows, each)
        pieces = {unfinished / f"part-{i:02}.parquet": replace(size, first=a, rows=min(each, size.rows - a)) for i, a in enumerate(starts)}
    with duckdb.connect() as connection:
        for file, piece in pieces.items():
            connection.execute(f"COPY ({table.select(piece)}) TO '{file}' ({_FORMATS[path.suffix[1:] or 'parquet']})")
    unfinished.replace(path)


if __name__ == "__main__":
    name, rows, persons, target = sys.argv[1:]
    draw(table_named(name), Size(int(rows), int(persons)), Path(target))

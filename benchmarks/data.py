"""Files of the tables, drawn once and kept in benchmarks/data. As a command it draws one: python -m benchmarks.data."""

import hashlib
import subprocess
import sys
from pathlib import Path

from benchmarks.job import ROOT
from benchmarks.tables import TABLES, Size, Table

FOLDER = ROOT / "benchmarks" / "data"
_FORMATS = {"parquet": "FORMAT PARQUET", "csv": "FORMAT CSV, HEADER"}


def file_of(table: Table, size: Size, format: str = "parquet") -> Path:
    """Return the file of a table, drawing it if it is not there yet."""
    # The name holds a digest of the statement, or a file drawn by an older one would be taken for this one's.
    digest = hashlib.sha256(table.select(size).encode()).hexdigest()[:8]
    path = FOLDER / f"{table.name}-{size}-{digest}.{format}"
    if not path.exists():
        # In a process of its own, so that the one that starts the measurements stays small.
        subprocess.run(
            [sys.executable, "-m", "benchmarks.data", table.name, str(size.rows), str(size.persons), str(path)], cwd=ROOT, check=True
        )
    return path


def draw(table: Table, size: Size, path: Path) -> None:
    """Draw a table into a file."""
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    # A run that is interrupted must not leave half a table behind under the right name.
    unfinished = path.with_name(path.name + ".part")
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({table.select(size)}) TO '{unfinished}' ({_FORMATS[path.suffix[1:]]})")
    unfinished.replace(path)


if __name__ == "__main__":
    name, rows, persons, target = sys.argv[1:]
    draw(TABLES[name], Size(int(rows), int(persons)), Path(target))

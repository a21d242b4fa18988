"""Databases whose tables a server may open: those that it was started with, read as the user that their address names."""

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from anonscope.engines.database.engine import Database
from anonscope.errors import RequestRefused
from anonscope.io.sources.database import tables_in
from anonscope.operations.read import read
from anonscope.web.allowed import NOTHING, too_large


def is_address(source: Path | str) -> bool:
    """Whether a source is the address of a database; a path is none."""
    return isinstance(source, str) and "://" in source


@dataclass(frozen=True)
class Tables:
    """A database by its address, which may hold a password and is shown by nobody, and by what it is called."""

    url: str = field(repr=False)
    name: str

    @classmethod
    def of(cls, url: str) -> "Tables":
        """Return a database that a server was started with; raise if it cannot be reached."""
        with closing(Database(url)) as engine:
            return cls(url, f"{engine.title}: {engine.address}")

    def listed(self) -> list[str]:
        """Return the names of its tables and views."""
        with closing(Database(self.url)) as engine:
            return tables_in(engine)

    def copied(self, table: str, target: Path, limit: int, most_records: int) -> Path:
        """Copy a table as Parquet, every value as its canonical text; one with more records than the server takes is not fetched."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if table not in self.listed():
            raise RequestRefused(NOTHING, 404)
        with read(self.url, table=table) as data:
            origin, names = data.relation.origin, data.columns
            ((records,),) = data.engine.rows(f"SELECT COUNT(*) AS n FROM {origin}")
            if records > most_records:
                raise too_large()
            rows = data.engine.rows(f"SELECT {', '.join(f'c{i}' for i in range(len(names)))} FROM {origin}")
        found = pa.table([pa.array(column, pa.string()) for column in zip(*rows, strict=True)], names=list(names))
        pq.write_table(found, target)
        target.chmod(0o600)
        if target.stat().st_size > limit:
            raise too_large()
        return target

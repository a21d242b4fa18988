"""Tables that only Spark reaches and that a server may open: those that it was started with, as `spark:` and what Spark reads.

A copy comes to the server, as one of a database does: rooms answer within a blink from what is here, and a click cannot wait for a
cluster. What is larger than the server takes stays where it is, and is measured there by the command line.
"""

from dataclasses import dataclass, field
from pathlib import Path

from anonscope.errors import OptionError, RequestRefused
from anonscope.operations.read import read
from anonscope.web.allowed import NOTHING

PREFIX = "spark:"
_ENDINGS = (".parquet", ".csv", ".tsv", ".json", ".orc", "/")


def is_lake(source: Path | str) -> bool:
    """Whether a source is to be read by Spark."""
    return isinstance(source, str) and source.startswith(PREFIX)


@dataclass(frozen=True)
class Lake:
    """One table by its address, which nobody is shown, and by what it is called."""

    address: str = field(repr=False)
    name: str
    master: str | None = None

    @classmethod
    def of(cls, source: str, master: str | None) -> "Lake":
        """Return a table that a server was started with; Spark itself starts when somebody opens it."""
        from importlib.util import find_spec

        from anonscope.errors import MissingExtra

        address = source.removeprefix(PREFIX)
        if not address:
            raise OptionError(
                "The source spark: names no table. Say what Spark reads behind the colon, as in spark:s3a://lake/visits (--allow-sources)."
            )
        if find_spec("pyspark") is None:
            raise MissingExtra("Spark", "'anonscope[spark]'")
        return cls(address, f"Spark: {_called(address)}", master)

    def listed(self) -> list[str]:
        """Return the name of its table."""
        return [_called(self.address)]

    def copied(self, table: str, target: Path, limit: int, most_records: int) -> Path:
        """Copy the table as Parquet, every value as its canonical text; one with more records than the server takes is not fetched."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if table not in self.listed():
            raise RequestRefused(NOTHING, 404)
        with read(self.address, engine="spark", spark_master=self.master) as data:
            origin, names = data.relation.origin, data.columns
            ((records,),) = data.engine.rows(f"SELECT COUNT(*) AS n FROM {origin}")
            if records > most_records:
                raise too_large()
            schema = pa.schema([(name, pa.string()) for name in names])
            columns = ", ".join(f"c{i}" for i in range(len(names)))
            with pq.ParquetWriter(target, schema) as file:
                for batch in data.engine.batches(f"SELECT {columns} FROM {origin}"):
                    file.write_batch(pa.record_batch([column.cast(pa.string()) for column in batch.columns], schema=schema))
                    if target.stat().st_size > limit:
                        raise too_large()
        target.chmod(0o600)
        if target.stat().st_size > limit:
            raise too_large()
        return target


def too_large() -> RequestRefused:
    """Return why a table of Spark does not come here, and where it is measured instead."""
    told = "The table is larger than the server takes, so it stays on Spark. Measure it there, from the command line"
    return RequestRefused(f"{told} (anonscope audit ADDRESS --engine spark).", 413)


def _called(address: str) -> str:
    """Return the last name of an address, without its ending."""
    last = address.rstrip("/").rpartition("/")[2].rpartition(":")[2]
    return next((last.removesuffix(ending) for ending in _ENDINGS if last.endswith(ending)), last) or "table"

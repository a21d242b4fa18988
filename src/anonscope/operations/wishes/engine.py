"""Who counts, where, and by how much of a machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from anonscope.operations.wishes.words import Wish, Words

EngineName = Literal["duckdb", "spark"]
_PANEL = "Engine"


@dataclass(frozen=True, kw_only=True)
class Memory(Wish):
    """How much memory may be used."""

    panel: ClassVar[str | None] = _PANEL

    memory_limit: Annotated[str | None, Words(help="e.g. 1GB; what does not fit goes to a private folder.", metavar="SIZE")] = None


@dataclass(frozen=True, kw_only=True)
class Resources(Memory):
    """How much of this machine may be used."""

    panel: ClassVar[str | None] = _PANEL

    threads: Annotated[
        int | None, Words(help="Number of threads.", metavar="N", least=1, wrong="The number of threads must be at least 1, not {}.")
    ] = None
    temp_folder: Annotated[
        str | Path | None, Words(help="Where to make the private folder, if not in /tmp.", metavar="FOLDER", reads=Path)
    ] = None
    isolate: Annotated[bool, Words(help="Have every file read by a process with limits, and not here: its death is a sentence.")] = False


@dataclass(frozen=True, kw_only=True)
class WhoCounts(Wish):
    """Which engine counts."""

    panel: ClassVar[str | None] = _PANEL

    engine: Annotated[
        EngineName | None,
        Words(
            help="Who counts: DuckDB, or Spark. Default: duckdb.",
            shown=False,
            wrong="No engine is called {}. There are: duckdb, spark; a database is named by its URL.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SparkPlace(Wish):
    """Where Spark runs."""

    panel: ClassVar[str | None] = _PANEL

    spark_master: Annotated[str | None, Words(help="local[*], spark://host:port, yarn, k8s://…; default local[*].", metavar="MASTER")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class SparkWishes(SparkPlace, WhoCounts):
    """Which engine counts, and where it runs."""

    spark_conf: Annotated[
        Mapping[str, str] | None,
        Words(
            help="A setting of Spark.",
            metavar="KEY=VALUE",
            entry="A setting of Spark is written KEY=VALUE (for instance spark.executor.memory=8g)",
        ),
    ] = None
    spark_staging: Annotated[
        str | Path | None, Words(help="Folder that all workers see, for what is computed on the way.", metavar="FOLDER", reads=str)
    ] = None


@dataclass(frozen=True, kw_only=True)
class DatabaseTable(Wish):
    """Which table of a database."""

    panel: ClassVar[str | None] = "Reading the source"

    table: Annotated[str | None, Words(help="Table or view of a database, also schema.table.", metavar="NAME")] = None


@dataclass(frozen=True, kw_only=True)
class Elsewhere(DatabaseTable, SparkWishes):
    """Who counts a table that does not come to us: Spark, or the database that holds it."""

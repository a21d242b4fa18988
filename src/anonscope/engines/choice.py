"""Which engine counts a table: the one where the table lives."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonscope.engines.duckdb import DuckDB
from anonscope.engines.engine import Engine
from anonscope.errors import OptionError

ENGINES = ("duckdb", "spark")
_URL = re.compile(r"[a-z][a-z0-9]*(\+[a-z0-9_]+)?://", re.IGNORECASE)
# What a file system is called is no database; Spark reads these.
_FILE_SYSTEMS = ("file", "hdfs", "s3", "s3a", "s3n", "gs", "abfs", "abfss", "wasb", "wasbs", "dbfs", "viewfs", "http", "https")


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What a user may say about the engine instead of having it chosen by the source."""

    name: str | None = None
    memory_limit: str | None = None
    threads: int | None = None
    table: str | None = None  # of a database
    spark_master: str | None = None
    spark_conf: Mapping[str, str] = field(default_factory=dict)
    spark_staging: str | None = None  # a folder that all workers see
    temp_folder: str | Path | None = None  # where the private folder is made
    isolate: bool = False  # whether files are read by a process that can be spared first


def is_spark_frame(source: object) -> bool:
    """Return whether this is a data frame of Spark, without importing it."""
    return type(source).__module__.startswith("pyspark.sql") and type(source).__name__ == "DataFrame"


def is_database_url(source: object) -> bool:
    """Return whether this names a database, such as postgresql://user@host/db."""
    return isinstance(source, str) and bool(_URL.match(source)) and source.partition(":")[0].lower() not in _FILE_SYSTEMS


def open_engine(source: Any, options: EngineOptions) -> Engine:
    """Return a new engine for a source."""
    assert options.name is None or options.name in ENGINES, "whoever asked for an engine was told which there are"
    spark = options.name == "spark" or is_spark_frame(source)
    if not spark and (options.spark_master or options.spark_conf or options.spark_staging):
        raise OptionError("Options for Spark are given, but the engine is another one. Say --engine spark (engine='spark').")
    if is_database_url(source):
        if options.name is not None:
            raise OptionError(f"A database counts its own tables; it cannot be read with the engine {options.name!r}.")
        if options.table is None:
            raise OptionError("A database holds many tables. Say which one with --table (table=...), which audit and suggest have.")
        if options.memory_limit or options.threads or options.temp_folder:
            raise OptionError("A database has its own bounds; memory limit, threads and folder for temporary files are DuckDB's.")
        from anonscope.engines.database.engine import Database  # late: needs the extra `sql`

        return Database(str(source))
    if options.table is not None:
        raise OptionError("--table names a table of a database, but the source is none. Give its URL, such as postgresql://user@host/db.")
    if spark:
        if options.name == "duckdb":
            raise OptionError("A data frame of Spark is counted by Spark. Leave engine='duckdb' out, or give the frame as a pandas one.")
        if options.memory_limit or options.threads:
            raise OptionError("Spark has its own bounds (--spark-conf spark.driver.memory=8g); memory limit and threads are DuckDB's.")
        from anonscope.engines.spark.engine import Spark  # late: needs the extra `spark`

        session = source.sparkSession if is_spark_frame(source) else None
        return Spark(
            session, master=options.spark_master, conf=options.spark_conf, staging=options.spark_staging, temp_folder=options.temp_folder
        )
    return DuckDB(memory_limit=options.memory_limit, threads=options.threads, temp_folder=options.temp_folder, isolate=options.isolate)

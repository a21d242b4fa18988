"""Tables that live elsewhere: on Spark, or in a database."""

from typing import Any

from anonscope.engines import Engine
from anonscope.io.sources.relation import ReadOptions, Relation


def open_remote(source: Any, engine: Engine, options: ReadOptions) -> Relation:
    """Return what a remote engine can read as a relation."""
    if engine.title == "Spark":
        from anonscope.io.sources.spark import open_on_spark

        return open_on_spark(source, engine, options)
    from anonscope.io.sources.database import open_in_database

    return open_in_database(source, engine, options)

"""Where the counting happens."""

from anonscope.engines.duckdb import DuckDB
from anonscope.engines.engine import Engine, Statement

__all__ = ["DuckDB", "Engine", "Statement"]

"""What other warehouses would run: every statement of an audit, carried to their dialects and kept as text.

These databases are not here to be asked, so a change of a statement, of the carrying or of sqlglot shows as a difference to read.
Renew the files with: ANONSCOPE_RENEW_SNAPSHOTS=1 pytest tests/engines/test_transpilation.py
"""

import os
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pytest
from sqlglot import exp, parse_one

import anonscope as an
from anonscope.engines.dialect import carried
from support.watched import watch

FOLDER = Path(__file__).parent / "snapshots"
DIALECTS = ("bigquery", "databricks", "snowflake", "trino", "tsql")
LEVELS = ("person", "event")


@lru_cache
def statements(level: str) -> tuple[str, ...]:
    """Return every distinct statement of an audit of a small table, as an engine elsewhere gets them."""
    table = pa.table(
        {
            "age": [31, 31, 42, None, 42, 57],
            "weight": [1.5, 2.0, 2.0, float("nan"), -0.0, 80.25],
            "ill": ["flu", "gout", "flu", None, "flu", "gout"],
            "cost": [1.0, 2.0, 2.0, 5.5, None, 9.0],
            "who": ["a", "a", "b", "c", "d", None],
        }
    )
    with an.read(table, quasi_identifiers=["age", "weight"], sensitive=["ill", "cost"], person="who" if level == "event" else None) as data:
        watch(data)
        run = an.audit(data, pairs=True, joined=True).statements
    named = (f"-- {statement.name or 'fetched'}\n{statement.sql}" for statement in run)
    return tuple(dict.fromkeys(named))


@lru_cache
def elsewhere(level: str, dialect: str) -> tuple[str, ...]:
    """Return the statements in another dialect, a line each."""
    parts = (statement.partition("\n") for statement in statements(level))
    return tuple(f"{comment}\n{carried(sql, dialect)};" for comment, _, sql in parts)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("level", LEVELS)
def test_statements_in_other_dialects_are_as_they_were(level: str, dialect: str) -> None:
    """A difference is to be read with care, then kept."""
    path = FOLDER / f"{dialect}_{level}.sql"
    text = "\n\n".join(elsewhere(level, dialect)) + "\n"
    if os.environ.get("ANONSCOPE_RENEW_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    assert text.split("\n\n") == path.read_text(encoding="utf-8").split("\n\n"), "renew with ANONSCOPE_RENEW_SNAPSHOTS=1"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("level", LEVELS)
def test_statements_in_other_dialects_can_be_read_there(level: str, dialect: str) -> None:
    """Each is one SELECT in the grammar of its dialect, and nothing of DuckDB is left in it."""
    for statement in elsewhere(level, dialect):
        sql = statement.partition("\n")[2].rstrip(";")
        tree = parse_one(sql, dialect=dialect)
        assert isinstance(tree, exp.Select | exp.Union), sql
        assert not tree.find(exp.TryCast), sql
        assert "ISFINITE" not in sql.upper()

"""Every statement behind a suggestion: a SELECT without a name or a value of the user, that other engines understand."""

import pyarrow as pa
import pytest
import sqlglot
from sqlglot import ErrorLevel, exp

import anonscope as an

TABLE = pa.table(
    {
        'column"one': [f"cell'{i}" for i in range(3000)],
        "column-two": [f"cell'{i % 3}" for i in range(3000)],
        "column three": [918_273 + i % 9 for i in range(3000)],
        "column four": [float(i % 7) for i in range(3000)],
    }
)


@pytest.fixture(scope="module")
def statements() -> list[str]:
    with an.read(TABLE) as data:
        an.suggest(data)
        return [statement.sql for statement in data.engine.statements]


def test_every_statement_is_a_select(statements):
    """Nothing is changed."""
    for sql in statements:
        (tree,) = sqlglot.parse(sql, dialect="duckdb")
        assert isinstance(tree, exp.Select | exp.Union), sql


def test_no_name_or_value_of_the_user_enters_a_statement(statements):
    """Columns are addressed by position."""
    text = "\n".join(statements)

    assert "column" not in text
    assert "cell" not in text
    assert "918" not in text


@pytest.mark.parametrize("dialect", ["spark", "postgres"])
def test_every_statement_is_carried_to_other_engines(statements, dialect):
    """sqlglot translates each without leaving anything out."""
    for sql in statements:
        (carried,) = sqlglot.transpile(sql, read="duckdb", write=dialect, unsupported_level=ErrorLevel.RAISE)
        assert sqlglot.parse_one(carried, dialect=dialect)

"""The statements behind associations and pre-checks: SELECTs without the user's text, carried to other engines."""

import pytest
import sqlglot
from sqlglot import ErrorLevel, exp

import anonscope as an
from anonscope.engines import Statement
from support.statements import SMALL, opens_the_source


@pytest.fixture(scope="module")
def statements() -> tuple[Statement, ...]:
    """Run everything on a table whose names and values would be seen in any statement they entered."""
    with an.read(SMALL.arrow(), quasi_identifiers=SMALL.quasi_identifiers, sensitive=SMALL.sensitive, threads=1) as data:
        an.associations(data)
        an.precheck(data, like={SMALL.quasi_identifiers[0]: "zip", "column-cost": "income"})
        return data.engine.statements


def test_every_statement_is_a_select(statements: tuple[Statement, ...]) -> None:
    """The engine stores results; the SQL itself changes nothing."""
    for statement in statements:
        (tree,) = sqlglot.parse(statement.sql, dialect="duckdb")
        assert isinstance(tree, exp.Select | exp.Union), statement.sql
        if not opens_the_source(statement):
            assert all(subquery.alias for subquery in tree.find_all(exp.Subquery)), statement.sql
            assert all(isinstance(key, exp.Column) for group in tree.find_all(exp.Group) for key in group.expressions), statement.sql
            assert all(node.is_string or node.this.isdigit() for node in tree.find_all(exp.Literal)), statement.sql


def test_no_name_or_value_of_the_user_enters_a_statement(statements: tuple[Statement, ...]) -> None:
    """Columns are addressed by position and values by code."""
    text = "\n".join(statement.sql for statement in statements)

    assert "column" not in text
    assert "cell'" not in text
    assert "918" not in text


@pytest.mark.parametrize("dialect", ["spark", "postgres"])
def test_every_statement_is_carried_to_other_engines(dialect: str, statements: tuple[Statement, ...]) -> None:
    """sqlglot translates each without leaving anything out."""
    for statement in statements:
        if not opens_the_source(statement):
            (carried,) = sqlglot.transpile(statement.sql, read="duckdb", write=dialect, unsupported_level=ErrorLevel.RAISE)
            assert sqlglot.parse_one(carried, dialect=dialect)

"""What statements may be made of, and how tests take them apart."""

import random

import sqlglot
from sqlglot import exp

from anonscope.engines import Statement
from support.strategies import Table

FUNCTIONS = {
    *(exp.Sum, exp.Count, exp.Min, exp.Max),
    *(exp.RowNumber, exp.DenseRank, exp.Lead),
    *(exp.Case, exp.If, exp.Coalesce, exp.Cast, exp.Ln, exp.Exp, exp.And, exp.Or),
    # Only to tell which values of a dictionary are numbers.
    *(exp.RegexpLike, exp.Trim),
    # Texts of a group in a stated order, joined: every engine has it under some name, SQLite by a function of ours.
    *(exp.GroupConcat, exp.DPipe),
}


CONSTRUCTS = {
    *(exp.Select, exp.Union, exp.Subquery, exp.From, exp.Table, exp.TableAlias, exp.Join, exp.Where, exp.Group, exp.Order, exp.Ordered),
    *(exp.Alias, exp.Column, exp.Identifier, exp.Star, exp.Distinct, exp.Literal, exp.Null, exp.DataType, exp.Paren),
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.EQ, exp.LT, exp.GT, exp.Is, exp.Not, exp.Window, exp.WindowSpec),
}


READERS = ("read_csv", "read_parquet", "parquet_schema", "parquet_kv_metadata", "arrow_source")


def odd(rows: int, values: int, name: str) -> tuple[str, tuple[str | None, ...]]:
    """Return a column whose name and values would be seen in any statement they entered."""
    chosen = random.Random(name)
    ties = (None if chosen.random() < 0.1 else f"cell'{name};0" for _ in range(rows - values))
    return f'column"{name}', (*(f"cell'{name};{i}" for i in range(values)), *ties)


def table_of(wide: int, rows: int = 1100) -> Table:
    """Return a table with two small quasi-identifiers, some of 1,023 values, two sensitive attributes and persons."""
    columns = [odd(rows, 2, "first"), *(odd(rows, 1023, f"wide{i}") for i in range(wide)), odd(rows, 3, "last")]
    known = tuple(name for name, _ in columns)
    numbers = ("column-cost", tuple(918_273 + i % 9 for i in range(rows)))
    return Table((*columns, odd(rows, 4, "ill"), numbers, odd(rows, 50, "who")), known, ('column"ill', "column-cost"))


SMALL, LARGE = table_of(0, rows=60), table_of(7)


def opens_the_source(statement: Statement) -> bool:
    return statement.name == "source" or any(reader in statement.sql for reader in READERS)


def parsed(statement: Statement) -> exp.Expression:
    (tree,) = sqlglot.parse(statement.sql, dialect="duckdb")
    assert tree is not None
    return tree

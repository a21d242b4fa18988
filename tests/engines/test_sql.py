"""Every statement an audit runs: SELECTs that an auditor can read and that any engine understands.

The list of what is admitted is short on purpose. Left out, because engines disagree on them: integer division, GROUP BY
ALL, ANY_VALUE, ARG_MAX, ASOF joins, ordered aggregates, decimal literals, subqueries without a name.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import sqlglot
from sqlglot import ErrorLevel, exp

import anonscope as an
from anonscope.engines import Statement
from anonscope.engines.values import CODE, NUMBER
from support.statements import CONSTRUCTS, FUNCTIONS, LARGE, SMALL, opens_the_source, parsed
from support.strategies import audited

TYPES = {"BIGINT", "DOUBLE", "VARCHAR"}


ENDS = (("first only", ('column"first',)), ("both ends", ('column"first', 'column"last')), ("last only", ('column"last',)))
SURVEY = replace(SMALL, weight="column-cost", household='column"who', sensitive=('column"ill',))
LARGE_SURVEY = replace(LARGE, weight="column-cost", household='column"who', sensitive=('column"ill',))
TABLES = {
    "no sensitive attribute": replace(SMALL, sensitive=()),
    "person level": replace(SMALL, sensitive=('column"ill',)),
    "several sensitive attributes": SMALL,
    "text in order": replace(SMALL, distance=(('column"ill', "ordered"),)),
    "event level": replace(SMALL, person='column"who'),
    "event level, one sensitive attribute": replace(SMALL, sensitive=("column-cost",), person='column"who'),
    "event level, no sensitive attribute": replace(SMALL, sensitive=(), person='column"who'),
    "several scenarios": replace(SMALL, scenarios=ENDS),
    "a population, weights and households": replace(SURVEY, population=replace(SMALL, sensitive=())),
    "households without weights": replace(SURVEY, weight=None),
    "several words": LARGE,
    "several words, a population and weights": replace(LARGE_SURVEY, population=replace(LARGE, sensitive=())),
    "several words, scenarios and persons": replace(LARGE, person='column"who', scenarios=ENDS),
}
# The same with everything that is measured on request only.
REQUESTS = {"pairs, joined and a hierarchy": SMALL, "several words, pairs, joined and a hierarchy": replace(LARGE, person='column"who')}
every_table = pytest.mark.parametrize("name", [*TABLES, *REQUESTS])


@lru_cache
def audit_of(name: str) -> an.Audit:
    """Return the audit of a table, with what was asked for."""
    if name in TABLES:
        return audited(TABLES[name])
    table = REQUESTS[name]
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "tree.csv"
        tree.write_text("".join(f'"{v}";{i % 2}\n' for i, v in enumerate({v for v in table['column"ill'] if v})), encoding="utf-8")
        with an.read(
            table.arrow(),
            quasi_identifiers=table.quasi_identifiers,
            sensitive=table.sensitive,
            person=table.person,
            hierarchies={'column"ill': tree},
        ) as data:
            return an.audit(data, pairs=True, joined=True)


def core(audit: an.Audit) -> Iterator[tuple[Statement, exp.Expression]]:
    """Yield every statement behind the source, with its tree."""
    for statement in audit.statements:
        if not opens_the_source(statement):
            yield statement, parsed(statement)


@every_table
def test_every_statement_is_a_select(name: str) -> None:
    """The engine stores results; the SQL itself changes nothing."""
    audit = audit_of(name)

    assert any(statement.name == "source" for statement in audit.statements)
    for statement in audit.statements:
        assert isinstance(parsed(statement), exp.Select | exp.Union), statement.sql


@every_table
def test_only_admitted_constructs_are_used(name: str) -> None:
    """Behind the source there is nothing that one engine knows and another does not."""
    for statement, tree in core(audit_of(name)):
        used = {type(node) for node in tree.walk()}
        assert used <= FUNCTIONS | CONSTRUCTS, (used - FUNCTIONS - CONSTRUCTS, statement.sql)


@every_table
def test_details_that_engines_disagree_on(name: str) -> None:
    """Whole-number literals, named columns in GROUP BY, plain joins, named subqueries, three types."""
    for statement, tree in core(audit_of(name)):
        for node in tree.walk():
            match node:
                case exp.Literal():
                    assert node.this in (NUMBER, CODE, ",", ":") if node.is_string else node.this.isdigit(), statement.sql
                case exp.Group():
                    assert node.expressions, statement.sql
                    assert all(isinstance(key, exp.Column) for key in node.expressions), statement.sql
                    assert not any(node.args.get(key) for key in ("all", "cube", "rollup", "grouping_sets", "totals")), statement.sql
                case exp.Join():
                    assert not node.method, statement.sql
                    assert (node.kind == "CROSS") != (node.args.get("on") is not None), statement.sql
                    assert node.side in ("", "LEFT"), statement.sql
                case exp.Distinct():
                    assert not node.args.get("on"), statement.sql
                case exp.Subquery():
                    assert node.alias, statement.sql
                case exp.Cast():
                    assert node.to.sql("duckdb") in {"TEXT", *TYPES}, statement.sql
                case exp.Select():
                    assert not any(node.args.get(key) for key in ("qualify", "limit", "sample", "having", "windows")), statement.sql


@every_table
def test_no_name_or_value_of_the_user_enters_a_statement(name: str) -> None:
    """Columns are addressed by position and values by code, so there is nothing to quote and nothing to inject."""
    text = "\n".join(statement.sql for statement in audit_of(name).statements)

    assert "column" not in text
    assert "cell'" not in text
    assert "918" not in text


@every_table
@pytest.mark.parametrize("dialect", ["spark", "postgres"])
def test_every_statement_is_carried_to_other_engines(name: str, dialect: str) -> None:
    """sqlglot translates each without leaving anything out."""
    for statement, _ in core(audit_of(name)):
        (carried,) = sqlglot.transpile(statement.sql, read="duckdb", write=dialect, unsupported_level=ErrorLevel.RAISE)
        assert sqlglot.parse_one(carried, dialect=dialect)


def test_two_tables_of_one_shape_run_the_same_sql() -> None:
    """Static SQL: other column names and other values give the same text, word for word."""
    table = replace(SMALL, person='column"who', scenarios=ENDS)
    other = table.renamed({name: f"other {i}" for i, (name, _) in enumerate(table.columns)}).mapped(
        lambda name, values: [None if v is None else f"{v}!" if isinstance(v, str) else v + 1 for v in values]
    )

    assert [s.sql for s in audited(other).statements] == [s.sql for s in audited(table).statements]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_are_opened_without_their_names_and_values(tmp_path: Path, suffix: str) -> None:
    """A reader's statement holds the path of the file and nothing that is in it; behind it, the same rules hold."""
    path = tmp_path / f"table{suffix}"
    table = SMALL.arrow()
    pa.csv.write_csv(table, path) if suffix == ".csv" else pa.parquet.write_table(table, path)
    with an.read(path, quasi_identifiers=SMALL.quasi_identifiers, sensitive=SMALL.sensitive, rows=50) as data:
        audit = an.audit(data)

    for statement in audit.statements:
        shown = statement.sql.replace(str(path), "")
        assert "column" not in shown.replace("columns = {", "")
        assert "cell'" not in shown
        if not opens_the_source(statement):
            assert {type(node) for node in parsed(statement).walk()} <= FUNCTIONS | CONSTRUCTS

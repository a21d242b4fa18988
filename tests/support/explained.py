"""How the tests of explanations open, encode and explain a table."""

from dataclasses import replace

from hypothesis import strategies as st

import anonscope as an
from anonscope.risk.counting import encode
from anonscope.risk.explain.tuples import ExplainedTuples, fetch
from anonscope.risk.explain.why import Why
from support.strategies import Table, columns, tables


def opened(table: Table) -> an.Data:
    return an.read(
        table.arrow(),
        quasi_identifiers=table.quasi_identifiers,
        sensitive=table.sensitive,
        person=table.person,
        scenarios=dict(table.scenarios),
        distance=dict(table.distance),
        threads=1,
    )


def tuples_of(table: Table) -> ExplainedTuples:
    with opened(table) as data:
        return fetch(data.engine, encode(data.engine, data.relation, data.roles))


def explained(table: Table, policy: str = "scorr") -> Why:
    with opened(table) as data:
        return an.audit(data, policy).why()


@st.composite
def wide_tables(draw: st.DrawFn) -> Table:
    """Return a table with four quasi-identifiers, with or without person ids."""
    table = draw(tables(max_rows=10))
    more = tuple((f"more{i}", draw(columns(table.rows))) for i in range(4 - len(table.quasi_identifiers)))
    return replace(table, columns=(*table.columns, *more), quasi_identifiers=(*table.quasi_identifiers, *(name for name, _ in more)))

"""One record of each person made of all of theirs, as the domain says: how many, the sum, the latest, what most of them have.

A person is one record then, whatever they did and how often: nobody's records have to be left out, and what belongs together stays
together. It is made on the engine, of one person's records alone, before anything is counted.
"""

from collections.abc import Callable
from dataclasses import replace

from anonscope.engines import Engine
from anonscope.engines.values import canonical, number
from anonscope.errors import ColumnNotFound
from anonscope.io.sources import Relation
from anonscope.io.sources.relation import Column
from anonscope.synthesis.domain import DeclaredColumn, Domain

SUMMARY = "per_person"

# What goes into SELECT for a way of taking, of the text and the number of a value; those that need more are below.
_AGGREGATES: dict[str, tuple[str, Callable[[str, str], str]]] = {
    "count": ("BIGINT", lambda text, value: "COUNT(*)"),
    "distinct": ("BIGINT", lambda text, value: f"COUNT(DISTINCT {text})"),
    "sum": ("DOUBLE", lambda text, value: f"SUM({value})"),
    "mean": ("DOUBLE", lambda text, value: f"AVG({value})"),
    "lowest": ("DOUBLE", lambda text, value: f"MIN({value})"),
    "highest": ("DOUBLE", lambda text, value: f"MAX({value})"),
    "earliest": ("VARCHAR", lambda text, value: f"MIN({text})"),
    "latest": ("VARCHAR", lambda text, value: f"MAX({text})"),
}


def summarised(engine: Engine, relation: Relation, domain: Domain, rows: int | None = None) -> Relation:
    """Store one record of each person, and return it as a table: the person first, then the columns of the domain in their order."""
    assert domain.unit is not None, "a summary is of somebody"
    for column in domain.columns:
        if column.take != "count" and (column.of or column.name) not in relation.names:
            raise ColumnNotFound(column.of or column.name, relation.names)
    limit = f" LIMIT {rows}" if rows is not None else ""
    taken = [f"{_text(relation, domain.unit)} AS u"]
    for j, column in enumerate(domain.columns):
        if column.take != "count":
            place = relation.position(column.of or column.name)
            kind = relation.columns[place].type
            taken += [f"{canonical(f'c{place}', kind, column.name)} AS t{j}", f"{number(f'c{place}', kind, column.name)} AS x{j}"]
    records = f"{SUMMARY}_records"
    engine.materialise(records, f"SELECT * FROM (SELECT {', '.join(taken)} FROM {relation.origin}{limit}) AS r WHERE NOT u IS NULL")
    found, joined, columns = ["p.u AS c0"], "", [Column(domain.unit, "VARCHAR")]
    simple = []
    for j, column in enumerate(domain.columns):
        kind, sql = _taken(column, j, engine)
        if column.take == "most":
            ranked = f"SELECT u, t{j} AS t, ROW_NUMBER() OVER (PARTITION BY u ORDER BY COUNT(*) DESC, t{j}) AS r"
            most = f"SELECT u, t FROM ({ranked} FROM {records} WHERE NOT t{j} IS NULL GROUP BY u, t{j}) AS g WHERE r = 1"
            joined += f" LEFT JOIN ({most}) AS m{j} ON m{j}.u = p.u"
            found.append(f"m{j}.t AS c{j + 1}")
        else:
            simple.append(f"{sql} AS a{j}")
            found.append(f"p.a{j} AS c{j + 1}")
        columns.append(Column(column.name, kind))
    people = f"SELECT {', '.join(['u', *simple])} FROM {records} GROUP BY u"
    engine.materialise(SUMMARY, f"SELECT {', '.join(found)} FROM ({people}) AS p{joined}")
    return replace(relation, columns=tuple(columns), origin=SUMMARY, stage=False, large=False, stored=None, stored_types=(), labels=None)


def _text(relation: Relation, name: str) -> str:
    if name not in relation.names:
        raise ColumnNotFound(name, relation.names)
    place = relation.position(name)
    return canonical(f"c{place}", relation.columns[place].type, name)


def _taken(column: DeclaredColumn, j: int, engine: Engine) -> tuple[str, str]:
    """Return the type and the SQL of what is taken of a person's records."""
    if column.take == "most":
        return "VARCHAR", ""
    if column.take == "ever":
        return "VARCHAR", f"MAX(CASE WHEN t{j} = {engine.text(column.value or '')} THEN 'yes' ELSE 'no' END)"
    kind, sql = _AGGREGATES[column.take or "count"]
    return kind, sql(f"t{j}", f"x{j}")

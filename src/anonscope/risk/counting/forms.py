"""Columns whose source has one value in several forms: what `values` makes one, and a reader of that very source tells apart."""

from collections.abc import Callable, Sequence

from anonscope.engines import Engine
from anonscope.engines.values import rewritten, two_forms
from anonscope.io.sources import Relation


def in_two_forms(engine: Engine, relation: Relation, columns: Sequence[str], rows: int | None = None) -> tuple[str, ...]:
    """Return which of these columns hold one value in two forms: empty text beside missing values, minus zero beside zero."""
    return _asked(engine, relation, columns, rows, two_forms)


def in_other_form(engine: Engine, relation: Relation, rows: int | None = None) -> tuple[str, ...]:
    """Return the columns that hold a value in a form which no release has."""
    return _asked(engine, relation, relation.names, rows, rewritten)


def _asked(
    engine: Engine, relation: Relation, columns: Sequence[str], rows: int | None, question: Callable[[str, str], str | None]
) -> tuple[str, ...]:
    if relation.stored is None:
        return ()
    places = {name: relation.position(name) for name in dict.fromkeys(columns)}
    asked = {name: sql for name, i in places.items() if (sql := question(f"c{i}", relation.stored_types[i])) is not None}
    if not asked:
        return ()
    tests = ", ".join(f"CASE WHEN {sql} THEN 1 ELSE 0 END AS a{i}" for i, sql in enumerate(asked.values()))
    origin = relation.stored if rows is None else f"(SELECT * FROM {relation.stored} LIMIT {rows}) AS t"
    (answers,) = engine.rows(f"SELECT {tests} FROM {origin}")
    return tuple(name for name, answer in zip(asked, answers, strict=True) if answer)

"""Columns whose source has one value in several forms: what `values` makes one, and a reader of that very source tells apart."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anonscope.engines import Engine
from anonscope.engines.values import SAME, forms, rewritten, two_forms
from anonscope.io.sources import Relation

if TYPE_CHECKING:
    from anonscope.risk.counting.kept import KeptCounts


def in_two_forms(
    engine: Engine, relation: Relation, columns: Sequence[str], rows: int | None = None, kept: "KeptCounts | None" = None
) -> tuple[str, ...]:
    """Return which of these columns hold one value in two forms: empty text beside missing values, minus zero beside zero.

    One form may stand in this part of a table and the other one in an earlier part, whose counts are `kept`.
    """
    if kept is None:
        return _asked(engine, relation, columns, rows, two_forms)
    found = {column: set(names) for column, names in kept.seen.forms.items()}
    for name in dict.fromkeys(form for pair in SAME for form in pair):

        def question(column: str, kind: str, name: str = name) -> str | None:
            return forms(column, kind).get(name)

        for column in _asked(engine, relation, columns, rows, question):
            found.setdefault(column, set()).add(name)
    kept.seen = replace(kept.seen, forms={column: tuple(sorted(names)) for column, names in found.items()})
    return tuple(column for column, names in found.items() if any(one in names and other in names for one, other in SAME))


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

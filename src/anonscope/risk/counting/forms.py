"""Columns whose source has one value in several forms.

What `values` makes one, and a reader of that very source tells apart; and sensitive values that differ only by blanks, by case or by the
form of their letters: `flu`, `Flu` and `flu ` count as written, as everywhere. But whoever reads them sees one illness, so groups that
hold nothing else look more diverse than they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anonscope.columns.as_seen import as_seen
from anonscope.engines import Engine
from anonscope.engines.statements import FEW
from anonscope.engines.values import SAME, forms, rewritten, two_forms
from anonscope.io.sources import Relation

if TYPE_CHECKING:
    from anonscope.risk.counting.encode import Layout
    from anonscope.risk.counting.kept import KeptCounts

# Of more values than this it is not asked whether some look alike: fetching them would take longer than counting them.
_MOST_VALUES = 200_000


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


@dataclass(frozen=True, slots=True)
class Alike:
    """A column in which values are alike: how many there are, how many if they are made one, and which becomes which."""

    column: str
    values: int
    kinds: int
    pairs: dict[str, str] = field(repr=False)


def alike_values(engine: Engine, layout: "Layout", relation: Relation) -> tuple[Alike, ...]:
    """Return the sensitive attributes with values that are alike, by what was counted; none where values stay elsewhere."""
    first = len(layout.attributes)
    texts = {first + j: name for j, name in enumerate(layout.sensitive) if relation.columns[relation.position(name)].type == "VARCHAR"}
    if engine.remote or not texts:
        return ()
    counted = {int(i): int(n) for i, n in engine.rows("SELECT attribute, COUNT(*) AS n FROM dictionary GROUP BY attribute")}
    found = (_alike(engine, i, column) for i, column in texts.items() if 1 < counted.get(i, 0) <= _MOST_VALUES)
    return tuple(alike for alike in found if alike is not None)


def _alike(engine: Engine, attribute: int, column: str) -> Alike | None:
    values = [v for (v,) in engine.rows(f"SELECT v FROM dictionary WHERE attribute = {attribute} ORDER BY v")]
    firsts: dict[str, str] = {}
    pairs = {v: one for v in values if (one := firsts.setdefault(as_seen(v), v)) != v}
    return Alike(column, len(values), len(firsts), pairs) if pairs else None


def made_one(engine: Engine, relation: Relation, columns: tuple[Alike, ...]) -> Relation:
    """Return a relation in which values that are alike are one value, which is one of them: a hierarchy still knows it."""
    # More than are compared one by one: those stand in the statement, which somebody may print.
    unprinted = {f"\0{i}": "" for i in range(FEW)}
    places = {relation.position(found.column): {**found.pairs, **unprinted} for found in columns}
    selected = [
        f"COALESCE({engine.lookup(f'alike_{i}', f'c{i}', places[i])}, c{i}) AS c{i}" if i in places else f"c{i}"
        for i in range(len(relation.columns))
    ]
    return replace(relation, origin=f"(SELECT {', '.join(selected)} FROM {relation.origin}) AS one")

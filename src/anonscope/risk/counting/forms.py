"""Columns whose source has one value in several forms.

What `values` makes one, and a reader of that very source tells apart; and sensitive values that differ only by blanks, by case or by the
form of their letters: `flu`, `Flu` and `flu ` count as written, as everywhere. But whoever reads them sees one illness, so groups that
hold nothing else look more diverse than they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anonscope.engines import Engine
from anonscope.engines.values import SAME, forms, rewritten, two_forms
from anonscope.io.sources import Relation

if TYPE_CHECKING:
    from anonscope.risk.counting.encode import Layout
    from anonscope.risk.counting.kept import KeptCounts

# Blanks of every width, and what has none and cannot be seen.
_BLANKS = r"[\s\x{00A0}\x{00AD}\x{1680}\x{2000}-\x{200F}\x{202F}\x{205F}\x{2060}\x{3000}\x{FEFF}]+"
_FOLDED = f"LOWER(TRIM(REGEXP_REPLACE(NFC_NORMALIZE(v), '{_BLANKS}', ' ', 'g')))"
# Digits alone can be written in one way only, and folding them would take longer than counting them.
_MAY_DIFFER = "v <> LOWER(v) OR CONTAINS(v, ' ') OR CONTAINS(v, CHR(9)) OR STRLEN(v) <> LENGTH(v)"


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
    among = ", ".join(map(str, texts))
    differing = [
        int(i) for (i,) in engine.rows(f"SELECT DISTINCT attribute FROM dictionary WHERE attribute IN ({among}) AND ({_MAY_DIFFER})")
    ]
    return tuple(found for i in sorted(differing) if (found := _alike(engine, i, texts[i])) is not None)


def _alike(engine: Engine, attribute: int, column: str) -> Alike | None:
    folded = f"(SELECT v, {_FOLDED} AS f FROM dictionary WHERE attribute = {attribute}) AS folded"
    ((values, kinds),) = engine.rows(f"SELECT COUNT(*) AS n, COUNT(DISTINCT f) AS m FROM {folded}")
    if values == kinds:
        return None
    firsts = f"(SELECT v, MIN(v) OVER (PARTITION BY f) AS one FROM {folded}) AS firsts"
    return Alike(column, int(values), int(kinds), dict(engine.rows(f"SELECT v, one FROM {firsts} WHERE v <> one ORDER BY v")))


def made_one(engine: Engine, relation: Relation, columns: tuple[Alike, ...]) -> Relation:
    """Return a relation in which values that are alike are one value, which is one of them: a hierarchy still knows it."""
    places = {relation.position(found.column): found for found in columns}
    selected = [
        f"COALESCE({engine.lookup(f'alike_{i}', f'c{i}', places[i].pairs)}, c{i}) AS c{i}" if i in places else f"c{i}"
        for i in range(len(relation.columns))
    ]
    return replace(relation, origin=f"(SELECT {', '.join(selected)} FROM {relation.origin}) AS one")

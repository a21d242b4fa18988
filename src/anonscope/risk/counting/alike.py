"""Values of sensitive attributes that differ only by blanks, by case or by the form of their letters: `flu`, `Flu` and `flu `.

They count as written, as everywhere. But whoever reads them sees one illness, so groups that hold nothing else look more diverse than
they are.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anonscope.io.sources import Relation

if TYPE_CHECKING:
    from anonscope.engines import Engine
    from anonscope.risk.counting.encode import Layout

# Blanks of every width, and what has none and cannot be seen.
_BLANKS = r"[\s\x{00A0}\x{00AD}\x{1680}\x{2000}-\x{200F}\x{202F}\x{205F}\x{2060}\x{3000}\x{FEFF}]+"
_FOLDED = f"LOWER(TRIM(REGEXP_REPLACE(NFC_NORMALIZE(v), '{_BLANKS}', ' ', 'g')))"
# Digits alone can be written in one way only, and folding them would take longer than counting them.
_MAY_DIFFER = "v <> LOWER(v) OR CONTAINS(v, ' ') OR CONTAINS(v, CHR(9)) OR STRLEN(v) <> LENGTH(v)"


@dataclass(frozen=True, slots=True)
class Alike:
    """A column in which values are alike: how many there are, how many if they are made one, and which becomes which."""

    column: str
    values: int
    kinds: int
    pairs: dict[str, str] = field(repr=False)


def alike_values(engine: "Engine", layout: "Layout", relation: Relation) -> tuple[Alike, ...]:
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


def _alike(engine: "Engine", attribute: int, column: str) -> Alike | None:
    folded = f"(SELECT v, {_FOLDED} AS f FROM dictionary WHERE attribute = {attribute}) AS folded"
    ((values, kinds),) = engine.rows(f"SELECT COUNT(*) AS n, COUNT(DISTINCT f) AS m FROM {folded}")
    if values == kinds:
        return None
    firsts = f"(SELECT v, MIN(v) OVER (PARTITION BY f) AS one FROM {folded}) AS firsts"
    return Alike(column, int(values), int(kinds), dict(engine.rows(f"SELECT v, one FROM {firsts} WHERE v <> one ORDER BY v")))


def made_one(engine: "Engine", relation: Relation, columns: tuple[Alike, ...]) -> Relation:
    """Return a relation in which values that are alike are one value, which is one of them: a hierarchy still knows it."""
    places = {relation.position(found.column): found for found in columns}
    selected = [
        f"COALESCE({engine.lookup(f'alike_{i}', f'c{i}', places[i].pairs)}, c{i}) AS c{i}" if i in places else f"c{i}"
        for i in range(len(relation.columns))
    ]
    return replace(relation, origin=f"(SELECT {', '.join(selected)} FROM {relation.origin}) AS one")

"""The distinct tuples of a scenario, left on the engine: the statements that look at a tuple from several sides at once.

The companion of `tuples` for an engine from which nothing of the size of the classes may be fetched. The tuples are in `class`,
the values of single attributes in `attribute_class`.

    told(sensitive, q, n, bits)     what a tuple tells of each sensitive attribute
"""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.count.encode import Layout, Radix
from anonscope.count.tuples import telling
from anonscope.count.words import Words, words_of
from anonscope.engines import Engine


@dataclass(frozen=True, slots=True)
class StoredTuples:
    """Distinct tuples on an engine; attributes are numbered from 0 in the order they were asked for."""

    engine: Engine
    layout: Layout
    names: tuple[str, ...]

    @property
    def radices(self) -> tuple[Radix, ...]:
        """Where the attributes' codes sit, in the order they were asked for."""
        return tuple(sorted(self.layout.of(self.names), key=lambda radix: self.names.index(self.layout.attributes[radix.attribute])))

    @property
    def words(self) -> Words:
        return words_of(self.layout, self.names)

    def place(self, attribute: int) -> int:
        """Return the place of an attribute that goes by its number in the layout, as it does in all tables."""
        return self.names.index(self.layout.attributes[attribute])

    def others(self) -> list[str]:
        """Return the columns in which `sides` keeps what a tuple shows outside an attribute."""
        return [f"o{word}" for word in self.words.numbers]

    def sides(self) -> str:
        """Return the SELECT of (q, n, attribute, a, o0..): every tuple once for every attribute, its value and all that lies outside."""
        words, numbers = self.words, self.words.numbers
        kept = ", ".join(f"c.q AS w{word}" if words.one else f"k.k{word} AS w{word}" for word in numbers)
        held = (
            f"SELECT c.q, c.n, r.attribute, r.word, r.lo, r.hi, {words.holding('r.word')} AS w, {kept} "
            f"FROM {words.beside('class')} CROSS JOIN scenario_radix AS r"
        )
        apart = f"SELECT q, n, attribute, word, (w % hi) - (w % lo) AS a, {', '.join(f'w{word}' for word in numbers)} FROM ({held}) AS y"
        outside = ", ".join(f"w{word} - CASE WHEN word = {word} THEN a ELSE 0 END AS o{word}" for word in numbers)
        return f"SELECT q, n, attribute, a, {outside} FROM ({apart}) AS z"

    def open_told(self) -> None:
        """Make `told`; there must be a sensitive attribute."""
        selects = (
            f"SELECT {j} AS sensitive, q, n, CASE WHEN told < 0 THEN CAST(0 AS DOUBLE) ELSE told END AS bits "
            f"FROM ({telling(self.layout, j)}) AS y{j}"
            for j in range(len(self.layout.sensitive))
        )
        self.engine.materialise("told", " UNION ALL ".join(selects))


def same(keys: Sequence[str], one: str = "x", other: str = "d") -> str:
    """Return the condition that two tables agree on some columns."""
    return " AND ".join(f"{one}.{key} = {other}.{key}" for key in keys)

"""The distinct tuples of a scenario, left on the engine: the statements that look at a tuple from several sides at once.

The companion of `tuples` for an engine from which nothing of the size of the classes may be fetched. The tuples are in `class`,
the values of single attributes in `attribute_class`.

    told(sensitive, q, n, bits)     what a tuple tells of each sensitive attribute
"""

from dataclasses import dataclass

from anonscope.engines import Engine
from anonscope.risk.counting.encode import Layout, Radix
from anonscope.risk.counting.tuples import telling
from anonscope.risk.counting.words import Words, words_of


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

    def sides(self) -> str:
        """Return the SELECT of (q, n, attribute, shared, alike, told): every tuple once for every attribute.

        `shared` are the records with its value there, `alike` those that agree with it on all other attributes, and `told` is the sum of
        n log (n / shared) over the tuples of these. They are few, so a window brings them together without joining what is the largest
        table of all to itself.
        """
        if len(self.names) == 1:
            # Outside the only attribute all are alike: a window over everything would be one worker's task.
            return (
                "SELECT c.q, c.n, r.attribute, c.n AS shared, w.n AS alike, CAST(0 AS DOUBLE) AS told "
                "FROM class AS c CROSS JOIN scenario_radix AS r CROSS JOIN total AS w"
            )
        words, numbers = self.words, self.words.numbers
        kept = ", ".join(f"c.q AS w{word}" if words.one else f"k.k{word} AS w{word}" for word in numbers)
        held = (
            f"SELECT c.q, c.n, r.attribute, r.word, r.lo, r.hi, {words.holding('r.word')} AS w, {kept} "
            f"FROM {words.beside('class')} CROSS JOIN scenario_radix AS r"
        )
        apart = f"SELECT q, n, attribute, word, (w % hi) - (w % lo) AS a, {', '.join(f'w{word}' for word in numbers)} FROM ({held}) AS y"
        outside = ", ".join(f"w{word} - CASE WHEN word = {word} THEN a ELSE 0 END AS o{word}" for word in numbers)
        group = f"PARTITION BY x.attribute, {', '.join(f'x.o{word}' for word in numbers)}"
        return (
            f"SELECT x.q, x.n, x.attribute, d.n AS shared, CAST(SUM(x.n) OVER ({group}) AS BIGINT) AS alike, "
            f"SUM(x.n * LN(x.n / CAST(d.n AS DOUBLE))) OVER ({group}) AS told "
            f"FROM (SELECT q, n, attribute, a, {outside} FROM ({apart}) AS z) AS x "
            "JOIN attribute_class AS d ON x.attribute = d.attribute AND x.a = d.a"
        )

    def open_told(self) -> None:
        """Make `told`; there must be a sensitive attribute."""
        selects = (
            f"SELECT {j} AS sensitive, q, n, CASE WHEN told < 0 THEN CAST(0 AS DOUBLE) ELSE told END AS bits "
            f"FROM ({telling(self.layout, j)}) AS y{j}"
            for j in range(len(self.layout.sensitive))
        )
        self.engine.materialise("told", " UNION ALL ".join(selects))

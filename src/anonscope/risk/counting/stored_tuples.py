"""The distinct tuples of a scenario, left on the engine: the statements that look at a tuple from several sides at once.

The companion of `tuples` for an engine from which nothing of the size of the classes may be fetched. The tuples are in `class`,
the values of single attributes in `attribute_class`.

    told(sensitive, q, n, bits)     what a tuple tells of each sensitive attribute
    tuple_code(q, n, a0.., w0..)    where tuples are joined: every tuple with its values as numbers in the order asked for, and its words
"""

from dataclasses import dataclass

from anonscope.engines import Engine
from anonscope.risk.counting.encode import Layout, Radix, Words, words_of
from anonscope.risk.counting.tuples import telling


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

    @property
    def joined(self) -> bool:
        """Whether what is known of an attribute may be put beside a tuple by joins; otherwise there is a row for each of them."""
        # A chain needs counts of every attribute, and of at most three pairs for each.
        return 4 * len(self.names) <= self.engine.joins

    def open_codes(self) -> None:
        """Make `tuple_code` where tuples are joined."""
        if not self.joined:
            return
        words = self.words
        held = {word: "c.q" if words.one else f"k.k{word}" for word in words.numbers}
        values = ", ".join(f"({held[r.word]} % {r.hi}) - ({held[r.word]} % {r.lo}) AS a{place}" for place, r in enumerate(self.radices))
        kept = ", ".join(f"{word} AS w{number}" for number, word in held.items())
        self.engine.materialise("tuple_code", f"SELECT c.q, c.n, {values}, {kept} FROM {words.beside('class')}")

    def all_sides(self) -> str:
        """Return the SELECT of (q, n, shared0.., alike0.., told0..): what `sides` has in rows, beside each other."""
        places, words = range(len(self.names)), self.words.numbers
        shared = ", ".join(f"d{place}.n AS shared{place}" for place in places)
        told = ", ".join(f"x.n * LN(x.n / CAST(d{place}.n AS DOUBLE)) AS t{place}" for place in places)
        outside = ", ".join(
            f"x.w{word} - x.a{place} AS o{place}_{word}" if word == radix.word else f"x.w{word} AS o{place}_{word}"
            for place, radix in enumerate(self.radices)
            for word in words
        )
        joins = " ".join(
            f"LEFT JOIN attribute_class AS d{place} ON d{place}.attribute = {radix.attribute} AND d{place}.a = x.a{place}"
            for place, radix in enumerate(self.radices)
        )
        beside = f"SELECT x.q, x.n, {shared}, {told}, {outside} FROM tuple_code AS x {joins}"
        if len(self.names) == 1:
            return f"SELECT y.q, y.n, y.shared0, w.n AS alike0, CAST(0 AS DOUBLE) AS told0 FROM ({beside}) AS y CROSS JOIN total AS w"
        found = []
        for place in places:
            group = f"PARTITION BY {', '.join(f'o{place}_{word}' for word in words)}"
            found.append(
                f"shared{place}, CAST(SUM(n) OVER ({group}) AS BIGINT) AS alike{place}, SUM(t{place}) OVER ({group}) AS told{place}"
            )
        return f"SELECT q, n, {', '.join(found)} FROM ({beside}) AS y"

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

"""How a statement takes the tuples of a scenario apart, whether one number holds them or several words.

A tuple that fits into one word is its q; otherwise `tuple_key(q, k0, k1..)` has the words behind q.
"""

from dataclasses import dataclass

from anonscope.risk.counting.encode import Layout


@dataclass(frozen=True, slots=True)
class Words:
    """The words that tuples of a scenario are packed in, by number."""

    numbers: tuple[int, ...]

    @property
    def one(self) -> bool:
        return len(self.numbers) == 1

    def beside(self, table: str) -> str:
        """Return what goes behind FROM for the rows of a table with a q, as c, so that `holding` can see their words."""
        return f"{table} AS c" if self.one else f"{table} AS c JOIN tuple_key AS k ON c.q = k.q"

    def holding(self, number: str) -> str:
        """Return the expression for the word with a number that stands in a column."""
        if self.one:
            return "c.q"
        return f"CASE {' '.join(f'WHEN {number} = {word} THEN k.k{word}' for word in self.numbers)} END"

    def apart(self, table: str, also: str = "") -> str:
        """Return the SELECT of (attribute, a, n): every row of a table once for every attribute, with its value there.

        `also` is a column of the table that is kept. One pass over the table, however many attributes there are.
        """
        kept, taken = (f", {also}", f", c.{also}") if also else ("", "")
        held = f"SELECT r.attribute, r.lo, r.hi, {self.holding('r.word')} AS w{taken}, c.n FROM {self.beside(table)}"
        return f"SELECT attribute, (w % hi) - (w % lo) AS a{kept}, n FROM ({held} CROSS JOIN scenario_radix AS r) AS y"


def words_of(layout: Layout, columns: tuple[str, ...]) -> Words:
    """Return the words of a scenario."""
    return Words(tuple(sorted({radix.word for radix in layout.of(columns)})))

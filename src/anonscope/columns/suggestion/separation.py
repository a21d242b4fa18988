"""How well columns, alone and together, tell records apart, and the smallest sets of columns that tell (nearly) all apart.

Distinction is the share of distinct values (or combinations) in the records, separation the share of pairs of records that differ:
R. Motwani, Y. Xu (2007), "Efficient Algorithms for Masking and Finding Quasi-Identifiers". A set of columns is almost unique when
its distinction reaches a limit, and minimal when no column can be left out. Distinction never falls when a column is added, so every
set below a minimal one fails and every set above it is of no interest; both are used, as in A. Heise et al. (2013), "Scalable Discovery
of Unique Column Combinations".

The search works on codes of a stated sample of records, in which long values are compared by their beginnings. A set that is not
unique in the sample is not unique in the table; one that is unique in the sample may not be, so the first sets found are counted over
the whole table while the budget lasts. The budget is given in seconds of a usual machine and spent in steps, a record sorted being one:
the same table gets the same answer on every machine and on every run.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from anonscope.columns.suggestion.profile import Profile
from anonscope.engines import Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALMOST = 0.95
BUDGET = 2.0
_SEED = 20_240_229
_SHOWN = 20
_WALKS = 24
# A usual machine sorts so many records in a second; trying a set costs something whatever the records, and so does passing over one.
_STEPS = 5_000_000
_STEPS_A_SET = 2_000
_STEPS_PASSED = 200
# A column of fewer values follows from many by chance; one that follows from nearly single records says nothing.
_FEWEST_FOLLOWING = 4
_MOST_GROUPS = 0.34
# Counting over the whole table is done by the engine, which counts so many times faster.
_ENGINE = 4


@dataclass(frozen=True, slots=True)
class Combination:
    """A minimal set of columns that tells nearly all records apart. `distinction` is of the whole table where it was counted there."""

    columns: tuple[str, ...]
    distinction: float
    whole_table: bool


@dataclass(frozen=True, slots=True)
class Search:
    """The sets found, and how far the search went."""

    combinations: tuple[Combination, ...] = ()
    records: int = 0
    tried_up_to: int = 0
    complete: bool = True
    almost: float = ALMOST
    seconds: float = 0.0
    # Columns that follow from another, and which: the city from the postal code.
    follows: tuple[tuple[str, str], ...] = ()


def distinction(profile: Profile) -> float:
    """Return the share of distinct values in the records of a column."""
    return profile.distinct / profile.records if profile.records else 0.0


def separation(profile: Profile) -> float:
    """Return the share of pairs of records that differ in a column."""
    pairs = profile.records * (profile.records - 1)
    alike = sum(values * size * (size - 1) for size, values in profile.sizes)
    return 1 - alike / pairs if pairs else 0.0


def search(engine: Engine, columns: Sequence[Profile], *, almost: float = ALMOST, budget: float = BUDGET) -> Search:
    """Return minimal sets of these columns whose distinction reaches `almost`."""
    started = time.monotonic()
    usable = [profile for profile in columns if not profile.nested and not profile.constant]
    if not usable:
        return Search(almost=almost)
    if budget == 0:
        return Search(almost=almost, records=usable[0].records, complete=False)
    codes = _codes(engine, usable)
    found = _Search(codes, almost, int(budget * _STEPS * 2 / 3))
    found.run()
    shown = sorted(found.minimal, key=lambda members: (len(members), -found.distinction(members), members))[:_SHOWN]
    records = len(codes[0])
    everything = records == usable[0].records
    return Search(
        combinations=tuple(
            _confirmed(engine, usable, shown, found, almost, everything=everything, steps=int(budget * _STEPS / 3) * _ENGINE)
        ),
        records=records,
        tried_up_to=found.level,
        complete=found.complete,
        almost=almost,
        seconds=time.monotonic() - started,
        follows=tuple(_following(found, usable)),
    )


def _following(found: "_Search", columns: Sequence[Profile]) -> Iterator[tuple[str, str]]:
    """Yield columns whose value follows from that of one other in the sample, with the one of fewest values that it follows from."""
    groups = [found.distinction((i,)) for i in range(len(columns))]
    for i, column in enumerate(columns):
        if column.values < _FEWEST_FOLLOWING or not found.left:
            continue
        candidates = (j for j in range(len(columns)) if j != i and groups[i] < groups[j] <= _MOST_GROUPS)
        for j in sorted(candidates, key=lambda number: (groups[number], number)):
            if found.distinction(tuple(sorted((i, j)))) == groups[j]:
                yield column.name, columns[j].name
                break


def _codes(engine: Engine, columns: Sequence[Profile]) -> "list[NDArray[Any]]":
    """Return the codes of the sampled records, an array a column; a missing value has a code of its own."""
    import pyarrow as pa

    # A letter before every value keeps the empty text apart from a missing one.
    texts = [f"COALESCE('x' || c{profile.position}, '')" for profile in columns]
    origin = "record_sample"
    if engine.remote:
        # Which records are alike is all that leaves the place where they are: without the salt, which nobody writes down, a digest
        # tells nothing else.
        engine.register("arrow_source_salt", pa.table({"salt": [token_hex(16)]}))
        texts = [f"SUBSTR(MD5(z.salt || {text}), 1, 16)" for text in texts]
        origin = "record_sample AS t CROSS JOIN arrow_source_salt AS z"
    listed = ", ".join(f"{text} AS v{i}" for i, text in enumerate(texts))
    return [
        pa.array(values, pa.string()).dictionary_encode().indices.to_numpy(zero_copy_only=False)
        for values in engine.arrays(f"SELECT {listed} FROM {origin}")
    ]


class _Search:
    """One search under way: sets are tuples of column numbers, in order."""

    def __init__(self, codes: "list[NDArray[Any]]", almost: float, steps: int) -> None:
        import numpy as np

        drawn = np.random.default_rng(_SEED)
        # Each value gets a random word; the sum of a record's words stands for its combination. Two different combinations share a
        # sum with probability 2**-64.
        self._words = [drawn.integers(0, 2**64, size=int(code.max()) + 1, dtype=np.uint64)[code] for code in codes]
        self._records = len(codes[0])
        self._values = [int(code.max()) + 1 for code in codes]
        self._needed = almost * self._records
        self._left = steps
        self._spare = steps // 2
        self._drawn = drawn
        self._known: dict[tuple[int, ...], int] = {}
        self.minimal: set[tuple[int, ...]] = set()
        self.level = 0
        self.complete = False

    def distinction(self, members: tuple[int, ...]) -> float:
        """Return the distinction of a set in the sample."""
        if members not in self._known:
            self._known[members] = self._distinct(self._sum(members))
        return self._known[members] / self._records

    @property
    def left(self) -> bool:
        """Whether some of the budget for what follows from what is left."""
        return self._left > -self._spare

    def run(self) -> None:
        """Fill `minimal`: first by walking down from all columns, which finds sets of any size, then level by level."""
        everything = tuple(range(len(self._words)))
        if self._distinct(self._sum(everything)) < self._needed:
            # No set can tell apart what all columns together do not.
            self.level, self.complete = len(everything), True
            return
        for _ in range(_WALKS):
            if self._late():
                break
            self._walk(everything)
        self.complete = self._levels(len(everything))

    def _walk(self, everything: tuple[int, ...]) -> None:
        """Leave out columns in a random order while the rest still tells records apart: what is left is minimal."""
        kept = set(everything)
        total = self._sum(everything)
        for column in self._drawn.permutation(len(everything)):
            rest = total - self._words[column]
            if len(kept) > 1 and self._distinct(rest) >= self._needed:
                kept.discard(int(column))
                total = rest
            if self._late():
                return
        self.minimal.add(tuple(sorted(kept)))

    def _levels(self, columns: int) -> bool:
        """Try all sets of one column, of two, and so on; return whether none was left untried."""
        below: list[tuple[int, ...]] = [()]
        for size in range(1, columns + 1):
            failing: list[tuple[int, ...]] = []
            for members, distinct in self._candidates(below, columns):
                if distinct >= self._needed:
                    self.minimal.add(members)
                    self._known[members] = distinct
                else:
                    failing.append(members)
            if self._late():
                return False
            self.level = size
            below = failing
            if not below:
                return True
        return True

    def _candidates(self, below: list[tuple[int, ...]], columns: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield every set with one column more than those below, and how many combinations it has at most."""
        minimal = [frozenset(members) for members in self.minimal]
        for start in below:
            if self._late():
                return
            total: Any = None
            most = 1
            for column in start:
                most *= self._values[column]
            for column in range(start[-1] + 1 if start else 0, columns):
                members = (*start, column)
                self._left -= _STEPS_PASSED
                if any(known < frozenset(members) for known in minimal):
                    continue
                # Sets of few combinations cannot be unique, whatever the data: no need to look.
                if most * self._values[column] < self._needed:
                    yield members, most * self._values[column]
                    continue
                if total is None and start:
                    total = self._sum(start)
                yield members, self._distinct(self._words[column] if total is None else total + self._words[column])

    def _sum(self, members: tuple[int, ...]) -> Any:
        total = self._words[members[0]].copy()
        for column in members[1:]:
            total += self._words[column]
        return total

    def _distinct(self, words: Any) -> int:
        import numpy as np

        self._left -= self._records + _STEPS_A_SET
        ordered = np.sort(words)
        return int(1 + np.count_nonzero(ordered[1:] != ordered[:-1]))

    def _late(self) -> bool:
        return self._left < 0


def _confirmed(
    engine: Engine,
    columns: Sequence[Profile],
    shown: Sequence[tuple[int, ...]],
    found: _Search,
    almost: float,
    *,
    everything: bool,
    steps: int,
) -> Iterator[Combination]:
    """Yield the sets found, counted over the whole table while the budget lasts; those that fail there are left out."""
    for number, members in enumerate(shown):
        names = tuple(columns[i].name for i in members)
        # One is counted however many records there are.
        if everything or (number and (number + 1) * columns[0].records > steps):
            yield Combination(names, found.distinction(members), whole_table=everything)
            continue
        keys = ", ".join(f"c{columns[i].position}" for i in members)
        ((classes,),) = engine.rows(f"SELECT COUNT(*) AS n FROM (SELECT {keys} FROM source GROUP BY {keys}) AS x")
        counted = classes / columns[0].records
        if counted >= almost:
            yield Combination(names, counted, whole_table=True)

"""One-to-one assignment: all people of a table are paired with the records of a release at once, nobody with two, at the least cost.

H. W. Kuhn (1955), "The Hungarian method for the assignment problem", within blocks of people and records that may belong together. Where
columns were disturbed, or what is known of them may be wrong, a block leaves them out, as many at once as there is room for: who competes
for a record with its true owner often fits another one nearly as well. Which of several cheapest assignments the Hungarian method returns
hangs on the order of records, so the mean over the cheap ones is taken: M. Cuturi (2013), "Sinkhorn distances", NeurIPS, in logarithms, and
ever colder (J. J. Kosowsky and A. L. Yuille 1994, "The invisible hand algorithm", Neural Networks 7(3)), until only the cheapest are left.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from anonscope.attacks.attacker import Attacker, as_known
from anonscope.attacks.candidates import Distinct, Pairs, View, distinct, united
from anonscope.attacks.people import Attacked, People
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import numbered

# With more people than this only the targets are assigned, and compete with each other alone.
MOST_ASSIGNED = 50_000
MOST_PAIRS = 2_000_000
DEEPEST = 4
TEMPERATURES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
ROUNDS = 10
LEAST_SHARE = 1e-6


def assign(view: View, attacked: Attacked, attacker: Attacker, people: People) -> tuple[Floats, bool]:
    """Return the success of one who assigns all people of the original at once, and whether it was all of them."""
    assert people.released is not None
    everybody = attacked.original.records <= MOST_ASSIGNED
    crowd = as_known(attacker, attacked, attacked.original) if everybody else as_known(attacker, attacked, people)
    tuples = distinct(attacked, crowd, attacker.columns)
    pairs = blocks(view, tuples, [i for i, name in enumerate(view.columns) if name in view.loose or attacker.wrong.get(name)])
    share = assigned(pairs, tuples.n, view.n)
    width = len(view.n)
    known = pairs.person.astype(np.int64) * width + pairs.group
    # Targets are found again among everybody by what is known of them.
    mine = as_known(attacker, attacked, people)
    both = [np.concatenate([crowd.codes[name], mine.codes[name]]) for name in attacker.columns]
    number, count = numbered(both, [len(attacked.values[name]) for name in attacker.columns])
    kind = np.zeros(count, dtype=np.int64)
    kind[number[: crowd.records]] = tuples.tuple_of
    own = np.where(people.released >= 0, view.class_of[np.maximum(people.released, 0)], -1)
    wanted = kind[number[crowd.records :]] * width + own
    if not len(known):
        return np.zeros(people.records), everybody
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    right = (own >= 0) & (known[place] == wanted)
    return np.where(right, share[place], 0.0), everybody


def blocks(view: View, people: Distinct, doubtful: list[int]) -> Pairs:
    """Return who may be which class if some of the doubtful columns are wrong, as many at once as there is room for.

    Whoever fits nothing even then has the nearest classes.
    """
    everybody = np.arange(people.count)
    sets: list[tuple[int, ...]] = [()]
    for depth in range(1, min(DEEPEST, len(doubtful), len(view.columns) - 1) + 1):
        deeper = list(combinations(doubtful, depth))
        room = float(MOST_PAIRS)
        for left_out in deeper:
            room -= float(view.counts(people, left_out, classes=True).sum())
            if room < 0:
                break
        if room < 0:
            break
        sets = deeper
    found = united([view.pairs(people, left_out, everybody) for left_out in sets] if sets[0] else view.candidates(people))
    left = np.setdiff1d(everybody, found.person)
    return united([found, view.nearest(people, left)]) if len(left) else found


def assigned(pairs: Pairs, people: Integers, records: Integers) -> Floats:
    """Return how likely each one of a kind of people gets one certain record of a class, pair by pair: no record is given twice.

    It hangs on no order, and where the cheapest assignment stands alone it is that one.
    """
    found = np.zeros(len(pairs.person))
    if not len(found):
        return found
    person_price, record_price = np.zeros(len(people)), np.zeros(len(records))
    many_people, many_records = np.log(np.maximum(people, 1)), np.log(np.maximum(records, 1))
    left = np.arange(len(found))
    for warmer, temperature in pairwise((TEMPERATURES[0], *TEMPERATURES)):
        person, group, cost = pairs.person[left], pairs.group[left], pairs.score[left] / temperature
        rows, columns = _Segments.of(person), _Segments.of(group)
        record_price *= warmer / temperature
        for _ in range(ROUNDS):
            # Everybody gets one record, and a record goes to at most one of those who want it: where more do, its price rises.
            rows.into(person_price, record_price[group] - cost + many_records[group])
            columns.into(record_price, person_price[person] - cost + many_people[person])
            np.minimum(record_price, 0.0, out=record_price)
        rows.into(person_price, record_price[group] - cost + many_records[group])
        share = np.exp(person_price[person] + record_price[group] - cost)
        # Whoever hardly gets a record while it is warm does not get it when it is cold.
        kept = share > LEAST_SHARE
        left, share, person, group = left[kept], share[kept], person[kept], group[kept]
    taken = np.bincount(group, weights=share * people[person], minlength=len(records))
    found[left] = np.minimum(share / np.maximum(taken, 1.0)[group], 1.0)
    return found


@dataclass(frozen=True, slots=True)
class _Segments:
    """Pairs by one of their sides."""

    order: Integers
    starts: Integers
    keys: Integers
    lengths: Integers

    @classmethod
    def of(cls, side: Integers) -> "_Segments":
        order = np.argsort(side, kind="stable")
        keys = side[order]
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        return cls(order, starts, keys[starts], np.diff(np.r_[starts, len(keys)]))

    def into(self, prices: Floats, logs: Floats) -> None:
        """Set the prices so that the shares of every segment sum to one."""
        taken = logs[self.order]
        most = np.maximum.reduceat(taken, self.starts)
        prices[self.keys] = -most - np.log(np.add.reduceat(np.exp(taken - np.repeat(most, self.lengths)), self.starts))

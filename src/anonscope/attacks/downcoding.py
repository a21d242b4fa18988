"""Downcoding: what it tells that a release is no coarser than it had to be.

A. Cohen (2022), "Attacks on deidentification's defenses", USENIX Security. Who knows that records were coarsened as little as the rule
allowed can rule values out: if a class says "Europe, 30 to 39" and another "France, 30 to 39", then nobody in the first is from France, for
they could have gone to the second. The image of a cell shrinks by what a finer class with the same other cells holds, where the coarser
class stays large enough without one record. The original says whether the conclusion is right: it is a claim about the method, and a method
that does not go to the limit makes it wrong.
"""

from collections.abc import Sequence
from time import process_time

import numpy as np

from anonscope.attacks.attacker import Attacker
from anonscope.attacks.candidates import View
from anonscope.attacks.people import Attacked, People
from anonscope.attacks.success import Success, Trials, measured, not_measured
from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.columns import numbered

NAME = "downcoding"
FINER = "finer neighbours"
MOST_WORK = 3_000_000_000


def downcode(attacked: Attacked, attacker: Attacker, people: People, least: int, notes: tuple[str, ...] = ()) -> Success:
    """Return the share of coarsened cells whose image shrinks, and rightly so; `least` is the class size that was asked for."""
    start = process_time()
    columns = tuple(name for name in attacker.columns if name not in attacked.perturbed)
    if people.released is None:
        return not_measured(
            NAME, FINER, attacker, "nobody knows which released record belongs to whom, so nobody can say whether a conclusion is right"
        )
    if not columns:
        return not_measured(NAME, FINER, attacker, "all known columns are perturbed, and a perturbed value is no image")
    view = View(attacked, columns)
    rows = np.flatnonzero(people.released >= 0)
    if not len(rows):
        return not_measured(NAME, FINER, attacker, "none of the targets has a released record")
    group = view.class_of[people.released[rows]]
    hits, chance, whose, skipped = np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), []
    bits, claimed, coarse = 0.0, 0, 0
    for i, name in enumerate(columns):
        if work(view, i) > MOST_WORK:
            skipped.append(name)
            continue
        holds = membership(view, i)
        wide = view.held[i][view.labels[i]] > 1
        excluded, place = ruled_out(view, i, holds, least)
        label = view.labels[i][group]
        truth = people.codes[name][rows]
        open_ = wide[group]
        at = place[group]
        claims = open_ & (at >= 0)
        gone = np.zeros(len(rows), dtype=bool)
        gone[claims] = excluded[at[claims], truth[claims]]
        before = view.held[i][label].astype(float)
        less = np.zeros(len(rows))
        less[claims] = excluded[at[claims]].sum(axis=1)
        after = np.maximum(before - less, 1)
        right = claims & ~gone
        hits = np.concatenate([hits, right[open_].astype(float)])
        whose = np.concatenate([whose, np.flatnonzero(open_)])
        chance = np.concatenate([chance, np.where(claims, 1 - less / np.maximum(before, 1), 0.0)[open_]])
        bits += float(np.log2(before[right] / after[right]).sum())
        claimed += int(claims.sum())
        coarse += int(open_.sum())
    if not coarse:
        return not_measured(NAME, FINER, attacker, "no cell was coarsened, so there is nothing to undo")
    return measured(
        attack=NAME,
        variant=FINER,
        attacker=attacker.name,
        columns=columns,
        # The control has no cells: what nobody knows of the method gives no conclusion at all.
        targets=Trials(hits, None, whose),
        control=None,
        baseline=float(chance.mean()),
        attempt=attacker.chance,
        figures={
            "cells": float(coarse),
            "claimed": claimed / coarse,
            "right_of_claimed": float(hits.sum() / claimed) if claimed else 0.0,
            "bits_per_cell": bits / coarse,
            "joint_bits_per_class": joint_bits(view),
            "class_size": float(least),
        },
        notes=(*notes, *(f"{name} has too many labels to look at." for name in skipped)),
        cpu_seconds=process_time() - start,
    )


def membership(view: View, i: int) -> Flags:
    """Return which values each label holds."""
    holds = np.zeros((len(view.held[i]), len(view.attacked.values[view.columns[i]])), dtype=bool)
    for lookup in view.families[i].lookups[1:]:
        codes = np.flatnonzero(lookup >= 0)
        holds[lookup[codes], codes] = True
    holds[view.families[i].family == 0] = True
    return holds


def ruled_out(view: View, i: int, holds: Flags, least: int) -> tuple[Flags, Integers]:
    """Return the sets of values that are ruled out in a column, and which one every class has (-1: none).

    Classes with the same labels elsewhere are neighbours; one whose label holds strictly less rules its values out for the other.
    """
    used, inside, _ = _finer(view, i, holds)
    dense = np.searchsorted(used, view.labels[i])
    rest = [labels for j, labels in enumerate(view.labels) if j != i]
    widths = [len(view.families[j].family) for j in range(len(view.labels)) if j != i]
    neighbours = numbered(rest, widths)[0] if rest else np.zeros(len(view.n), dtype=np.int64)
    order = np.argsort(neighbours, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(neighbours[order]) > 0])
    sizes = np.diff(np.r_[starts, len(order)])
    # All pairs of neighbours: everybody with everybody of the same group.
    many = np.repeat(sizes, sizes)
    begin = np.repeat(starts, sizes)
    ends = np.cumsum(many)
    other = order[np.arange(int(ends[-1])) + np.repeat(begin - ends + many, many)]
    one = np.repeat(order, many)
    finer = inside[dense[other], dense[one]] & (view.n[one] > least)
    place = np.full(len(view.n), -1, dtype=np.int64)
    found = np.unique(one[finer])
    place[found] = np.arange(len(found))
    excluded = np.zeros((len(found), holds.shape[1]), dtype=bool)
    np.logical_or.at(excluded, place[one[finer]], holds[view.labels[i][other[finer]]])
    return excluded, place


def joint_bits(view: View) -> float:
    """Return what a class tells by not being finer, in bits: its records are not all under the same finer label of any column.

    Finer labels are those that occur in the release. The values of a class are taken as drawn evenly from its images.
    """
    total = 0.0
    for i in range(len(view.columns)):
        if work(view, i) > MOST_WORK:
            continue
        used, inside, size = _finer(view, i, membership(view, i))
        dense = np.searchsorted(used, view.labels[i])
        share: Floats = np.where(inside, size[:, None] / np.maximum(size[None, :], 1), 0.0)
        chance = np.array([float((share[:, label] ** n).sum()) for label, n in _kinds(dense, view.n)])
        weight = np.array(_counts(dense, view.n))
        total += float((-np.log2(np.maximum(1 - np.minimum(chance, 1 - 1e-9), 1e-9)) * weight).sum())
    return total / len(view.n)


def work(view: View, i: int) -> int:
    """Return how many steps it takes to compare the labels of a column: every one with every coarse one, value by value."""
    used = np.unique(view.labels[i])
    coarse = int((view.held[i][used] > 1).sum())
    return len(used) * (coarse + 1) * len(view.attacked.values[view.columns[i]])


def _finer(view: View, i: int, holds: Flags) -> tuple[Integers, Flags, Floats]:
    """Return the labels of a column that occur, which of them hold strictly less than which, and how many values each holds."""
    used = np.unique(view.labels[i])
    part = holds[used].astype(np.float32)
    size = part.sum(axis=1)
    wide = np.flatnonzero(size > 1)
    inside = np.zeros((len(used), len(used)), dtype=bool)
    inside[:, wide] = (part @ (1 - part[wide]).T == 0) & (size[:, None] < size[None, wide])
    return used, inside, size


def _kinds(labels: Integers, n: Integers) -> list[tuple[int, int]]:
    return [(int(label), int(size)) for label, size in np.unique(np.stack([labels, n], axis=1), axis=0)]


def _counts(labels: Integers, n: Integers) -> Sequence[int]:
    found: Sequence[int] = np.unique(np.stack([labels, n], axis=1), axis=0, return_counts=True)[1].tolist()
    return found

"""Membership: was this person in the table that the release was made of?

Everybody gets a score, members and people of the control alike, and the score should not tell them apart. *calibrated distance* is how much
closer the nearest released record is than the nearest record of a reference of other people (B. van Breugel and others 2023, AISTATS,
and L. Watson and others 2022, ICLR, on calibration); *density ratio* is how much more common the person's combinations of three values
are in the release than in the reference (T. Stadler, B. Oprisanu and C. Troncoso 2022, USENIX Security, on features of marginals);
*candidate presence* compares the released records that the person may be with those of the reference (M. Nergiz, M. Atzori and
C. Clifton 2007, SIGMOD, delta-presence). *distance to closest* is shown as a smoke test only: a low figure proves nothing.

Half of the control is the reference unless a table of others is given. `success` is the area under the ROC curve, 0.5 being no better
than chance, and `risk` is twice its excess over that, from 0 to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from time import process_time

import numpy as np

from anonscope.attacks.candidates import View, distinct, label_ends
from anonscope.attacks.linkage.families import FREE
from anonscope.attacks.people import Attacked, People, chances, marked, told_apart
from anonscope.attacks.success import Interval, Success, area, area_interval, true_positives, wilson
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import CodedColumn, numbered

NAME = "membership"
SMOKE_TEST = "distance to closest"
EVERYTHING = "everything"  # what its attacker knows, and is called by
RATES = (0.01, 0.001)
_BINS = 16
_MOST_TRIPLES = 120
_KEYS = 6
_PER_PERSON = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class _Crowds:
    """Members and others to be told apart, and a reference of people who are neither."""

    members: People
    others: People
    reference: People


def tell_members(
    attacked: Attacked, members: People, control: People | None, columns: Sequence[str], attempt: float = 1.0
) -> tuple[Success, ...]:
    """Return how well each score tells members from others, by all columns that release and people share."""
    variants = ("calibrated distance", "density ratio", "candidate presence", SMOKE_TEST)
    if control is None:
        reason = "members are told from others only where there are others: give a control"
        return tuple(_not_measured(variant, columns, reason) for variant in variants)
    # Twins fall into either half: were they kept together, nobody of the others had a twin in the reference, as members do.
    draw = chances(told_apart(marked(control.codes, control.records, attacked.seed, 53)))
    halves = draw < np.median(draw)
    if not 2 <= halves.sum() < control.records:
        return tuple(_not_measured(variant, columns, "the control's records are all alike") for variant in variants)
    crowds = _Crowds(members, control.taken(np.flatnonzero(~halves)), control.taken(np.flatnonzero(halves)))
    found = []
    start = process_time()
    closest = [_closest(attacked, crowd, columns) for crowd in (crowds.members, crowds.others)]
    taken = process_time() - start
    found.append(_result(SMOKE_TEST, columns, [-distance for distance in closest], taken, attempt, smoke=True))
    start = process_time()
    reference = _as_release(attacked, crowds.reference, columns)
    nearby = [_closest(reference, crowd, columns) for crowd in (crowds.members, crowds.others)]
    scores = [theirs - ours for ours, theirs in zip(closest, nearby, strict=True)]
    found.append(_result("calibrated distance", columns, scores, process_time() - start, attempt))
    start = process_time()
    found.append(_result("density ratio", columns, _ratios(attacked, crowds, columns), process_time() - start, attempt))
    start = process_time()
    found.append(_result("candidate presence", columns, _presence(attacked, crowds, columns), process_time() - start, attempt))
    return tuple(sorted(found, key=lambda result: variants.index(result.variant)))


def _not_measured(variant: str, columns: Sequence[str], reason: str) -> Success:
    return Success(
        attack=NAME,
        variant=variant,
        attacker=EVERYTHING,
        columns=tuple(columns),
        status="not measured",
        reason=reason,
        smoke_test=variant == SMOKE_TEST,
    )


def _result(
    variant: str, columns: Sequence[str], scores: Sequence[Floats], seconds: float, attempt: float, *, smoke: bool = False
) -> Success:
    members, others = scores
    value = area(members, others)
    interval = area_interval(value, len(members), len(others))
    figures = {"auc": value, "auc_low": interval.low, "auc_high": interval.high}
    for rate in RATES:
        found = true_positives(members, others, rate)
        # How far the threshold itself may be off, and then the share that it finds.
        edges = wilson(rate, len(others))
        low = wilson(true_positives(members, others, edges.low), len(members)).low
        high = wilson(true_positives(members, others, edges.high), len(members)).high
        name = f"tpr_at_{rate:g}"
        figures |= {name: found, f"{name}_low": low, f"{name}_high": high}
    return Success(
        attack=NAME,
        variant=variant,
        attacker=EVERYTHING,
        columns=tuple(columns),
        targets=len(members),
        success=value,
        control_targets=len(others),
        control=0.5,
        baseline=0.5,
        risk=2 * value - 1,
        interval=Interval(2 * interval.low - 1, 2 * interval.high - 1),
        figures=figures,
        smoke_test=smoke,
        attempt=attempt,
        notes=("A smoke test: a high figure is a leak, a low one is no proof of safety, and no rule may rest on it.",) if smoke else (),
        cpu_seconds=seconds,
    )


def _as_release(attacked: Attacked, people: People, columns: Sequence[str]) -> Attacked:
    """Return people as if they had been released as they are."""
    release = {name: CodedColumn(attacked.values[name], people.codes[name]) for name in columns}
    return Attacked(release, attacked.values, replace(attacked.original, released=None), attacked.control, {}, (), attacked.seed)


def _closest(attacked: Attacked, people: People, columns: Sequence[str]) -> Floats:
    """Return how far the nearest released record is from everybody: the mean over columns of how much each disagrees.

    Only records are looked at that fit everybody in one of a few sets of columns, each as small as leaves a few dozen of them.
    """
    view = View(attacked, columns, as_written=True)
    kinds = distinct(attacked, people, columns)
    nearest = np.ones(kinds.count)
    tables = [_distances(view, i) for i in range(len(columns))]
    for left_out in _keys(view, attacked):
        counts = view.counts(kinds, left_out, classes=True)
        # The few with very many neighbours have close ones among the first sets already.
        rows = np.flatnonzero((counts > 0) & (counts <= 40 * _PER_PERSON))
        if not len(rows):
            continue
        pairs = view.pairs(kinds, left_out, rows)
        apart = np.zeros(len(pairs.person))
        for i in range(len(columns)):
            apart += tables[i](kinds.codes[i][pairs.person], view.labels[i][pairs.group])
        np.minimum.at(nearest, pairs.person, apart / len(columns))
    return nearest[kinds.tuple_of]


def _keys(view: View, attacked: Attacked) -> list[tuple[int, ...]]:
    """Return the columns that each blocking key leaves out: keys are made of columns in a drawn order until they tell enough apart."""
    chance = np.random.default_rng(attacked.seed)
    width = len(view.columns)
    # How many of the others fit somebody by a column alone.
    shares = np.array([float((_shares(view, i) ** 2).sum()) for i in range(width)])
    found: dict[tuple[int, ...], None] = {(): None}
    for _ in range(_KEYS):
        left, key = float(len(view.n)), []
        for i in chance.permutation(width):
            if left <= _PER_PERSON:
                break
            left *= shares[i]
            key.append(int(i))
        found[tuple(i for i in range(width) if i not in key)] = None
    return list(found)


def _shares(view: View, i: int) -> Floats:
    counts = np.bincount(view.labels[i], minlength=len(view.families[i].family))
    found: Floats = counts / counts.sum()
    return found


def _distances(view: View, i: int) -> "_Distance":
    name = view.columns[i]
    if not view.attacked.numeric(name):
        return _Distance(view, i, None, None, None)
    numbers = view.attacked.numbers(name)
    low, high = label_ends(view.attacked.release[name].values, view.families[i], numbers)
    return _Distance(view, i, numbers, low, high)


@dataclass(frozen=True, slots=True, eq=False)
class _Distance:
    """How far a value is from a label, from 0 to 1: 0 inside its image, 1 outside, less for numbers that are near."""

    view: View
    i: int
    numbers: Floats | None
    low: Floats | None
    high: Floats | None

    def __call__(self, values: Integers, labels: Integers) -> Floats:
        family = self.view.families[self.i].family[labels]
        if self.numbers is None or self.low is None or self.high is None:
            inside = (family == FREE) | (self.view.lookups[self.i][family, values] == labels)
            return np.where(inside, 0.0, 1.0)
        span = max(float(np.nanmax(self.numbers) - np.nanmin(self.numbers)), 1e-12)
        x = self.numbers[values]
        apart = np.maximum(np.maximum(self.low[labels] - x, x - self.high[labels]), 0) / span
        found: Floats = np.where(np.isnan(apart), (values != 0) | (labels != 0), np.minimum(apart, 1))
        return found


def _ratios(attacked: Attacked, crowds: _Crowds, columns: Sequence[str]) -> list[Floats]:
    """Return the mean logarithm of how much more common everybody's combinations of three values are in the release."""
    view = View(attacked, columns, as_written=True)
    released: list[Integers] = []
    people: list[list[Integers]] = [[], [], []]
    crowd = (crowds.members, crowds.others, crowds.reference)
    width: list[int] = []
    for i, name in enumerate(columns):
        codes, of_people, places = _coarse(view, attacked, i, [one.codes[name] for one in crowd])
        released.append(codes)
        width.append(places)
        for found, part in zip(people, of_people, strict=True):
            found.append(part)
    sets = list(combinations(range(len(columns)), min(3, len(columns))))
    if len(sets) > _MOST_TRIPLES:
        chance = np.random.default_rng(attacked.seed)
        sets = [sets[i] for i in np.sort(chance.choice(len(sets), _MOST_TRIPLES, replace=False))]
    scores = [np.zeros(crowds.members.records), np.zeros(crowds.others.records)]
    for chosen in sets:
        sides = [released, *people]
        joined = [np.concatenate([side[i] for side in sides]) for i in chosen]
        number, count = numbered(joined, [width[i] for i in chosen])
        ends = np.cumsum([len(side[0]) for side in sides])
        parts = np.split(number, ends[:-1])
        ours = np.bincount(parts[0], minlength=count) / len(parts[0])
        theirs = np.bincount(parts[3], minlength=count) / len(parts[3])
        # Half a record each, so that what nobody has is no proof.
        ratio = np.log(ours + 0.5 / len(parts[0])) - np.log(theirs + 0.5 / len(parts[3]))
        for score, part in zip(scores, (parts[1], parts[2]), strict=True):
            score += ratio[part] / len(sets)
    return scores


def _coarse(view: View, attacked: Attacked, i: int, people: Sequence[Integers]) -> tuple[Integers, list[Integers], int]:
    """Return a column of the release and of people in the same few places: by bins of numbers, or by the narrowest labels."""
    name = view.columns[i]
    column = attacked.release[name]
    if attacked.numeric(name):
        numbers = attacked.numbers(name)
        low, high = label_ends(column.values, view.families[i], numbers)
        middle = (low + high) / 2
        known = middle[column.codes]
        edges = (
            np.unique(np.quantile(known[~np.isnan(known)], np.linspace(0, 1, _BINS + 1)[1:-1])) if (~np.isnan(known)).any() else np.zeros(0)
        )
        places = len(edges) + 2

        def binned(x: Floats) -> Integers:
            return np.where(np.isnan(x), places - 1, np.searchsorted(edges, x, side="right"))

        return binned(middle)[column.codes], [binned(numbers)[codes] for codes in people], places
    label = view.narrowest(i)
    places = len(column.values) + 1
    return column.codes, [np.where(label[codes] < 0, places - 1, label[codes]) for codes in people], places


def _presence(attacked: Attacked, crowds: _Crowds, columns: Sequence[str]) -> list[Floats]:
    """Return how many released records everybody may be, for one of the reference who has the same values as a rule."""
    view = View(attacked, columns)
    reference = View(_as_release(attacked, crowds.reference, columns), columns)
    scores = []
    for crowd in (crowds.members, crowds.others):
        kinds = distinct(attacked, crowd, columns)
        ours = view.counts(kinds) / attacked.released
        theirs = reference.counts(kinds) / crowds.reference.records
        ratio = (ours + 0.5 / attacked.released) / (theirs + 0.5 / crowds.reference.records)
        scores.append(ratio[kinds.tuple_of])
    return scores

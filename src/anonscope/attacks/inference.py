"""Inference: what is this person's sensitive value?

The attacker knows some columns of a person and guesses another one. *candidates* looks at all records that the person may be, each counted
by how much it says (one over the size of its images), and takes the value that most of them have; *nearest* looks only at the records that
disagree least; *model* learns the value from the whole release (L. Breiman 2001, "Random forests"; extra `ml`). People who are not in the
release are attacked in the same way: what is guessed of them comes from what is true of people in general (M. Hittmeir, R. Mayer and
A. Ekelhart 2020, CODASPY, "A baseline for attribute disclosure risk"), and only the difference comes from having been in the table.
Two variants follow the attacks on l-diversity (N. Li, T. Li and S. Venkatasubramanian 2007, ICDE): *similarity* is right when the guess
is in the right group of a hierarchy, *skewness* guesses the value whose share has grown most.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time

import numpy as np

from anonscope.attacks.attacker import Attacker, as_known
from anonscope.attacks.candidates import Distinct, Pairs, View, distinct, images_in, made_up
from anonscope.attacks.linkage.families import FREE, family_tables
from anonscope.attacks.people import Attacked, People, group_names, groups_of
from anonscope.attacks.success import Success, Trials, measured, not_measured
from anonscope.risk.counting.arrays import Floats, Integers

NAME = "inference"
# A guess of a number is right within this share of the span of its values, the outermost hundredths left out.
REACH = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Sensitive:
    """A column to be guessed: what its released labels stand for, what is likely anyway, and when a guess is right."""

    name: str
    labels: Integers  # of released records
    spread_label: Integers  # released label, value and weight: a label's weight is spread over its image
    spread_value: Integers
    spread_weight: Floats
    prior: Floats  # of every value
    numbers: Floats | None  # where it is a number
    reach: float


def sensitive_of(attacked: Attacked, name: str, prior: Floats | None = None, reach: float | None = None) -> Sensitive:
    """Return a column as something to be guessed."""
    column = attacked.release[name]
    values = attacked.values[name]
    families = family_tables(images_in(attacked, name, as_written=True), values)
    parts = [(lookup[codes], codes) for lookup in families.lookups[1:] for codes in [np.flatnonzero(lookup >= 0)]]
    label, value = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    held = np.bincount(label, minlength=len(column.values))
    weight = 1 / held[label]
    assert not (families.family[label] == FREE).any(), "what may be anything says nothing"
    counts = np.bincount(column.codes, minlength=len(column.values))
    if prior is None:
        prior = np.bincount(value, weights=weight * counts[label], minlength=len(values))
    numbers = attacked.numbers(name) if attacked.numeric(name) and len(values) > 12 else None
    if numbers is not None and reach is None:
        known = np.repeat(numbers, np.bincount(attacked.original.codes[name], minlength=len(values)))
        known = known[~np.isnan(known)]
        reach = REACH * float(np.quantile(known, 0.99) - np.quantile(known, 0.01)) if len(known) else 0.0
    order = np.argsort(label, kind="stable")
    total = prior.sum()
    share = prior / total if total > 0 else np.full(len(values), 1 / len(values))
    return Sensitive(name, column.codes, label[order], value[order], weight[order], share, numbers, reach or 0.0)


def infer(
    attacked: Attacked,
    attacker: Attacker,
    people: People,
    control: People | None,
    sensitive: Sensitive,
    *,
    model: bool = False,
    groups: Integers | None = None,
) -> tuple[Success, ...]:
    """Return how often each way of guessing is right; `groups` says which values are alike, where a hierarchy does."""
    columns = tuple(name for name in attacker.columns if name != sensitive.name)
    if not columns:
        return (
            not_measured(NAME, "candidates", attacker, "the attacker knows nothing but the value that is to be guessed", sensitive.name),
        )
    crowds = [crowd for crowd in (people, control) if crowd is not None]
    bands_of = [groups_of(attacked, crowd, columns, inside=crowd is people) for crowd in crowds]
    known = [as_known(attacker, attacked, crowd) for crowd in crowds]
    truths = [crowd.codes[sensitive.name] for crowd in crowds]
    everybody = attacked.original.codes[sensitive.name]
    tuples = [distinct(attacked, crowd, columns) for crowd in known]
    groups_of_all = everybody if groups is None else groups[everybody]
    found: list[Success] = []

    def result(
        variant: str, guesses: "list[Guesses]", started: float, about: Sensitive = sensitive, truths: list[Integers] = truths
    ) -> None:
        hits = [right(guess, about, kinds.tuple_of, truth) for guess, kinds, truth in zip(guesses, tuples, truths, strict=True)]
        # Over all people of the original: what guessing is worth need not be drawn.
        base = right(anybody(about), about, np.zeros(len(everybody), dtype=np.int64), everybody if about is sensitive else groups_of_all)
        trials = [Trials(hit, band, crowd.person) for hit, band, crowd in zip(hits, bands_of, crowds, strict=True)]
        found.append(guessed(attacked, attacker, columns, sensitive.name, variant, trials, base, started))

    start = process_time()
    view = View(attacked, columns, {name: reach for name, reach in attacker.within.items() if name in columns})
    posteriors = [posterior(view, kinds, sensitive, view.candidates(kinds)) for kinds in tuples]
    result("candidates", [best(p, sensitive) for p in posteriors], start)
    start = process_time()
    if sensitive.numbers is None:
        result("skewness", [best(p, sensitive, skewed=True) for p in posteriors], start)
    if groups is not None:
        start = process_time()
        about = replace(sensitive, prior=np.bincount(groups, weights=sensitive.prior), numbers=None)
        result("similarity", [best(p.grouped(groups), about) for p in posteriors], start, about, [groups[truth] for truth in truths])
    start = process_time()
    written = View(attacked, columns, dict(attacker.within), as_written=True) if any(made_up(attacked, name) for name in columns) else view
    nearest = [posterior(written, kinds, sensitive, [written.nearest(kinds)], even=True) for kinds in tuples]
    result("nearest", [best(p, sensitive) for p in nearest], start)
    if model:
        from anonscope.attacks.model import learned

        start = process_time()
        result("model", learned(attacked, written, sensitive, tuples), start)
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """How likely each value is for each kind of people: entries ordered by kind and value; kinds without one know nothing."""

    kinds: int
    kind: Integers
    value: Integers
    weight: Floats

    def grouped(self, groups: Integers) -> "Posterior":
        """Return how likely each group of values is."""
        return _posterior(self.kinds, self.kind, groups[self.value], self.weight, int(groups.max()) + 1)


def posterior(view: View, kinds: Distinct, sensitive: Sensitive, parts: Sequence[Pairs], *, even: bool = False) -> Posterior:
    """Return what the classes that people may be say of the value; with `even`, every record counts the same."""
    width = len(sensitive.prior)
    # What each class has: class, value, weight.
    labels = int(sensitive.labels.max()) + 1
    keys, n = np.unique(view.class_of.astype(np.int64) * labels + sensitive.labels, return_counts=True)
    group, label = keys // labels, keys % labels
    starts = np.searchsorted(sensitive.spread_label, label, side="left")
    many = np.searchsorted(sensitive.spread_label, label, side="right") - starts
    entry = _expanded(starts, many)
    class_of = np.repeat(group, many)
    value, weight = sensitive.spread_value[entry], sensitive.spread_weight[entry] * np.repeat(n, many)
    first = np.searchsorted(class_of, np.arange(len(view.n) + 1))
    found: list[Posterior] = []
    for pairs in parts:
        if not len(pairs.person):
            continue
        length = np.diff(first)[pairs.group]
        place = _expanded(first[pairs.group], length)
        said = np.ones(len(pairs.group)) if even else np.exp(view.vague.min() - view.vague[pairs.group])
        found.append(_posterior(kinds.count, np.repeat(pairs.person, length), value[place], weight[place] * np.repeat(said, length), width))
    if not found:
        empty = np.zeros(0, dtype=np.int64)
        return Posterior(kinds.count, empty, empty, np.zeros(0))
    joined = [np.concatenate([getattr(p, part) for p in found]) for part in ("kind", "value", "weight")]
    return _posterior(kinds.count, joined[0], joined[1], joined[2], width)


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """The guesses about each kind of people, equally good ones beside each other, ordered by kind and value."""

    kind: Integers
    value: Integers
    share: Floats
    number: Floats | None = None  # where a number is guessed: one a kind


def anybody(sensitive: Sensitive) -> Guesses:
    """Return the best guess about somebody of whom nothing is known."""
    values = np.flatnonzero(sensitive.prior > 0)
    return best(Posterior(1, np.zeros(len(values), dtype=np.int64), values, sensitive.prior[values]), sensitive)


def best(found: Posterior, sensitive: Sensitive, *, skewed: bool = False) -> Guesses:
    """Return the best guess about each kind of people, the prior's about those of whom nothing is known."""
    missing = np.setdiff1d(np.arange(found.kinds), found.kind)
    values = np.flatnonzero(sensitive.prior > 0)
    if len(missing) and len(values):
        kind = np.r_[found.kind, np.repeat(missing, len(values))]
        value = np.r_[found.value, np.tile(values, len(missing))]
        weight = np.r_[found.weight, np.tile(sensitive.prior[values], len(missing))]
        order = np.lexsort((value, kind))
        kind, value, weight = kind[order], value[order], weight[order]
    else:
        kind, value, weight = found.kind, found.value, found.weight
    starts = np.flatnonzero(np.r_[True, kind[1:] != kind[:-1]])
    length = np.diff(np.r_[starts, len(kind)])
    number = None
    if sensitive.numbers is not None and not skewed:
        number = _medians(kind, sensitive.numbers[value], weight)
    total = np.add.reduceat(weight, starts)
    merit = weight / np.repeat(total, length)
    if skewed:
        merit = merit / np.maximum(sensitive.prior[value], 1e-12)
    most = np.repeat(np.maximum.reduceat(merit, starts), length)
    kept = merit >= most * (1 - 1e-9)
    count = np.bincount(kind[kept], minlength=found.kinds)
    return Guesses(kind[kept], value[kept], 1 / count[kind[kept]], number)


def right(guesses: Guesses, sensitive: Sensitive, kind_of: Integers, truth: Integers) -> Floats:
    """Return how likely the guess about everybody is right: the value itself, or near it where it is a number."""
    if sensitive.numbers is not None and guesses.number is not None:
        off = np.abs(guesses.number[kind_of] - sensitive.numbers[truth])
        return np.where(np.isnan(off), 0.0, (off <= sensitive.reach + 1e-12).astype(float))
    width = len(sensitive.prior)
    known = guesses.kind.astype(np.int64) * width + guesses.value
    wanted = kind_of.astype(np.int64) * width + truth
    if not len(known):
        return np.zeros(len(wanted))
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, guesses.share[place], 0.0)


def guessed(
    attacked: Attacked,
    attacker: Attacker,
    columns: tuple[str, ...],
    sensitive: str,
    variant: str,
    trials: Sequence[Trials],
    base: Floats,
    started: float,
    notes: tuple[str, ...] = (),
) -> Success:
    """Return what guesses of a sensitive column achieved: those about the people of the release, then those about the control if any."""
    return measured(
        attack=NAME,
        variant=variant,
        attacker=attacker.name,
        columns=columns,
        sensitive=sensitive,
        targets=trials[0],
        control=trials[1] if len(trials) > 1 else None,
        baseline=float(base.mean()),
        names=group_names(attacked),
        attempt=attacker.chance,
        notes=notes,
        cpu_seconds=process_time() - started,
    )


def semantic_groups(values: Sequence[str | None], group: Mapping[str, str]) -> Integers:
    """Return the number of the group that each value is in; values that no group names are groups of their own."""
    names: dict[str | None, int] = {}
    return np.array([names.setdefault(group.get(value, value) if value is not None else None, len(names)) for value in values])


def _posterior(kinds: int, kind: Integers, value: Integers, weight: Floats, width: int) -> Posterior:
    keys, place = np.unique(kind.astype(np.int64) * width + value, return_inverse=True)
    return Posterior(kinds, keys // width, keys % width, np.bincount(place, weights=weight, minlength=len(keys)))


def _expanded(starts: Integers, many: Integers) -> Integers:
    """Return all places from each start on, so many of each."""
    ends = np.cumsum(many)
    found: Integers = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + many, many)
    return found


def _medians(kind: Integers, numbers: Floats, weight: Floats) -> Floats:
    """Return the weighted median of the numbers of each kind; between two of the same right their mean."""
    kept = ~np.isnan(numbers)
    found = np.full(int(kind.max()) + 1 if len(kind) else 0, np.nan)
    kind, numbers, weight = kind[kept], numbers[kept], weight[kept]
    if not len(kind):
        return found
    order = np.lexsort((numbers, kind))
    kind, numbers, weight = kind[order], numbers[order], weight[order]
    starts = np.flatnonzero(np.r_[True, kind[1:] != kind[:-1]])
    length = np.diff(np.r_[starts, len(kind)])
    total = np.add.reduceat(weight, starts)
    run = np.cumsum(weight)
    within = run - np.repeat(run[starts] - weight[starts], length)
    half = np.repeat(total, length) / 2
    low = np.flatnonzero(within >= half * (1 - 1e-9))
    high = np.flatnonzero(within > half * (1 + 1e-9))
    for chosen, side in ((low, 0), (high, 1)):
        first = np.unique(kind[chosen], return_index=True)
        value = numbers[chosen[first[1]]]
        found[first[0]] = value if side == 0 else (found[first[0]] + value) / 2
    return found

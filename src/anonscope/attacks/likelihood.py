"""Linking and guessing by likelihood: what somebody does who knows the mechanism that disturbed the values.

I. P. Fellegi and A. B. Sunter (1969), JASA 64(328): a record counts by how much likelier its values are if it is this person's than if it
is anybody's, column by column. The likeliest record is named; a sensitive value is guessed by all records, each with its weight, and
where it was disturbed itself by how likely every value became what is written (Bayes). Every person is put beside every class of
records, so only as many people are taken as make fifty million comparisons.
"""

from collections.abc import Iterator, Sequence
from time import process_time

import numpy as np

from anonscope.attacks.attacker import Attacker, as_known
from anonscope.attacks.candidates import Distinct, View, distinct
from anonscope.attacks.inference import Posterior, Sensitive, anybody, best, guessed, right
from anonscope.attacks.mechanisms import chance_table, fits_in_memory, mechanisms_said, odds_of, unfolded
from anonscope.attacks.people import FEWEST_TARGETS, Attacked, People, group_names, groups_of
from anonscope.attacks.success import Success, Trials, measured
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.transform.steps.post_randomise import PostRandomise
from anonscope.transform.steps.randomised_response import RandomisedResponse

VARIANT = "likelihood"
MOST_COMPARED = 50_000_000
_AT_ONCE = 4_000_000


def link_by_likelihood(attacked: Attacked, attacker: Attacker, people: People, control: People | None) -> tuple[Success, ...]:
    """Return how often the likeliest record is the person's own; nothing where no known column has a stated mechanism."""
    columns = _usable(attacked, attacker.columns)
    if people.released is None or not _stated(attacked, columns):
        return ()
    start = process_time()
    view = View(attacked, columns)
    people = _few(people, view)
    kinds = distinct(attacked, as_known(attacker, attacked, people), columns)
    assert people.released is not None
    own = np.where(people.released >= 0, view.class_of[np.maximum(people.released, 0)], -1)
    hits = np.zeros(people.records)
    for rows, scores in _scored(attacked, view, kinds):
        most = scores.max(axis=1, keepdims=True)
        likely = scores >= most - 1e-9
        records = likely @ view.n
        mine = np.flatnonzero(np.isin(kinds.tuple_of, rows) & (own >= 0))
        place = np.searchsorted(rows, kinds.tuple_of[mine])
        hits[mine] = likely[place, own[mine]] / records[place]
    others = None
    if control is not None:
        others = Trials(np.zeros(control.records), groups_of(attacked, control, columns, inside=False), control.person)
    return (
        measured(
            attack="linkability",
            variant=VARIANT,
            attacker=attacker.name,
            columns=columns,
            targets=Trials(hits, groups_of(attacked, people, columns, inside=True), people.person),
            control=others,
            baseline=1 / attacked.released,
            names=group_names(attacked),
            attempt=attacker.chance,
            notes=_notes(attacked, attacker.columns, columns),
            cpu_seconds=process_time() - start,
        ),
    )


def infer_by_likelihood(
    attacked: Attacked, attacker: Attacker, people: People, control: People | None, sensitive: Sensitive, prior: Floats | None = None
) -> tuple[Success, ...]:
    """Return how often the likeliest value is right; nothing where no column that matters has a stated mechanism, or for numbers."""
    columns = _usable(attacked, [name for name in attacker.columns if name != sensitive.name])
    if not columns or not _stated(attacked, [*columns, sensitive.name]) or sensitive.numbers is not None:
        return ()
    if not fits_in_memory(attacked, sensitive.name):
        return ()
    start = process_time()
    view = View(attacked, columns)
    told, prior = values_told(attacked, sensitive, prior)
    classes = np.zeros((len(view.n), told.shape[1]))
    np.add.at(classes, view.class_of, told[sensitive.labels])
    about = Sensitive(
        sensitive.name, sensitive.labels, sensitive.spread_label, sensitive.spread_value, sensitive.spread_weight, prior, None, 0.0
    )
    trials, crowds = [], [_few(crowd, view) for crowd in (people, control) if crowd is not None]
    for crowd, inside in zip(crowds, (True, False), strict=False):
        kinds = distinct(attacked, as_known(attacker, attacked, crowd), columns)
        weights = np.zeros((kinds.count, told.shape[1]))
        for rows, scores in _scored(attacked, view, kinds):
            weights[rows] = np.exp(scores - scores.max(axis=1, keepdims=True)) @ classes
        kind, value = np.nonzero(weights > 0)
        guess = best(Posterior(kinds.count, kind, value, weights[kind, value]), about)
        hits = right(guess, about, kinds.tuple_of, crowd.codes[sensitive.name])
        trials.append(Trials(hits, groups_of(attacked, crowd, columns, inside=inside), crowd.person))
    everybody = attacked.original.codes[sensitive.name]
    base = right(anybody(about), about, np.zeros(len(everybody), dtype=np.int64), everybody)
    notes = _notes(attacked, [*attacker.columns, sensitive.name], [*columns, sensitive.name])
    return (guessed(attacked, attacker, columns, sensitive.name, VARIANT, trials, base, start, notes),)


def values_told(attacked: Attacked, sensitive: Sensitive, prior: Floats | None = None) -> tuple[Floats, Floats]:
    """Return how likely every value is behind every label, labels by values, and before the label is seen."""
    step = attacked.mechanisms.get(sensitive.name)
    labels = len(attacked.release[sensitive.name].values)
    if not isinstance(step, PostRandomise | RandomisedResponse):
        told = np.zeros((labels, len(sensitive.prior)))
        told[sensitive.spread_label, sensitive.spread_value] = sensitive.spread_weight
        return told, sensitive.prior
    table = chance_table(attacked, sensitive.name, step)
    if prior is None or not prior.sum():
        prior = unfolded(table, np.bincount(sensitive.labels, minlength=labels).astype(float))
    joint = table * (prior / prior.sum())
    total = joint.sum(axis=1, keepdims=True)
    return np.divide(joint, total, out=np.zeros_like(joint), where=total > 0), prior / prior.sum()


def _scored(attacked: Attacked, view: View, kinds: Distinct) -> Iterator[tuple[Integers, Floats]]:
    """Yield a few kinds of people at a time, with the scores of all classes for each."""
    found = [odds_of(attacked, name) for name in view.columns]
    at_once = max(1, _AT_ONCE // max(len(view.n), 1))
    for first in range(0, kinds.count, at_once):
        rows = np.arange(first, min(first + at_once, kinds.count))
        scores = np.zeros((len(rows), len(view.n)))
        for odds, codes, labels in zip(found, kinds.codes, view.labels, strict=True):
            scores += odds.ratios(codes[rows], labels)
        yield rows, scores


def _few(people: People, view: View) -> People:
    most = max(MOST_COMPARED // max(len(view.n), 1), FEWEST_TARGETS)
    return people if people.records <= most else people.taken(np.arange(most))


def _stated(attacked: Attacked, columns: Sequence[str]) -> bool:
    return any(name in attacked.mechanisms for name in columns)


def _usable(attacked: Attacked, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that were not disturbed, or by a stated mechanism whose chances can be written down."""
    return tuple(
        name
        for name in columns
        if name in attacked.columns
        and (name not in attacked.perturbed or (name in attacked.mechanisms and (attacked.numeric(name) or fits_in_memory(attacked, name))))
    )


def _notes(attacked: Attacked, columns: Sequence[str], used: Sequence[str]) -> tuple[str, ...]:
    known = {name: step for name, step in attacked.mechanisms.items() if name in used}
    left = [name for name in columns if name not in used]
    said = [f"By likelihood: the attacker knows the mechanisms ({mechanisms_said(known)})."]
    return tuple(said + ([f"By likelihood: {', '.join(left)} left out, whose mechanism the recipe does not state."] if left else []))

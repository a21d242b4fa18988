"""Singling out: does what fits exactly one released record fit exactly one person?

A. Cohen and K. Nissim (2020), "Towards formalizing the GDPR's notion of singling out", PNAS 117(15). A predicate is what a released record
says: its cells, each with all values that it may stand for. It singles out where exactly one person of the original fits. That proves
little by itself, because a predicate that fits one in n people fits exactly one of n by chance 37 times in 100; so the same predicates are
judged against people who are not in the release.
"""

from collections.abc import Sequence
from time import process_time

import numpy as np

from anonscope.attacks.attacker import Attacker
from anonscope.attacks.candidates import View, distinct, made_up
from anonscope.attacks.people import Attacked, People, chances, marked
from anonscope.attacks.success import Success, Trials, difference, measured, wilson
from anonscope.risk.counting.arrays import Floats, Integers

NAME = "singling_out"


def single_out(attacked: Attacked, attacker: Attacker, wanted: int | None) -> tuple[Success, ...]:
    """Return how often unique records single somebody out: by all known columns together, and by one column alone."""
    several = _attack(attacked, attacker, [attacker.columns], "several columns", wanted)
    single = _attack(attacked, attacker, [(column,) for column in attacker.columns], "one column", wanted)
    return (several, single)


def _attack(attacked: Attacked, attacker: Attacker, sets: Sequence[tuple[str, ...]], variant: str, wanted: int | None) -> Success:
    start = process_time()
    facts: list[Floats] = []
    for columns in sets:
        # Made-up values are taken by their word: whoever singles out has nothing else, and "anything" would single out nobody.
        view = View(attacked, columns, as_written=any(made_up(attacked, name) for name in columns))
        alone = np.flatnonzero(view.n == 1)
        if not len(alone):
            continue
        in_original = _fits(view, attacked, attacked.original, alone)
        in_control = _fits(view, attacked, attacked.control, alone) if attacked.control is not None else np.zeros(len(alone))
        weight = np.prod([_shares(view, i)[labels[alone]] for i, labels in enumerate(view.labels)], axis=0)
        texts = {name: labels[alone] for name, labels in zip(columns, view.labels, strict=True)}
        drawn = chances(marked(texts, len(alone), attacked.seed, 17))
        facts.append(np.stack([in_original, in_control, weight, drawn]))
    found = np.concatenate(facts, axis=1) if facts else np.zeros((4, 0))
    if not found.shape[1]:
        n = attacked.released
        return Success(
            attack=NAME,
            variant=variant,
            attacker=attacker.name,
            columns=attacker.columns,
            targets=n,
            success=0.0,
            control_targets=attacked.control.records if attacked.control is not None else 0,
            control=0.0 if attacked.control is not None else None,
            baseline=0.0,
            risk=0.0,
            interval=difference(0.0, n, 0.0, attacked.control.records) if attacked.control is not None else wilson(0.0, n),
            figures={"predicates": 0.0},
            attempt=attacker.chance,
            notes=("No released record is the only one of its kind, so there is nothing to single anybody out by.",),
            cpu_seconds=process_time() - start,
        )
    total = found.shape[1]
    if wanted is not None and total > wanted:
        found = found[:, np.argsort(found[3], kind="stable")[:wanted]]
    inside, outside, weight = found[0], found[1], found[2]
    people = attacked.original.records
    control = None
    if attacked.control is not None:
        rate = fresh_rate(outside, attacked.control.records, people)
        control = Trials(np.full(len(outside), rate))
    return measured(
        attack=NAME,
        variant=variant,
        attacker=attacker.name,
        columns=attacker.columns,
        targets=Trials((inside == 1).astype(float)),
        control=control,
        baseline=float(by_chance(weight, people).mean()),
        attempt=attacker.chance,
        figures={"predicates": float(total), "fit_nobody": float((inside == 0).mean())},
        cpu_seconds=process_time() - start,
    )


def by_chance(weight: Floats, people: int) -> Floats:
    """Return how often a predicate that fits this share of all people fits exactly one of so many."""
    found: Floats = people * weight * np.exp((people - 1) * np.log1p(-np.minimum(weight, 1 - 1e-12)))
    return found


def fresh_rate(counts: Floats, control: int, people: int) -> float:
    """Return how often predicates fit exactly one of `people` others, from how many of the control each fits.

    With a control as large as the original that is a draw from it. From a smaller one, how weights differ between predicates is
    estimated first: counts of a Gamma mixture of Poisson variables have its mean, and its variance on top of their own.
    """
    if control >= people:
        from scipy.special import gammaln

        def log_choose(n: Floats, k: float) -> Floats:
            found: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
            return found

        possible = (counts >= 1) & (control - counts >= people - 1)
        held = np.where(possible, counts, 1)
        logs = np.log(held) + log_choose(control - held, people - 1) - log_choose(np.array(float(control)), people)
        return float(np.where(possible, np.exp(logs), 0.0).mean())
    mean, variance = float(counts.mean()), float(counts.var())
    if mean == 0:
        return 0.0
    scaled = mean * people / control
    if variance <= mean * (1 + 1e-9):
        return float(scaled * np.exp(-scaled))
    shape = mean * mean / (variance - mean)
    rate = shape / scaled
    return float(shape * np.exp(shape * np.log(rate) - (shape + 1) * np.log(rate + 1)))


def _fits(view: View, attacked: Attacked, people: People, classes: Integers) -> Floats:
    """Return how many people fit each of the classes."""
    from anonscope.attacks.linkage.forms import Join, LinkedTuples

    known = distinct(attacked, people, view.columns)
    chosen = LinkedTuples(tuple(labels[classes] for labels in view.labels), np.ones(len(classes)))
    join = Join(view.families, chosen, LinkedTuples(tuple(known.codes), known.n))
    join.run(unknown=False)
    found: Floats = join.external_records
    return found


def _shares(view: View, i: int) -> Floats:
    """Return for every label of a column the share of released records whose value lies in its image, each spread over its own image."""
    column = view.attacked.release[view.columns[i]]
    counts = np.bincount(column.codes, minlength=len(column.values)) / len(column.codes)
    values = len(view.attacked.values[view.columns[i]])
    families = view.families[i]
    mass = np.zeros(values)
    for lookup in families.lookups[1:]:
        codes = np.flatnonzero(lookup >= 0)
        labels = lookup[codes]
        mass[codes] += counts[labels] / np.maximum(view.held[i][labels], 1)
    mass += counts[families.family == 0].sum() / values
    shares = np.zeros(len(column.values))
    for lookup in families.lookups[1:]:
        codes = np.flatnonzero(lookup >= 0)
        shares += np.bincount(lookup[codes], weights=mass[codes], minlength=len(shares))[: len(shares)]
    shares[families.family == 0] = 1.0
    # A label that stands for no value anybody has weighs at least its own share.
    found: Floats = np.where(shares > 0, shares, counts)
    return found

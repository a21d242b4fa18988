"""Composition: what several releases about the same people tell of a person's sensitive value.

S. R. Ganta, S. P. Kasiviswanathan and A. Smith (2008), "Composition attacks and auxiliary information in data privacy", KDD. Each release
leaves some values possible for a person, those of the records that the person may be. Who has all releases keeps the values that every one
of them leaves: where one is left the value is disclosed for sure, and elsewhere the guess gets better. How likely a value is under all
releases is the product of how likely each makes it, with what was likely beforehand counted once.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import process_time

import numpy as np

from anonscope.attacks.attacker import Attacker, as_known, fitting
from anonscope.attacks.candidates import View, distinct, made_up
from anonscope.attacks.inference import Posterior, Sensitive, anybody, best, posterior, right, sensitive_of
from anonscope.attacks.mechanisms import chance_table, fits_in_memory, spread_of, unfolded
from anonscope.attacks.people import Attacked, People
from anonscope.attacks.success import Success, Trials, measured, not_measured
from anonscope.columns.images import number_in
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import numbered
from anonscope.transform.steps.add_noise import AddNoise
from anonscope.transform.steps.laplace_mechanism import LaplaceMechanism

NAME = "composition"
# Whoever puts several draws together needs to know nothing else of a person.
NO_ONE = Attacker(name="several releases", columns=())


def compose_values(
    releases: Sequence[Attacked], attacker: Attacker, people: People, control: People | None, sensitive: str
) -> tuple[Success, ...]:
    """Return how often the value is disclosed for sure, and how often the best guess is right, with all releases in hand.

    The figures hold the same for the release alone that tells most. All releases must have been read with the same people.
    """
    start = process_time()
    crowds = [crowd for crowd in (people, control) if crowd is not None]
    single: list[list[tuple[Floats, Floats]]] = []
    known: list[list[Posterior]] = []
    about: list[Sensitive] = []
    for release in releases:
        fit = fitting(replace(attacker, columns=tuple(c for c in attacker.columns if c != sensitive)), release)
        if not fit.columns or sensitive not in release.columns:
            return (
                not_measured(
                    NAME, "best guess", attacker, "one of the releases lacks the sensitive column, or every column that is known", sensitive
                ),
            )
        # Records with made-up values may be anybody's, and are followed by what they say; else everybody would hide among them.
        disturbed = any(made_up(release, name) for name in fit.columns)
        view, value = View(release, fit.columns, fit.within, as_written=disturbed), sensitive_of(release, sensitive)
        about.append(value)
        found = []
        for crowd in crowds:
            kinds = distinct(release, as_known(fit, release, crowd), fit.columns)
            pairs = [view.nearest(kinds)] if disturbed else view.candidates(kinds)
            found.append(_by_person(posterior(view, kinds, value, pairs, even=disturbed), kinds.tuple_of))
        known.append(found)
        single.append([_hits(p, value, crowd.codes[sensitive]) for p, crowd in zip(found, crowds, strict=True)])
    # What each release makes likely, together.
    first = about[0]
    joined = [_joined([found[i] for found in known], [value.prior for value in about]) for i in range(len(crowds))]
    both = [_hits(p, first, crowd.codes[sensitive]) for p, crowd in zip(joined, crowds, strict=True)]
    results = []
    for place, variant in enumerate(("exact disclosure", "best guess")):
        alone = max(float(found[0][place].mean()) for found in single)
        trials = [Trials(hits[place], None, crowd.person) for hits, crowd in zip(both, crowds, strict=True)]
        base = 0.0
        if variant == "best guess":
            base = float(right(anybody(first), first, np.zeros(people.records, dtype=np.int64), people.codes[sensitive]).mean())
        results.append(
            measured(
                attack=NAME,
                variant=variant,
                attacker=attacker.name,
                columns=tuple(c for c in attacker.columns if c != sensitive),
                sensitive=sensitive,
                targets=trials[0],
                control=trials[1] if control is not None else None,
                baseline=base,
                attempt=attacker.chance,
                figures={"releases": float(len(releases)), "best_release_alone": alone, "gained": trials[0].rate - alone},
                cpu_seconds=process_time() - start,
            )
        )
    return tuple(results)


def compose_candidates(releases: Sequence[Attacked], attacker: Attacker, people: People, control: People | None) -> Success:
    """Return how likely somebody is picked out among all people of the original who look the same in every release.

    People whom the same released classes may be are candidates for each other; under all releases they must be so in each. Where
    released values overlap, people who fit partly the same classes are told apart, so it is an upper bound.
    """
    start = process_time()
    marks: list[tuple[Integers, Integers]] = []
    for release in releases:
        fit = fitting(attacker, release)
        if not fit.columns:
            return not_measured(NAME, "candidates", attacker, "one of the releases lacks every column that is known")
        if any(made_up(release, name) for name in fit.columns):
            return not_measured(NAME, "candidates", attacker, "values of a known column were made up in one of the releases")
        view = View(release, fit.columns, fit.within)
        sides = []
        for crowd in (release.original, people):
            kinds = distinct(release, as_known(fit, release, crowd), fit.columns)
            sides.append(view.signatures(kinds)[kinds.tuple_of])
        marks.append((sides[0], sides[1]))
    alone = [_picked([one]) for one in marks]
    hits = _picked(marks)
    best_alone = max(float(found.mean()) for found in alone)
    newly = (hits == 1) & np.all([found < 1 for found in alone], axis=0)
    return measured(
        attack=NAME,
        variant="candidates",
        attacker=attacker.name,
        columns=attacker.columns,
        targets=Trials(hits, None, people.person),
        # Nobody of the control is in any of the releases.
        control=Trials(np.zeros(control.records), None, control.person) if control is not None else None,
        baseline=1 / releases[0].original.records,
        attempt=attacker.chance,
        figures={
            "releases": float(len(releases)),
            "best_release_alone": best_alone,
            "gained": float(hits.mean()) - best_alone,
            "newly_alone": float(newly.mean()),
        },
        cpu_seconds=process_time() - start,
    )


def average(releases: Sequence[Attacked], people: People, control: People | None, sensitive: str) -> tuple[Success, ...]:
    """Return how well a value that was disturbed anew in every release is guessed by all of them together.

    Whoever has several draws of the same noise takes their mean, and of several answers at random the value that makes all of them
    likeliest: independent noise wears off. The attacker knows which records are the same person's, by a key or their order.
    """
    drawn = [r for r in releases if sensitive in r.columns and sensitive in r.mechanisms]
    if len(drawn) < 2:
        return ()
    start = process_time()
    if any(r.original.released is None for r in (releases[0], *drawn)):
        reason = "nobody knows which released records belong to whom in every release"
        return (not_measured(NAME, "averaging", NO_ONE, reason, sensitive),)
    # Targets are drawn from the first release; who they are is known by their place there.
    about = sensitive_of(drawn[0], sensitive)
    truth, rows = people.codes[sensitive], _places(releases[0], people)
    noisy = all(isinstance(r.mechanisms[sensitive], AddNoise | LaplaceMechanism) for r in drawn)
    if noisy and about.numbers is not None:
        single = [_mean_hits([r], about, rows, truth) for r in drawn]
        hits = _mean_hits(drawn, about, rows, truth)
    elif not noisy and about.numbers is None and all(fits_in_memory(r, sensitive) for r in drawn):
        single = [_vote_hits([r], about, rows, truth) for r in drawn]
        hits = _vote_hits(drawn, about, rows, truth)
    else:
        return (
            not_measured(NAME, "averaging", NO_ONE, "the releases disturbed the column in ways that cannot be put together", sensitive),
        )
    alone = max(float(found.mean()) for found in single)
    base = right(anybody(about), about, np.zeros(people.records, dtype=np.int64), truth)
    others = None
    if control is not None:
        # Of those who are in no release, nothing is known but what is likely of everybody.
        guess = right(anybody(about), about, np.zeros(control.records, dtype=np.int64), control.codes[sensitive])
        others = Trials(guess, None, control.person)
    return (
        measured(
            attack=NAME,
            variant="averaging",
            attacker=NO_ONE.name,
            columns=(sensitive,),
            sensitive=sensitive,
            targets=Trials(hits, None, people.person),
            control=others,
            baseline=float(base.mean()),
            figures={"releases": float(len(drawn)), "best_release_alone": alone, "gained": float(hits.mean()) - alone},
            cpu_seconds=process_time() - start,
        ),
    )


def _places(release: Attacked, people: People) -> Integers:
    """Return which person of the original every target is: who became a released record, and only one of them."""
    assert release.original.released is not None and people.released is not None
    place = np.full(release.released + 1, -1, dtype=np.int64)
    place[release.original.released] = np.arange(release.original.records)
    place[-1] = -1
    return place[people.released]


def _mean_hits(releases: Sequence[Attacked], about: Sensitive, rows: Integers, truth: Integers) -> Floats:
    """Return whether the mean of what the releases say is near the value; exacter releases count more."""
    assert about.numbers is not None
    total, weights = np.zeros(len(rows)), np.zeros(len(rows))
    for release in releases:
        released = release.original.released
        assert released is not None
        place = np.where(rows >= 0, released[rows], -1)
        said = np.array([np.nan if (x := number_in(label)) is None else x for label in release.release[about.name].values])
        number = np.where(place >= 0, said[release.release[about.name].codes[np.maximum(place, 0)]], np.nan)
        weight = np.where(np.isnan(number), 0.0, 1 / spread_of(release, about.name) ** 2)
        total, weights = total + np.nan_to_num(number) * weight, weights + weight
    guess = np.divide(total, weights, out=np.full(len(rows), np.nan), where=weights > 0)
    off = np.abs(guess - about.numbers[truth])
    return np.where(np.isnan(off), 0.0, (off <= about.reach + 1e-12).astype(float))


def _vote_hits(releases: Sequence[Attacked], about: Sensitive, rows: Integers, truth: Integers) -> Floats:
    """Return how likely the value is right that makes all answers likeliest, what was likely beforehand counted once."""
    name = about.name
    scores: Floats | None = None
    for release in releases:
        released = release.original.released
        assert released is not None
        table = chance_table(release, name, release.mechanisms[name])
        if scores is None:
            counts = np.bincount(release.release[name].codes, minlength=len(table)).astype(float)
            scores = np.tile(np.log(np.maximum(unfolded(table, counts), 1e-300)), (len(rows), 1))
        place = np.where(rows >= 0, released[rows], -1)
        logs = np.log(np.maximum(table, 1e-300))[release.release[name].codes[np.maximum(place, 0)]]
        scores = scores + np.where(place[:, None] >= 0, logs, 0.0)
    assert scores is not None
    likely = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    found: Floats = likely[np.arange(len(rows)), truth] / likely.sum(axis=1)
    return found


def _picked(marks: Sequence[tuple[Integers, Integers]]) -> Floats:
    """Return one over the people of the original with the same marks, for every target; 0 for who fits nothing in a release."""
    both = [np.unique(np.concatenate(pair), return_inverse=True)[1] for pair in marks]
    number, count = numbered(both, [int(codes.max()) + 1 for codes in both])
    people = len(marks[0][0])
    sizes = np.bincount(number[:people], minlength=count)[number[people:]]
    fits = np.all([theirs != 0 for _, theirs in marks], axis=0) & (sizes > 0)
    return np.where(fits, 1 / np.maximum(sizes, 1), 0.0)


def _by_person(found: Posterior, kind_of: Integers) -> Posterior:
    """Return a posterior about kinds of people as one about each person."""
    first = np.searchsorted(found.kind, np.arange(found.kinds + 1))
    many = np.diff(first)[kind_of]
    ends = np.cumsum(many)
    place = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(first[kind_of] - ends + many, many)
    return Posterior(len(kind_of), np.repeat(np.arange(len(kind_of)), many), found.value[place], found.weight[place])


def _joined(parts: Sequence[Posterior], priors: Sequence[Floats]) -> Posterior:
    """Return what all releases leave possible, and how likely it is; who fits none of a release's records learns nothing from it."""
    found = _normal(parts[0])
    width = len(priors[0])
    for part, prior in zip(parts[1:], priors[1:], strict=True):
        other = _normal(part)
        keys, theirs = found.kind * width + found.value, other.kind * width + other.value
        _, mine, yours = np.intersect1d(keys, theirs, assume_unique=True, return_indices=True)
        weight = found.weight[mine] * other.weight[yours] / np.maximum(prior[found.value[mine]], 1e-12)
        kind, value = found.kind[mine], found.value[mine]
        # Somebody of whom one release knows nothing keeps what the other says; so does one whom they contradict.
        lost = np.setdiff1d(np.union1d(found.kind, other.kind), kind)
        for side in (found, other):
            kept = np.isin(side.kind, lost)
            kind, value, weight = np.r_[kind, side.kind[kept]], np.r_[value, side.value[kept]], np.r_[weight, side.weight[kept]]
            lost = np.setdiff1d(lost, side.kind[kept])
        order = np.lexsort((value, kind))
        found = _normal(Posterior(found.kinds, kind[order], value[order], weight[order]))
    return found


def _normal(found: Posterior) -> Posterior:
    total = np.bincount(found.kind, weights=found.weight, minlength=found.kinds)
    return replace(found, weight=found.weight / np.maximum(total[found.kind], 1e-300))


def _hits(found: Posterior, sensitive: Sensitive, truth: Integers) -> tuple[Floats, Floats]:
    """Return for everybody whether only the true value is left, and how likely the best guess is right."""
    left = np.bincount(found.kind, minlength=found.kinds)
    width = len(sensitive.prior)
    keys = found.kind.astype(np.int64) * width + found.value
    wanted = np.arange(found.kinds) * width + truth
    there = np.isin(wanted, keys)
    sure = (there & (left == 1)).astype(float)
    return sure, right(best(found, sensitive), sensitive, np.arange(found.kinds), truth)

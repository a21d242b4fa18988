"""What an attack achieved, with its control, its baseline and an interval that is never of zero width.

A trial is one target and the expected success of the guess about it: 1 / m where m guesses are equally good, so that nothing hangs on
the order of records. Such a trial varies less than a coin of the same mean, so the intervals, which are those of coins, are wide enough:
E. B. Wilson (1927), JASA 22(158), for one share; R. G. Newcombe (1998), Statistics in Medicine 17(8), method 10, for the difference of two;
R. G. Newcombe (2006), Statistics in Medicine 25(4), method 5, for the area under a curve.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers

if TYPE_CHECKING:
    from anonscope.attacks.attacker import Attacker

LEVEL = 0.95
# Groups with fewer targets say nothing, and their names might say who is in them.
FEWEST_IN_GROUP = 20


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class GroupSuccess:
    """One group of targets; its interval holds together with those of all other groups."""

    name: str
    targets: int
    success: float
    control_targets: int
    control: float | None
    risk: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """One attack by one attacker: how often it was right about people in the release, about people who are not, and by mere guessing.

    `risk` is success minus control, what the release gave away about those in it. Without a control it is the success itself, an upper
    bound that holds what statistics about everybody would tell too.
    """

    attack: str
    variant: str
    attacker: str
    columns: tuple[str, ...]
    sensitive: str | None = None
    status: Literal["measured", "not measured"] = "measured"
    reason: str | None = None
    targets: int = 0
    success: float | None = None
    control_targets: int = 0
    control: float | None = None
    baseline: float | None = None
    risk: float | None = None
    interval: Interval | None = None
    groups: tuple[GroupSuccess, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    smoke_test: bool = False  # shown to make somebody look closer; says nothing when it is low
    attempt: float = 1.0  # how likely the attack is tried on somebody at all
    notes: tuple[str, ...] = ()
    cpu_seconds: float = 0.0

    @property
    def controlled(self) -> bool:
        """Whether the risk is a difference to people who are not in the release."""
        return self.status == "measured" and self.control is not None

    @property
    def context_risk(self) -> float | None:
        """The risk times the probability that the attack is tried at all."""
        return None if self.risk is None else self.risk * self.attempt

    @property
    def upper(self) -> float | None:
        """The upper end of the interval of the risk."""
        return None if self.interval is None else self.interval.high


def not_measured(attack: str, variant: str, attacker: "Attacker", reason: str, sensitive: str | None = None) -> Success:
    """Return an attack of which nothing is known, and why."""
    return Success(
        attack=attack,
        variant=variant,
        attacker=attacker.name,
        columns=attacker.columns,
        sensitive=sensitive,
        status="not measured",
        reason=reason,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """The expected success of every trial, the group of each, and the person that it is about where one has several records."""

    hits: Floats
    groups: Integers | None = None
    people: Integers | None = None

    def of_group(self, number: int) -> "Trials":
        assert self.groups is not None
        chosen = self.groups == number
        return Trials(self.hits[chosen], None, None if self.people is None else self.people[chosen])

    @property
    def rate(self) -> float:
        return float(self.hits.mean())

    @property
    def count(self) -> int:
        """How many trials do not hang on one another: those about one person count once."""
        return len(self.hits) if self.people is None else len(np.unique(self.people))


def wilson(rate: float, count: float, level: float = LEVEL) -> Interval:
    """Return the score interval of a share."""
    if count <= 0:
        return Interval(0.0, 1.0)
    z = _quantile(level)
    middle = (rate + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(max(rate * (1 - rate), 0.0) / count + z * z / (4 * count * count))
    return Interval(max(0.0, min(middle - half, rate)), min(1.0, max(middle + half, rate)))


def difference(first: float, first_count: float, second: float, second_count: float, level: float = LEVEL) -> Interval:
    """Return Newcombe's interval of the difference of two shares."""
    one, other = wilson(first, first_count, level), wilson(second, second_count, level)
    low = sqrt((first - one.low) ** 2 + (other.high - second) ** 2)
    high = sqrt((one.high - first) ** 2 + (second - other.low) ** 2)
    return Interval(max(-1.0, first - second - low), min(1.0, first - second + high))


def area(members: Floats, others: Floats) -> float:
    """Return how often a member has the higher score than somebody else, ties by half: the area under the ROC curve."""
    both = np.concatenate([members, others])
    _, place, counts = np.unique(both, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    m, n = len(members), len(others)
    return float((ranks[:m].sum() - m * (m + 1) / 2) / (m * n))


def area_interval(value: float, members: int, others: int, level: float = LEVEL) -> Interval:
    """Return the areas that are not at odds with the one that was found."""
    z = _quantile(level)

    def odd(theta: float) -> bool:
        # Hanley and McNeil's variance, with both numbers replaced by their mean where they stand for a shape, as Newcombe proposes.
        star = (members + others) / 2 - 1
        spread = theta * (1 - theta) * (1 + star * (1 - theta) / (2 - theta) + star * theta / (1 + theta)) / (members * others)
        return abs(theta - value) > z * sqrt(max(spread, 0.0))

    def edge(outside: float, inside: float) -> float:
        for _ in range(60):
            middle = (outside + inside) / 2
            outside, inside = (middle, inside) if odd(middle) else (outside, middle)
        return inside

    return Interval(edge(0.0, value) if odd(0.0) else 0.0, edge(1.0, value) if odd(1.0) else 1.0)


def true_positives(members: Floats, others: Floats, false_positives: float) -> float:
    """Return the share of members found where this share of others is taken for members; among equal scores by expectation."""
    scores = np.unique(np.concatenate([members, others]))[::-1]
    found = 1 - np.searchsorted(np.sort(members), scores, side="left") / len(members)
    wrong = 1 - np.searchsorted(np.sort(others), scores, side="left") / len(others)
    # Where several thresholds have the same false positives the one that finds most is taken.
    x, y = np.concatenate([[0.0], wrong]), np.concatenate([[0.0], found])
    last = np.append(np.flatnonzero(np.diff(x) > 0), len(x) - 1)
    first = np.concatenate([[0], last[:-1] + 1])
    place = int(np.searchsorted(x[last], false_positives, side="left"))
    if x[last][place] == false_positives or place == 0:
        return float(y[last][place])
    left, right = last[place - 1], first[place]
    share = (false_positives - x[left]) / (x[right] - x[left])
    return float(y[left] + share * (y[right] - y[left]))


def measured(
    *,
    attack: str,
    variant: str,
    attacker: str,
    columns: Sequence[str],
    targets: Trials,
    control: Trials | None,
    baseline: float | None,
    names: Sequence[str] = (),
    sensitive: str | None = None,
    attempt: float = 1.0,
    figures: Mapping[str, float] | None = None,
    notes: Sequence[str] = (),
    cpu_seconds: float = 0.0,
    smoke_test: bool = False,
) -> Success:
    """Return the result of trials; `names` are those of the groups."""
    risk, interval = _risk(targets, control, LEVEL)
    return Success(
        attack=attack,
        variant=variant,
        attacker=attacker,
        columns=tuple(columns),
        sensitive=sensitive,
        targets=targets.count,
        success=targets.rate,
        control_targets=control.count if control is not None else 0,
        control=control.rate if control is not None else None,
        baseline=baseline,
        risk=risk,
        interval=interval,
        groups=_groups(targets, control, names),
        figures=dict(figures or {}),
        smoke_test=smoke_test,
        attempt=attempt,
        notes=tuple(notes),
        cpu_seconds=cpu_seconds,
    )


def _risk(targets: Trials, control: Trials | None, level: float) -> tuple[float, Interval]:
    if control is None or not len(control.hits):
        return targets.rate, wilson(targets.rate, targets.count, level)
    return targets.rate - control.rate, difference(targets.rate, targets.count, control.rate, control.count, level)


def _groups(targets: Trials, control: Trials | None, names: Sequence[str]) -> tuple[GroupSuccess, ...]:
    """Return the groups that are large enough, the worst first, with intervals that hold together (Bonferroni)."""
    if targets.groups is None:
        return ()
    counts = np.bincount(targets.groups, minlength=len(names))
    chosen = [number for number in range(len(names)) if counts[number] >= FEWEST_IN_GROUP]
    level = 1 - (1 - LEVEL) / max(len(chosen), 1)
    found = []
    for number in chosen:
        ours = targets.of_group(number)
        theirs = control.of_group(number) if control is not None else None
        theirs = theirs if theirs is not None and len(theirs.hits) >= FEWEST_IN_GROUP else None
        risk, interval = _risk(ours, theirs, level)
        found.append(
            GroupSuccess(
                names[number],
                ours.count,
                ours.rate,
                theirs.count if theirs is not None else 0,
                theirs.rate if theirs is not None else None,
                risk,
                interval,
            )
        )
    return tuple(sorted(found, key=lambda group: (-group.risk, group.name)))


def _quantile(level: float) -> float:
    return NormalDist().inv_cdf(0.5 + level / 2)

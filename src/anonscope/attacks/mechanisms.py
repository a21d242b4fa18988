"""How likely every released value was made of every original one, where the recipe states the mechanism.

Post-randomisation has a matrix, randomised response a chance, noise a density. Whoever knows the recipe knows these too: how a release
was made must not be what protects it. What was not disturbed is certain: a value lies in the image of its label, or it does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from anonscope.attacks.candidates import images_in
from anonscope.attacks.linkage.families import FREE, Families, family_tables
from anonscope.attacks.people import Attacked
from anonscope.columns.images import number_in
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps.add_noise import AddNoise
from anonscope.transform.steps.joint_randomised_response import JointRandomisedResponse
from anonscope.transform.steps.laplace_mechanism import LaplaceMechanism
from anonscope.transform.steps.post_randomise import PostRandomise
from anonscope.transform.steps.randomised_response import RandomisedResponse

Stated = PostRandomise | RandomisedResponse | AddNoise | LaplaceMechanism
# A matrix of more chances than this is not written down.
MOST_CHANCES = 4_000_000
# The spread of many different values is told by this many of them.
KNOTS = 256


def stated_in(recipe: Recipe | None, columns: Sequence[str]) -> dict[str, Stated]:
    """Return the mechanism of every column that a single step of a recipe made up, and that no other step changed."""
    found: dict[str, Stated] = {}
    for column in columns if recipe is not None else ():
        steps = [step for step in recipe.steps if column in step.columns] if recipe is not None else []
        # Of columns that were answered together each is told by itself: all are true at once, so the likeliest record is the same.
        made = [step.alone(column) if isinstance(step, JointRandomisedResponse) else step for step in steps]
        if len(made) == 1 and isinstance(made[0], Stated):
            found[column] = made[0]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Odds:
    """How much likelier a column's labels are for somebody with a value than for anybody."""

    chances: "_Table | _Noise | _Images"
    usual: Floats  # how likely every label is for anybody, as a logarithm

    def ratios(self, values: Integers, labels: Integers) -> Floats:
        """Return the logarithm of the ratio, values by labels."""
        found: Floats = self.chances.logs(values, labels) - self.usual[labels][None, :]
        return found


def odds_of(attacked: Attacked, name: str) -> Odds:
    """Return the odds of a column: by its mechanism where one is stated, else by images."""
    step = attacked.mechanisms.get(name)
    shares = np.bincount(attacked.original.codes[name], minlength=len(attacked.values[name])) / max(attacked.original.records, 1)
    chances: _Table | _Noise | _Images
    if isinstance(step, AddNoise | LaplaceMechanism):
        chances = _noise(attacked, name, step)
    elif step is not None:
        chances = _Table(np.log(np.maximum(chance_table(attacked, name, step), 1e-300)))
    else:
        images = images_in(attacked, name)
        families = family_tables(images, attacked.values[name])
        chances = _Images(families, np.stack(families.lookups))
    return Odds(chances, _usual(chances, shares, len(attacked.release[name].values)))


def chance_table(attacked: Attacked, name: str, step: PostRandomise | RandomisedResponse) -> Floats:
    """Return how likely every label is for every value, labels by values."""
    labels, values = attacked.release[name].values, attacked.values[name]
    present = np.bincount(attacked.original.codes[name], minlength=len(values)) > 0
    found = np.zeros((len(labels), len(values)))
    place = {value: i for i, value in enumerate(values)}
    match step:
        case PostRandomise(matrix=None):
            assert step.keep is not None
            several = int(present[1:].sum())
            shares = np.bincount(attacked.original.codes[name], minlength=len(values)).astype(float)
            shares[0] = 0
            shares /= max(shares.sum(), 1)
            other = (1 - step.keep) / max(several - 1, 1)
            for i, label in enumerate(labels):
                if label is None or label not in place:
                    continue
                own = place[label]
                found[i] = (1 - step.keep) * shares[own] if step.rest == "marginal" else other
                found[i, own] = step.keep + found[i, own] if step.rest == "marginal" else step.keep if several > 1 else 1.0
        case PostRandomise():
            for j, value in enumerate(values):
                row = (step.matrix or {}).get(value or "", {value or "": 1.0})
                for i, label in enumerate(labels):
                    found[i, j] = row.get(label, 0.0) if label is not None else 0.0
        case RandomisedResponse():
            lie = (1 - step.truthful) / (len(step.values) - 1)
            for i, label in enumerate(labels):
                if label in step.values:
                    found[i] = lie
                    if label in place:
                        found[i, place[label]] = step.truthful
    # What is missing stays missing.
    found[:, 0] = 0.0
    found[[i for i, label in enumerate(labels) if label is None], :] = 0.0
    found[[i for i, label in enumerate(labels) if label is None], 0] = 1.0
    return found


def spread_of(attacked: Attacked, name: str) -> float:
    """Return the standard deviation of the noise of a column, but for what was cut off."""
    step = attacked.mechanisms[name]
    found = _noise(attacked, name, step)
    return found.scale * {"uniform": 1 / sqrt(3), "normal": 1.0, "laplace": sqrt(2)}[found.shape]


def unfolded(table: Floats, counts: Floats, rounds: int = 200) -> Floats:
    """Return the shares of values that explain how often each label occurs (R. Agrawal and R. Srikant 2000, reconstruction)."""
    shares = np.full(table.shape[1], 1 / table.shape[1])
    weights = counts / max(counts.sum(), 1)
    for _ in range(rounds):
        joint = table * shares
        total = joint.sum(axis=1)
        shares = (joint * np.divide(weights, total, out=np.zeros(len(total)), where=total > 0)[:, None]).sum(axis=0)
        shares /= max(shares.sum(), 1e-300)
    return shares


def fits_in_memory(attacked: Attacked, name: str) -> bool:
    """Whether the chances of a column can be written down."""
    return len(attacked.release[name].values) * len(attacked.values[name]) <= MOST_CHANCES


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A matrix of chances, as logarithms, labels by values."""

    table: Floats

    def logs(self, values: Integers, labels: Integers) -> Floats:
        found: Floats = self.table[labels][:, values].T
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Noise:
    """A density around every number; numbers that were rounded or cut off take the mass that fell on them."""

    shape: str
    scale: float
    values: Floats
    labels: Floats
    whole: bool
    low: float | None
    high: float | None

    def logs(self, values: Integers, labels: Integers) -> Floats:
        return self.between(self.values[values][:, None], self.labels[labels][None, :])

    def between(self, x: Floats, y: Floats) -> Floats:
        """Return the logarithm of how likely a number became another one."""
        chance = self._below(y + 0.5 - x) - self._below(y - 0.5 - x) if self.whole else self._density(y - x)
        if self.low is not None:
            chance = np.where(y <= self.low, self._below(self.low + (0.5 if self.whole else 0.0) - x), chance)
        if self.high is not None:
            chance = np.where(y >= self.high, 1 - self._below(self.high - (0.5 if self.whole else 0.0) - x), chance)
        # Numbers that are missing on both sides go together, on one side they do not.
        chance = np.where(np.isnan(x) | np.isnan(y), (np.isnan(x) & np.isnan(y)).astype(float), chance)
        found: Floats = np.log(np.maximum(chance, 1e-300))
        return found

    def _density(self, z: Floats) -> Floats:
        match self.shape:
            case "uniform":
                return (np.abs(z) <= self.scale * (1 + 1e-9)) / (2 * self.scale)
            case "normal":
                found: Floats = np.exp(-0.5 * (z / self.scale) ** 2) / (self.scale * sqrt(2 * np.pi))
                return found
            case _:
                return np.exp(-np.abs(z) / self.scale) / (2 * self.scale)

    def _below(self, z: Floats) -> Floats:
        match self.shape:
            case "uniform":
                return np.clip((z + self.scale) / (2 * self.scale), 0.0, 1.0)
            case "normal":
                return _normal_below(z / self.scale)
            case _:
                return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0) / self.scale), 1 - 0.5 * np.exp(-np.maximum(z, 0) / self.scale))


@dataclass(frozen=True, slots=True, eq=False)
class _Images:
    """Values lie in the image of a label, or they do not."""

    families: Families
    lookups: Integers

    def logs(self, values: Integers, labels: Integers) -> Floats:
        family = self.families.family[labels]
        inside = (family == FREE)[None, :] | (labels[None, :] == self.lookups[family][:, values].T)
        return np.where(inside, 0.0, np.log(1e-300))


def _noise(attacked: Attacked, name: str, step: AddNoise | LaplaceMechanism) -> _Noise:
    numbers = attacked.numbers(name)
    labels = np.array([np.nan if (x := number_in(label)) is None else x for label in attacked.release[name].values])
    if isinstance(step, LaplaceMechanism):
        width = step.upper - step.lower
        cut = (step.lower, step.upper) if step.clip else (None, None)
        return _Noise("laplace", width / step.epsilon, np.clip(numbers, step.lower, step.upper), labels, False, *cut)
    scale = step.scale
    if step.relative:
        known = numbers[attacked.original.codes[name]]
        scale *= float(np.std(known[~np.isnan(known)], ddof=1))
    return _Noise(step.distribution, scale, numbers, labels, step.whole, step.minimum, step.maximum)


def _usual(chances: "_Table | _Noise | _Images", shares: Floats, labels: int) -> Floats:
    """Return the logarithm of how likely every label is for somebody drawn from all."""
    if isinstance(chances, _Table):
        likely: Floats = np.log(np.maximum(np.exp(chances.table) @ shares, 1e-300))
        return likely
    if isinstance(chances, _Images):
        held = np.ones(labels)
        for family, lookup in enumerate(chances.families.lookups):
            codes = np.flatnonzero(lookup >= 0) if family else np.zeros(0, dtype=np.int64)
            found = np.bincount(lookup[codes], weights=shares[codes], minlength=labels)
            held = np.where((chances.families.family == family) & (family > 0), found, held)
        return np.log(np.maximum(held, 1e-300))
    order = np.argsort(chances.values, kind="stable")
    reached = np.cumsum(shares[order])
    knots = order[np.searchsorted(reached, (np.arange(KNOTS) + 0.5) / KNOTS * reached[-1])] if len(order) > KNOTS else order
    weights = np.full(len(knots), 1 / KNOTS) if len(order) > KNOTS else shares[order]
    usual = np.empty(labels)
    for part in np.array_split(np.arange(labels), max(1, labels * len(knots) // MOST_CHANCES)):
        logs = chances.between(chances.values[knots][:, None], chances.labels[part][None, :])
        usual[part] = np.log(np.maximum(weights @ np.exp(logs), 1e-300))
    return usual


def _normal_below(z: Floats) -> Floats:
    """Return the share of a normal distribution below each number (M. Abramowitz and I. Stegun 1964, formula 7.1.26; 1.5e-7)."""
    x = np.abs(z) / sqrt(2)
    t = 1 / (1 + 0.3275911 * x)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    upper: Floats = 0.5 * series * np.exp(-x * x)
    return np.where(z >= 0, 1 - upper, upper)


def mechanisms_said(mechanisms: Mapping[str, Stated]) -> str:
    """Return the mechanisms that an attacker knows, in words."""
    return "; ".join(f"{column}: {step.title.lower()}" for column, step in mechanisms.items())

"""Which columns are best answered together: those that hang together most, as long as their combinations stay few.

J. Domingo-Ferrer and J. Soria-Comas (2020), "Multi-Dimensional Randomized Response": beginning with a cluster for every column, the two
clusters that depend most on each other are made one, as long as they depend enough and their combinations are not too many. How much two
columns depend is Cramér's V, and that of clusters the largest among their columns.

It is estimated from answers that were randomised column by column, so that it tells of people no more than those answers did. What the
randomisation adds to V by itself is subtracted: the variance of every estimated share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod, sqrt

from anonscope.errors import OptionError
from anonscope.transform.estimates import Opened, answers_in, estimated_distribution
from anonscope.transform.recipe import Recipe, recipe_of
from anonscope.transform.steps.joint_randomised_response import JointRandomisedResponse
from anonscope.transform.steps.randomised_response import RandomisedResponse
from anonscope.transform.transformation import Transformation


@dataclass(frozen=True, slots=True)
class Dependence:
    """Two columns, and how much they depend on each other: Cramér's V, from 0 to 1, without what randomisation adds."""

    one: str
    other: str
    value: float


@dataclass(frozen=True, slots=True)
class ResponseClusters:
    """Columns to be answered together, and the dependences that led to it."""

    clusters: tuple[tuple[str, ...], ...]
    dependences: tuple[Dependence, ...]
    answers: Mapping[str, tuple[str, ...]]

    def steps(self, epsilon: float) -> tuple[Transformation, ...]:
        """Return a step for every cluster, each with this epsilon: all of them are lost together."""
        return tuple(
            RandomisedResponse(column=cluster[0], values=self.answers[cluster[0]], epsilon=epsilon)
            if len(cluster) == 1
            else JointRandomisedResponse(values={column: self.answers[column] for column in cluster}, epsilon=epsilon)
            for cluster in self.clusters
        )


def response_clusters(
    release: Opened, recipe: Recipe | str, columns: Sequence[str], *, most_combinations: int = 50, least_dependence: float = 0.1
) -> ResponseClusters:
    """Return which of the columns to answer together, from a release in which `randomised_response` answered each of them.

    `release` is what `read` returns for it, and `recipe` what made it. A cluster has at most `most_combinations` of answers, and two are
    made one only if Cramér's V of two of their columns is at least `least_dependence`.
    """
    if isinstance(most_combinations, bool) or not isinstance(most_combinations, int) or most_combinations < 1:
        raise OptionError("most_combinations must be a whole number of at least 1.")
    if isinstance(least_dependence, bool) or not isinstance(least_dependence, int | float) or not 0 <= least_dependence <= 1:
        raise OptionError("least_dependence must be a number from 0 to 1.")
    made_by = recipe_of(recipe)
    answers = answers_in(made_by, release.relation.names, columns)
    found = {frozenset(pair): _dependence(release, made_by, pair) for pair in combinations(columns, 2)}
    clusters: list[tuple[str, ...]] = [(column,) for column in columns]
    while True:
        together = [
            (max(found[frozenset((a, b))] for a in one for b in other), -i, -j)
            for (i, one), (j, other) in combinations(enumerate(clusters), 2)
            if prod(len(answers[column]) for column in (*one, *other)) <= most_combinations
        ]
        most, first, second = max(together, default=(-1.0, 0, 0))
        if most < least_dependence:
            break
        merged = (*clusters[-first], *clusters[-second])
        clusters = [merged if place == -first else cluster for place, cluster in enumerate(clusters) if place != -second]
    dependences = tuple(Dependence(one, other, found[frozenset((one, other))]) for one, other in combinations(columns, 2))
    return ResponseClusters(tuple(clusters), dependences, answers)


def _dependence(release: Opened, recipe: Recipe, pair: tuple[str, str]) -> float:
    """Return Cramér's V of two columns before they were randomised."""
    import numpy as np

    table = estimated_distribution(release, recipe, pair)
    shape = tuple(len(table[column].unique()) for column in pair)
    share, error = (np.asarray(table[name]).reshape(shape) for name in ("share", "standard_error"))
    rows, columns = (np.maximum(share.sum(axis=axis), 0) for axis in (1, 0))
    expected = np.outer(rows, columns)
    known = expected > 0
    surplus = float(((share - expected)[known] ** 2 / expected[known] - error[known] ** 2 / expected[known]).sum())
    return min(1.0, sqrt(max(surplus, 0.0) / (min(shape) - 1)))

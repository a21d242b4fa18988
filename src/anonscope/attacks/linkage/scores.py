"""Kim 2025's three ways to score an external linkage: by probability, by correlation, by unique combinations.

S. Kim (2025), "Quantitative Metrics for Balancing Privacy and Utility in Pseudonymized Big Data", Electronics 14(21), 4350,
section 3.1. The paper gives them in words; this is how they are read here:

probability          the chance that a record drawn from the release and one drawn from the external table agree on an attribute, the
                     sum over released values of p_release(v) * p_external(what v stands for); the product over attributes takes
                     them as independent, as the paper does. It grows when values coarsen, so it says how often tables meet and not
                     how surely a person is found.
correlation          the two tables have no common order of records, so frequencies are correlated: over the external values, with
                     each released value spread evenly over those that it may stand for. Pearson's coefficient, or Spearman's of the
                     ranks; what is negative counts as none.
unique combination   the records that are alone in the release, each with 1 / (external records that it may be), over all records: it
                     never passes the average risk, of which it is the part owed to unique combinations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal, get_args

import numpy as np

from anonscope.attacks.linkage.families import FREE, Families, Integers
from anonscope.attacks.linkage.matches import Matches
from anonscope.columns.weights import attribute_weights
from anonscope.errors import OptionError
from anonscope.risk.rounding import ROUNDING

Coefficient = Literal["pearson", "spearman"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)


@dataclass(frozen=True, slots=True)
class AttributeScore:
    """What one attribute lends to a linkage; a correlation of frequencies that do not vary is None."""

    column: str
    probability: float
    correlation: float | None


@dataclass(frozen=True, slots=True)
class LinkageScores:
    """The three scores of Kim 2025, and what each attribute adds to the first two."""

    probability: float
    correlation: float | None
    unique_combination: float
    unique_share: float  # of released records that are alone in their class
    unique_matched_share: float | None  # of those, how many may be somebody in the external table
    coefficient: Coefficient
    attributes: tuple[AttributeScore, ...]


def score_linkage(matches: Matches, *, coefficient: Coefficient = "pearson", weights: Mapping[str, float] | None = None) -> LinkageScores:
    """Return the three scores; `weights` of released columns make the mean correlation a weighted one."""
    if coefficient not in COEFFICIENTS:
        raise OptionError(f"The coefficient must be {' or '.join(COEFFICIENTS)}, not {coefficient!r}.")
    shares = attribute_weights([pair.release for pair in matches.columns], weights)
    attributes = tuple(
        _attribute(pair.release, families, ours, theirs, matches, coefficient)
        for pair, families, ours, theirs in zip(
            matches.columns, matches.families, matches.release.codes, matches.external.codes, strict=True
        )
    )
    known = [(score.correlation, share) for score, share in zip(attributes, shares, strict=True) if score.correlation is not None]
    total = sum(share for _, share in known)
    alone = matches.release.n == 1
    found = matches.external_records[alone]
    return LinkageScores(
        probability=prod(score.probability for score in attributes),
        correlation=sum(max(0.0, value) * share for value, share in known) / total if total > 0 else None,
        unique_combination=float((1 / found[found > 0]).sum()) / matches.records,
        unique_share=float(alone.sum()) / matches.records,
        unique_matched_share=float((found > 0).mean()) if len(found) else None,
        coefficient=coefficient,
        attributes=attributes,
    )


def _attribute(
    column: str, families: Families, ours: Integers, theirs: Integers, matches: Matches, coefficient: Coefficient
) -> AttributeScore:
    released = np.bincount(ours, weights=matches.release.n, minlength=len(families.family)) / matches.records
    external = np.bincount(theirs, weights=matches.external.n) / matches.external_size
    present = external > 0
    # What a label that may be anything stands for, and how its records spread.
    free = families.family == FREE
    held = np.where(free, 1.0, 0.0)
    spread = np.where(present, released[free].sum() / present.sum(), 0.0)
    for lookup in families.lookups[1:]:
        values = np.flatnonzero((lookup[: len(external)] >= 0) & present)
        labels = lookup[values]
        held += np.bincount(labels, weights=external[values], minlength=len(released))
        spread[values] += released[labels] / np.bincount(labels, minlength=len(released))[labels]
    # Values of one side only are part of what is compared; the other side has none of them.
    lonely = released[(held == 0) & (released > 0)]
    if matches.missing == "anything":
        held[~free] += external[0]
    both = np.concatenate([spread[present], lonely]), np.concatenate([external[present], np.zeros(len(lonely))])
    return AttributeScore(column, float((released * held).sum()), _correlation(*both, coefficient))


def _correlation(ours: Integers, theirs: Integers, coefficient: Coefficient) -> float | None:
    """Return the correlation of two lists of shares; None where one of them does not vary."""
    if coefficient == "spearman":
        from scipy.stats import rankdata

        # Shares are sums of doubles: what differs only in the last bits is a tie.
        ours, theirs = rankdata(ours.round(12)), rankdata(theirs.round(12))
    first, second = ours - ours.mean(), theirs - theirs.mean()
    if min(np.abs(first).max() / ours.max(), np.abs(second).max() / theirs.max()) < ROUNDING:
        return None
    scale = np.sqrt((first**2).sum() * (second**2).sum())
    return min(1.0, max(-1.0, float((first * second).sum() / scale)))

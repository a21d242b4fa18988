"""Kim 2025's risk: how easily records are told apart within a release, and how easily they are found in an external table.

S. Kim (2025), "Quantitative Metrics for Balancing Privacy and Utility in Pseudonymized Big Data", Electronics 14(21), 4350,
section 3.1. The paper contradicts itself in two places. Its text and tables 7 to 10 have P(i) = 1 / EC(i), its table 1 seems to have
1 - EC(i) / N, which is `group_share` here: a class of half the table still counts 0.5 there. And records without an external match may
count as 0 (`zero`, which keeps the whole release in the denominator) or not at all (`skip`, which is larger the fewer match).
Adding up both risks (`sum`), which the paper offers too, can pass 1 and ends there.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from anonscope.columns.weights import attribute_weights
from anonscope.errors import OptionError
from anonscope.utility.balance.numbers import check_share

Probability = Literal["class_size", "group_share"]
PROBABILITIES: tuple[Probability, ...] = get_args(Probability)
Unmatched = Literal["zero", "skip"]
UNMATCHED: tuple[Unmatched, ...] = get_args(Unmatched)
Combination = Literal["maximum", "mean", "sum"]
COMBINATIONS: tuple[Combination, ...] = get_args(Combination)


def internal_risk(sizes: Iterable[tuple[int, int]], probability: Probability = "class_size") -> float:
    """Return the mean chance of re-identification within a release, from pairs of class size and number of such classes."""
    if probability not in PROBABILITIES:
        raise OptionError(f"The probability of a record is by {' or '.join(PROBABILITIES)}, not {probability!r}.")
    listed = _counts(sizes, least=1)
    records = sum(size * classes for size, classes in listed)
    if not records:
        raise OptionError("A release without records has no risk to measure.")
    if probability == "group_share":
        return sum(size * classes * (1 - size / records) for size, classes in listed) / records
    return sum(classes for _, classes in listed) / records


def external_risk(counts: Iterable[tuple[int, int]], unmatched: Unmatched = "zero") -> float | None:
    """Return the mean of 1 / external records, from pairs of external records and number of released records that may be so many.

    Released records that may be nobody count 0; with "skip" they do not count, and None says that nobody was matched.
    """
    if unmatched not in UNMATCHED:
        raise OptionError(f"Records without a match count as {' or '.join(UNMATCHED)}, not {unmatched!r}.")
    listed = _counts(counts, least=0)
    records = sum(records for _, records in listed)
    if not records:
        raise OptionError("A release without records has no risk to measure.")
    matched = sum(records for count, records in listed if count)
    hits = sum(records / count for count, records in listed if count)
    if unmatched == "skip":
        return hits / matched if matched else None
    return hits / records


def combine_risks(internal: float, external: float | None, how: Combination = "maximum", *, internal_weight: float = 0.5) -> float:
    """Return the risk R of both ways: the larger one, their weighted mean or their sum; without an external table the internal one."""
    if how not in COMBINATIONS:
        raise OptionError(f"Risks are combined by {' or '.join(COMBINATIONS)}, not {how!r}.")
    check_share("The weight of the internal risk", internal_weight)
    check_share("The internal risk", internal)
    if external is None:
        return internal
    check_share("The external risk", external)
    if how == "maximum":
        return max(internal, external)
    if how == "sum":
        return min(internal + external, 1.0)
    return internal_weight * internal + (1 - internal_weight) * external


def weighted_internal_risk(risks: Mapping[str, float], sensitivities: Mapping[str, float]) -> float:
    """Return the mean over attributes of the risk that each has alone, weighted by how sensitive it is; what has no weight counts 1.

    The paper mentions such weights and gives no formula. Attributes alone tell less than their combination, so this is the smaller risk.
    """
    weights = attribute_weights(list(risks), sensitivities)
    return sum(risk * weight for risk, weight in zip(risks.values(), weights, strict=True)) / sum(weights)


def _counts(pairs: Iterable[tuple[int, int]], least: int) -> list[tuple[int, int]]:
    listed = list(pairs)
    if any(size < least or number < 0 for size, number in listed):
        raise OptionError(f"Sizes must be whole numbers of at least {least}, and their numbers must not be negative.")
    return listed

"""What the metrics of the registry say of classes: one function for every kind of number, over arrays of classes."""

from collections.abc import Callable

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.risk.metrics.metric import EntropyProfile
from anonscope.risk.rounding import ROUNDING
from anonscope.transform.search.classes import Classes, Parts


def sizes(classes: Classes) -> Floats:
    """Return the people of every class, which are its records unless several belong to one person."""
    return classes.persons


def inverse_sizes(classes: Classes) -> Floats:
    """Return the chance of picking the right one of every class."""
    return 1 / classes.persons


def population_sizes(classes: Classes) -> Floats:
    """Return the people of the population that every class may mean."""
    return classes.population


def inverse_population_sizes(classes: Classes) -> Floats:
    """Return the chance of picking the right one of the population; somebody whom the population lacks is found for certain."""
    return 1 / np.maximum(classes.population, 1)


def diversity(classes: Classes, sensitive: int) -> Floats:
    """Return the distinct sensitive values of every class."""
    return np.bincount(classes.cells(sensitive).classes, minlength=classes.count).astype(np.float64)


def largest_share(classes: Classes, sensitive: int | None) -> Floats:
    """Return the share of the commonest sensitive value or, without one, of the person with most records."""
    parts = _targets(classes, sensitive)
    return 1 / classes.n if parts is None else parts.largest() / classes.n


def entropy(classes: Classes, sensitive: int | None) -> Floats:
    """Return the bits that every class leaves open about the sensitive value or, without one, the person."""
    parts = _targets(classes, sensitive)
    if parts is None:
        return np.log2(classes.n)
    of = classes.n[parts.classes]
    nats = np.bincount(parts.classes, weights=parts.n * np.log(of / parts.n), minlength=classes.count) / classes.n
    return np.asarray(nats / np.log(2))


def effective_values(classes: Classes, sensitive: int) -> Floats:
    """Return how many equally likely values every class is worth."""
    return np.exp2(entropy(classes, sensitive))


def whole_effective_values(classes: Classes, sensitive: int) -> Floats:
    """Return the same rounded down; three equally frequent values are three, whatever their last binary digits are."""
    return np.floor(effective_values(classes, sensitive) * (1 + ROUNDING))


def entropy_risk(classes: Classes, sensitive: int | None) -> Floats:
    """Return the inverse of what every class is worth in equally likely answers."""
    return np.clip(np.exp2(-entropy(classes, sensitive)), 0, 1)


def entropy_variation(classes: Classes, sensitive: int | None) -> Floats:
    """Return how many bits less every class leaves open than the table."""
    return np.maximum(classes.table.entropy(sensitive) - entropy(classes, sensitive), 0)


def leakage(classes: Classes, sensitive: int | None) -> Floats:
    """Return the bits that every class tells, weighed by its share of the records."""
    share = classes.n / classes.table.records
    return np.maximum(classes.table.entropy(sensitive) - share * entropy(classes, sensitive), 0)


def recursive(classes: Classes, sensitive: int, diversity_: int) -> Floats:
    """Return how many times the commonest value of every class outweighs those from the l-th on; infinity where there are none."""
    cells = classes.cells(sensitive)
    order = np.lexsort((-cells.n, cells.classes))
    n = cells.n[order]
    place = np.arange(len(n)) - cells.starts[cells.classes]
    tail = np.bincount(cells.classes, weights=np.where(place >= diversity_ - 1, n, 0), minlength=classes.count)
    found = np.full(classes.count, np.inf)
    np.divide(n[cells.starts], tail, out=found, where=tail > 0)
    return found


def own_recursive(classes: Classes, sensitive: int) -> Floats:
    """Return the table's c, with l its own diversity but at least 2; infinity where some class has one value only."""
    return np.asarray(recursive(classes, sensitive, max(2, int(diversity(classes, sensitive).min()))).max())


def gain(classes: Classes, sensitive: int) -> Floats:
    """Return by what factor, less one, a value is likelier in every class than in the table, at the most."""
    cells = classes.cells(sensitive)
    return np.maximum.reduceat(_gains(classes, cells, sensitive), cells.starts)


def enhanced_gain(classes: Classes, sensitive: int) -> Floats:
    """Return the same; infinity where a value gains more than -ln of its share of the table."""
    cells = classes.cells(sensitive)
    gains = _gains(classes, cells, sensitive)
    surprise = np.log(classes.table.records / classes.table.values[sensitive][cells.parts])
    return np.maximum.reduceat(np.where(gains > surprise, np.inf, gains), cells.starts)


def disclosure(classes: Classes, sensitive: int, *, strict: bool) -> Floats:
    """Return by how many doublings a value of every class is likelier or rarer there; strictly, infinity if it lacks one."""
    cells = classes.cells(sensitive)
    ratio = (cells.n / classes.n[cells.classes]) / classes.table.share(sensitive)[cells.parts]
    high, low = np.maximum.reduceat(ratio, cells.starts), np.minimum.reduceat(ratio, cells.starts)
    found: Floats = np.where(high * low < 1, -np.log(low), np.log(high)) / np.log(2)
    if strict:
        found[diversity(classes, sensitive) < (classes.table.values[sensitive] > 0).sum()] = np.inf
    return found


def uniqueness(classes: Classes) -> Floats:
    """Return how few share every class, on a logarithmic scale."""
    if classes.table.records == 1:
        return np.ones(classes.count)
    return np.asarray(1 - np.log(classes.n) / np.log(classes.table.records))


def own_share(classes: Classes, sensitive: int | None, statistic: str) -> Floats:
    """Return the least, mean or largest share, over records, of a class's records that have the record's own value (or person)."""
    parts = _targets(classes, sensitive)
    if parts is None:
        return over_records(1 / classes.n, classes.n, statistic)
    return over_records(parts.n / classes.n[parts.classes], parts.n, statistic)


def over_records(values: Floats, n: Floats, statistic: str) -> Floats:
    """Return the least, mean or largest of numbers that n records each have."""
    if statistic == "mean":
        return np.asarray((values * n).sum() / n.sum())
    return np.asarray(values.min() if statistic == "min" else values.max())


def over_members(measure: Callable[[Classes], Floats], classes: Classes, statistic: str) -> Floats:
    """Return the least, mean or largest of a class's number over its people."""
    return over_records(measure(classes), classes.persons, statistic)


def over_class_records(measure: Callable[[Classes], Floats], classes: Classes, statistic: str) -> Floats:
    """Return the least, mean or largest of a class's number over its records."""
    return over_records(measure(classes), classes.n, statistic)


def average_size(classes: Classes) -> Floats:
    """Return the people of a class on average."""
    return np.asarray(classes.persons.sum() / classes.count)


def at_risk(classes: Classes, threshold: int) -> Floats:
    """Return the share of people in classes smaller than a size."""
    return np.asarray(classes.persons[classes.persons < threshold].sum() / classes.persons.sum())


def distinction(classes: Classes) -> Floats:
    """Return classes by records."""
    return np.asarray(classes.count / classes.n.sum())


def separation(classes: Classes) -> Floats:
    """Return the share of pairs of records that can be told apart; where there is no pair, nothing is left alike."""
    n = classes.n.sum()
    return np.asarray(1 - (classes.n * (classes.n - 1)).sum() / (n * (n - 1)) if n > 1 else 1.0)


def profiled(measure: Callable[[EntropyProfile], float | None], classes: Classes, sensitive: int | None) -> Floats:
    """Return what a formula makes of all classes; where it is 0 / 0 nothing was measured, and that never keeps a limit."""
    bits = entropy(classes, sensitive)
    share = classes.n * bits / classes.table.records
    found = measure(
        EntropyProfile(
            classes=classes.count,
            entropy=classes.table.entropy(sensitive),
            conditional=float(share.sum()),
            smallest_share=float(share.min()),
            smallest=float(bits.min()),
            posterior=float(largest_share(classes, sensitive).max()),
        )
    )
    return np.asarray(np.inf if found is None else found)


def _targets(classes: Classes, sensitive: int | None) -> Parts | None:
    """Return the parts of every class that an attacker wants to tell apart; None where they are its records."""
    if sensitive is not None:
        return classes.cells(sensitive)
    return None if classes.problem.persons is None else classes.owners


def _gains(classes: Classes, cells: Parts, sensitive: int) -> Floats:
    share = classes.table.share(sensitive)[cells.parts]
    return (cells.n / classes.n[cells.classes] - share) / share

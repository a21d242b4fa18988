"""Noisy answers to queries: counts, histograms, tables, sums, means and quantiles, each with an interval.

An interval says where the true number of the table lies, people left out by the bounds aside. That of a sum of noisy cells is worked
out from the sum of their noise. Quantiles are chosen among the bounds of the declared bins by the largest of noisy scores (A. Smith,
2011, "Privacy-preserving statistical estimation with optimal convergence rates"), and their interval by two more choices that are
shifted by as many ranks as a choice can be off.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from anonscope.synthesis.counting import Counted, Units, labels_of
from anonscope.synthesis.domain import Numbers
from anonscope.synthesis.ledger import Loss
from anonscope.synthesis.mechanisms import Noise, Ranks, rank_error
from anonscope.synthesis.queries import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOTAL = "(total)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One number: of which query, in which group, with its interval. None: it is withheld."""

    query: str
    statistic: str
    group: tuple[str, ...]  # a label for every column that is grouped by; TOTAL for all of them
    value: float | None
    lower: float | None
    upper: float | None
    note: str = ""


def answered(counted: Counted, query: Query, loss: Loss, confidence: float) -> tuple[Answer, ...]:
    """Return the answers to a query, having lost so much."""
    match query.kind:
        case "count" | "histogram" | "table":
            return tuple(_counts(counted, query, loss, confidence))
        case "sum":
            return tuple(_sums(counted, query, loss, confidence))
        case "mean":
            return tuple(_means(counted, query, loss, confidence))
        case _:
            return tuple(_quantiles(counted, query, loss, confidence))


def _count_noise(counted: Counted, query: Query, loss: Loss) -> Noise:
    most = counted.domain.records_per_unit
    if query.of == "people":
        return Noise.for_loss(loss, one=query.cells_per_person, squared=query.cells_per_person)
    return Noise.for_loss(loss, one=most, squared=most**2)


def _counts(counted: Counted, query: Query, loss: Loss, confidence: float) -> Iterator[Answer]:
    import numpy as np

    noise = _count_noise(counted, query, loss)
    possible = np.ones(counted.shape(query), dtype=bool)
    for cell in query.zeros:
        possible[cell] = False
    noisy = counted.noisy_counts(query, noise, possible=possible)
    width = noise.half_width(confidence)
    # Intervals are around what the mechanism said; what is shown may have been moved so that nothing is negative.
    shown = _without_negatives(noisy, possible) if query.nonnegative else noisy
    statistic = f"number of {query.of}"
    labels = labels_of(counted.domain, query.by)
    for place in product(*map(range, noisy.shape)):
        group = tuple(labels[i][j] for i, j in enumerate(place))
        if not possible[place]:
            yield Answer(query=query.name, statistic=statistic, group=group, value=0, lower=0, upper=0, note="cannot be")
            continue
        value = int(noisy[place])
        yield Answer(
            query=query.name,
            statistic=statistic,
            group=group,
            value=int(shown[place]),
            lower=max(value - width, 0),
            upper=max(value + width, 0),
        )
    if query.kind == "table":
        yield from _totals(query, statistic, noisy, shown, possible, noise, confidence, labels)


def _totals(
    query: Query,
    statistic: str,
    noisy: "NDArray[np.int64]",
    shown: "NDArray[np.int64]",
    possible: "NDArray[np.bool_]",
    noise: Noise,
    confidence: float,
    labels: list[list[str]],
) -> Iterator[Answer]:
    """Yield all totals of a table: sums of its noisy cells, so that everything adds up."""
    axes = range(noisy.ndim)
    for kept in sorted(
        (frozenset(a for a, keep in zip(axes, flags, strict=True) if keep) for flags in product((1, 0), repeat=noisy.ndim)), key=len
    ):
        if len(kept) == noisy.ndim:
            continue
        over = tuple(a for a in axes if a not in kept)
        sums, moved, terms = noisy.sum(axis=over), shown.sum(axis=over), possible.sum(axis=over)
        for place in product(*(range(noisy.shape[a]) for a in sorted(kept))):
            where = iter(place)
            group = tuple(labels[a][next(where)] if a in kept else TOTAL for a in axes)
            width, value = noise.half_width(confidence, int(terms[place])), int(sums[place])
            yield Answer(
                query=query.name,
                statistic=statistic,
                group=group,
                value=int(moved[place]),
                lower=max(value - width, 0),
                upper=max(value + width, 0),
            )


def _without_negatives(noisy: "NDArray[np.int64]", possible: "NDArray[np.bool_]") -> "NDArray[np.int64]":
    """Return the nearest whole numbers that are not negative and have the same total (0 where that is negative)."""
    import numpy as np

    values = noisy[possible].astype(np.float64)
    total = max(int(noisy.sum()), 0)
    # The projection onto the simplex: all cells are lowered by the same amount, and none below 0.
    falling = np.sort(values)[::-1]
    lowered = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    kept = np.nonzero(falling > lowered)[0]
    near = np.maximum(values - (lowered[kept[-1]] if len(kept) else lowered[-1]), 0) if total else np.zeros(len(values))
    whole = np.floor(near).astype(np.int64)
    rest = np.argsort(whole - near, kind="stable")[: total - int(whole.sum())]
    whole[rest] += 1
    found = np.zeros_like(noisy)
    found[possible] = whole
    return found


def _groups(counted: Counted, query: Query) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
    labels = labels_of(counted.domain, query.by)
    for place in product(*map(range, counted.shape(query))):
        yield place, tuple(labels[i][j] for i, j in enumerate(place))


def _sums(counted: Counted, query: Query, loss: Loss, confidence: float) -> Iterator[Answer]:
    column = counted.domain.column(query.column or "")
    assert isinstance(column, Numbers), "that was checked"
    units = Units.of(column, centred=False)
    bound = counted.domain.records_per_unit * units.bound
    noise = Noise.for_loss(loss, one=bound, squared=bound**2)
    noisy, width = counted.noisy_sums(query, units, noise), noise.half_width(confidence)
    for place, group in _groups(counted, query):
        whole = int(noisy[place])
        low, high = units.value(whole - width), units.value(whole + width)
        low, high = (max(low, 0.0), max(high, 0.0)) if column.lower >= 0 else (low, high)
        yield Answer(query=query.name, statistic=f"sum of {column.name}", group=group, value=units.value(whole), lower=low, upper=high)


def _means(counted: Counted, query: Query, loss: Loss, confidence: float) -> Iterator[Answer]:
    """Yield means: a noisy sum around the middle of the bounds over a noisy count, half of the loss for each."""
    column = counted.domain.column(query.column or "")
    assert isinstance(column, Numbers), "that was checked"
    units, most = Units.of(column, centred=True), counted.domain.records_per_unit
    half = Loss(loss.epsilon / 2, loss.delta / 2, loss.rho / 2)
    of_sums = Noise.for_loss(half, one=most * units.bound, squared=(most * units.bound) ** 2)
    of_counts = Noise.for_loss(half, one=most, squared=most**2)
    sums, counts = counted.noisy_sums(query, units, of_sums), counted.noisy_counts(query, of_counts, present=query.column)
    # Both must hold, so each does with half of the doubt.
    sure = 1 - (1 - confidence) / 2
    wide, many = of_sums.half_width(sure), of_counts.half_width(sure)

    def mean(whole: int, count: int) -> float:
        return min(max(units.value(whole) / count + float(units.middle), column.lower), column.upper)

    for place, group in _groups(counted, query):
        whole, count = int(sums[place]), int(counts[place])
        statistic = f"mean of {column.name}"
        if count - many < 1:
            # So few, if any, that the noise is as large as their number: nothing can be said.
            note = "too few for this noise"
            yield Answer(query=query.name, statistic=statistic, group=group, value=None, lower=column.lower, upper=column.upper, note=note)
            continue
        ends = [mean(w, c) for w in (whole - wide, whole + wide) for c in (count - many, count + many)]
        yield Answer(query=query.name, statistic=statistic, group=group, value=mean(whole, count), lower=min(ends), upper=max(ends))


def _quantiles(counted: Counted, query: Query, loss: Loss, confidence: float) -> Iterator[Answer]:
    """Yield quantiles: the bin that the rank falls into, and bins so many ranks below and above that the true one lies between them."""
    column = counted.domain.column(query.column or "")
    assert isinstance(column, Numbers), "that was checked"
    most = counted.domain.records_per_unit
    # A person is in so many groups at most, and in each there are three choices for every quantile.
    share = 3 * len(query.at) * query.cells_per_person
    part = Loss(loss.epsilon / share, loss.delta / share, loss.rho / share)
    last = column.decimals == 0  # whole numbers end one before the next bin begins
    ends = [*(start - last for start in column.starts[1:]), column.upper]
    ranks = []
    for at in query.at:
        # How far a bound is from the quantile is told in ranks times the denominator, and a person moves it by `one`.
        one = most * max(at.numerator, at.denominator - at.numerator)
        off = rank_error(column.present, part, one, (1 - confidence) / 2)
        ranks.append(Ranks(at, (0, -off, off), part, one))
    chosen = counted.ranks(query, ranks)
    for place, group in _groups(counted, query):
        for i, at in enumerate(query.at):
            middle, low, high = (int(bin) for bin in chosen[place][3 * i : 3 * i + 3])
            lower, upper = column.starts[min(low, high)], ends[max(low, high)]
            value = column.starts[middle] if ends[middle] == column.starts[middle] else (column.starts[middle] + ends[middle]) / 2
            statistic = f"quantile {float(at):g} of {column.name}"
            value = min(max(value, lower), upper)
            yield Answer(query=query.name, statistic=statistic, group=group, value=value, lower=lower, upper=upper)

"""Answers to queries about two-way tables whose small cells are withheld or rounded, as statistical offices do: exact, and no guarantee."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from anonscope.errors import OptionError
from anonscope.synthesis import rounding, suppression
from anonscope.synthesis.answering import TOTAL, Answer
from anonscope.synthesis.counting import Counted, labels_of, plain_number
from anonscope.synthesis.queries import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_WITHHELD = 400  # so many intervals are worked out; each is two small programmes


def protected(counted: Counted, query: Query) -> tuple[Answer, ...]:
    """Return the cells and totals of a table, withheld or rounded as the query says."""
    return tuple(_rounded(counted, query) if query.protect == "round" else _suppressed(counted, query))


def _rounded(counted: Counted, query: Query) -> Iterator[Answer]:
    table = rounding.controlled(counted.counts(query), query.base)
    reach = query.base - 1
    for group, place in _places(counted, query, table.shape):
        value = int(table[place])
        yield Answer(
            query=query.name,
            statistic=f"number of {query.of}",
            group=group,
            value=value,
            lower=max(value - reach, 0),
            upper=value + reach,
            note=f"rounded to {query.base}",
        )


def _suppressed(counted: Counted, query: Query) -> Iterator[Answer]:
    import numpy as np

    counts = suppression.with_totals(counted.counts(query, present=query.column).astype(np.float64))
    primary = suppression.is_small(counts, query.threshold)
    values = counts
    if query.column is not None:
        values, primary = _sums(counted, query, primary)
    table = suppression.suppressed(values, primary)
    if int(table.withheld.sum()) > _MOST_WITHHELD:
        raise OptionError(
            f"{query.name!r} would withhold {int(table.withheld.sum()):,} cells, more than {_MOST_WITHHELD}. Count by coarser columns."
        )
    low, high = suppression.intervals(table)
    crowded = _crowded(counts, query.concentration) if query.concentration is not None else np.zeros(counts.shape, dtype=bool)
    statistic = f"number of {query.of}" if query.column is None else f"sum of {query.column}"
    for group, place in _places(counted, query, values.shape):
        if table.withheld[place]:
            # Which cells were small and which only stand in for them is not said: that would narrow them down.
            ends = (plain_number(np.floor(low[place])), plain_number(np.ceil(high[place])) if np.isfinite(high[place]) else None)
            yield Answer(query=query.name, statistic=statistic, group=group, value=None, lower=ends[0], upper=ends[1], note="withheld")
        else:
            exact = plain_number(values[place])
            note = "nearly all of its row or column" if crowded[place] else ""
            yield Answer(query=query.name, statistic=statistic, group=group, value=exact, lower=exact, upper=exact, note=note)


def _sums(counted: Counted, query: Query, primary: "NDArray[np.bool_]") -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
    """Return the sums with totals, and which are withheld because of few or of large contributors; totals are judged like cells."""
    from anonscope.synthesis.counting import Units

    column = counted.domain.column(query.column or "")
    units = Units.of(column, centred=False, noisy=False)  # type: ignore[arg-type]
    values = suppression.with_totals(counted.sums(query, units) / float(units.steps))
    primary = primary.copy()
    most = max(2, query.dominance[0] if query.dominance is not None else 0)
    parts = (
        (query, (slice(0, -1), slice(0, -1))),
        (replace(query, by=query.by[:1]), (slice(0, -1), -1)),
        (replace(query, by=query.by[1:]), (-1, slice(0, -1))),
    )
    for part, place in parts:
        largest = counted.largest(part, most)
        if query.dominance is not None:
            primary[place] |= suppression.is_dominated(values[place], largest, *query.dominance)
        if query.p_percent is not None:
            primary[place] |= suppression.is_guessable(values[place], largest, query.p_percent)
    return values, primary & (values > 0)


def _crowded(counts: "NDArray[np.float64]", share: float) -> "NDArray[np.bool_]":
    """Return which cells have nearly all of their row or column: who is in that row is known to be in that cell."""
    import numpy as np

    found = np.zeros(counts.shape, dtype=bool)
    cells, rows, columns = counts[:-1, :-1], counts[:-1, -1:], counts[-1:, :-1]
    found[:-1, :-1] = (cells > 0) & ((cells >= share * rows) | (cells >= share * columns))
    return found


def _places(counted: Counted, query: Query, shape: tuple[int, ...]) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    one, other = ([*labels, TOTAL] for labels in labels_of(counted.domain, query.by))
    for i in range(shape[0]):
        for j in range(shape[1]):
            yield (one[i], other[j]), (i, j)

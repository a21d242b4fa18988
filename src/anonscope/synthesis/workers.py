"""What travels to Spark's workers: functions that need numpy, pyarrow and OpenDP there, and nothing of this package.

Each takes rows of a stored count (`s` which one, `cell` its place, `n` how many) and gives back noisy numbers in the same form, or the
place of a choice. A scale was worked out where the budget is; here OpenDP is asked once more whether it keeps the promise.
Functions within functions travel as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

COUNTED = "s INT, cell BIGINT, n BIGINT"
Work = Callable[[Iterator[Any]], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class Promise:
    """A mechanism by its scale, what one person changes in the numbers that it is given, and the loss that must not be exceeded."""

    scale: float
    change: float
    loss: Fraction


def counting(sets: Sequence[tuple[int, Sequence[tuple[int, int]]]]) -> Work:
    """Return what counts the records of a part: for every set its number and its columns, each with the cells that it has."""
    listed = [(number, list(columns)) for number, columns in sets]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        found: dict[int, Any] = {}
        for batch in batches:
            codes = {name: batch.column(i).to_numpy(zero_copy_only=False).astype(np.int64) for i, name in enumerate(batch.schema.names)}
            for number, columns in listed:
                place, cells = np.zeros(batch.num_rows, dtype=np.int64), 1
                for column, size in columns:
                    place, cells = place * size + codes[f"k{column}"], cells * size
                counted = np.bincount(place, minlength=cells)
                found[number] = found[number] + counted if number in found else counted
        for number, counted in found.items():
            cells_of = np.flatnonzero(counted)
            arrays = [np.full(len(cells_of), number, dtype=np.int32), cells_of.astype(np.int64), counted[cells_of].astype(np.int64)]
            yield pa.RecordBatch.from_arrays([pa.array(a) for a in arrays], names=["s", "cell", "n"])

    return work


def _reading() -> Callable[[Iterator[Any], dict[int, int]], Any]:
    def read(batches: Iterator[Any], sizes: dict[int, int]) -> Any:
        """Return the stored counts of every number, dense: nobody is in a cell that is not there."""
        import numpy as np

        found = {number: np.zeros(size, dtype=np.int64) for number, size in sizes.items()}
        for batch in batches:
            s, cell, n = (column.to_numpy(zero_copy_only=False).astype(np.int64) for column in batch.columns[:3])
            for number in found:
                found[number][cell[s == number]] = n[s == number]
        return found

    return read


def _making(kind: str, promise: Promise) -> Callable[[], Any]:
    scale, change, top, bottom = promise.scale, promise.change, promise.loss.numerator, promise.loss.denominator

    def make() -> Any:
        """Return a mechanism of OpenDP, which says itself that it keeps the promise."""
        from fractions import Fraction

        from opendp import domains, measurements, measures, metrics
        from opendp.mod import enable_features

        enable_features("contrib")
        whole = domains.vector_domain(domains.atom_domain(T="i64"))
        if kind == "gaussian":
            made: Any = measurements.make_gaussian(whole, metrics.l2_distance(T="f64"), scale)
        elif kind == "laplace":
            made = measurements.make_laplace(whole, metrics.l1_distance(T="i64"), scale)
        else:
            measure = measures.max_divergence() if kind == "largest" else measures.zero_concentrated_divergence()
            made = measurements.make_noisy_max(whole, metrics.linf_distance(T="i64"), measure, scale)
        if Fraction(made.map(change)) > Fraction(top, bottom):
            raise ValueError("this OpenDP does not keep the promise")
        return made

    return make


def adding_noise(kind: str, promise: Promise, sets: Sequence[tuple[int, int, Any, int]]) -> Work:
    """Return what adds noise: for every set its number and cells, which new cell each belongs to (None: its own; -1: none), how many."""
    listed, make, read = list(sets), _making(kind, promise), _reading()

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        counted, mechanism = read(batches, {number: size for number, size, _, _ in listed}), make()
        for number, _, place, size in listed:
            values = counted[number]
            if place is not None:
                values = np.bincount(place[place >= 0], weights=values[place >= 0], minlength=size).astype(np.int64)
            noisy = np.array(mechanism([int(v) for v in values]), dtype=np.int64) if len(values) else values
            arrays = [np.full(size, number, dtype=np.int32), np.arange(size, dtype=np.int64), noisy]
            yield pa.RecordBatch.from_arrays([pa.array(a) for a in arrays], names=["s", "cell", "n"])

    return work


def choosing(promise: Promise, sets: Sequence[tuple[int, int, Any, int]], expected: Sequence[tuple[Any, int, int]]) -> Work:
    """Return what chooses among sets by how far each is from what is expected, less something, times a weight: one row, the choice."""
    listed, scored, make, read = list(sets), list(expected), _making("concentrated", promise), _reading()

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        counted, scores = read(batches, {number: size for number, size, _, _ in listed}), []
        for (number, _, place, size), (wanted, off, weight) in zip(listed, scored, strict=True):
            values = counted[number]
            if place is not None:
                values = np.bincount(place, weights=values, minlength=size).astype(np.int64)
            scores.append(int(weight * (int(np.abs(values - wanted).sum()) - off)))
        chosen = int(make()(scores))
        arrays = [np.zeros(1, dtype=np.int32), np.array([chosen], dtype=np.int64), np.zeros(1, dtype=np.int64)]
        yield pa.RecordBatch.from_arrays([pa.array(a) for a in arrays], names=["s", "cell", "n"])

    return work


def scores_of_bins() -> Callable[[Any, int, int, int], list[int]]:
    """Return what scores every bin by how far it is from a rank, in ranks times the denominator, negative: 0 is where the rank falls."""

    def scores(bins: Any, numerator: int, denominator: int, target: int) -> list[int]:
        below, total = [0], int(sum(int(n) for n in bins))
        for n in bins:
            below.append(below[-1] + int(n))
        rank = [b * (denominator - numerator) - (total - b) * numerator for b in below]
        final = len(rank) - 2
        # The first and the last bin reach to the ends.
        return [-max(0, rank[i] - target if i else 0, target - rank[i + 1] if i < final else 0) for i in range(final + 1)]

    return scores


def placing_ranks(promises: Sequence[tuple[int, int, Promise, Sequence[int]]], size: int, bins: int, whole: int) -> Work:
    """Return what places ranks among the bins of every group: a row for each group, quantile and target, in this order."""
    read, scores = _reading(), scores_of_bins()
    made = [(numerator, denominator, _making("largest", promise), list(targets)) for numerator, denominator, promise, targets in promises]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        counted, chosen = read(batches, {0: size})[0].reshape(-1, whole)[:, :bins], []
        mechanisms = [make() for _, _, make, _ in made]
        for group in counted:
            for (numerator, denominator, _, targets), mechanism in zip(made, mechanisms, strict=True):
                chosen += [int(mechanism(scores(group, numerator, denominator, target))) for target in targets]
        arrays = [np.zeros(len(chosen), dtype=np.int32), np.arange(len(chosen), dtype=np.int64), np.array(chosen, dtype=np.int64)]
        yield pa.RecordBatch.from_arrays([pa.array(a) for a in arrays], names=["s", "cell", "n"])

    return work

"""Classes merged from the bottom, as the limits on the whole table ask: first where most is hidden by what is lost.

What such a limit counts (the bits that classes leave open about a record or a sensitive value) is added up over classes, so a merge
hides a number that does not depend on the others, and loses one. The pair with the most of the first by the second is merged, and
so on until one class is left; the earliest point on this way at which every limit is kept is the answer. Then again and again some
classes fall apart into their tuples, and the way is gone once more, a little differently.

A limit that asks for many classes none of which is small is kept by classes of even sizes: what is hidden then is how much a class
lacks of some size, and the size is tried from small to large.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.finish import recoding_of, with_broken
from anonscope.transform.search.local.refine import partition
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.steps import Steps

# Every pair of classes is compared, so there must not be more of them at the start.
MOST_CLASSES = 1_500
# What is drawn, how often, with how many steps at the most; how many classes fall apart, and how differently the way is gone.
_SEED, _TIMES, _STEPS, _SHARES, _NOISES = 17, 40, 12_000_000, (0.1, 0.2, 0.35, 0.6), (0.0, 0.1, 0.3)
# Even sizes that are tried: the smallest, and by how much each is larger than the one before.
_SMALLEST, _LARGER = 2, 1.12
# What is merged with nothing lost comes first, and the more it hides the earlier.
_NOTHING = 1e-9


def merged_from_the_bottom(problem: Problem, limits: Sequence[Limit], steps: Steps) -> Recoding | None:
    """Return the release that keeps all limits after the fewest merges of single tuples; None where no way leads to one."""
    nobody, single = np.zeros(problem.tuples, dtype=bool), np.arange(problem.tuples)
    found = [_merged(problem, limits, single, nobody, target, steps) for target in _targets(problem, limits)]
    found += _even(problem, limits, steps)
    return min((one for one in found if one is not None), key=_lost, default=None)


def _even(problem: Problem, limits: Sequence[Limit], steps: Steps) -> Iterator[Recoding]:
    """Yield releases of classes of even sizes that keep all limits, where merging alone does not lead to one."""
    if not list(_targets(problem, limits)) or all(limit.merging for limit in limits if limit.per == "table"):
        return
    nobody, single = np.zeros(problem.tuples, dtype=bool), np.arange(problem.tuples)
    start = partition(problem, single)
    if not 2 <= start.count <= MOST_CLASSES:
        return
    ends, size = steps.spent + _STEPS, _SMALLEST
    while size < problem.records / 2 and not steps.over and steps.spent < ends:
        way = _way(problem, start.number, _Lacking(problem, start.number, start.count, size), steps, None, 0.0)
        found = _released(problem, limits, start.number, nobody, way, steps)
        if found is not None:
            yield found
        size = max(size + 1, round(size * _LARGER))


def merged_again(best: Recoding, limits: Sequence[Limit], steps: Steps) -> Recoding:
    """Return a release that loses no more: some classes fall apart and are merged anew; what is drawn has a fixed seed."""
    problem, draws = best.problem, np.random.default_rng(_SEED)
    targets = list(_targets(problem, limits))
    ends = steps.spent + _STEPS
    for turn in range(min(_TIMES, problem.tuples // 4) if targets else 0):
        if steps.over or steps.spent > ends:
            break
        number = _fallen_apart(best, draws)
        noise = float(draws.choice(_NOISES))
        found = _merged(problem, limits, number, best.suppressed, targets[turn % len(targets)], steps, draws, noise)
        if found is not None and _lost(found) < _lost(best):
            best = found
    return best


def _targets(problem: Problem, limits: Sequence[Limit]) -> Iterator[int | None]:
    """Yield what limits on the table are about, each once: a sensitive attribute, or the record."""
    if problem.persons is None and problem.elsewhere is None:
        yield from dict.fromkeys(limit.sensitive for limit in limits if limit.per == "table")


def _fallen_apart(best: Recoding, draws: np.random.Generator) -> Integers:
    """Return numbers of classes some of which are single tuples: of those that share labels of one attribute, or of any."""
    problem = best.problem
    number = np.where(best.suppressed, -1, best.classes().number)
    share = float(draws.choice(_SHARES))
    a = int(draws.integers(len(problem.ladders)))
    level = max(problem.ladders[a].height - 1, 0)
    told = draws.random(problem.ladders[a].nodes(level))[problem.coded(a, level)]
    # A class falls apart as a whole.
    drawn = draws.random(problem.tuples) if draws.random() < 0.5 else told
    falls = np.zeros(number.max(initial=0) + 1, dtype=bool)
    falls[number[(number >= 0) & (drawn < share)]] = True
    apart = (number >= 0) & falls[np.where(number >= 0, number, 0)]
    return np.where(apart, len(falls) + np.arange(problem.tuples), number)


def _merged(
    problem: Problem,
    limits: Sequence[Limit],
    number: Integers,
    suppressed: Flags,
    target: int | None,
    steps: Steps,
    draws: np.random.Generator | None = None,
    noise: float = 0.0,
) -> Recoding | None:
    """Return the release after the fewest merges of some classes that keeps all limits, as far as halving finds it."""
    start = partition(problem, number)
    if not 2 <= start.count <= MOST_CLASSES:
        return None
    way = _way(problem, start.number, _Hidden(problem, start.number, start.count, target), steps, draws, noise)

    def after(merges: int) -> Recoding | None:
        return _released(problem, limits, start.number, suppressed, way[:merges], steps)

    low, high, best = 0, len(way), after(len(way))
    if best is None:
        return None
    while low < high:
        middle = (low + high) // 2
        found = after(middle)
        if found is None:
            low = middle + 1
        else:
            high, best = middle, found
    return best


def _released(
    problem: Problem, limits: Sequence[Limit], number: Integers, suppressed: Flags, way: Integers, steps: Steps
) -> Recoding | None:
    """Return the release after merges of classes, if it keeps all limits."""
    into = np.arange(number.max(initial=0) + 1)
    for kept, gone in way[::-1].tolist():
        into[gone] = into[kept]
    steps.spend(problem.tuples * (1 + len(limits)))
    found = with_broken(recoding_of(problem, np.where(number >= 0, into[number], -1), suppressed), limits)
    return None if found.broken or not found.affordable else found


def _way(problem: Problem, number: Integers, hidden: "_Hidden", steps: Steps, draws: np.random.Generator | None, noise: float) -> Integers:
    """Return merges in order, each as the class that stays and the one that goes into it; as far as the steps reach."""
    classes = partition(problem, number)
    count, n, lost = classes.count, classes.n.copy(), classes.lost.copy()
    steps.spend(count * count)
    apart = _apart(problem, classes.first, classes.levels)
    differs = np.ones((count, count))
    if draws is not None and noise:
        differs = np.exp(noise * draws.standard_normal((count, count)))
        differs = np.sqrt(differs * differs.T)
    ratio = np.stack([_ratio(apart[:, i].sum(axis=0), n, lost, i, hidden) for i in range(count)]) * differs
    best = ratio.argmin(axis=1)
    least = ratio[np.arange(count), best]
    way = np.zeros((count - 1, 2), dtype=np.int64)
    for done in range(count - 1):
        i = int(least.argmin())
        j = int(best[i])
        if not np.isfinite(least[i]) or hidden.done or steps.over:
            return way[:done]
        way[done] = i, j
        steps.spend(2 * count)
        # In a tree two classes and a third are told no finer than the two are, and than one of them with the third.
        apart[:, i] = np.maximum(apart[:, i], apart[:, i, j][:, None])
        apart[:, :, i] = apart[:, i]
        row = apart[:, i].sum(axis=0)
        n[i], n[j] = n[i] + n[j], 0
        lost[i], lost[j] = n[i] * row[i], 0
        hidden.merge(i, j)
        ratio[j], ratio[:, j], least[j] = np.inf, np.inf, np.inf
        ratio[i] = np.where(n > 0, _ratio(row, n, lost, i, hidden) * differs[i], np.inf)
        ratio[:, i] = ratio[i]
        stale = np.flatnonzero((n > 0) & ((best == i) | (best == j)))
        better = ratio[i] < least
        best[better], least[better] = i, ratio[i][better]
        again = np.append(stale, i)
        best[again] = ratio[again].argmin(axis=1)
        least[again] = ratio[again, best[again]]
    return way


def _apart(problem: Problem, first: Integers, levels: Integers) -> Floats:
    """Return for every attribute what two classes lose in it as one, by its weight: infinite where no level covers both."""
    total = sum(problem.weights) or 1
    found = np.full((len(problem.ladders), len(first), len(first)), np.inf, dtype=np.float32)
    for a, ladder in enumerate(problem.ladders):
        codes, own = problem.codes[a][first], levels[:, a]
        for level in range(problem.highest[a], problem.lowest[a] - 1, -1):
            node = ladder.levels[level][codes]
            lost = (ladder.penalties[level] * (problem.weights[a] / total))[node]
            alike = (node[:, None] == node) & (own <= level)[:, None] & (own <= level)
            np.copyto(found[a], np.broadcast_to(lost[:, None], alike.shape), where=alike)
    return found


def _ratio(penalty: Floats, n: Floats, lost: Floats, i: int, hidden: "_Hidden") -> Floats:
    """Return what a class loses by what it hides when it is merged with each other; infinite with itself."""
    more = (n[i] + n) * penalty - lost[i] - lost
    found = np.maximum(more, _NOTHING) / np.maximum(hidden.by(i), 1e-12)
    found[i] = np.inf
    return np.asarray(found)


class _Hidden:
    """The bits that classes leave open, times their records, about a sensitive value, or about the record where none is named."""

    def __init__(self, problem: Problem, number: Integers, count: int, target: int | None) -> None:
        inside = number >= 0
        self.n = np.bincount(number[inside], weights=problem.weight[inside], minlength=count)
        self.cells: Floats | None = None
        if target is not None:
            of = problem.sensitive[target]
            at = number[of.tuples]
            self.cells = np.zeros((count, of.size))
            np.add.at(self.cells, (at[at >= 0], of.values[at >= 0]), of.n[at >= 0])
        self._own = self._open(self.n, self.cells)

    @property
    def done(self) -> bool:
        """Whether no merge hides more."""
        return False

    def by(self, i: int) -> Floats:
        """Return what merging a class with each other leaves open more than the two do."""
        cells = None if self.cells is None else self.cells + self.cells[i]
        return np.asarray(self._open(self.n + self.n[i], cells) - self._own - self._own[i])

    def merge(self, i: int, j: int) -> None:
        self.n[i], self.n[j] = self.n[i] + self.n[j], 0
        if self.cells is not None:
            self.cells[i], self.cells[j] = self.cells[i] + self.cells[j], 0
        of = np.array([i, j])
        self._own[of] = self._open(self.n[of], None if self.cells is None else self.cells[of])

    def _open(self, n: Floats, cells: Floats | None) -> Floats:
        return _times_log(n) if cells is None else np.asarray(_times_log(n) - _times_log(cells).sum(axis=1))


class _Lacking(_Hidden):
    """What classes lack of a size."""

    def __init__(self, problem: Problem, number: Integers, count: int, size: int) -> None:
        self._size = size
        super().__init__(problem, number, count, None)

    @property
    def done(self) -> bool:
        return not ((self.n > 0) & (self.n < self._size)).any()

    def _open(self, n: Floats, cells: Floats | None) -> Floats:
        # What went into another class lacks nothing.
        return np.where(n > 0, np.minimum(n - self._size, 0), 0)


def _times_log(x: Floats) -> Floats:
    return np.asarray(x * np.log2(np.maximum(x, 1)))


def _lost(found: Recoding) -> float:
    return float(found.penalties() @ np.array(found.problem.weights))

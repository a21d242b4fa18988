"""The full-domain recoding that loses least: branch and bound over boxes of the lattice of levels.

A box holds all nodes between a finest and a coarsest one. Its coarsest node is evaluated: if that rules out all finer ones
(limits.py says when it may), the box is done. No node of the box loses less than its finest node would without suppression,
with what is sure to be suppressed all over the box added (losses.py); if that is more than the best node found, the box is done
as well. Otherwise it is cut in two. The box with the lowest bound comes first, so the lowest bound of the boxes that are left is a
bound for the whole lattice at any time, and no more nodes are ever in memory than boxes are open.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal

from anonscope.risk.counting.arrays import Flags, Floats
from anonscope.risk.rounding import exceeds
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.losses import DEFAULT_LOSS, Loss, prepared
from anonscope.transform.search.nodes import Evaluator, Node, NodeRelease, release_classes
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.steps import Steps

# So many nodes are remembered for whoever wants to see what was looked at.
_REMEMBERED = 50_000
# A lattice of so many nodes gets so many seconds, unless somebody says otherwise.
LARGE, USUAL_BUDGET = 100_000, 60.0
# A box of so many nodes is worth rolling its tuples up to its finest node.
_ROLL = 64
_ROLL_ALL = 60
# What a node costs beside its tuples, in tuples.
_PER_NODE = 20_000

Proof = Literal["exhaustive", "pruned", "budget spent", "interrupted"]
# Nodes evaluated so far, the best loss found and the bound; a loss is None as long as no node is admissible.
Progress = Callable[[int, float | None, float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitValue:
    """A limit and what an audit of the release would show for it; None where it is unbounded."""

    limit: Limit
    value: float | None
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """The best node found; if none is admissible (`met` is false), the one that comes closest."""

    met: bool
    levels: tuple[int, ...]
    mask: Flags  # which tuples are suppressed
    suppressed: int  # records
    loss: float | None
    loss_name: str
    classes: int  # that are not suppressed
    limits: tuple[LimitValue, ...]
    binding: tuple[str, ...]  # limits that made records be suppressed, or stood in the way of a node that was looked at
    evaluated: int
    lattice_size: int
    proof: Proof
    why: str  # why the proof is sound, or what is missing
    bound: float | None  # nothing in the lattice loses less; None where nothing in it is admissible
    space: "tuple[Place, ...]" = ()  # the nodes that were looked at, the first ones if there were very many

    @property
    def optimal(self) -> bool:
        """Whether nothing better exists."""
        return self.proof in ("exhaustive", "pruned")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One node of the solution space."""

    levels: tuple[int, ...]
    admissible: bool
    suppressed: int
    classes: int
    loss: float | None
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Box:
    finest: tuple[int, ...]
    coarsest: tuple[int, ...]
    added: Floats  # what is sure to be added to the loss all over the box


def search(
    problem: Problem,
    limits: Sequence[Limit],
    loss: str = DEFAULT_LOSS,
    *,
    time_budget: float | None = None,
    steps: Steps | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Return the node that loses least of those that keep all limits. Ctrl-C gives the best found so far.

    The search ends early where so many steps are taken (a node costs the tuples it is made of), or after so many seconds.
    """
    if steps is None:
        # Above so many nodes nobody waits for a proof unless they say so.
        steps = Steps(seconds=USUAL_BUDGET if time_budget is None and problem.lattice_size > LARGE else time_budget)
    return _Search(problem, limits, loss, steps, progress).solution()


def explore(problem: Problem, limits: Sequence[Limit], loss: str = DEFAULT_LOSS) -> Iterator[Place]:
    """Yield every node of the lattice, finer ones first; one at a time, because there may be very many."""
    evaluator = Evaluator(problem, limits, prepared(loss, problem))
    for levels, base in _nodes(evaluator, (), problem):
        node = evaluator.evaluate(levels, base)
        yield _place(node)


def values_at(problem: Problem, limits: Sequence[Limit], levels: tuple[int, ...]) -> tuple[LimitValue, ...]:
    """Return what the limits would be at one node, after suppressing what must be."""
    evaluator = Evaluator(problem, limits, prepared(DEFAULT_LOSS, problem))
    node = evaluator.evaluate(levels)
    return _values(problem, limits, levels, evaluator.release(levels), {} if node.admissible else dict.fromkeys(node.broken))


def exhaust(problem: Problem, limits: Sequence[Limit], loss: str = DEFAULT_LOSS) -> Solution:
    """Return the same as `search`, by looking at every node: a check of the pruning, and of our patience."""
    found = _Search(problem, limits, loss, Steps(), None)
    for levels, base in _nodes(found.evaluator, (), problem):
        found.see(found.evaluator.evaluate(levels, base))
    return found.described("exhaustive", None)


def _nodes(evaluator: Evaluator, begun: tuple[int, ...], base: Problem) -> Iterator[tuple[tuple[int, ...], Problem]]:
    """Yield all levels that begin in a way, with the tuples to evaluate them on, which are fewer the more is given."""
    problem, a = evaluator.problem, len(begun)
    if a == len(problem.ladders):
        yield begun, base
        return
    left = 1
    for low, high in zip(problem.lowest[a:], problem.highest[a:], strict=True):
        left *= high - low + 1
    for level in range(problem.lowest[a], problem.highest[a] + 1):
        first = (*begun, level)
        worthwhile = level > problem.lowest[a] and left > _ROLL_ALL
        yield from _nodes(evaluator, first, evaluator.rolled(base, (*first, *problem.lowest[a + 1 :])) if worthwhile else base)


class _Search:
    """A search under way."""

    def __init__(self, problem: Problem, limits: Sequence[Limit], loss: str, steps: Steps, progress: Progress | None) -> None:
        self.problem, self.limits = problem, tuple(limits)
        self.loss: Loss = prepared(loss, problem)
        self.evaluator = Evaluator(problem, limits, self.loss)
        self.steps = steps
        self.progress = progress or (lambda evaluated, best, bound: None)
        self.best: Node | None = None
        self.closest: Node | None = None
        self.stopped: Counter[str] = Counter()
        self.seen: list[Place] = []
        self.known: dict[tuple[int, ...], Node] = {}
        self.pruned = False
        self._count = 0

    def solution(self) -> Solution:
        """Look at boxes, lowest bound first, until none is left that may hold something better."""
        boxes: list[tuple[float, int, _Box]] = []
        proof: Proof | None = None
        bound = 0.0
        try:
            self._dive()
            self._open(boxes, self.problem.lowest, self.problem.highest)
            while boxes and not self._worse(bound := boxes[0][0]):
                if self.steps.over:
                    proof = "budget spent"
                    break
                self.progress(self.evaluator.evaluated, self.best.loss if self.best else None, bound)
                # It stays in the heap until both parts are in, so that the bound is true whenever somebody stops us.
                self._cut(boxes, bound, boxes[0][2])
        except KeyboardInterrupt:
            if self.best is None and self.closest is None:
                raise
            proof = "interrupted"
        self.pruned |= bool(boxes)
        return self.described(proof or ("pruned" if self.pruned else "exhaustive"), bound)

    def see(self, node: Node) -> None:
        """Take note of a node: the best so far, what stands in the way of better ones, and how near the others come."""
        if len(self.seen) < _REMEMBERED:
            self.seen.append(_place(node))
        if node.admissible:
            if self.best is None or node.rank < self.best.rank:
                self.best = node
            return
        if self.best is None and (self.closest is None or _distance(node) < _distance(self.closest)):
            self.closest = node
        self.stopped.update(limit.name for limit in node.broken)

    def _evaluate(self, levels: tuple[int, ...]) -> Node:
        node = self.known.pop(levels, None)
        if node is None:
            base = self.evaluator.base(levels)
            # However few tuples there are, a node has limits to be asked and arrays to be made.
            self.steps.spend(base.tuples + _PER_NODE)
            node = self.evaluator.evaluate(levels, base, best=self.best.loss if self.best else None)
            self.see(node)
        return node

    def _dive(self) -> None:
        """Walk down from the coarsest node, always to the admissible neighbour that loses least: something to measure bounds by."""
        levels = self.problem.highest
        node = self.known[levels] = self._evaluate(levels)
        while not node.rules_out and not self.steps.over:
            steps = []
            for a, level in enumerate(levels):
                if level > self.problem.lowest[a]:
                    finer = (*levels[:a], level - 1, *levels[a + 1 :])
                    if finer not in self.known:
                        self.known[finer] = self._evaluate(finer)
                    steps.append(self.known[finer])
            steps = [step for step in steps if step.admissible]
            if not steps:
                return
            node = min(steps, key=lambda step: step.rank)
            levels = node.levels

    def _open(
        self, boxes: "list[tuple[float, int, _Box]]", finest: tuple[int, ...], coarsest: tuple[int, ...], at_least: float = 0.0
    ) -> None:
        node = self._evaluate(coarsest)
        if node.rules_out:
            self.pruned = True
        elif finest != coarsest:
            self._push(boxes, _Box(finest, coarsest, node.added), at_least)

    def _push(self, boxes: "list[tuple[float, int, _Box]]", box: _Box, at_least: float) -> None:
        bound = max(at_least, self.loss.bound(self.evaluator.base(box.finest), box.finest, box.added))
        if self._worse(bound):
            self.pruned = True
        else:
            self._count += 1
            heappush(boxes, (bound, self._count, box))

    def _worse(self, bound: float) -> bool:
        return self.best is not None and self.best.loss is not None and exceeds(bound, self.best.loss)

    def _cut(self, boxes: "list[tuple[float, int, _Box]]", bound: float, box: _Box) -> None:
        """Replace the first box by its two parts."""
        if _size(box) > _ROLL:
            self.evaluator.roll_up(box.finest)
        a, middle = self._where(box)
        lower = (*box.coarsest[:a], middle, *box.coarsest[a + 1 :])
        upper = (*box.finest[:a], middle + 1, *box.finest[a + 1 :])
        parts: list[tuple[float, int, _Box]] = []
        self._open(parts, box.finest, lower, bound)
        if upper != box.coarsest:
            self._push(parts, _Box(upper, box.coarsest, box.added), bound)
        heappop(boxes)
        for part in parts:
            heappush(boxes, part)

    def _where(self, box: _Box) -> tuple[int, int]:
        """Return the attribute to cut and the last level of the finer part: where the bound of the coarser part rises most."""

        def risen(a: int) -> tuple[float, int]:
            finest = (*box.finest[:a], (box.finest[a] + box.coarsest[a]) // 2 + 1, *box.finest[a + 1 :])
            return self.loss.bound(self.problem, finest, box.added), -a

        chosen = max((a for a in range(len(box.finest)) if box.finest[a] < box.coarsest[a]), key=risen)
        return chosen, (box.finest[chosen] + box.coarsest[chosen]) // 2

    def described(self, proof: Proof, bound: float | None) -> Solution:
        """Return what was found, with the limits as an audit of the release would show them."""
        node = self.best or self.closest
        assert node is not None, "a search looks at the coarsest node at least"
        release = self.evaluator.release(node.levels)
        binding = {*(limit.name for limit in node.broken), *self.stopped}
        optimal = proof in ("exhaustive", "pruned")
        return Solution(
            met=self.best is not None,
            levels=node.levels,
            mask=release.mask,
            suppressed=release.suppressed,
            loss=node.loss,
            loss_name=self.loss.name,
            classes=node.classes,
            limits=_values(self.problem, self.limits, node.levels, release, {} if node.admissible else dict.fromkeys(node.broken)),
            binding=tuple(limit.name for limit in self.limits if limit.name in binding),
            evaluated=self.evaluator.evaluated,
            lattice_size=self.problem.lattice_size,
            proof=proof,
            why=self._why(proof),
            bound=node.loss if optimal else bound if node.loss is None or bound is None else min(bound, node.loss),
            space=tuple(self.seen),
        )

    def _why(self, proof: Proof) -> str:
        if proof == "exhaustive":
            return "every node was evaluated"
        if proof == "budget spent":
            what = "the time was up" if self.steps.late else "the steps of its share were taken"
            return f"{what} before every node was evaluated or ruled out"
        if proof == "interrupted":
            return "the search was stopped before every node was evaluated or ruled out"
        sound = [limit.name for limit in self.limits if limit.merging or limit.shrinking]
        if not sound:
            return "nodes were left out only where the bound of the loss is above the best found"
        return (
            "nodes were left out only where the bound of the loss is above the best found, or where a coarser node shows that "
            f"more must be suppressed than may be: this holds for {'; '.join(sound)}"
        )


def _place(node: Node) -> Place:
    return Place(
        levels=node.levels,
        admissible=node.admissible,
        suppressed=node.suppressed,
        classes=node.classes,
        loss=node.loss,
        broken=tuple(limit.name for limit in node.broken),
    )


def _values(
    problem: Problem, limits: Sequence[Limit], levels: tuple[int, ...], release: NodeRelease, broken: Mapping[Limit, object]
) -> tuple[LimitValue, ...]:
    made = {scope: release_classes(problem, levels, release.mask, scope) for scope in {limit.attributes for limit in limits}}
    return tuple(LimitValue(limit=limit, value=limit.worst(made[limit.attributes]), kept=limit not in broken) for limit in limits)


def _size(box: _Box) -> int:
    size = 1
    for low, high in zip(box.finest, box.coarsest, strict=True):
        size *= high - low + 1
    return size


def _distance(node: Node) -> tuple[int, int, tuple[int, ...]]:
    """How far a node is from being admissible: the records to suppress, then the limits it breaks."""
    return node.suppressed, len(node.broken), node.levels

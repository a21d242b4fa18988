"""What a search found, as reports tell it: every column at its levels, what was looked at on the way, and what else could be had."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.io.progress import Progress
from anonscope.risk.counting.arrays import Floats
from anonscope.risk.policy import Policy
from anonscope.transform.search.methods import Solved
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.targets import Obstacle
from anonscope.transform.search.what_if import Again

_TOLD = 24  # values of a column whose shares are told


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRecoding:
    """What became of a quasi-identifier: which share of the records is at which level of its hierarchy, and what that loses."""

    column: str
    automatic: bool  # its hierarchy was made from the data
    cardinalities: tuple[int, ...]  # distinct values at every level
    words: tuple[str, ...]
    shares: tuple[float, ...]  # of the records at every level, suppressed ones at the last
    loss: float
    before: "Spread | None"  # None where the combinations stayed on an engine, and nobody counted them by column
    after: "Spread | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How records spread over the values of a column, none of which is named: shares of the commonest, and how many there are."""

    shares: tuple[float, ...]
    values: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One recoding that was looked at: a level a column, what it loses, what it suppresses, and which limits stop it."""

    levels: Mapping[str, int]
    loss: float | None
    suppressed: int
    classes: int
    admissible: bool
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """What another wish would have cost: the wish in words, and the loss it leads to (None: it cannot be met either)."""

    change: str
    loss: float | None
    suppressed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPoint:
    """A class size, the highest risk that goes with it, and the least loss at which it was reached."""

    class_size: int
    loss: float
    suppressed: int
    chosen: bool

    @property
    def risk(self) -> float:
        return 1 / self.class_size


def solution_of(problem: Problem, solved: Solved, stops: Sequence[Obstacle]) -> dict[str, Any]:
    """Return what was found, how, and how far it is proved; `stops` are limits that no recoding can keep."""
    recoding = solved.recoding
    return {
        "method": solved.method,
        "method_reason": solved.reason,
        "loss": solved.loss,
        "losses": losses_of(problem, solved),
        "records": problem.records,
        "suppressed": recoding.records_suppressed,
        "classes": len(recoding.class_sizes),
        "binding": solved.binding,
        "unreachable": tuple(f"{stop.limit.name}: {stop.reason}." for stop in stops),
        "evaluated": solved.evaluated,
        "lattice_size": problem.lattice_size,
        "proof": solved.proof,
        "why": solved.why,
        "bound": solved.bound,
        "reached": solved.reached,
        "curve": solved.curve,
    }


def losses_of(problem: Problem, solved: Solved) -> dict[str, float]:
    """Return what a recoding loses by the measures that every report has."""
    recoding = solved.recoding
    sizes, penalties = recoding.class_sizes, recoding.penalties()
    weights = [float(weight) for weight in problem.weights]
    return {
        "ncp": float(sum(p * w for p, w in zip(penalties.tolist(), weights, strict=True)) / sum(weights)),
        "discernibility": float((sizes * sizes).sum() + recoding.records_gone * problem.records),
        "average_class_size": float(sizes.mean()) if len(sizes) else 0.0,
    }


def columns_of(problem: Problem, solved: Solved, ladders: Mapping[str, Hierarchy], given: Collection[str]) -> tuple[ColumnRecoding, ...]:
    """Return what became of every quasi-identifier; hierarchies that are not `given` were made from the data."""
    penalties = solved.recoding.penalties()
    counted = solved.recoding if isinstance(solved.recoding, Recoding) else None
    return tuple(
        ColumnRecoding(
            column=ladder.name,
            automatic=ladder.name not in given,
            cardinalities=ladder.cardinalities,
            words=ladders[ladder.name].words,
            shares=tuple(float(share) for share in solved.recoding.shares(a)),
            loss=float(penalties[a]),
            before=_spread(np.sort(np.bincount(problem.codes[a], weights=problem.weight))[::-1]) if counted is not None else None,
            after=_spread(counted.spread(a)) if counted is not None else None,
        )
        for a, ladder in enumerate(problem.ladders)
    )


def _spread(counts: Floats) -> Spread:
    present = counts[counts > 0]
    return Spread(shares=tuple(float(n) for n in present[:_TOLD] / max(present.sum(), 1)), values=len(present))


def road_of(
    problem: Problem,
    solved: Solved,
    policy: Policy,
    scenarios: Sequence[Sequence[str]],
    *,
    loss: str,
    time_budget: float | None,
    progress: Progress,
) -> dict[str, Any]:
    """Return what else could be had: what relaxing each limit buys, what other class sizes cost, and what was looked at."""
    again = Again(problem, policy.rules, tuple(map(tuple, scenarios)), solved, loss, time_budget)
    alternatives, frontier = [], []
    for change, found in again.relaxed():
        progress(f"what if: {change}", 4, 5)
        suppressed = found.recoding.records_suppressed if found else None
        alternatives.append(Alternative(change=change, loss=found.loss if found else None, suppressed=suppressed))
    for size, at in again.frontier(policy):
        progress(f"what if: groups of at least {size}", 4, 5)
        assert at.loss is not None, "a frontier has found solutions only"
        chosen = size == policy.class_size
        frontier.append(FrontierPoint(class_size=size, loss=at.loss, suppressed=at.recoding.records_suppressed, chosen=chosen))
    return {"alternatives": tuple(alternatives), "frontier": tuple(frontier), "space": tuple(_space(problem, solved))}


def _space(problem: Problem, solved: Solved) -> Iterator[Candidate]:
    for place in solved.space:
        yield Candidate(
            levels={ladder.name: level for ladder, level in zip(problem.ladders, place.levels, strict=True)},
            loss=place.loss,
            suppressed=place.suppressed,
            classes=place.classes,
            admissible=place.admissible,
            broken=place.broken,
        )

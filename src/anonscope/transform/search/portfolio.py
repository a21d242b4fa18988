"""All methods side by side: `auto` takes the one that loses least of those that keep every limit.

Each has the same budget, counted in steps, so what is found does not depend on the clock, and none of them alone at its share of
the budget does better than all together. Then local recoding goes on from what the others found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal

from anonscope.risk.rounding import ROUNDING
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.methods import Method, Progress, Reached, Solved, alone, continued
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.splitting import wide
from anonscope.transform.search.steps import SHARE, Steps

# Those that keep columns more even come first, and are taken where others lose as much.
METHODS: tuple[Method, ...] = ("global", "subtree", "mondrian", "local")
# Above so many distinct tuples all but splitting takes too long, and hardly loses less than it.
MOST_TUPLES = 1_000_000
# Losses that differ by less are the same, added up in another order.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Portfolio:
    """What every method made of a problem, the best of them first."""

    solved: tuple[Solved, ...]

    @property
    def best(self) -> Solved:
        """The least loss that keeps every limit or, where none does, what comes closest; with what each method reached."""
        return replace(self.solved[0], reached=self.reached)

    @property
    def reached(self) -> tuple[Reached, ...]:
        """What each method reached, the best first."""
        return tuple(
            Reached(
                method=one.method,
                start=one.start,
                met=one.met,
                loss=one.loss,
                suppressed=one.recoding.records_suppressed,
                steps=one.steps,
                proof=one.proof,
            )
            for one in self.solved
        )


def solve(
    problem: Problem,
    limits: Sequence[Limit],
    method: Literal["auto"] | Method,
    loss: str = "ncp",
    *,
    time_budget: float | None = None,
    progress: Progress | None = None,
) -> Solved:
    """Return what a method makes of a problem; "auto" is the best of all of them, by the mean penalty."""
    if method != "auto":
        return alone(problem, limits, method, loss, time_budget=time_budget, progress=progress)
    return portfolio(problem, limits, time_budget=time_budget, progress=progress).best


def portfolio(
    problem: Problem,
    limits: Sequence[Limit],
    *,
    methods: Sequence[Method] = METHODS,
    share: float = SHARE,
    time_budget: float | None = None,
    progress: Progress | None = None,
) -> Portfolio:
    """Return what every method makes of a problem with the same number of steps, and local recoding of what the others made."""
    if problem.tuples > MOST_TUPLES:
        reason = f"Chosen because {problem.tuples:,} distinct combinations are too many for the other methods."
        return Portfolio(solved=(alone(problem, limits, "mondrian", steps=Steps(share, time_budget), reason=reason),))
    began = monotonic()
    seconds = None if time_budget is None else time_budget / (2 * len(methods) - 1)
    found: list[Solved] = []
    for method in methods:
        if progress is not None:
            progress(f"{method} recoding")
        whole = next((one for one in found if one.method == "global"), None)
        found.append(alone(problem, limits, method, steps=Steps(share, seconds), progress=progress, reason="", whole=whole))
        if found[-1].proof == "interrupted":
            break
    starts = {round(one.loss or 0.0, 9): one for one in reversed(found) if one.method != "local" and one.met}
    for start in reversed(starts.values()):
        if progress is not None:
            progress(f"local recoding from what {start.method} recoding found")
        further = continued(problem, limits, start, Steps(share, seconds), "")
        assert start.loss is not None and further.loss is not None, "what meets the limits has a loss"
        if further.loss < start.loss - ROUNDING:
            found.append(further)
    left = 0.0 if time_budget is None else time_budget - (monotonic() - began)
    best = min(enumerate(found), key=lambda one: _rank(one[1], one[0]))[1]
    if left > 0 and best.met and best.method == "local" and best.start is None and not any(map(wide, limits)):
        # Whoever gives time gets what it is worth.
        found.append(alone(problem, limits, "local", time_budget=left, progress=progress, reason=""))
    # Equal losses stay in the order of the methods.
    ranked = sorted(enumerate(found), key=lambda one: _rank(one[1], one[0]))
    best = ranked[0][1]
    return Portfolio(solved=(replace(best, reason=_reason(best, found)), *(one for _, one in ranked[1:])))


def _rank(solved: Solved, place: int) -> tuple[bool, int, float, int]:
    """Return what makes one solution better than another: it meets, or breaks less; it loses less, rounding apart; its method."""
    assert isinstance(solved.recoding, Recoding), "a portfolio is about tables in one piece"
    broken = len(solved.recoding.broken) + (not solved.recoding.affordable)
    return not solved.met, broken, round(solved.loss / ROUNDING) if solved.loss is not None else float("inf"), place


def _reason(best: Solved, all_of: Sequence[Solved]) -> str:
    if not best.met:
        return "No method meets every limit; this one comes closest."
    others = {one.method for one in all_of} - {best.method}
    started = f", beginning with what {best.start} recoding found" if best.start is not None else ""
    mixed = "; the price is mixed granularity in one column" if best.method in ("local", "mondrian") else ""
    named = f" (the others: {', '.join(sorted(others))})" if others else ""
    return f"Chosen because it loses least of all methods{named}{started}{mixed}."

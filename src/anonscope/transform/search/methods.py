"""The methods one by one: what each makes of a problem, in one form."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Literal

import numpy as np

from anonscope.errors import OptionError
from anonscope.io.figures import figure, per_cent
from anonscope.risk.counting.combinations import too_many
from anonscope.transform.search.label_tables import LabelTables
from anonscope.transform.search.lattice import Place, search
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.local import local_recoding
from anonscope.transform.search.local.merging import merged_from_the_bottom
from anonscope.transform.search.local.resplit import Tell, deepened
from anonscope.transform.search.losses import prepared
from anonscope.transform.search.mondrian import mondrian_recoding
from anonscope.transform.search.nodes import Evaluator
from anonscope.transform.search.parted.mondrian import PartedRecoding, recode_part_by_part
from anonscope.transform.search.parted.table import PartedTable
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding, everywhere
from anonscope.transform.search.splitting import local_from, split_from_the_top, wide
from anonscope.transform.search.steps import SHARE, Steps
from anonscope.transform.search.subtree import FOR_LEVELS, subtree_recoding

Method = Literal["global", "subtree", "local", "mondrian"]
Progress = Callable[[str], None]
# What joining records may take where limits are on the whole table.
_JOINING = 20_000_000
# A point of the curve of loss over time is so many times as late as the one before.
_LATER = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """What one method of a portfolio reached: its loss, whether that keeps every limit, and what it took."""

    method: Method
    start: Method | None  # whose solution it started from, if not from none
    met: bool
    loss: float | None
    suppressed: int
    steps: int
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Fallen:
    """What was lost after some seconds of a search that goes on for as long as it may."""

    seconds: float
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solved:
    """What a method found, and how sure it is."""

    method: Method
    reason: str
    recoding: Recoding | PartedRecoding
    loss: float | None
    start: Method | None = None  # the method whose solution it started from
    levels: tuple[int, ...] | None = None  # where one level holds for a whole column, or did at the start
    binding: tuple[str, ...] = ()
    evaluated: int | None = None
    proof: str = ""
    why: str = ""
    bound: float | None = None
    space: tuple[Place, ...] = ()
    steps: int = 0
    repeat: Mapping[str, int] = field(default_factory=dict)  # the steps of every method that the clock ended, to do the same again
    reached: tuple[Reached, ...] = ()  # by every method of a portfolio, if this is the best of them
    curve: tuple[Fallen, ...] = ()  # how the loss fell with time, where somebody gave time for more than a method does by itself

    @property
    def met(self) -> bool:
        """Whether every limit is kept, that on suppression too."""
        return not self.recoding.broken and self.recoding.affordable


def alone(
    problem: Problem,
    limits: Sequence[Limit],
    method: Method,
    loss: str = "ncp",
    *,
    steps: Steps | None = None,
    time_budget: float | None = None,
    progress: Progress | None = None,
    reason: str = "It was asked for.",
    whole: Solved | None = None,
) -> Solved:
    """Return what one method makes of a problem; local methods keep the mean penalty small, whatever the loss.

    `whole` is what global recoding made of it, where that is known: subtrees begin there, and so lose no more.
    """
    if method == "global":
        return _full_domain(problem, limits, loss, reason, steps, time_budget, progress)
    steps = steps or (Steps(SHARE) if time_budget is None else Steps(None, time_budget, deep=True))
    if method == "subtree":
        # As many steps as it has itself, so that it is never behind global recoding that has as many.
        whole = whole or alone(problem, limits, "global", steps=steps.beside(FOR_LEVELS))
        return _subtree(problem, limits, steps, reason, whole)

    began, curve = monotonic(), list[Fallen]()

    def tell(lost: float) -> None:
        share, now = lost / max(problem.records, 1), monotonic() - began
        if progress is not None:
            progress(f"local recoding, {per_cent(share, 3)} of the detail lost so far")
        # As many points early as late, on a clock whose hours double.
        if not curve or now > _LATER * curve[-1].seconds:
            curve.append(Fallen(now, share))

    recoding = _local(problem, limits, method, steps, tell)
    if curve:
        curve.append(Fallen(monotonic() - began, mean_penalty(problem, recoding)))
    return Solved(
        method=method,
        reason=reason,
        recoding=recoding,
        loss=mean_penalty(problem, recoding),
        steps=steps.spent,
        repeat=steps.repeat(method),
        curve=tuple(curve),
    )


def continued(problem: Problem, limits: Sequence[Limit], start: Solved, steps: Steps, reason: str) -> Solved:
    """Return what local recoding makes of the solution of another method; it loses no more."""
    assert isinstance(start.recoding, Recoding), "only what is in one piece can be gone on with"
    recoding = local_from(start.recoding, limits, steps)
    return Solved(
        method="local",
        start=start.method,
        levels=start.levels,
        reason=reason,
        recoding=recoding,
        loss=mean_penalty(problem, recoding),
        steps=steps.spent,
        repeat={**start.repeat, **steps.repeat("local")},
    )


def repeated(
    problem: Problem,
    limits: Sequence[Limit],
    method: Method,
    loss: str = "ncp",
    start: Method | None = None,
    steps: Mapping[str, int] | None = None,
    reason: str = "It was asked for.",
) -> Solved:
    """Return what was found before: by a method, or by local recoding that began with another's solution, after so many steps."""
    steps = dict(steps or {})
    known: tuple[Method, ...] = (method,) if start is None else (start, method)
    if strangers := sorted(set(steps) - set(known) - ({"global"} if "subtree" in known else set())):
        raise OptionError(f"Steps of {', '.join(strangers)} were given, but only {' and '.join(known)} recoding is asked for.")
    if any(isinstance(most, bool) or not isinstance(most, int) or most < 0 for most in steps.values()):
        raise OptionError("Steps are whole numbers from 0 on.")
    whole = alone(problem, limits, "global", steps=_again("global", steps)) if known[0] == "subtree" else None
    found = alone(problem, limits, known[0], loss, steps=_again(known[0], steps), reason=reason, whole=whole)
    if start is not None and found.met:
        found = continued(problem, limits, found, _again(method, steps), reason)
    return replace(found, repeat=steps)


def unsearched(problem: Problem, limits: Sequence[Limit]) -> Solved:
    """Return the table as it is, where no recoding can keep some limit: nobody searches for what cannot be."""
    recoding = everywhere(problem, problem.lowest, np.zeros(problem.tuples, dtype=bool), tuple(limits))
    return Solved(
        method="global", reason="Nothing was searched for, because the counts tell that no recoding can do.", recoding=recoding, loss=None
    )


def solve_in_parts(table: PartedTable, limits: Sequence[Limit], method: str, labels: LabelTables) -> Solved:
    """Return what Mondrian makes of combinations that are too many for one machine; `labels` gets what becomes of each."""
    if method not in ("auto", "mondrian"):
        raise too_many(table.found, f"{method} recoding", "Use the method mondrian, which goes part by part")
    recoding = recode_part_by_part(table, limits, labels)
    chosen = f"Chosen because {table.found.count:,} distinct combinations are too many for one machine; they were split where they are."
    reason = chosen if method == "auto" else "It was asked for."
    return Solved(method="mondrian", reason=reason, recoding=recoding, loss=mean_penalty(table.problem, recoding))


def recode(
    problem: Problem,
    limits: Sequence[Limit],
    method: Method,
    levels: Sequence[int] | None = None,
    start: Method | None = None,
    steps: Mapping[str, int] | None = None,
) -> Recoding:
    """Return what a method makes of a problem, as it did before; full-domain recoding needs the levels that a search found.

    `steps` are those of methods that the clock ended; the others have their share.
    """
    steps = steps or {}
    if start is not None:
        return local_from(recode(problem, limits, start, levels, steps=steps), limits, _again("local", steps))
    if method == "subtree":
        whole = search(problem, limits, steps=_again("global", steps))
        return subtree_recoding(problem, limits, _again(method, steps), whole.levels).recoding
    if method == "global":
        assert levels is not None, "full-domain recoding is carried out at levels that are known"
        release = Evaluator(problem, limits, prepared("ncp", problem)).release(tuple(levels))
        return everywhere(problem, levels, release.mask, release.broken)
    return _local(problem, limits, method, _again(method, steps))


def _again(method: Method, steps: Mapping[str, int]) -> Steps:
    """Return the budget that a method had before: a number of its own, or its share."""
    return Steps(steps[method], deep=True) if method in steps else Steps(SHARE)


def _local(problem: Problem, limits: Sequence[Limit], method: Method, steps: Steps, tell: Tell | None = None) -> Recoding:
    if method == "mondrian":
        return mondrian_recoding(problem, limits, steps)
    if not any(map(wide, limits)):
        found = local_recoding(problem, limits, steps)
        if not steps.deep:
            return found
        if tell is not None:
            tell(mean_penalty(problem, found) * problem.records)
        return deepened(found, limits, Checks(problem, limits, steps), tell)
    # Whoever joins records until each class is safe knows little of limits that all classes keep together.
    split = split_from_the_top(problem, limits, steps)
    merged = merged_from_the_bottom(problem, limits, steps)
    # Where coarser columns must keep a limit, joining goes a long way for little; something is left to go on from the best.
    joined = local_recoding(problem, limits, steps.at_most(_JOINING))
    met = [found for found in (split, merged, joined) if found is not None and not found.broken and found.affordable]
    if not met:
        return joined
    return local_from(min(met, key=lambda found: mean_penalty(problem, found)), limits, steps)


def mean_penalty(problem: Problem, recoding: Recoding | PartedRecoding) -> float:
    """Return the mean penalty over attributes by their weights: what local methods go by."""
    weights = np.array(problem.weights)
    return float((recoding.penalties() * weights).sum() / weights.sum())


def _subtree(problem: Problem, limits: Sequence[Limit], steps: Steps, reason: str, whole: Solved) -> Solved:
    found = subtree_recoding(problem, limits, steps, whole.levels)
    proved = found.proof != "budget spent"
    why = "cuts were left out only where the bound of the loss is above the best found, or where a coarser one shows that too much goes"
    return Solved(
        method="subtree",
        reason=reason,
        recoding=found.recoding,
        loss=mean_penalty(problem, found.recoding),
        evaluated=found.evaluated,
        proof=found.proof,
        why=why if proved else "the steps of its share were taken before every cut was evaluated or ruled out",
        bound=found.bound,
        steps=steps.spent,
        repeat={**whole.repeat, **steps.repeat("subtree")},
    )


def _full_domain(
    problem: Problem,
    limits: Sequence[Limit],
    loss: str,
    reason: str,
    steps: Steps | None,
    time_budget: float | None,
    progress: Progress | None,
) -> Solved:
    def tell(evaluated: int, best: float | None, bound: float) -> None:
        if progress is not None:
            found = "nothing found yet" if best is None else f"best {figure(best)}, at least {figure(bound)}"
            progress(f"{evaluated:,} combinations of levels, {found}")

    found = search(problem, limits, loss, time_budget=time_budget, steps=steps, progress=tell)
    broken = tuple(value.limit for value in found.limits if not value.kept)
    return Solved(
        method="global",
        reason=reason,
        recoding=everywhere(problem, found.levels, found.mask, () if found.met else broken),
        loss=found.loss,
        levels=found.levels,
        binding=found.binding,
        evaluated=found.evaluated,
        proof=found.proof,
        why=found.why,
        bound=found.bound,
        space=found.space,
        steps=steps.spent if steps is not None else 0,
        repeat=steps.repeat("global") if steps is not None else {},
    )

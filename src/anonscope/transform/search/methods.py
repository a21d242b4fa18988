"""The methods side by side: which to take, and what each makes of a problem, in one form."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from anonscope.risk.counting.combinations import too_many
from anonscope.transform.search.label_tables import LabelTables
from anonscope.transform.search.lattice import Place, search
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.local import local_recoding
from anonscope.transform.search.losses import prepared
from anonscope.transform.search.mondrian import mondrian_recoding
from anonscope.transform.search.nodes import Evaluator
from anonscope.transform.search.parted.mondrian import PartedRecoding, recode_part_by_part
from anonscope.transform.search.parted.table import PartedTable
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding, everywhere

Method = Literal["global", "local", "mondrian"]
# Above so many distinct tuples local recoding takes too long, and splitting hardly loses more than it.
MOST_TUPLES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solved:
    """What a method found, and how sure it is."""

    method: Method
    reason: str
    recoding: Recoding | PartedRecoding
    loss: float | None
    levels: tuple[int, ...] | None = None  # where one level holds for a whole column
    binding: tuple[str, ...] = ()
    evaluated: int | None = None
    proof: str = ""
    why: str = ""
    bound: float | None = None
    space: tuple[Place, ...] = ()


def solve(
    problem: Problem,
    limits: Sequence[Limit],
    method: Literal["auto", "global", "local", "mondrian"],
    loss: str,
    *,
    time_budget: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Solved:
    """Return what a method makes of a problem; "auto" takes the one that fits."""
    chosen, reason = _choice(problem, method)
    if chosen == "global":
        return _full_domain(problem, limits, loss, reason, time_budget, progress)
    recoding = recode(problem, limits, chosen)
    return Solved(method=chosen, reason=reason, recoding=recoding, loss=_mean(problem, recoding))


def solve_in_parts(table: PartedTable, limits: Sequence[Limit], method: str, labels: LabelTables) -> Solved:
    """Return what Mondrian makes of combinations that are too many for one machine; `labels` gets what becomes of each."""
    if method not in ("auto", "mondrian"):
        raise too_many(table.found, f"{method} recoding", "Use the method mondrian, which goes part by part")
    recoding = recode_part_by_part(table, limits, labels)
    chosen = f"Chosen because {table.found.count:,} distinct combinations are too many for one machine; they were split where they are."
    reason = chosen if method == "auto" else "It was asked for."
    return Solved(method="mondrian", reason=reason, recoding=recoding, loss=_mean(table.problem, recoding))


def recode(problem: Problem, limits: Sequence[Limit], method: Method, levels: Sequence[int] | None = None) -> Recoding:
    """Return what a method makes of a problem; full-domain recoding needs the levels that a search has found."""
    if method == "global":
        assert levels is not None, "full-domain recoding is carried out at levels that are known"
        release = Evaluator(problem, limits, prepared("ncp", problem)).release(tuple(levels))
        return everywhere(problem, levels, release.mask, release.broken)
    return local_recoding(problem, limits) if method == "local" else mondrian_recoding(problem, limits)


def _choice(problem: Problem, method: Literal["auto", "global", "local", "mondrian"]) -> tuple[Method, str]:
    if method != "auto":
        return method, "It was asked for."
    if problem.tuples > MOST_TUPLES:
        return "mondrian", f"Chosen because {problem.tuples:,} distinct combinations are too many for local recoding."
    return "local", "Chosen because it keeps most detail; the price is mixed granularity in one column, which global recoding avoids."


def _full_domain(
    problem: Problem, limits: Sequence[Limit], loss: str, reason: str, time_budget: float | None, progress: Callable[[str], None] | None
) -> Solved:
    def tell(evaluated: int, best: float | None, bound: float) -> None:
        if progress is not None:
            found = "nothing found yet" if best is None else f"best {best:.4g}, at least {bound:.4g}"
            progress(f"{evaluated:,} combinations of levels, {found}")

    found = search(problem, limits, loss, time_budget=time_budget, progress=tell)
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
    )


def _mean(problem: Problem, recoding: Recoding | PartedRecoding) -> float:
    """Return the mean penalty over attributes by their weights: what local methods go by."""
    weights = np.array(problem.weights)
    return float((recoding.penalties() * weights).sum() / weights.sum())

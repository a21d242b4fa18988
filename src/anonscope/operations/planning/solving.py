"""Recodings that keep what is asked, the least loss first, within a time; each with the options of the command that repeats it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from anonscope.operations.planning.command import levels_of
from anonscope.operations.planning.foreseen import Beside, foreseen
from anonscope.risk.policy import Policy, Verdict
from anonscope.risk.policy.limits import tightened
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.methods import Solved, solve
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.targets import Obstacle, limits_of, obstacles

# Above so many distinct tuples local recoding is not tried for a plan, and above so many only full-domain recoding is, which looks
# at the clock all the time.
SCOPED_TUPLES = 1_000
LOCAL_TUPLES, SPLIT_TUPLES = 20_000, 100_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Made:
    """A recoding that a method found: what an audit of its release would say, what it loses, and how to have it again."""

    problem: Problem
    policy: Policy
    solved: Solved
    verdict: Verdict
    options: tuple[str, ...]

    @property
    def recoding(self) -> Recoding:
        assert isinstance(self.solved.recoding, Recoding), "a plan is about tables in one piece"
        return self.solved.recoding

    @property
    def loss(self) -> float:
        assert self.solved.loss is not None, "a recoding that keeps all limits has a loss"
        return self.solved.loss

    @property
    def smallest(self) -> int:
        """The people in the smallest class."""
        return int(self.recoding.classes().persons.min())


class Solver:
    """Searches one table again and again, until the time is up."""

    def __init__(self, beside: Beside, seconds: float) -> None:
        self.beside, self.began, self.ends = beside, monotonic(), monotonic() + seconds
        self.took: dict[str, float] = {}  # the longest that each method took
        self.left_out: list[str] = []
        self.broken: tuple[Limit, ...] = ()  # what the recoding that came closest breaks
        self.why: list[str] = []

    @property
    def left(self) -> float:
        return self.ends - monotonic()

    def stops(self, problem: Problem, policy: Policy) -> tuple[Obstacle, ...]:
        """Return what no recoding can reach, known from the counts."""
        return obstacles(limits_of(policy, problem, self.beside.scenarios), problem)

    def best(
        self, problem: Problem, policy: Policy, *, methods: Sequence[str] = ("mondrian", "local", "global"), share: float = 1.0
    ) -> Made | None:
        """Return the recoding that loses least of those that meet a policy, as far as the time goes; None: none was found."""
        limits = limits_of(policy, problem, self.beside.scenarios)
        if obstacles(limits, problem):
            return None
        found = list(self._tried(problem, policy, limits, methods, share))
        return min(found, key=lambda made: (made.loss, made.recoding.records_suppressed), default=None)

    def _tried(self, problem: Problem, policy: Policy, limits: Sequence[Limit], methods: Sequence[str], share: float) -> Iterator[Made]:
        for method in methods:
            if not self._affordable(method, problem, limits):
                self.left_out.append(method)
                continue
            began = monotonic()
            # Full-domain recoding shares the time that is left with those that come after it.
            budget = max(0.05, share * self.left / 3) if method == "global" else None
            solved = solve(problem, limits, method, "ncp", time_budget=budget)  # type: ignore[arg-type]
            self.took[method] = max(self.took.get(method, 0.0), monotonic() - began)
            recoding = solved.recoding
            assert isinstance(recoding, Recoding), "a plan is about tables in one piece"
            if recoding.broken or not recoding.affordable or solved.loss is None:
                self._failed(problem, recoding)
                continue
            verdict = foreseen(problem, policy, recoding, self.beside)
            if any(result.stands_in_the_way for result in verdict.rules):
                continue
            yield Made(problem=problem, policy=policy, solved=solved, verdict=verdict, options=tuple(_again(solved, problem)))

    def more(self, seconds: float) -> None:
        """Have more time."""
        self.ends = max(self.ends, monotonic() + seconds)

    def _failed(self, problem: Problem, recoding: Recoding) -> None:
        """Remember what stood in the way the first time."""
        if not self.why:
            self.broken = recoding.broken
            self.why = [f"No recoding that was looked at keeps {limit.name}." for limit in recoding.broken]
            if not recoding.affordable:
                gone, most = recoding.records_suppressed, problem.budget
                self.why.append(f"{gone:,} of {problem.records:,} records would have to be suppressed, and at most {most:,} may be.")

    def _affordable(self, method: str, problem: Problem, limits: Sequence[Limit]) -> bool:
        """Return whether a method is likely to come to an end in time."""
        if method == "global":
            return self.left > 0.05
        if method == "local" and problem.tuples > SCOPED_TUPLES and any(x.attributes is not None or x.per == "table" for x in limits):
            return False
        if problem.tuples > (LOCAL_TUPLES if method == "local" else SPLIT_TUPLES):
            return False
        return self.took.get(method, 0.0) < self.left and self.left > 0


def _again(solved: Solved, problem: Problem) -> list[str]:
    """Return the options by which the same recoding is made again."""
    found = ["--method", solved.method]
    if solved.levels is not None:
        names = [ladder.name for ladder in problem.ladders]
        found += levels_of(dict(zip(names, solved.levels, strict=True)))
    return found


def protective(policy: Policy, records: int) -> Iterator[tuple[int, Policy]]:
    """Yield class sizes above the policy's own, and the policy with each of them asked for as well."""
    for factor in (2, 5):
        size = policy.class_size * factor
        if size * 2 <= records:
            yield size, tightened(policy, {"k_anonymity": size})


def pareto(found: Sequence[Made], most: int = 5) -> tuple[Made, ...]:
    """Return those that nothing beats in both risk and loss, the least loss first."""
    ranked = sorted(found, key=lambda made: (made.loss, -made.smallest))
    kept: list[Made] = []
    for made in ranked:
        if not kept or made.smallest > kept[-1].smallest:
            kept.append(made)
    return tuple(kept[:most])


def with_settings(problem: Problem, suppression: float | None = None, bounds: Mapping[str, tuple[int, int]] | None = None) -> Problem:
    """Return the problem with another limit on suppression, or other bounds of levels."""
    names = [ladder.name for ladder in problem.ladders]
    if bounds is not None:
        lowest = tuple(bounds[name][0] if name in bounds else 0 for name in names)
        highest = tuple(min(bounds[x.name][1], x.height) if x.name in bounds else x.height for x in problem.ladders)
        problem = replace(problem, lowest=lowest, highest=highest)
    return replace(problem, suppression=suppression) if suppression is not None else problem

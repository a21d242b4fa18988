"""Recodings that keep what is asked, the least loss first, within a time; each with the options of the command that repeats it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from anonscope.operations.planning.command import levels_of
from anonscope.operations.planning.foreseen import Beside, foreseen
from anonscope.risk.policy import Policy, Verdict
from anonscope.risk.policy.limits import tightened
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.methods import Method, Solved, alone
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.steps import SHARE, Steps
from anonscope.transform.search.targets import limits_of, obstacles

# A search that has less time does not begin.
_LEAST = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Made:
    """A recoding that a method found: what an audit of its release would say, what it loses, and how to have it again."""

    problem: Problem
    policy: Policy
    solved: Solved
    verdict: Verdict
    smallest: int  # people in the smallest class
    options: tuple[str, ...]

    @property
    def recoding(self) -> Recoding:
        assert isinstance(self.solved.recoding, Recoding), "a plan is about tables in one piece"
        return self.solved.recoding

    @property
    def at_most(self) -> bool:
        """Whether the clock ended the search, so that its command goes further and loses at most as much."""
        return bool(self.solved.repeat)

    @property
    def loss(self) -> float:
        assert self.solved.loss is not None, "a recoding that keeps all limits has a loss"
        return self.solved.loss


class Solver:
    """Searches one table again and again, until the time is up."""

    def __init__(self, beside: Beside, seconds: float) -> None:
        self.beside, self.seconds, self.ends = beside, seconds, monotonic() + seconds
        self.left_out: list[str] = []  # methods that the clock ended, or that it did not let begin
        self.broken: tuple[Limit, ...] = ()  # what the first recoding breaks that kept not all limits
        self.why: list[str] = []

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.ends - monotonic()

    def more(self, seconds: float) -> None:
        """Have more time."""
        self.ends = max(self.ends, monotonic() + seconds)

    def best(
        self, problem: Problem, policy: Policy, *, methods: Sequence[Method] = ("mondrian", "local", "global"), share: float = 0.3
    ) -> Made | None:
        """Return the recoding that loses least of those that meet a policy, as far as the time goes; None: none was found.

        Every method may take a share of the time that the plan has in all.
        """
        limits = limits_of(policy, problem, self.beside.scenarios)
        if obstacles(limits, problem):
            return None
        found = list(self._tried(problem, policy, limits, methods, share * self.seconds))
        return min(found, key=lambda made: (made.loss, made.recoding.records_suppressed), default=None)

    def _tried(
        self, problem: Problem, policy: Policy, limits: Sequence[Limit], methods: Sequence[Method], seconds: float
    ) -> Iterator[Made]:
        for method in methods:
            budget = min(seconds, self.left)
            if budget < _LEAST:
                self.left_out.append(method)
                continue
            # Full-domain recoding is told again by its levels, the others by their method if they came to their end.
            steps = None if method == "global" else Steps(SHARE, budget)
            solved = alone(problem, limits, method, steps=steps, time_budget=budget)
            recoding = solved.recoding
            assert isinstance(recoding, Recoding), "a plan is about tables in one piece"
            if solved.repeat or solved.proof == "budget spent":
                self.left_out.append(method)
            if recoding.broken or not recoding.affordable or solved.loss is None:
                self._failed(problem, recoding)
                continue
            verdict = foreseen(problem, policy, recoding, self.beside)
            if any(result.stands_in_the_way for result in verdict.rules):
                continue
            smallest = int(recoding.classes().persons.min())
            options = tuple(_again(solved, problem))
            yield Made(problem=problem, policy=policy, solved=solved, verdict=verdict, smallest=smallest, options=options)

    def _failed(self, problem: Problem, recoding: Recoding) -> None:
        """Remember what stood in the way the first time."""
        if not self.why:
            self.broken = recoding.broken
            self.why = [f"No recoding that was looked at keeps {limit.name}." for limit in recoding.broken]
            if not recoding.affordable:
                gone, most = recoding.records_suppressed, problem.budget
                self.why.append(f"{gone:,} of {problem.records:,} records would have to be suppressed, and at most {most:,} may be.")


def _again(solved: Solved, problem: Problem) -> list[str]:
    """Return the options by which the same recoding is made again; none where the clock ended the search, so that it goes further."""
    if solved.repeat:
        return []
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
    if bounds is not None:
        lowest = tuple(bounds[x.name][0] if x.name in bounds else 0 for x in problem.ladders)
        highest = tuple(min(bounds[x.name][1], x.height) if x.name in bounds else x.height for x in problem.ladders)
        problem = replace(problem, lowest=lowest, highest=highest)
    return replace(problem, suppression=suppression) if suppression is not None else problem

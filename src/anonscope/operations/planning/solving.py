"""Recodings that keep what is asked, the least loss first, within a time; each with the options of the command that repeats it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from time import monotonic

from anonscope.operations.planning.command import levels_of
from anonscope.operations.planning.foreseen import BesideTuples, foreseen
from anonscope.risk.policy import Policy, Verdict
from anonscope.risk.policy.limits import tightened
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.methods import Method, Solved, alone, continued
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.steps import GOING_ON, IN_A_PLAN, SHARE, Steps, in_a_plan
from anonscope.transform.search.targets import limits_of, obstacles

# A search that has less time does not begin.
_LEAST = 0.02
# The quick ones first, and what each may take of the time, in parts; local recoding goes on from the best of them.
METHODS: tuple[Method, ...] = ("mondrian", "local", "global", "subtree")
_PARTS: dict[Method, int] = {"mondrian": 3, "local": 8, "subtree": 2, "global": 2}
_GOING_ON = 2
# What protects more has classes so many times as large.
_FACTORS = (2, 5, 20)


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
    def cut(self) -> bool:
        """Whether its time or its steps were over before the search was at its end; its command ends it at the same step."""
        return bool(self.solved.repeat)

    @property
    def loss(self) -> float:
        assert self.solved.loss is not None, "a recoding that keeps all limits has a loss"
        return self.solved.loss


class Solver:
    """Searches one table again and again: with as many steps as every plan has or, where the clock counts, until the time is up.

    `now` is that clock: on the wall, or the seconds of this thread, which are as many on a busy machine as on a quiet one.
    """

    def __init__(self, beside: BesideTuples, seconds: float, *, clock: bool = True, now: Callable[[], float] = monotonic) -> None:
        self.beside, self.seconds, self.clock, self.now = beside, max(seconds, 0.0), clock, now
        self.ends = now() + self.seconds
        self.left_out: list[str] = []  # methods that the clock ended, or that it did not let begin
        self.broken: tuple[Limit, ...] = ()  # what the first recoding breaks that kept not all limits
        self.why: list[str] = []

    @property
    def left(self) -> float:
        """The seconds that are left: no end of them, where the clock does not count."""
        return self.ends - self.now() if self.clock else inf

    def more(self, seconds: float) -> None:
        """Have more time: at least so much."""
        self.seconds, self.ends = max(self.seconds, seconds), max(self.ends, self.now() + seconds)

    def best(self, problem: Problem, policy: Policy, *, methods: Sequence[Method] = METHODS, share: float = 1.0) -> Made | None:
        """Return the recoding that loses least of those that meet a policy, as far as the time goes; None: none was found."""
        return min(self.all(problem, policy, methods=methods, share=share), key=_order, default=None)

    def all(
        self,
        problem: Problem,
        policy: Policy,
        *,
        methods: Sequence[Method] = METHODS,
        share: float = 1.0,
        most: int | None = None,
        further: bool = False,
    ) -> list[Made]:
        """Return what each method found that meets a policy, and what local recoding made of the best of it.

        They have a share of the time that the plan has in all; what one of them leaves of it goes to those that come after. Where
        the clock does not count, each has its steps, or `most`. Local recoding goes on if it is one of them, or if `further` says so.
        """
        limits = limits_of(policy, problem, self.beside.scenarios)
        if obstacles(limits, problem):
            return []
        ends = min(self.ends, self.now() + share * self.seconds)
        parts = [_PARTS[method] for method in methods] + [_GOING_ON]
        found: list[Made] = []
        whole: Solved | None = None
        for i, method in enumerate(methods):
            steps = self._budget(method, ends, parts[i] / sum(parts[i:]), most)
            if steps is not None:
                solved = alone(problem, limits, method, steps=steps, whole=whole)
                whole = solved if method == "global" else whole
                found += self._told(problem, policy, solved)
        best = min(found, key=_order, default=None)
        if best is not None and best.solved.method != "local" and (further or "local" in methods):
            steps = self._budget("local", ends, 1.0, GOING_ON)
            if steps is not None:
                found += self._told(problem, policy, continued(problem, limits, best.solved, steps, ""))
        return found

    def _budget(self, method: Method, ends: float, part: float, most: int | None = None) -> Steps | None:
        """Return what a method may take: so many steps, or a part of the time until some moment; None where that is nothing."""
        if not self.clock:
            return Steps(IN_A_PLAN[method] if most is None else most)
        seconds = (min(ends, self.ends) - self.now()) * part
        if seconds < _LEAST:
            self.left_out.append(method)
            return None
        return Steps(SHARE, seconds, now=self.now)

    def _told(self, problem: Problem, policy: Policy, solved: Solved) -> Iterator[Made]:
        """Yield what was found with all that is said of it, if it meets the policy."""
        recoding = solved.recoding
        assert isinstance(recoding, Recoding), "a plan is about tables in one piece"
        if solved.repeat or solved.proof == "budget spent":
            self.left_out.append(solved.method)
        if recoding.broken or not recoding.affordable or solved.loss is None:
            self._failed(problem, recoding)
            return
        verdict = foreseen(problem, policy, recoding, self.beside)
        if any(result.stands_in_the_way for result in verdict.rules):
            return
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
    """Return the options by which the same recoding is made again, step for step."""
    found = ["--method", solved.method]
    if solved.start is not None:
        found += ["--start", solved.start]
    elif solved.levels is not None:
        # Full-domain recoding is told again by its levels, whatever it took to find them.
        names = [ladder.name for ladder in problem.ladders]
        return found + levels_of(dict(zip(names, solved.levels, strict=True)))
    if solved.repeat and solved.repeat.items() <= in_a_plan(solved.method, solved.start).items():
        return [*found, "--as-planned"]
    return found + [part for method, steps in solved.repeat.items() for part in ("--steps", f"{method}={steps}")]


def _order(made: Made) -> tuple[float, int]:
    return made.loss, made.recoding.records_suppressed


def protective(policy: Policy, records: int) -> Iterator[tuple[int, Policy]]:
    """Yield class sizes above the policy's own, and the policy with each of them asked for as well."""
    for factor in _FACTORS:
        size = policy.class_size * factor
        if size * 2 <= records:
            yield size, tightened(policy, {"k_anonymity": size})


def pareto(found: Sequence[Made], most: int = 5) -> tuple[Made, ...]:
    """Return those that nothing beats in both risk and loss, the least loss first; of too many, those that differ most in risk."""
    ranked = sorted(found, key=lambda made: (made.loss, -made.smallest))
    kept: list[Made] = []
    for made in ranked:
        if not kept or made.smallest > kept[-1].smallest:
            kept.append(made)
    while len(kept) > most:
        ratios = [kept[i + 1].smallest / kept[i - 1].smallest for i in range(1, len(kept) - 1)]
        del kept[1 + ratios.index(min(ratios))]
    return tuple(kept)


def names_of(found: Sequence[Made]) -> tuple[str, ...]:
    """Return what to call releases, the least loss first: the balanced one is nearest to the least risk and the least loss at once."""
    if len(found) < 3:
        return ((), ("the best found",), ("most useful", "most protective"))[len(found)]
    first, last = found[0], found[-1]
    risk, loss = 1 / first.smallest - 1 / last.smallest, last.loss - first.loss

    def away(made: Made) -> float:
        return ((1 / made.smallest - 1 / last.smallest) / risk) ** 2 + ((made.loss - first.loss) / loss) ** 2

    middle = min(range(1, len(found) - 1), key=lambda i: away(found[i]))
    between = ["balanced" if i == middle else "between" for i in range(1, len(found) - 1)]
    return ("most useful", *between, "most protective")


def with_settings(problem: Problem, suppression: float | None = None, bounds: Mapping[str, tuple[int, int]] | None = None) -> Problem:
    """Return the problem with another limit on suppression, or other bounds of levels."""
    if bounds is not None:
        lowest = tuple(bounds[x.name][0] if x.name in bounds else 0 for x in problem.ladders)
        highest = tuple(min(bounds[x.name][1], x.height) if x.name in bounds else x.height for x in problem.ladders)
        problem = replace(problem, lowest=lowest, highest=highest)
    return replace(problem, suppression=suppression) if suppression is not None else problem

"""What else could be had: the same search with a limit relaxed, another class size, or more records suppressed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anonscope.io.figures import per_cent
from anonscope.risk.policy import Policy, Rule
from anonscope.transform.search.methods import Solved
from anonscope.transform.search.portfolio import solve
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.targets import limits_of

CLASS_SIZES = (2, 3, 5, 10, 20, 50, 100)
# By how much a rule about a share is relaxed, and how many more records may be suppressed.
_SHARE, _MORE = 0.1, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Again:
    """The problem once solved, ready to be solved with other wishes by the same method."""

    problem: Problem
    rules: tuple[Rule, ...]
    scenarios: tuple[Sequence[str], ...]
    known: Solved  # what was found as asked
    loss: str
    time_budget: float | None

    def solved(self, rules: Sequence[Rule], problem: Problem | None = None) -> Solved | None:
        """Return what is found with these rules, or None if they cannot be met."""
        problem = problem or self.problem
        found = solve(problem, limits_of(rules, problem, self.scenarios), self.known.method, self.loss, time_budget=self.time_budget)
        return None if found.recoding.broken or not found.recoding.affordable else found

    def relaxed(self) -> Iterator[tuple[str, Solved | None]]:
        """Yield each wish in words and what it would lead to: rules eased, rules given up, more records suppressed."""
        for i, rule in enumerate(self.rules):
            others = [*self.rules[:i], *self.rules[i + 1 :]]
            eased = _eased(rule)
            if eased is not None:
                yield f"{rule.metric} {eased.limit_text} instead of {rule.limit_text}", self._easier([*others, eased])
            if others:
                yield f"without {rule.metric} {rule.limit_text}", self._easier(others)
        if self.problem.suppression < 1:
            more = min(1.0, self.problem.suppression + _MORE)
            yield f"up to {per_cent(more, 0)} of the records suppressed", self._easier(self.rules, replace(self.problem, suppression=more))

    def _easier(self, rules: Sequence[Rule], problem: Problem | None = None) -> Solved | None:
        """Return what is found where less is asked: nothing worse than what was found as asked, which will do as well."""
        found = self.solved(rules, problem)
        return self.known if self.known.met and (found is None or _more(found.loss, self.known.loss)) else found

    def frontier(self, policy: Policy) -> Iterator[tuple[int, Solved]]:
        """Yield class sizes and the least loss each is reached at, all other rules as they are."""
        asked = [rule.minimum for rule in self.rules if rule.metric == "k_anonymity" and rule.minimum is not None]
        own = int(max(asked)) if asked else policy.class_size
        others = [rule for rule in self.rules if rule.metric != "k_anonymity"]
        for size in sorted({*CLASS_SIZES, own}):
            if size <= self.problem.records:
                rule = Rule(metric="k_anonymity", label="", minimum=size)
                asked_for = [*others, rule]
                found = self._easier(asked_for) if size <= own else self.solved(asked_for)
                if found is not None and found.loss is not None:
                    yield size, found


def _more(loss: float | None, than: float | None) -> bool:
    return loss is None or (than is not None and loss > than)


def _eased(rule: Rule) -> Rule | None:
    """Return a rule that asks for a little less, or None where that would ask for nothing."""
    if rule.minimum is not None:
        return replace(rule, minimum=rule.minimum - 1) if rule.minimum > 2 else None
    assert rule.maximum is not None, "a rule has one limit"
    return replace(rule, maximum=round(min(1.0, rule.maximum + _SHARE), 6)) if rule.maximum < 1 else None

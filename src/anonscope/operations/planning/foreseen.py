"""What an audit of a release would find, told from the tuples before the release is made."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anonscope.errors import PolicyError
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import ATTACKS, Policy, RepeatedIdentifier, Rule, RuleResult, TellingColumn, UnassignedColumn, Verdict
from anonscope.risk.policy.exceptions import StatedException
from anonscope.risk.policy.verdict import judge_numbers, verdict_of
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.targets import limits_of


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideTuples:
    """What counts in a verdict beside the tuples."""

    scenarios: tuple[tuple[str, ...], ...] = ()
    unassigned: tuple[UnassignedColumn, ...] = ()
    repeated: tuple[RepeatedIdentifier, ...] = ()
    telling: tuple[TellingColumn, ...] = ()


def foreseen(problem: Problem, policy: Policy, recoding: Recoding, beside: BesideTuples) -> Verdict:
    """Return the verdict that an audit of the release would come to; direct identifiers do not count, because they are in none."""
    results: list[RuleResult] = []
    about: dict[str, list[RuleResult]] = {attack: [] for attack in ATTACKS}
    for rule in policy.rules:
        if rule.given is not None:
            continue
        try:
            limits = limits_of([rule], problem, beside.scenarios)
        except PolicyError as error:
            results.append(RuleResult(rule=rule, status="not measured", reason=str(error)))
        else:
            results.append(_judged(rule, limits, problem, recoding, policy.exceptions))
        for attack in rule.attacks:
            about[attack].append(results[-1])
    told = {attack: tuple(found) for attack, found in about.items()}
    return verdict_of(policy, tuple(results), told, unassigned=beside.unassigned, repeated=beside.repeated, telling=beside.telling)


def _judged(rule: Rule, limits: Sequence[Limit], problem: Problem, recoding: Recoding, exceptions: Sequence[StatedException]) -> RuleResult:
    whole = METRICS[rule.metric].whole
    values: list[tuple[str | None, float | None]] = []
    for limit in limits:
        value = limit.worst(recoding.classes(limit.attributes))
        about = problem.sensitive[limit.sensitive].name if limit.sensitive is not None else None
        values.append((about, int(value) if value is not None and whole else value))
    found = judge_numbers(rule, [value for _, value in values])
    used: dict[StatedException, None] = {}
    for about, value in values:
        if value is not None and rule.keeps(value):
            continue
        covering = next((e for e in exceptions if e.covers(rule, about, value)), None)
        if covering is None:
            return found
        used[covering] = None
    return replace(found, excepted=tuple(used))

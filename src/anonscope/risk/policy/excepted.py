"""What is said of a release that breaks its policy within stated exceptions: never that it meets it."""

from collections.abc import Iterator

from anonscope.errors import ended
from anonscope.io.figures import different
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy.policy import Policy
from anonscope.risk.policy.verdict import RuleResult, Verdict


def called(policy: Policy) -> str:
    """Return a policy's name as people write it: in capitals where its title does so."""
    return policy.name.upper() if policy.title.startswith(policy.name.upper()) else policy.name


def except_sentence(policy: Policy, verdict: Verdict) -> str:
    """Return "meets SCORR except correlation about insurance (0.704, limit 0.66)", from every rule that is broken within an exception."""
    return f"meets {called(policy)} except {'; '.join(map(_broken, verdict.excepted))}"


def stated_lines(policy: Policy, verdict: Verdict) -> Iterator[str]:
    """Yield every exception that was used, with the reason of whoever stated it; then those that were not needed."""
    used = tuple(dict.fromkeys(e for result in verdict.excepted for e in result.excepted))
    for e in used:
        yield f"Exception stated: {e.words}. Reason: {ended(e.reason)}"
    for e in policy.exceptions:
        if e not in used and verdict.rules:
            yield f"Exception stated, but not what this verdict rests on: {e.words}. Reason: {ended(e.reason)}"


def _broken(result: RuleResult) -> str:
    rule = result.rule
    columns = tuple(dict.fromkeys(e.sensitive for e in result.excepted if e.sensitive is not None))
    if not columns and result.measurement is not None and result.measurement.sensitive is not None:
        columns = (result.measurement.sensitive,)
    about = f" about {' and '.join(columns)}" if columns else ""
    value = "unbounded" if result.value is None else different(result.value, rule.limit)
    return f"{METRICS[rule.metric].title.lower()}{about} ({value}, limit {rule.limit:g})"

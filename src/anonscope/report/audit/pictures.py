"""The charts of an audit's page: which they are, and what is on them."""

from collections.abc import Iterator

from anonscope.report import words
from anonscope.report.audit.view import ScenarioView, View
from anonscope.report.charts.bars import Bars, bars
from anonscope.report.charts.blame import BlamedPart, facts, waterfall
from anonscope.report.charts.chart import Chart
from anonscope.report.charts.hiding import ASKS, Curve, hiding
from anonscope.report.charts.pairs import pairs
from anonscope.risk.explain.why import Why
from anonscope.risk.findings import Findings
from anonscope.risk.policy import Policy


def first(view: View) -> Iterator[Chart]:
    """Yield what the first screen shows: how many hide how well, and the plan's risk against loss."""
    yield hidden(view.findings)
    if view.plan is not None:
        yield from view.plan.charts


def hidden(findings: Findings, before: Findings | None = None) -> Chart:
    """Return how many hide how well, the worst attacker first; `before` is the table that a release was made of."""
    worst, level = findings.worst_scenario, findings.counted_in
    ordered = [worst, *(s for s in findings.scenarios if s is not worst)]
    curves = [Curve(_named(s.name, len(ordered)), s.sizes.of(level)) for s in ordered if not findings.made_up(s)]
    if before is not None:
        curves = [Curve(f"{c.name}: after" if len(ordered) > 1 else "after", c.sizes) for c in curves]
        was = before.worst_scenario
        if not before.made_up(was):
            curves.insert(1, Curve("before", was.sizes.of(before.counted_in), before=True))
    whose, asks = _line(findings.policy)
    members = "people" if level == "record" else "people (once in each group)"
    return hiding(curves, findings.policy.class_size, members, whose=whose, asks=asks)


def _line(policy: Policy) -> tuple[str, str]:
    """Return whose the line at a group size is, and what it means."""
    if policy.smallest_group:
        return "policy", ASKS
    if any(rule.threshold for rule in policy.rules):
        return "policy", "the policy counts who is in groups of fewer than {}"
    if any(rule.metric == "average_class_size" for rule in policy.rules):
        return "policy, on average", "the policy asks for groups of {} on average; what is left of it has fewer"
    return "usual", "the policy asks for no size of groups; {} is the usual one"


def _named(name: str, several: int) -> str:
    return f"who knows {words.scenario_title(name)}" if several == 1 else words.scenario_title(name)


def why(found: Why) -> Iterator[Chart]:
    """Yield how few facts single somebody out, who is to blame, and the pairs that bite."""
    told = found.facts
    if told is not None and told.worst:
        counted = f"Of sets of up to {told.exhaustive_up_to} all were counted"
        more = len(told.worst) > told.exhaustive_up_to
        yield facts(
            [(s.attributes, s.records) for s in told.worst],
            told.records,
            f"{counted}; larger ones grow by the attribute that adds most." if more else f"{counted}.",
        )
    if found.blame.at_risk:
        parts = [BlamedPart(b.attribute, b.share, b.without / found.blame.at_risk) for b in found.blame.attributes]
        yield waterfall(parts, found.blame.at_risk, found.blame.limit)
    if told is not None and told.pairs:
        yield pairs(told.pairs, told.alone, told.records)


def groups(scenario: ScenarioView, class_size: int) -> Chart:
    """Return the members of groups by the size of these."""
    said = "; ".join(f"{bar.label}: {bar.members:,}" for bar in scenario.bars)
    return bars(
        Bars(
            f"{scenario.members} by the size of their group",
            tuple(f"{bar.label}{' (fewer than the policy asks for)' if bar.too_small else ''}" for bar in scenario.bars),
            (("members", tuple(float(bar.members) for bar in scenario.bars)),),
            f"The policy asks for groups of {class_size:,}. {said}",
        )
    )

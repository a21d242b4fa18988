"""What a policy says of the measurements: pass, fail or not measured, rule by rule."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from anonscope.columns.roles import Roles
from anonscope.risk.metrics import METRICS, AttackerMetric, Measurement, Totals
from anonscope.risk.metrics.metric import Attack, Scope
from anonscope.risk.policy.attack_rules import Achieved, AttackRuleResult, judge_rule
from anonscope.risk.policy.exceptions import StatedException, check_columns
from anonscope.risk.policy.linked import LinkedRecords, StandingIn
from anonscope.risk.policy.look_alikes import LookAlike
from anonscope.risk.policy.policy import ATTACK_OF, Given, Policy, Rule
from anonscope.risk.policy.repeated import RepeatedIdentifier
from anonscope.risk.policy.telling import TellingColumn
from anonscope.risk.policy.unassigned import UnassignedColumn
from anonscope.risk.rounding import exceeds

if TYPE_CHECKING:
    from anonscope.columns.suggestion.check import Check

Outcome = Literal["release", "release with acknowledgement", "release with exceptions", "withhold"]
RuleStatus = Literal["pass", "fail", "not measured"]
Answer = Literal["meets the policy", "acknowledge", "fails", "not measured", "not assessed"]
# What a command returns where a release breaks nothing but what somebody stated to accept.
EXCEPTED = 4
ATTACKS: tuple[Attack, ...] = ("singling out", "linkability", "inference")
# Which class-size metrics count people where several records may belong to one.
_COUNTED_IN_PERSONS = (
    *("k_anonymity", "average_class_size", "records_at_risk"),
    *("prosecutor", "journalist", "marketer", "k_map", "delta_presence", "individual_risk", "household_risk"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """One rule, the worst measurement it applies to, and what follows."""

    rule: Rule
    status: RuleStatus
    risk: Literal["low", "medium", "high"] | None = None  # for rules that know a level between
    value: float | None = None
    measurement: Measurement | None = None
    failing: int = 0
    measured: int = 0
    reason: str | None = None
    unattainable: str | None = None
    # What somebody stated to accept, where that covers all that fails; the rule is broken all the same.
    excepted: tuple[StatedException, ...] = ()

    @property
    def label(self) -> str:
        """The rule in words: of people where these were counted, and not their records."""
        counted = self.measurement is not None and self.measurement.level == "person"
        return self.rule.label.replace("records", "people") if counted else self.rule.label

    @property
    def stands_in_the_way(self) -> bool:
        """Whether a release must be withheld for it."""
        return self.status != "pass" and not self.excepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome, and everything it rests on."""

    policy: str
    outcome: Outcome
    rules: tuple[RuleResult, ...]
    attacks: Mapping[str, Answer]
    # What each answer rests on; a rule about both readings of a metric stands under each of the two with what that one found.
    about: Mapping[str, tuple[RuleResult, ...]] = field(repr=False, default_factory=dict)
    set_aside: tuple[Rule, ...] = ()  # rules that wait for a table which was not given
    must_be_removed: tuple[str, ...] = ()
    direct_identifiers_forbidden: bool = False
    checks: "tuple[Check, ...]" = ()
    two_forms: tuple[str, ...] = ()  # columns that hold one value in two forms, which a reader of the very file tells apart
    unassigned: tuple[UnassignedColumn, ...] = ()  # columns in no measurement: what they look like, and what was said of them
    repeated: tuple[RepeatedIdentifier, ...] = ()  # direct identifiers that tell that one person has several records, though none is named
    telling: tuple[TellingColumn, ...] = ()  # sensitive attributes and weights by which a record is found
    unseen: str | None = None  # where values stay that nobody looked at: what looks like a name by these was not noticed
    also_held: tuple[str, ...] = ()  # what the file holds beside the table, of which nothing was judged
    also_said: str | None = None  # why that may go out too, if somebody said so
    linked: tuple[LinkedRecords, ...] = ()  # what all records of a person tell together, where a column ties them to each other
    attack_rules: tuple[AttackRuleResult, ...] = ()
    look_alikes: tuple[LookAlike, ...] = ()  # sensitive values that differ only by how they are written, and what if they are made one

    @property
    def to_answer_for(self) -> tuple[RepeatedIdentifier | TellingColumn, ...]:
        """The columns that withhold it unless somebody gives a reason for each by its name."""
        return (*self.repeated, *self.telling)

    @property
    def met(self) -> bool:
        """Whether the policy is met; what is released by a stated exception does not meet it."""
        return self.outcome in ("release", "release with acknowledgement")

    @property
    def released(self) -> bool:
        """Whether it may be released: because the policy is met, or because somebody stated an exception."""
        return self.outcome != "withhold"

    @property
    def excepted(self) -> tuple[RuleResult, ...]:
        """The rules that are broken within stated exceptions."""
        return tuple(result for result in self.rules if result.excepted)

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The columns of which somebody must say a word before anything is released."""
        without_role = (column.column for column in self.unassigned if column.unanswered)
        given = (column.column for column in self.to_answer_for if column.said is None)
        alike = (column.column for column in self.look_alikes if column.unanswered)
        return tuple(dict.fromkeys((*without_role, *given, *(column for found in self.linked for column in found.unanswered), *alike)))

    @property
    def exit_code(self) -> int:
        """0 when the policy is met and nobody has to say a word, 4 when only stated exceptions stand in its way, 1 in all other cases."""
        if self.unanswered or not self.released or (self.also_held and self.also_said is None):
            return 1
        return 0 if self.met else EXCEPTED

    def left_out(self, columns: Mapping[str, tuple[StandingIn, ...]]) -> "Verdict":
        """Return the verdict on a release that leaves out columns which tie records together, each with what stands in for it there."""
        linked = tuple(
            replace(found, left_out=True, standing_in=columns[found.column]) if found.column in columns else found for found in self.linked
        )
        found = replace(self, linked=linked)
        return replace(found, outcome=_outcome(found))


def judge(
    policy: Policy,
    roles: Roles,
    measurements: Sequence[Measurement],
    totals: Mapping[str | None, Totals],
    checks: "tuple[Check, ...]" = (),
    two_forms: tuple[str, ...] = (),
    given: Collection[Given] = (),
    unassigned: tuple[UnassignedColumn, ...] = (),
    repeated: tuple[RepeatedIdentifier, ...] = (),
    telling: tuple[TellingColumn, ...] = (),
    linked: tuple[LinkedRecords, ...] = (),
    unseen: str | None = None,
    also_held: tuple[str, ...] = (),
    also_said: str | None = None,
) -> Verdict:
    """Return the verdict; the worst scenario, attribute and sensitive attribute decide, and every check of a list must pass.

    Rules that wait for what is not among `given` are set aside: they make nobody withhold a table, and answer no question.
    Columns in no measurement make it worse only: what looks like a direct identifier withholds, what nobody vouches for by calling it
    insensitive is for somebody to acknowledge; and so does a sensitive attribute or a weight that tells who somebody is. Records that are
    tied together and find people so are for somebody to acknowledge as well, and so is that values stay where nobody looks at them, and
    what else the file holds.
    """
    check_columns(policy.exceptions, roles.sensitive)
    asked = [rule for rule in policy.rules if rule.given is None or rule.given in given]
    results = tuple(_apply(rule, roles, measurements, totals, policy.exceptions) for rule in asked)
    about: dict[str, tuple[RuleResult, ...]] = {attack: tuple(_about(attack, results, roles, measurements, totals)) for attack in ATTACKS}
    return verdict_of(
        policy,
        results,
        about,
        must_be_removed=roles.direct_identifiers,
        direct_identifiers_forbidden=policy.forbid_direct_identifiers and bool(roles.direct_identifiers),
        checks=checks,
        two_forms=two_forms,
        unassigned=unassigned,
        repeated=repeated,
        telling=telling,
        linked=linked,
        unseen=unseen,
        also_held=also_held,
        also_said=also_said,
    )


def with_look_alikes(verdict: Verdict, columns: tuple[LookAlike, ...]) -> Verdict:
    """Return a verdict with what was found of sensitive values that differ only by how they are written."""
    found = replace(verdict, look_alikes=columns)
    return replace(found, outcome=_outcome(found))


def verdict_of(policy: Policy, results: tuple[RuleResult, ...], about: Mapping[str, tuple[RuleResult, ...]], **beside: Any) -> Verdict:
    """Return what follows from rules that were judged one by one, and from what else was found: the other fields of a verdict."""
    judged = [result.rule for result in results]
    set_aside = tuple(rule for rule in policy.rules if rule not in judged)
    found = Verdict(policy=policy.name, outcome="withhold", rules=results, attacks={}, about=about, set_aside=set_aside, **beside)
    # Who only looks at the table has attacked nothing.
    return judge_attacks(policy, (), found)


def judge_attacks(policy: Policy, achieved: Sequence[Achieved], before: Verdict | None = None) -> Verdict:
    """Return a verdict that also keeps the rules about attacks; what was not attacked, or without a control, is not measured."""
    found = before or Verdict(policy=policy.name, outcome="withhold", rules=(), attacks={})
    found = replace(found, attack_rules=tuple(judge_rule(rule, achieved) for rule in policy.attack_rules))
    answers: dict[str, Answer] = {
        attack: _worse(_answer(found.about.get(attack, ())), [r.status for r in found.attack_rules if r.rule.question == attack])
        for attack in ATTACKS
    }
    return replace(found, outcome=_outcome(found), attacks=answers)


def _outcome(found: Verdict) -> Outcome:
    """Return what follows from everything that was judged."""
    outcome: Outcome = "release"
    if any(result.risk == "medium" for result in found.rules) or any(column.uncertain for column in found.unassigned):
        outcome = "release with acknowledgement"
    if found.to_answer_for or found.unseen is not None or found.also_held or any(linked.open for linked in found.linked):
        outcome = "release with acknowledgement"
    if any(column.open for column in found.look_alikes):
        outcome = "release with acknowledgement"
    if found.excepted:
        outcome = "release with exceptions"
    if any(column.said is None and not column.doubtful for column in found.to_answer_for):
        outcome = "withhold"
    if found.direct_identifiers_forbidden or found.two_forms or any(result.stands_in_the_way for result in found.rules):
        outcome = "withhold"
    if any(column.identifies for column in found.unassigned) or any(check.status != "pass" for check in found.checks):
        outcome = "withhold"
    if any(result.status != "pass" for result in found.attack_rules):
        outcome = "withhold"
    if not found.rules and not found.checks and not found.attack_rules:
        # A policy that asked nothing found nothing safe.
        outcome = "withhold"
    return outcome


def _worse(answer: Answer, statuses: Sequence[str]) -> Answer:
    """Return the answer of the rules about metrics together with those about attacks."""
    if not statuses:
        return answer
    if answer == "fails" or "fail" in statuses:
        return "fails"
    if answer == "not measured" or "not measured" in statuses:
        return "not measured"
    return "acknowledge" if answer == "acknowledge" else "meets the policy"


def _about(
    attack: Attack, results: Sequence[RuleResult], roles: Roles, measurements: Sequence[Measurement], totals: Mapping[str | None, Totals]
) -> Iterator[RuleResult]:
    """Yield what the rules found about one question."""
    for result in results:
        if result.rule.attacks == (attack,):
            yield result
        elif attack in result.rule.attacks:
            reading = replace(result.rule, variant=next(reading for reading, of in ATTACK_OF.items() if of == attack))
            # Without a sensitive attribute there is one reading only, and nothing to infer.
            if _applicable(reading, roles, measurements):
                yield _apply(reading, roles, measurements, totals)


def _apply(
    rule: Rule,
    roles: Roles,
    measurements: Sequence[Measurement],
    totals: Mapping[str | None, Totals],
    exceptions: Sequence[StatedException] = (),
) -> RuleResult:
    applicable = _applicable(rule, roles, measurements)
    unmeasured = [m for m in applicable if m.status == "not measured"]
    if unmeasured or not applicable:
        reason = unmeasured[0].reason if unmeasured else "nothing of this kind was measured"
        return RuleResult(rule=rule, status="not measured", reason=reason, measurement=unmeasured[0] if unmeasured else None)
    unbounded = [m for m in applicable if m.status == "unbounded"]
    values = [(m, _compared(rule, m)) for m in applicable]
    if not unbounded and any(value is None for _, value in values):
        lacking = next(m for m, value in values if value is None)
        return RuleResult(rule=rule, status="not measured", reason=f"it has no {rule.statistic} here", measurement=lacking)
    found = judge_numbers(rule, [None if m.status == "unbounded" else value for m, value in values])
    accepted = _excepted(rule, [(m, None if m.status == "unbounded" else value) for m, value in values], exceptions)
    found = replace(found, excepted=accepted)
    if unbounded:
        return replace(found, measurement=unbounded[0], failing=len(unbounded), reason=unbounded[0].reason)
    worst = next(m for m, value in values if value == found.value)
    failing = [m for m, value in values if value is not None and not rule.keeps(value)]
    return replace(found, measurement=worst, unattainable=_unattainable(rule, failing, totals))


def judge_numbers(rule: Rule, values: Sequence[float | None]) -> RuleResult:
    """Return what a rule says of the numbers that it is about, at least one; None is worse than any number, so no limit is kept."""
    known = [value for value in values if value is not None]
    unbounded = len(known) < len(values)
    worst = None if unbounded else (min if rule.minimum is not None else max)(known)
    failing = len(values) - len(known) if worst is None else sum(not rule.keeps(value) for value in known)
    risk: Literal["low", "medium", "high"] | None = None
    if rule.acknowledge_above is not None:
        risk = "high" if failing else "medium" if worst is not None and exceeds(worst, rule.acknowledge_above) else "low"
    return RuleResult(rule=rule, status="fail" if failing else "pass", risk=risk, value=worst, failing=failing, measured=len(values))


def _excepted(
    rule: Rule, found: Sequence[tuple[Measurement, float | None]], exceptions: Sequence[StatedException]
) -> tuple[StatedException, ...]:
    """Return the exceptions that cover everything that fails; none where something is left that nobody accepted."""
    used: dict[StatedException, None] = {}
    for m, value in found:
        if value is not None and rule.keeps(value):
            continue
        covering = [e for e in exceptions if e.covers(rule, m.sensitive, value)]
        if not covering:
            return ()
        used[covering[0]] = None
    return tuple(used)


def _compared(rule: Rule, m: Measurement) -> float | None:
    """Return the number that a rule is about: the one that a measurement has or, of several over records, the largest unless it says."""
    if m.value is not None:
        return m.value
    return m.statistic("max" if rule.statistic == "value" else rule.statistic)


def _applicable(rule: Rule, roles: Roles, measurements: Sequence[Measurement]) -> list[Measurement]:
    level = "person" if roles.event_level and rule.metric in _COUNTED_IN_PERSONS else "record"
    chosen: dict[tuple[object, ...], Measurement] = {}
    for m in measurements:
        # Whoever asks for the other sensitive attributes to be joined wants to be judged by it.
        if m.metric != rule.metric or m.level not in (level, "joined") or _scope(m) not in rule.scopes:
            continue
        if rule.variant is not None and m.variant != rule.variant:
            continue
        # Another way of counting is judged by rules that name it.
        if rule.variant is None and m.variant is not None and m.variant in _named_variants(rule):
            continue
        if rule.threshold is not None and m.variant != f"below {rule.threshold}":
            continue
        # The default variant comes first.
        chosen.setdefault((m.scenario, m.attributes, m.sensitive, m.level), m)
    return list(chosen.values())


def _named_variants(rule: Rule) -> tuple[str, ...]:
    metric = METRICS[rule.metric]
    return metric.named_variants if isinstance(metric, AttackerMetric) else ()


def _scope(m: Measurement) -> Scope:
    if m.attributes is None:
        return "whole"
    return "each" if len(m.attributes) == 1 else "pair"


def _unattainable(rule: Rule, failing: list[Measurement], totals: Mapping[str | None, Totals]) -> str | None:
    """Return why no change of the quasi-identifiers can meet the rule, if none can."""
    metric = METRICS[rule.metric]
    if metric.floor is None:
        return None
    for m in failing:
        floor = metric.floor(replace(totals[m.sensitive], threshold=rule.threshold or 0))
        if not rule.keeps(floor.value):
            about = f" ({m.sensitive})" if m.sensitive else ""
            return f"cannot be met by changing quasi-identifiers, because {floor.because}{about}"
    return None


def _answer(results: Sequence[RuleResult]) -> Answer:
    if not results:
        return "not assessed"
    if any(result.status == "fail" for result in results):
        return "fails"
    if any(result.status == "not measured" for result in results):
        return "not measured"
    return "acknowledge" if any(result.risk == "medium" for result in results) else "meets the policy"

"""Numbers and findings in plain words, shared by every kind of report."""

import re
from collections.abc import Sequence
from typing import Literal

from anonscope.columns.roles import DEFAULT_SCENARIO
from anonscope.errors import ended, joined
from anonscope.io.figures import figure as figure
from anonscope.io.figures import number as number
from anonscope.io.figures import share as share
from anonscope.risk.findings import Findings, ScenarioCounts
from anonscope.risk.metrics import METRICS, Measurement
from anonscope.risk.policy import Policy, RuleResult, Verdict
from anonscope.risk.policy.exceptions import except_sentence
from anonscope.risk.policy.limits import NAME as LIMITS_NAMED
from anonscope.risk.policy.telling import known_sentence
from anonscope.risk.policy.unassigned import sentences, uncounted_sentence

RiskLevel = Literal["low", "medium", "high"]
# What the variants of other families mean is said beside them.
_VARIANTS_SHOWN = ("syntactic", "information", "attacker", "population", "survey")
# SCORR's cut points (Folz 2025, section IV-B); the gaps it leaves between them go to the riskier side.
LOW, MEDIUM = 0.33, 0.66

HEADLINES = {
    "release": "may be released",
    "release with acknowledgement": "may be released with an acknowledgement of the risk",
    "release with exceptions": "may be released only by stated exceptions",
    "withhold": "do not release",
}
# The same of a release that nobody has made.
WHAT_IF = {
    "release": "Would be ready for release",
    "release with acknowledgement": "Could be released if the risk is acknowledged",
    "release with exceptions": "Could be released by stated exceptions only",
    "withhold": "Would not be ready for release",
}
Tone = Literal["low", "mid", "high"]
# The colour of every word that judges: outcomes, answers, statuses of rules and levels of risk. What was not measured has none.
TONES: dict[str, Tone] = {
    "release": "low",
    "release with acknowledgement": "mid",
    "release with exceptions": "mid",
    "withhold": "high",
    "meets the policy": "low",
    "acknowledge": "mid",
    "fails": "high",
    "pass": "low",
    "fail": "high",
    "low": "low",
    "medium": "mid",
    "high": "high",
}
# What stands beside a colour, for whoever does not see it.
# Whoever has a seed can undo what it made.
RECIPE = "Applied to the same table, it gives the same release; pseudonyms and random steps need the seeds, which are in the archive only."
SIGNS = {"low": "✓", "mid": "●", "high": "▲", "none": "?"}
# What became of a rule, in a sentence.
MET = {"pass": "met", "fail": "not met", "not measured": "not measured"}
NOT_MEASURED = "not measured"
# What is to be typed stands in brackets behind words that say the same, so that whoever has no terminal misses nothing.
_TYPED = re.compile(r"\s*\((?:anonscope [a-z]|--[a-z]|-[a-z](?=[ ,)]))[^()]*(?:\([^()]*\)[^()]*)*\)")
ATTACK_QUESTIONS = {
    "singling out": "Can somebody's record be picked out?",
    "linkability": "Can records be linked with another table?",
    "inference": "Can something secret be concluded about somebody?",
}


def risk_level(value: float) -> RiskLevel:
    """Return SCORR's level of a score between 0 and 1."""
    return "low" if value <= LOW else "medium" if value <= MEDIUM else "high"


def tone(word: str) -> Tone | Literal["none"]:
    """Return the colour of a word that judges, none if it has none."""
    return TONES.get(word, "none")


def level_words(level: int, height: int, words: Sequence[str] = ()) -> str:
    """Return what a level of a hierarchy does; `words` are the hierarchy's own, of the levels above the values themselves."""
    if level == 0:
        return "as it is"
    if level == height:
        return "hidden"
    return words[level - 1] if level <= len(words) else f"level {level}"


def listed(names: Sequence[str], limit: int = 5) -> str:
    """Return names as people say them."""
    if len(names) > limit:
        names = [*names[: limit - 1], f"{len(names) - limit + 1} more"]
    return joined(names)


def reason_asked(*commands: str) -> tuple[str, ...]:
    """Return the sentence that stands beside commands which leave a reason open; none where no such command is."""
    return ("Write your own words in the place of REASON: they become part of the papers.",) if any("REASON" in c for c in commands) else ()


def policy_named(policy: Policy) -> str:
    """Return what a sentence calls a policy: its name and what that stands for; limits that somebody named have no name."""
    return policy.title if policy.name == LIMITS_NAMED else f"the policy {policy.name} ({policy.title})"


def headline(findings: Findings) -> str:
    """Return the verdict in words."""
    words = HEADLINES[findings.verdict.outcome]
    if findings.verdict.outcome == "release with exceptions":
        words = except_sentence(findings.policy, findings.verdict)
    removed = findings.verdict.must_be_removed
    if removed and findings.verdict.released:
        return f"{words}, once {listed(removed)} {'is' if len(removed) == 1 else 'are'} removed"
    return words


def sentence(findings: Findings) -> str:
    """Return a few sentences that a layman understands: the worst scenario, what was not counted, and what a checklist leaves open."""
    knowledge = ""
    if findings.policy.guarantee is not None and findings.verdict.released:
        knowledge = (
            "What is guaranteed is what the manifest beside the file states, and about this table only: what else is released about the "
            "same people adds up."
        )
    elif findings.policy.checklist is not None and findings.verdict.released:
        knowledge = (
            "The list of Safe Harbor is not all: whoever releases the data must also have no actual knowledge that what is left could "
            "identify somebody (45 CFR 164.514(b)(2)(ii)), which no table tells."
        )
    return " ".join(part for part in (knowledge, _worst(findings), uncounted_sentence(findings.verdict.unassigned)) if part)


def _worst(findings: Findings) -> str:
    scenario = findings.worst_scenario
    known = listed(scenario.quasi_identifiers)
    if made_up := findings.made_up(scenario):
        return groups_mean_nothing(made_up)
    learned = f", and with it {listed(findings.roles.sensitive)}" if findings.roles.sensitive else ""
    if findings.roles.event_level:
        return _event_sentence(findings, scenario, known, learned)
    sizes, total = scenario.sizes, findings.rows
    alone, small, wanted = sizes.below(2), sizes.below(findings.policy.class_size), findings.policy.class_size
    if alone:
        people = f"{alone:,} of {total:,} people ({share(alone, total)})" if total > 1 else "The only person in the table"
        stand, their = ("stands", "their") if alone == 1 else ("stand", "their")
        return f"{people} {stand} alone. Anyone who knows {their} {known} finds {their} record{learned}."
    smallest = sizes.records[0][0]
    if small:
        return (
            f"Nobody stands alone, but {small:,} of {total:,} people ({share(small, total)}) share their {known} "
            f"with fewer than {wanted - 1} others."
        )
    return f"Everybody shares their {known} with at least {smallest - 1:,} others.{_inference(findings)}"


def groups_mean_nothing(made_up: Sequence[str]) -> str:
    """Return why nothing is said of how many people look alike, where a recipe made values up."""
    return f"A recipe made up values of {listed(made_up)}, so how many people look alike does not tell how well they are protected."


def _event_sentence(findings: Findings, scenario: ScenarioCounts, known: str, learned: str) -> str:
    sizes = scenario.sizes
    alone = sum(count for persons, count in sizes.persons if persons == 1)
    small = sum(count for persons, count in sizes.persons if persons < findings.policy.class_size)
    if alone:
        groups = f"{alone:,} of {sizes.classes:,} combinations of {known} ({share(alone, sizes.classes)})"
        verb = "belongs" if alone == 1 else "belong"
        return f"{groups} {verb} to one person only. Anyone who knows them finds all of that person's records in the group{learned}."
    if small:
        return (
            f"Every combination of {known} is shared by several people, but {small:,} of {sizes.classes:,} "
            f"({share(small, sizes.classes)}) by fewer than {findings.policy.class_size}."
        )
    return f"Every combination of {known} is shared by at least {sizes.persons[0][0]:,} people.{_inference(findings)}"


def _inference(findings: Findings) -> str:
    """What a crowd does not protect from."""
    failing = [r for r in findings.verdict.rules if r.status == "fail" and "inference" in r.rule.attacks]
    if not failing:
        return ""
    result = failing[0]
    about = result.measurement.sensitive if result.measurement and result.measurement.sensitive else "the sensitive attribute"
    return f" But being in a group still says too much about {about}."


def rules_sentence(findings: Findings) -> str:
    """Return how many rules fail, and what the page does not show."""
    verdict = findings.verdict
    rules = [r.status for r in verdict.rules] + [r.status for r in verdict.attack_rules] + [c.status for c in verdict.checks]
    failed = rules.count("fail")
    unmeasured = rules.count("not measured")
    parts = [f"{failed} of {len(rules)} rules {'fails' if failed == 1 else 'fail'}"] if failed else []
    parts += [f"{unmeasured} could not be measured, which counts as not met"] if unmeasured else []
    parts += [
        f"direct identifiers are forbidden and {len(findings.verdict.must_be_removed)} left"
    ] * findings.verdict.direct_identifiers_forbidden
    two_forms = len(findings.verdict.two_forms)
    parts += [f"{two_forms} column{'s' * (two_forms > 1)} can be read in two ways"] * bool(two_forms)
    repeated = [c for c in verdict.repeated if c.said is None]
    parts += ["one person has several records, and records were counted"] * bool(repeated)
    known = [c.column for c in verdict.telling if c.said is None and c.role == "quasi-identifier" and not c.doubtful]
    if known:
        parts.append(f"given as quasi-identifiers, {listed(known)} tell{'s' * (len(known) == 1)} who somebody is")
    telling = [c.column for c in verdict.telling if c.said is None and c.role != "quasi-identifier" and not c.doubtful]
    if telling:
        parts.append(f"given as sensitive or as the weight, {listed(telling)} tell{'s' * (len(telling) == 1)} who somebody is")
    parts += ["no rule of the policy could be asked, which counts as not met"] if not rules else []
    told = " and ".join(parts) if parts else f"all {len(rules)} rules are met" if len(rules) > 1 else "the rule is met"
    return f"{told[0].upper()}{told[1:]}.{acknowledgement(verdict)}{not_assessed(findings.verdict)}"


def beside(verdict: Verdict, *, options: bool = False) -> tuple[str, ...]:
    """Return what a reader of the verdict must know of columns that are in no measurement, and of records that belong together."""
    where = verdict.unseen
    told = f"Values stay on {where} and were not looked at: what is a name or a number of somebody by its values only was not noticed."
    unseen = [told] if where is not None else []
    known = known_sentence(verdict.telling)
    if verdict.also_held:
        held = f"The file also holds {listed(verdict.also_held)}: whoever gets the file gets that too, and none of it was judged."
        way = "Release the table alone, as anonymise and apply write it, or say why all may go out (--acknowledge-rest REASON)."
        unseen.append(f"{held} {f'Acknowledged: {ended(verdict.also_said)}' if verdict.also_said is not None else way}")
    alike = (column.sentence for column in verdict.look_alikes)
    return (*unseen, *known, *(linked.sentence for linked in verdict.linked), *alike, *sentences(verdict.unassigned, options=options))


def acknowledged_of(verdict: Verdict) -> str:
    """Return what somebody answers for, where a policy is met with that only: columns, records that are tied together, a medium risk."""
    columns = [c for c in verdict.unassigned if c.uncertain and c.word is not None]
    alike = sum(c.looks_like == "quasi-identifier" for c in columns)
    known = f" (of which {alike} look{'s' * (alike == 1)} like what an outsider may know)" if alike else ""
    parts = [f"{len(columns)} column{'s' * (len(columns) > 1)} not judged{known}"] if columns else []
    if uncounted := [c.column for c in verdict.telling if c.known]:
        parts.append(f"{listed(uncounted)} in no group, though outsiders know {'it' if len(uncounted) == 1 else 'them'}")
    if answered := [c.column for c in verdict.to_answer_for if c.column not in uncounted]:
        parts.append(f"what {listed(answered)} tell{'s' * (len(answered) == 1)}")
    if written := [c.column for c in verdict.look_alikes if c.open]:
        parts.append(f"values of {listed(written)} that look alike")
    parts += ["records of one person that stay together"] * any(linked.open for linked in verdict.linked)
    parts += [f"values on {verdict.unseen} that were not looked at"] * (verdict.unseen is not None)
    parts += ["what else the file holds"] * bool(verdict.also_held)
    parts += ["a medium risk"] * any(result.risk == "medium" for result in verdict.rules)
    return listed(parts) if parts else "the risk"


def acknowledgement(verdict: Verdict) -> str:
    """Return who must acknowledge a medium risk, and how, if that is what the outcome asks for."""
    if verdict.outcome != "release with acknowledgement":
        return ""
    unanswered = verdict.unanswered
    word = f" Needs a word before a release: what {listed(unanswered)} may be, and why that may leave." if unanswered else ""
    if verdict.also_held and verdict.also_said is None:
        word += " Needs a word before this very file is released: it holds more than the table."
    if not (medium := [r for r in verdict.rules if r.risk == "medium"]):
        return word
    named = listed(tuple(dict.fromkeys(METRICS[result.rule.metric].title for result in medium)))
    return (
        f" The risk is medium ({named}): before the table leaves, whoever answers for it (the data custodian, or the data protection "
        "officer) accepts that in writing, by signing this report or in the agreement with the recipient. No option does it for them."
        f"{word}"
    )


def not_assessed(verdict: Verdict) -> str:
    """Return a sentence on the questions that nothing was measured for, which is not the same as passed; nothing if there is none."""
    reasons: dict[str, list[str]] = {}
    for attack, answer in verdict.attacks.items():
        if answer == "not assessed":
            reasons.setdefault(why_not_assessed(verdict, attack), []).append(attack)
    told = [f"{listed(attacks)} ({reason})" for reason, attacks in reasons.items()]
    return f" Not assessed, which is not passed: {'; '.join(told)}." if told else ""


def why_not_assessed(verdict: Verdict, attack: str) -> str:
    """Return why no rule answers a question: none is about it, or those that are wait for a table."""
    if any(attack in rule.attacks for rule in verdict.set_aside):
        return "no population or external table is given to link with"
    return "the policy has no rule about it"


def measured(result: RuleResult) -> str:
    """Return what a rule found, with the metric's symbol."""
    if result.status == "not measured":
        return "not measured"
    metric = METRICS[result.rule.metric]
    if result.value is None:
        return f"{metric.figure} unbounded"
    value = share(result.value, 1) if metric.name == "records_at_risk" else number(result.value)
    level = f" ({result.risk})" if result.risk else ""
    return f"{metric.figure} = {value}{level}"


def limit(result: RuleResult) -> str:
    """Return a rule's limit."""
    if METRICS[result.rule.metric].name == "records_at_risk":
        return f"≤ {share(result.rule.limit, 1)}"
    return result.rule.limit_text


def scenario_title(name: str) -> str:
    """Return what a scenario is called in a sentence."""
    return "all quasi-identifiers" if name == DEFAULT_SCENARIO else name


def place(m: Measurement | None, *, several_scenarios: bool) -> str:
    """Return where a measurement was taken: attribute, sensitive attribute, scenario."""
    if m is None:
        return ""
    parts = [listed(m.attributes)] if m.attributes else []
    parts += [f"about {m.sensitive}"] if m.sensitive else []
    parts += ["counted in persons"] if m.level == "person" else []
    parts += ["the other sensitive attributes known"] if m.level == "joined" else []
    parts += [m.variant] if m.metric != "t_closeness" and m.variant and METRICS[m.metric].family in _VARIANTS_SHOWN else []
    parts += [f"{m.variant} distance"] if m.metric == "t_closeness" and m.variant else []
    parts += [f"scenario {scenario_title(m.scenario)}"] if several_scenarios else []
    return ", ".join(parts)


def explanation(result: RuleResult, *, several_scenarios: bool) -> str:
    """Return what stands beside a rule: where its worst value is, and why it may be out of reach."""
    parts = [place(result.measurement, several_scenarios=several_scenarios)] if result.status != "not measured" else []
    parts += [result.reason] if result.reason else []
    if result.failing > 1:
        parts.append(f"{result.failing} of {result.measured} measurements fail")
    if result.excepted:
        parts.append(f"accepted by a stated exception: {'; '.join(e.reason for e in result.excepted)}")
    if result.unattainable:
        parts.append(result.unattainable)
    return "; ".join(part for part in parts if part)


def without_options(text: str) -> str:
    """Return a sentence as a page says it: without options and commands, which stand in brackets."""
    return _TYPED.sub("", text) if "(" in text else text


def legible(text: str, limit: int = 200) -> str:
    """Return text fit for a terminal: no control characters, which column names may hold, and no endless word; sentences stay whole."""
    shown = "".join(c if c.isprintable() else " " if c.isspace() else repr(c)[1:-1] for c in text)
    return " ".join(word if len(word) <= limit else word[: limit - 1] + "…" for word in shown.split(" "))

"""What attacks achieved, as plain data and as a sheet."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from anonscope.attacks.linkability import ASSUMED
from anonscope.attacks.registry import ATTACKS
from anonscope.attacks.success import Success
from anonscope.io.figures import decimals, per_cent
from anonscope.io.rounding import plain
from anonscope.operations.attack import Attacks
from anonscope.operations.unicity import Unicity
from anonscope.report import words
from anonscope.report.audit.document import attack_rule
from anonscope.report.charts.bars import Bars
from anonscope.report.sheet import Cell, Section, Sheet, row
from anonscope.risk.policy import Verdict

SCHEMA = "anonscope/attacks/1"
UNICITY_SCHEMA = "anonscope/unicity/1"
_RULE = ("rule", "found", "limit", "answer", "why")
_REACH = 0.1  # of success: what is next to nothing is drawn as that


def attacks_to_dict(found: Attacks) -> dict[str, Any]:
    """Return what attacks achieved as plain data, in the shape of the JSON contract."""
    verdict = found.verdict
    made: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            "release": found.release,
            "original": found.original,
            "control": found.control,
            "records": found.records,
            "people": found.people,
            "original_records": found.original_records,
            "control_people": found.control_people,
            "seed": found.seed,
            "left_out": [asdict(column) for column in found.left_out],
            "grouped_by": found.grouped_by,
            "attackers": [asdict(attacker) | {"prior": attacker.prior is not None} for attacker in found.attackers],
            "results": [_result(result) for result in found.results],
            "verdict": None
            if verdict is None
            else {
                "policy": verdict.policy,
                "outcome": verdict.outcome,
                "attacks": dict(verdict.attacks),
                "attack_rules": [attack_rule(result) for result in verdict.attack_rules],
            },
            "audit": found.audit.to_dict() if found.audit is not None else None,
            "notes": list(found.notes),
            "records_together": found.together,
            "cpu_seconds": found.cpu_seconds,
        }
    )
    return made


def _result(result: Success) -> dict[str, Any]:
    return asdict(result) | {"controlled": result.controlled, "context_risk": result.context_risk}


def attacks_sheet(found: Attacks) -> Sheet:
    """Return what attacks achieved as one page."""
    sections = [_rules(found)] if found.verdict is not None else []
    sections += _found(found)
    lead = _who(found)
    if found.verdict is not None:
        lead = f"{words.HEADLINES[found.verdict.outcome].capitalize()}, says the policy {found.verdict.policy}. {lead}"
    lead = f"{lead} {found.together}" if found.together is not None else lead
    tone: words.Tone | None = None if found.verdict is None else "low" if found.verdict.met else "high"
    return Sheet(
        title="What attacks find out",
        source=f"{found.release} and {found.original}",
        lead=lead,
        sections=tuple(sections),
        notes=tuple(_notes(found)),
        tone=tone,
        shows_values=found.grouped_by is not None,
        conclusion=_conclusion(found),
    )


# What helps against an attack that finds something out.
_REMEDIES = {
    "singling_out": "Coarsen or leave out some of {columns}; a plan says which",
    "linkability": "Coarsen or leave out some of {columns}; a plan says which",
    "inference": "Ask for t-closeness or l-diversity of {sensitive}, or coarsen it; larger groups alone do not help",
    "membership": "Coarsen or leave out columns that are still exact, or draw a table with differential privacy",
    "composition": "Take an earlier release back, or give this one the same levels",
    "downcoding": "Fix the levels before seeing the data, so that they tell nothing about it",
}


def _conclusion(found: Attacks) -> str:
    """Return how far the attack got that got furthest, and what to do; what was not measured is no comfort, nor is what may be chance."""
    known = [r for r in found.results if r.status == "measured" and r.risk is not None and not r.smoke_test]
    # What is only taken to be right is no finding beside what was seen to be.
    known = [r for r in known if ASSUMED not in r.figures] or known
    open_ones = sum(r.status != "measured" for r in found.results)
    left = f" {open_ones} of {len(found.results)} attacks could not be measured, which is not the same as safe." if open_ones else ""
    if not known:
        return f"No attack could be measured.{left}"
    sure = [r for r in known if r.interval is None or r.interval.low > 0]
    worst = max(sure or known, key=lambda r: (r.risk or 0.0, r.variant))
    of = f"{ATTACKS[worst.attack].title.lower()} ({_name(worst, several=False)})"
    if not sure:
        most = max(r.upper or 0.0 for r in known)
        return (
            "No attack found out more about people in the release than chance explains: every interval reaches down to 0. "
            f"{of.capitalize()} came nearest; a risk of up to {_number(most)} is not ruled out, and more targets would narrow that.{left}"
        )
    said = f"The attack that got furthest is {of}: {_how_far(worst)}."
    if found.verdict is not None and found.verdict.met:
        return f"{said} The policy {found.verdict.policy} accepts that.{left}"
    listed = ", ".join(worst.columns[:4]) + (f" and {len(worst.columns) - 4} more" if len(worst.columns) > 4 else "")
    remedy = _REMEDIES[worst.attack].format(columns=listed, sensitive=worst.sensitive)
    again = "attack again" + ("" if worst.controlled or worst.attack == "downcoding" else " with people who are not in it as a control")
    return f"{said} {remedy}. Then {again}.{left}"


def _how_far(result: Success) -> str:
    """Return a result in words."""
    cases = f"{decimals(100 * (result.success or 0.0), 1)} of 100"
    if result.attack == "membership":
        return f"of two people, it tells the one in the table from the other in {cases} cases, where 50 are chance"
    if result.attack == "downcoding":
        return f"it rules values out in {cases} coarse cells"
    if ASSUMED in result.figures:
        return f"it succeeds in {cases} cases at most, for nobody knows which released record is whose"
    if result.control is None:
        return f"it succeeds in {cases} cases at most, for there was no control to say what is true of anybody"
    return f"it succeeds in {cases} cases with people in the release, and in {decimals(100 * result.control, 1)} with people who are not"


def attack_sections(found: Attacks) -> tuple[Section, ...]:
    """Return what attacks achieved as part of another page; its rules stand among those of the policy."""
    return (Section("What attacks find out", lines=(_who(found), *_notes(found)), matrix=False), *_found(found))


def _found(found: Attacks) -> list[Section]:
    sections = []
    for name, info in ATTACKS.items():
        results = [result for result in found.results if result.attack == name]
        if results:
            sections.append(_section(info.title, info.question, results))
    worst = _groups(found)
    return [*sections, worst] if worst is not None else sections


def _who(found: Attacks) -> str:
    against = (
        f"{found.control_people:,} people of {found.control} who are not in it"
        if found.control is not None
        else "no control, so every risk is an upper bound: it holds what is true of people in general too"
    )
    several = f", who have {found.original_records:,} records," if found.original_records != found.people else ""
    return f"{found.people:,} people of {found.original}{several} were looked for in {found.records:,} released records, against {against}."


def _notes(found: Attacks) -> Iterator[str]:
    yield from found.notes
    yield from _left_out(found)
    yield (
        "Risk is success minus control, with a 95 % interval; equally good guesses count by expectation. What the control and guessing "
        "have as well is true of people in general."
    )
    yield f"Seed {found.seed}; {decimals(found.cpu_seconds, 1)} s of computing."


def _left_out(found: Attacks) -> tuple[str, ...]:
    """Return which columns no attacker used, one sentence a reason."""
    reasons: dict[str, list[str]] = {}
    for column in found.left_out:
        reasons.setdefault(column.reason, []).append(column.column)
    return tuple(f"Left out: {', '.join(columns)} ({reason})." for reason, columns in reasons.items())


def _section(title: str, question: str, results: list[Success]) -> Section:
    rows = tuple(_row(result, several=len({r.attacker for r in results}) > 1) for result in results)
    drawn = [r for r in results if r.status == "measured" and r.success is not None]
    names = tuple(_name(r, several=len({x.attacker for x in drawn}) > 1) for r in drawn)
    said = f"{title}: " + "; ".join(
        f"{name} {_number(r.success)}, control {_number(r.control)}" for name, r in zip(names, drawn, strict=True)
    )
    chart = None
    if drawn:
        spans = tuple(
            (max(r.interval.low + (r.control or 0), 0.0), min(r.interval.high + (r.control or 0), 1.0)) if r.interval else None
            for r in drawn
        )
        if results[0].attack == "membership":
            spans = tuple((r.figures["auc_low"], r.figures["auc_high"]) for r in drawn)
        chart = Bars(
            "success",
            names,
            (
                ("people in the release", tuple(r.success for r in drawn)),
                ("control", tuple(r.control for r in drawn)),
                ("guessing", tuple(r.baseline for r in drawn)),
            ),
            said,
            spans=spans,
            reach=_REACH,
        )
    header = ("attack", "success", "control", "guessing", "risk", "95 % interval", "targets")
    several = len({r.attacker for r in results}) > 1
    lines = tuple(f"{_name(r, several=several)}: {more}" for r in results if (more := _more(r)))
    lines += tuple(dict.fromkeys(note for r in results for note in r.notes))
    return Section(title, header, rows, question, chart, matrix=False, lines=lines)


def _row(result: Success, *, several: bool) -> tuple[Cell, ...]:
    name = _name(result, several=several)
    if result.status != "measured":
        return row(name, "not measured", "—", "—", "—", "—", "—")
    interval = f"{_number(result.interval.low)} to {_number(result.interval.high)}" if result.interval is not None else "—"
    kind = " (smoke test)" if result.smoke_test else "" if result.controlled and ASSUMED not in result.figures else " (upper bound)"
    return row(
        name,
        _number(result.success),
        _number(result.control),
        _number(result.baseline),
        f"{_number(result.risk)}{kind}",
        interval,
        f"{result.targets:,}",
    )


def _more(result: Success) -> str:
    """Return the further figures that people ask for."""
    f = result.figures
    if result.status != "measured":
        return f"not measured, because {result.reason}"
    if result.attack == "membership":
        return f"finds {per_cent(f['tpr_at_0.01'])} at 1 % false alarms, {per_cent(f['tpr_at_0.001'])} at 0.1 %"
    if "control_one_candidate" in f:
        return f"one candidate: {per_cent(f['one_candidate'])}, control {per_cent(f['control_one_candidate'])}"
    if "best_release_alone" in f:
        return f"best release alone {_number(f['best_release_alone'])}"
    if "claimed" in f:
        told = f"{per_cent(f['claimed'])} of coarse cells shrink, {per_cent(f['right_of_claimed'])} of them rightly"
        return f"{told}; {decimals(f['bits_per_cell'], 3)} bits a cell"
    if "predicates" in f:
        return f"{decimals(f['predicates'], 0)} unique records or values"
    return "" if result.attempt == 1 else f"times how likely it is tried: {_number(result.context_risk)}"


def _name(result: Success, *, several: bool) -> str:
    about = f" of {result.sensitive}" if result.sensitive else ""
    by = f" ({words.scenario_title(result.attacker)})" if several else ""
    return f"{result.variant}{about}{by}"


def attack_rules_section(verdict: Verdict) -> Section:
    """Return the rules about attacks, one by one."""
    rows = tuple(row(r.rule.label, _number(r.value), r.rule.limit_text, words.MET[r.status], r.reason or "") for r in verdict.attack_rules)
    lines = () if rows else ("The policy has no rule about attacks: what they found stands beside its verdict.",)
    return Section("What the policy asks of attacks", _RULE if rows else (), rows, matrix=False, lines=lines)


def _rules(found: Attacks) -> Section:
    assert found.verdict is not None
    rows = [*attack_rules_section(found.verdict).rows]
    rows += [row(r.label, _number(r.value), r.rule.limit_text, words.MET[r.status], r.reason or "") for r in found.verdict.rules]
    answers = tuple(f"{attack}: {answer}" for attack, answer in found.verdict.attacks.items())
    return Section("What the policy asks", _RULE, tuple(rows), "", None, matrix=False, lines=answers)


def _groups(found: Attacks) -> Section | None:
    """Return who is hit most: the groups of the attack that gives most away."""
    grouped = [r for r in found.results if r.groups and r.risk is not None and not r.smoke_test]
    if not grouped:
        return None
    worst = max(grouped, key=lambda r: (r.risk or 0.0, r.variant))
    names = tuple(group.name for group in worst.groups)
    rows = tuple(
        row(
            g.name,
            _number(g.success),
            _number(g.control),
            _number(g.risk),
            f"{_number(g.interval.low)} to {_number(g.interval.high)}",
            f"{g.targets:,}",
        )
        for g in worst.groups
    )
    said = "Success by group: " + "; ".join(f"{g.name} {_number(g.success)}, control {_number(g.control)}" for g in worst.groups)
    chart = Bars(
        "success",
        names,
        (("people in the release", tuple(g.success for g in worst.groups)), ("control", tuple(g.control for g in worst.groups))),
        said,
        spans=tuple((max(g.interval.low + (g.control or 0), 0.0), min(g.interval.high + (g.control or 0), 1.0)) for g in worst.groups),
        reach=_REACH,
    )
    by = "how many people of the original have the same known values" if found.grouped_by is None else found.grouped_by
    note = (
        f"{ATTACKS[worst.attack].title} by {_name(worst, several=True)}, in groups by {by}. The intervals of all groups hold together, "
        "the worst group comes first."
    )
    return Section("Who is hit most", ("group", "success", "control", "risk", "interval", "targets"), rows, note, chart, matrix=False)


def compared_section(found: Mapping[str, Attacks]) -> Section:
    """Return what attacks achieved on several releases, side by side: the variant of each attack that got furthest."""
    rows, bars = [], {}
    for name, info in ATTACKS.items():
        for version, attacks in found.items():
            results = [r for r in attacks.results if r.attack == name and r.variant in info.usual]
            known = [r for r in results if r.status == "measured" and r.risk is not None]
            if known:
                worst = max(known, key=lambda r: (r.risk or 0.0, r.variant))
                cells = _row(worst, several=len(attacks.attackers) > 1)
                rows.append(row(f"{info.title}: {version}", *(cell.text for cell in cells)))
                bars[name, version] = worst
            elif results:
                rows.append(row(f"{info.title}: {version}", "—", "not measured", "—", "—", "—", "—", "—"))
    header = ("release", "by", "success", "control", "guessing", "risk", "95 % interval", "targets")
    names = [name for name in ATTACKS if any(key[0] == name for key in bars)]
    said = "; ".join(f"{ATTACKS[n].title}, {v}: {_number(r.risk)}" for (n, v), r in bars.items())
    series = tuple((version, tuple(_risk_of(bars.get((name, version))) for name in names)) for version in found)
    chart = Bars("risk", tuple(ATTACKS[name].title for name in names), series, f"Risk by attack and release: {said}") if bars else None
    note = "Of every attack the variant that got furthest. Risk is success minus control; without a control it is an upper bound."
    return Section("What attacks find out", header, tuple(rows), note, chart, matrix=False)


def _risk_of(result: Success | None) -> float | None:
    return None if result is None or result.risk is None else max(result.risk, 0.0)


def _number(value: float | None) -> str:
    return "—" if value is None else decimals(value, 4)


def unicity_to_dict(found: Unicity) -> dict[str, Any]:
    """Return unicity as plain data, in the shape of the JSON contract."""
    made: dict[str, Any] = plain({"schema": UNICITY_SCHEMA, **asdict(found)})
    for name in ("alone", "with_attributes"):
        for entry, unique in zip(made[name], getattr(found, name), strict=True):
            entry["share"] = plain(unique.share)
    return made


def unicity_sheet(found: Unicity) -> Sheet:
    """Return unicity as one page."""
    by_points = {u.points: u for u in found.with_attributes}
    header: tuple[str, ...] = ("points known", "unique", "95 % interval", "people with so many")
    if found.attributes:
        header = (*header, "unique with attributes", "95 % interval with attributes")
    rows = []
    for u in found.alone:
        cells = [f"{u.points}", decimals(u.share, 4), f"{decimals(u.interval.low, 4)} to {decimals(u.interval.high, 4)}", f"{u.people:,}"]
        if found.attributes:
            other = by_points.get(u.points)
            cells += (
                ["—", "—"]
                if other is None
                else [decimals(other.share, 4), f"{decimals(other.interval.low, 4)} to {decimals(other.interval.high, 4)}"]
            )
        rows.append(row(*cells))
    series: list[tuple[str, tuple[float | None, ...]]] = [("events", tuple(u.share for u in found.alone))]
    if found.attributes:
        series.append(("events and attributes", tuple(by_points[u.points].share if u.points in by_points else None for u in found.alone)))
    said = "Share of people whom so many points single out: " + "; ".join(f"{u.points}: {decimals(u.share, 3)}" for u in found.alone)
    chart = Bars(
        "unique",
        tuple(f"{u.points}" for u in found.alone),
        tuple(series),
        said,
        spans=tuple((u.interval.low, u.interval.high) for u in found.alone),
        reach=_REACH,
    )
    known = f", with {', '.join(found.attributes)} known or not" if found.attributes else ""
    coarse = "; ".join(f"{column} by {how}" for column, how in found.coarsened.items())
    return Sheet(
        title="How many points single somebody out",
        source=found.source,
        lead=(
            f"{found.people:,} people have {found.events:,} different points of {', '.join(found.points)}{known}. "
            f"Points of {found.drawn:,} of them were drawn, and everybody who has them all was counted."
        ),
        sections=(Section("Unicity", header, tuple(rows), "", chart, matrix=False),),
        notes=(f"Coarsened: {coarse}." if coarse else "Points are as fine as the table has them.", f"Seed {found.seed}."),
    )

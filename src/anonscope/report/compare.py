"""A comparison of versions as plain data and as a sheet: risk, what is left, and the balance of the two."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from anonscope.errors import joined, shown
from anonscope.io.figures import decimals, per_cent
from anonscope.io.rounding import plain, rounded
from anonscope.operations.comparing.comparison import Comparison
from anonscope.operations.comparing.weighing import ComparedVersion
from anonscope.report import words
from anonscope.report.audit.document import attack_rule
from anonscope.report.charts.bars import Bars
from anonscope.report.charts.points import Point, Scatter, scatter
from anonscope.report.compare_balance import balance_sections, balance_to_dict, risk_words
from anonscope.report.compare_sections import (
    broken,
    kept_section,
    kept_to_dict,
    linkage_section,
    models_section,
    not_measured,
    whole_section,
)
from anonscope.report.heat import heat_section
from anonscope.report.link import linkage_to_dict, read_section
from anonscope.report.sheet import Cell, Section, Sheet, row
from anonscope.risk.findings import Findings
from anonscope.risk.metrics import METRICS, Measurement
from anonscope.risk.policy import ATTACKS, RuleResult
from anonscope.utility import UTILITIES
from anonscope.utility.balance import BalanceWeights

SCHEMA = "anonscope/comparison/1"
# The figures 7 to 9 of SCORR show these over the versions, its figure 10 the others over versions and attributes: see `heat.py`.
_BARS = ("k_anonymity", "l_diversity", "t_closeness")
_HEAT = ("uniqueness", "uniformity", "correlation")
# More names than this would cover each other.
_NAMED = 10


def comparison_to_dict(found: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data, in the shape of the JSON contract."""
    return {
        "schema": SCHEMA,
        "source": found.source,
        "policy": found.policy.name,
        "columns": list(found.columns),
        "columns_not_weighed": [{"column": column, "changed": changed} for column, changed in found.unweighed.items()],
        "versions": [
            {
                "version": v.name,
                "outcome": v.findings.verdict.outcome,
                "columns_without_role": [column.to_dict() for column in v.findings.verdict.unassigned],
                "attacks": dict(v.findings.verdict.attacks),
                "attack_rules": [attack_rule(result) for result in v.findings.verdict.attack_rules],
                "attack_results": made.to_dict() if (made := found.audits[v.name].attacks) is not None else None,
                "not_met": [_rule_to_dict(result) for result in _not_met(v.findings)],
                "records": v.findings.rows,
                "risks": {name: rounded(_worst(v.findings, name)) for name in (*_BARS, *_HEAT)},
                "utilities": [
                    {
                        "utility": m.utility,
                        "column": m.column,
                        "variant": m.variant,
                        "status": m.status,
                        "value": rounded(m.value),
                        "raw": rounded(m.raw),
                        "interval": [rounded(end) for end in m.interval] if m.interval is not None else None,
                        "reason": m.reason,
                    }
                    for m in v.utilities
                ],
                "kept": kept_to_dict(v),
                "balance": balance_to_dict(v.balance, found.weightings),
                "linkage": linkage_to_dict(v.linkage) if v.linkage is not None else None,
                "model": plain(asdict(v.model)) if v.model is not None else None,
                "readings": [asdict(line) for line in v.readings],
                "compared_as": "whole" if v.whole else "records",
                "unread_share": rounded(v.unread_share),
                "balance_at_most": balance_to_dict(v.balance_at_most, found.weightings),
            }
            for v in found.versions
        ],
        "pareto": list(found.pareto),
        "best": {preset: found.best(preset) for preset in found.weightings},
        "sweep": None
        if found.sweep is None
        else {
            "steps": [
                {"alpha": step.alpha, "ranking": [{"version": n, "rut": rounded(x)} for n, x in step.ranking]} for step in found.sweep.steps
            ],
            "stable_pairs": rounded(found.sweep.stable_pairs),
            "stable_best": found.sweep.stable_best,
        },
        "choice": None
        if found.choice is None
        else {
            "alpha": rounded(found.choice.weights.alpha) if found.choice.weights is not None else None,
            "version": found.choice.version,
            "meets_policy": found.choice.version in found.met if found.choice.version is not None else None,
            "reason": found.choice.reason,
        },
        "notes": list(found.notes),
    }


def _not_met(findings: Findings) -> list[RuleResult]:
    """Return the rules that fail, and those that were not measured, which is no better."""
    return [result for result in findings.verdict.rules if result.status != "pass"]


def _rule_to_dict(result: RuleResult) -> dict[str, Any]:
    found = {"metric": result.rule.metric, "rule": result.rule.label, "limit": result.rule.limit_text, "status": result.status}
    return found | {"value": rounded(result.value), "reason": result.reason}


def comparison_sheet(found: Comparison) -> Sheet:
    """Return a comparison as one page."""
    return Sheet(
        title="Versions side by side",
        source=found.source,
        lead=_lead(found),
        sections=tuple(_sections(found)),
        notes=found.notes,
        charts=(scatter(_plane(found)),),
    )


def _lead(found: Comparison) -> str:
    return " ".join((*map(_withheld, found.waiting), _judged(found)))


def _withheld(version: ComparedVersion) -> str:
    """Return why a release is withheld that keeps every limit: what nobody measured may tell everything."""
    verdict = version.findings.verdict
    due = (
        f"a word is due about {_list(list(map(shown, verdict.unanswered)))}" if verdict.unanswered else "its file holds more than its table"
    )
    return f"{version.name} is withheld, though what was measured keeps the limits: {due} (see below)."


def _judged(found: Comparison) -> str:
    met, best = list(found.met), found.best()
    if not met and len(found.waiting) == len(found.releases):
        return f"No release may go out by {words.policy_named(found.policy)} yet, so none is recommended."
    if not met:
        excepted = [v.name for v in found.releases if v.findings.verdict.outcome == "release with exceptions"]
        but = f" {_list(excepted)} may be released only by stated exceptions." if excepted else ""
        return f"No release meets {words.policy_named(found.policy)}, so none is recommended.{but} What each of them breaks stands below."
    said = f"{_list(met)} {'meets' if len(met) == 1 else 'meet'} {words.policy_named(found.policy)}."
    if best is None:
        unread = [v.name for v in found.releases if v.unread_share]
        if unread:
            return (
                f"{said} Which balances utility and safety best is not measured: it hangs on values of {_list(unread)} that were not read."
            )
        return f"{said} What they risk and what they tell could not be weighed against each other."
    among = "Of these, " if len(met) > 1 else ""
    alpha = found.form.utility_weight
    usual = "when utility and safety count the same" if alpha is None else f"when utility counts {alpha:g} and safety {1 - alpha:g}"
    stable = "whatever the weights between 0.2 and 0.8" if _always_best(found, best) else usual
    return f"{said} {among}{best} balances utility and safety best {stable}."


def _always_best(found: Comparison, name: str) -> bool:
    """Whether a release comes before all others that meet the policy, whatever the weights of the sweep are."""
    first = [next((n for n, _ in step.ranking if n in found.met), None) for step in found.sweep.steps] if found.sweep else []
    return bool(first) and set(first) == {name}


def _sections(found: Comparison) -> Iterator[Section]:
    header = (
        "version",
        "verdict",
        "records",
        "smallest group (k)",
        "diversity (l)",
        "closeness (t)",
        "detail lost (NCP)",
        "utility (U)",
        "risk (R)",
        "balance (RUT)",
    )
    weights = found.weightings[found.usual]
    note = f"{risk_words(found)} U from 0 to 1, RUT = {weights.alpha:g} U + {weights.beta:g} (1 - R)."
    yield Section("Overview", header, tuple(_overview(found)), note, matrix=False)
    yield kept_section(found.releases)
    yield _rules(found)
    yield heat_section([(v.name, v.findings) for v in found.versions])
    yield _frontier(found)
    yield from balance_sections(found)
    yield _questions(found)
    if any(audit.attacks is not None for audit in found.audits.values()):
        from anonscope.report.attack import compared_section

        yield compared_section({name: audit.attacks for name, audit in found.audits.items() if audit.attacks is not None})
    for name in _BARS:
        section = _bars(found, name)
        if section is not None:
            yield section
    if any(v.whole for v in found.versions):
        yield whole_section(found.releases)
    yield _utilities(found)
    yield _weights(found)
    if any(v.model is not None for v in found.versions):
        yield models_section(found.versions)
    if any(v.linkage is not None for v in found.versions):
        yield linkage_section(found.versions)
    for v in found.versions:
        if v.readings:
            yield read_section(v.readings, f"How released values were read: {v.name}")


def _overview(found: Comparison) -> Iterator[tuple[Cell, ...]]:
    for v in found.versions:
        ncp = v.utility("ncp")
        yield row(
            v.name,
            v.findings.verdict.outcome,
            f"{v.findings.rows:,}",
            *(_number(_worst(v.findings, name)) for name in _BARS),
            "—" if ncp is None or ncp.value is None else per_cent(ncp.value),
            *(
                ("—",) * 3
                if v.balance is None
                else (decimals(x, 3) for x in (v.balance.utility, v.balance.risk, v.balance.rut(found.weightings[found.usual])))
            ),
        )


def _rules(found: Comparison) -> Section:
    """Return what every version breaks, with value and limit."""
    rows = []
    for v in found.versions:
        unmet = _not_met(v.findings)
        for result in unmet:
            where = words.place(result.measurement, several_scenarios=len(v.findings.scenarios) > 1)
            why = result.reason or where
            rows.append(row(v.name, result.label, result.status, words.measured(result), words.limit(result), why))
        if not unmet:
            asked = len(v.findings.verdict.rules)
            all_met = f"all {asked} rules are met" if asked > 1 else "the rule is met"
            said = all_met if v.findings.verdict.met else "see the audit of this version"
            rows.append(row(v.name, said, "", "", "", ""))
    header = ("version", "rule", "status", "measured", "limit", "where, or why not")
    title = f"Rules of {words.policy_named(found.policy)} that are not met"
    note = "The original stands here to be compared with; it is never recommended."
    return Section(
        title,
        header,
        tuple(rows),
        note,
        matrix=False,
        must=() if found.met else broken({v.name: _not_met(v.findings) for v in found.versions}),
    )


def _questions(found: Comparison) -> Section:
    """Return the three questions for every version."""
    rows = tuple(row(attack, *(v.findings.verdict.attacks[attack] for v in found.versions)) for attack in ATTACKS)
    note = "".join(dict.fromkeys(words.not_assessed(v.findings.verdict) for v in found.versions)).strip()
    return Section("What an outsider could do", ("question", *(v.name for v in found.versions)), rows, note, matrix=False)


def _plane(found: Comparison) -> Scatter:
    best = found.best()
    points = tuple(
        Point(
            v.balance.utility,
            v.balance.risk,
            f"{v.name}: utility {decimals(v.balance.utility, 3)}, risk {decimals(v.balance.risk, 3)}",
            "chosen" if v.name == best else "edge" if v.name in found.pareto else "now" if v is found.versions[0] else "plain",
            named=len(found.versions) <= _NAMED,
        )
        for v in found.versions
        if v.balance is not None
    )
    told = f"{best} balances best" if best is not None else "none that could be weighed meets the policy"
    said = f"Risk against utility of {len(points)} versions; not beaten by any other release: {_list(list(found.pareto))}; {told}."
    return Scatter("utility U", "risk R", points, said, title="Risk against utility")


def _frontier(found: Comparison) -> Section:
    rows = tuple(
        row(
            preset, f"{weights.alpha:g} / {weights.beta:g}", found.best(preset) or "—", *(_number(_rut(v, weights)) for v in found.versions)
        )
        for preset, weights in found.weightings.items()
    )
    header = ("what the release is for", "weights utility / safety", "best", *(v.name for v in found.versions))
    chart = (
        "The chart above shows risk and utility of every version: lower right is better, and the line joins releases that no other one "
        "beats in both. The original is shown to compare with."
    )
    note = "The balance of risk and utility, by what the release is for."
    return Section("Risk against utility", header, rows, note, matrix=False, of_chart=chart)


def _rut(version: ComparedVersion, weights: BalanceWeights) -> float | None:
    return None if version.balance is None else version.balance.rut(weights)


def _bars(found: Comparison, name: str) -> Section | None:
    values = [_worst(v.findings, name) for v in found.versions]
    if all(value is None for value in values):
        return None
    metric = METRICS[name]
    limits = [rule.limit for rule in found.policy.rules if rule.metric == name]
    said = f"{metric.title} of {len(values)} versions: " + ", ".join(
        f"{v.name} {_number(x)}" for v, x in zip(found.versions, values, strict=True)
    )
    chart = Bars(
        metric.symbol, tuple(v.name for v in found.versions), ((metric.title, tuple(values)),), said, limits[0] if limits else None
    )
    rows = (row(metric.title, *(_number(value) for value in values)),)
    header = ("", *(v.name for v in found.versions))
    return Section(metric.title, header, rows, metric.question, chart, of_chart="The dashed line is the limit." if limits else "")


def _utilities(found: Comparison) -> Section:
    releases = found.versions[1:]
    rows = []
    for name, utility in UTILITIES.items():
        measured = [v.utility(name) for v in releases]
        if any(m is not None for m in measured):
            better = "higher is better" if utility.better == "higher" else "lower is better"
            rows.append(row(utility.title, *("—" if m is None or m.value is None else _number(m.value) for m in measured), better))
    header = ("measure", *(v.name for v in releases), "")
    return Section(
        "What is left, and what was lost",
        header,
        tuple(rows),
        "Of the whole table; by column in the JSON.",
        matrix=False,
        lines=not_measured(releases),
    )


def _weights(found: Comparison) -> Section:
    if found.sweep is None:
        return Section("If utility counts more, or less", lines=("No release has a balance that could be ranked.",))
    rows = tuple(
        row(
            f"{step.alpha:g}",
            next((name for name, _ in step.ranking if name in found.met), "none meets the policy"),
            _ranked(step.ranking, found.met),
        )
        for step in found.sweep.steps
    )
    lines = [f"{per_cent(found.sweep.stable_pairs, 0)} of the pairs of releases never change places between alpha 0.2 and 0.8."]
    if found.choice is not None:
        chosen = found.choice
        met = "" if chosen.version in found.met else ", which does not meet the policy"
        lines.append(
            f"Under the limits given, alpha = {decimals(chosen.weights.alpha, 3)} makes {chosen.version} the best{met}."
            if chosen.weights is not None
            else str(chosen.reason)
        )
    return Section("If utility counts more, or less", ("alpha", "best", "ranking by RUT"), rows, "", None, matrix=False, lines=tuple(lines))


def _ranked(ranking: Sequence[tuple[str, float]], met: Sequence[str]) -> str:
    """Return a ranking in which what shows the same figure is no better than the other."""
    said, before = "", ""
    for name, value in ranking:
        figure = decimals(value, 3)
        said += ("" if not said else " = " if figure == before else " > ") + f"{name} ({figure}{'' if name in met else ', policy not met'})"
        before = figure
    return said


def _worst(findings: Findings, name: str) -> float | None:
    """Return the worst value of a metric over scenarios and sensitive attributes, the whole quasi-identifier taken together.

    None where one of them was not measured or is unbounded: the others would look like the worst.
    """
    level = findings.counted_in if name == "k_anonymity" else "record"
    first: dict[tuple[str, str | None], Measurement] = {}
    for m in findings.measurements:
        if m.metric == name and m.attributes is None and m.level == level:
            first.setdefault((m.scenario, m.sensitive), m)
    values = [x for m in first.values() if m.status == "measured" and (x := m.value if m.value is not None else m.max) is not None]
    return None if len(values) < len(first) or not values else min(values) if METRICS[name].safer == "higher" else max(values)


def _list(names: list[str]) -> str:
    return joined(names) or "none"


def _number(value: float | None) -> str:
    return words.figure(value)

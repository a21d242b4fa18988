"""The report for a terminal: plain characters, nothing wider than needed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from anonscope.report import unassigned, words
from anonscope.report.audit import proposed, why_text
from anonscope.report.audit.view import ScenarioView, Score, View
from anonscope.report.layout import Grid, laid_out
from anonscope.report.sheet import section_text
from anonscope.report.words import legible
from anonscope.risk.explain.why import Why
from anonscope.version import VERSION

if TYPE_CHECKING:
    from anonscope.report.sheet import Sheet

_MARKS = {"pass": "pass", "fail": "FAIL", "not measured": "????"}
_WIDTH = 40


def to_text(view: View, width: int | None = None) -> str:
    """Return the whole report as text, for a terminal as wide as that."""
    return "\n".join(laid_out(_lines(view), width)) + "\n"


def _lines(view: View) -> Iterator[str | Grid]:
    findings = view.findings
    yield f"anonscope {VERSION}: {legible(findings.source)}, {view.size}, policy {findings.policy.name} {findings.policy.version}"
    yield ""
    yield f"VERDICT: {legible(view.headline)}"
    yield legible(view.sentence)
    yield view.rules_sentence
    yield from map(legible, view.exceptions)
    yield from (legible(sentence) for sentence in words.beside(findings.verdict, options=True))
    if findings.verdict.must_be_removed:
        yield f"Must be removed before any release (direct identifiers): {', '.join(map(legible, findings.verdict.must_be_removed))}."
    if view.plan is not None:
        yield ""
        yield from plan_lines(view.plan)
    yield ""
    yield from _table(
        ["", "rule", "measured", "limit"], [[_MARKS[rule.status], rule.label, rule.measured, rule.limit] for rule in view.rules]
    )
    for rule in view.rules:
        if rule.status != "pass" and rule.note:
            yield f"      {rule.measured.split(' =')[0]}: {legible(rule.note)}"
    yield ""
    yield from _table(["question", "answer"], [[f"{tile.attack}: {tile.question}", tile.answer] for tile in view.tiles])
    if view.why is not None:
        yield ""
        yield from _why(view.why)
    elif not findings.verdict.released and view.plan is None and not findings.made_up(findings.worst_scenario):
        # Of groups of made-up values there is nothing to explain; a note below says so.
        yield "  Why, and what to do next: say --explain, or write a page with -o report.html."
    if findings.suggestion is not None:
        yield ""
        yield proposed.TITLE
        yield from (f"  {legible(text)}" for text in proposed.sentences(findings.suggestion))
        shown = (*range(4), 5)  # reasons are too long for a terminal
        rows = [[line[i] for i in shown] for line in proposed.rows(findings.suggestion)]
        yield from _table([proposed.HEADER[i] for i in shown], rows)
    for section in view.attacked:
        yield from section_text(section)
    for scenario in view.scenarios:
        yield ""
        yield from _scenario(scenario, several=len(view.scenarios) > 1)
    if findings.verdict.unassigned:
        yield ""
        yield unassigned.TITLE
        yield from _table(unassigned.HEADER, unassigned.rows(findings.verdict.unassigned))
    if findings.warnings:
        yield ""
        yield "Take note"
        yield from (f"  - {legible(warning)}" for warning in findings.warnings)
    yield ""
    yield "Assumptions"
    yield from (f"  - {legible(assumption)}" for assumption in findings.assumptions)
    for further in (view.chains, view.information, view.defences):
        if further is not None:
            yield from section_text(further)


def plan_lines(plan: "Sheet") -> Iterator[str | Grid]:
    """Yield a plan as the part of a report: what it says, then every section without what is told elsewhere."""
    yield f"PLAN: {plan.title}"
    yield legible(plan.lead)
    for section in plan.sections:
        yield ""
        yield section.title
        if section.note:
            yield f"  {section.note}"
        if section.header:
            yield from _table(section.header, [[cell.text for cell in cells] for cells in section.rows])
        yield from (f"  {legible(line)}" for line in section.lines)
        yield from (f"  {line}" for line in section.verbatim.splitlines())


def _scenario(scenario: ScenarioView, *, several: bool) -> Iterator[str | Grid]:
    title = f"Scenario {legible(words.scenario_title(scenario.name))}: the attacker knows" if several else "The attacker knows"
    yield f"{title} {', '.join(map(legible, scenario.known))} ({scenario.classes})"
    yield ""
    yield from _table(["score", "about", "mean", "worst", "risk"], [_score(s) for s in (*scenario.conventional, *scenario.extended)])
    if scenario.further:
        titles = dict.fromkeys(score.metric.title for score in scenario.further)
        yield f"  Measured as well, in the HTML, Markdown and JSON reports: {', '.join(titles)}."
    yield from (f"  Not measured: {legible(line)}." for line in scenario.unmeasured)
    if scenario.heat_rows:
        yield ""
        yield from _table(
            ["attribute alone, worst record", *scenario.heat_columns],
            [[row.attribute, *(cell.text for cell in row.cells)] for row in scenario.heat_rows],
        )
    yield ""
    if scenario.made_up:
        yield legible(scenario.made_up)
        return
    yield f"{scenario.members} by the size of their group (* smaller than the policy asks for)"
    longest = max(len(f"{bar.members:,}") for bar in scenario.bars)
    for bar in scenario.bars:
        mark = "*" if bar.too_small else " "
        yield f"  {bar.label:>6} {mark} {bar.members:>{longest},} {'#' * round(bar.height * _WIDTH)}".rstrip()


def _why(why: Why) -> Iterator[str | Grid]:
    yield "Why"
    for kind, content in why_text.lines(why):
        match kind:
            case "heading":
                yield ""
                yield content
            case "table":
                yield from _table(*content)
            case "list":
                yield from (f"  - {legible(sentence)}" for sentence in content)
            case _:
                yield f"  {legible(content)}"


def _score(score: Score) -> list[str]:
    about = "; ".join(part for part in (score.about, score.note) if part)
    return [
        score.metric.title,
        about,
        words.number(score.mean) if score.mean is not None else "",
        words.number(score.worst),
        score.level or "",
    ]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[Grid]:
    yield Grid(tuple(header), tuple(map(tuple, rows)), numbers_right=False)

"""The report as Markdown, for tickets and repositories."""

import re
from collections.abc import Iterator, Sequence

from anonscope.report import unassigned, words
from anonscope.report.audit import proposed, why_text
from anonscope.report.audit.view import ScenarioView, View
from anonscope.risk.explain.why import Why
from anonscope.version import VERSION

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~$])")


def to_markdown(view: View) -> str:
    """Return the whole report as Markdown."""
    return "\n".join(_lines(view)) + "\n"


def _lines(view: View) -> Iterator[str]:
    findings = view.findings
    yield f"# Verdict: {escape(view.headline)}"
    yield ""
    yield f"**{escape(view.sentence)}** {view.rules_sentence}"
    for sentence in (*view.exceptions, *view.unassigned):
        yield ""
        yield escape(sentence)
    yield ""
    yield f"{escape(findings.source)}, {view.size}, policy {escape(findings.policy.name)} {findings.policy.version}, anonscope {VERSION}."
    if findings.verdict.must_be_removed:
        yield ""
        yield f"Must be removed before any release (direct identifiers): {escape(', '.join(findings.verdict.must_be_removed))}."
    if view.plan is not None:
        yield ""
        yield f"## {escape(view.plan.title)}"
        yield ""
        yield escape(view.plan.lead)
        for section in view.plan.sections:
            yield ""
            yield f"### {escape(section.title)}"
            yield ""
            yield escape(section.note)
            if section.header:
                yield ""
                yield from _table(section.header, [[cell.text for cell in cells] for cells in section.rows])
            yield from (f"- {escape(line)}" for line in section.lines)
            if section.verbatim:
                yield from ("", "```sh", *section.verbatim.splitlines(), "```")
    yield ""
    yield "## Rules of the policy"
    yield ""
    yield from _table(
        ["rule", "status", "measured", "limit", "note"], [[r.label, r.status, r.measured, r.limit, r.note] for r in view.rules]
    )
    yield ""
    yield "## What an outsider could do"
    yield ""
    yield from _table(["question", "answer", "note"], [[f"{t.attack}: {t.question}", t.answer, t.note] for t in view.tiles])
    if view.why is not None:
        yield ""
        yield from _why(view.why)
    if findings.suggestion is not None:
        yield ""
        yield f"## {proposed.TITLE}"
        yield ""
        yield escape(" ".join(proposed.sentences(findings.suggestion)))
        yield ""
        yield from _table(proposed.HEADER, proposed.rows(findings.suggestion))
    if view.attacked:
        from anonscope.report.sheet import section_markdown  # late: sheets are escaped as this page is

        for section in view.attacked:
            yield from section_markdown(section)
    for scenario in view.scenarios:
        yield ""
        yield from _scenario(scenario)
    if findings.verdict.unassigned:
        yield ""
        yield f"## {unassigned.TITLE}"
        yield ""
        yield unassigned.NOTE
        yield ""
        yield from _table(unassigned.HEADER, unassigned.rows(findings.verdict.unassigned))
    if findings.warnings:
        yield ""
        yield "## Take note"
        yield ""
        yield from (f"- {escape(warning)}" for warning in findings.warnings)
    yield ""
    yield "## Assumptions"
    yield ""
    yield from (f"- {escape(assumption)}" for assumption in findings.assumptions)
    for further in (view.chains, view.information, view.defences):
        if further is not None:
            from anonscope.report.sheet import section_markdown  # late: sheets are escaped as this page is

            yield from section_markdown(further)


def _scenario(scenario: ScenarioView) -> Iterator[str]:
    yield f"## The attacker knows {escape(', '.join(scenario.known))}"
    yield ""
    yield f"Scenario {escape(words.scenario_title(scenario.name))}: {scenario.classes}."
    yield ""
    yield from _table(
        ["score", "question", "about", "mean", "worst", "risk"],
        [
            [
                s.metric.title,
                s.metric.question,
                "; ".join(part for part in (s.about, s.note) if part),
                words.number(s.mean) if s.mean is not None else "",
                words.number(s.worst),
                s.level or "",
            ]
            for s in (*scenario.conventional, *scenario.extended, *scenario.further)
        ],
    )
    if scenario.unmeasured:
        yield ""
        yield from (f"- Not measured: {escape(line)}." for line in scenario.unmeasured)
    if scenario.heat_rows:
        yield ""
        yield "### Each attribute alone, worst record"
        yield ""
        rows = [[row.attribute, *(cell.text for cell in row.cells)] for row in scenario.heat_rows]
        yield from _table(["attribute", *scenario.heat_columns], rows)
    yield ""
    yield f"### {scenario.members} by the size of their group"
    yield ""
    if scenario.made_up:
        yield escape(scenario.made_up)
        return
    rows = [[bar.label, f"{bar.members:,}", "smaller than the policy asks for" if bar.too_small else ""] for bar in scenario.bars]
    yield from _table(["size", scenario.members.lower(), ""], rows)


def _why(why: Why) -> Iterator[str]:
    yield "## Why"
    for kind, content in why_text.lines(why):
        yield ""
        match kind:
            case "heading":
                yield f"### {escape(content)}"
            case "table":
                yield from _table(*content)
            case "list":
                yield from (f"- {escape(sentence)}" for sentence in content)
            case _:
                yield escape(content)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(escape, header))} |"
    yield f"|{' --- |' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(map(escape, row))} |"


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    one_line = "".join(c if c.isprintable() else " " for c in text)
    return _SPECIAL.sub(r"\\\1", one_line)

"""The first screen of an audit in a terminal: verdict, failing rules, the plan's command, and where the rest is. At most 24 lines."""

from collections.abc import Iterator, Sequence
from shlex import quote
from shlex import split as words_of
from textwrap import wrap

from anonscope.operations.plan import Plan
from anonscope.report.audit import proposed
from anonscope.report.audit.view import RuleLine, View
from anonscope.report.words import TONES, Tone, legible
from anonscope.risk.policy.unassigned import sentences
from anonscope.version import VERSION

LINES, COLUMNS = 24, 80
_MOST_RULES, _MOST_COMMAND = 5, 6
_MARKS = {"fail": "FAIL", "not measured": "????"}
_CODES: dict[Tone, str] = {"low": "32", "mid": "33", "high": "31"}


def first_screen(view: View, planned: Plan | None, *, width: int = COLUMNS, colour: bool = False) -> str:
    """Return the screen; what does not fit is named, and `--full` prints it."""
    # Rules stand whole and a line stands between blocks, unless that makes too many lines; where it still does, sentences are cut.
    for whole, spaced, terse in (
        (True, True, False),
        (False, True, False),
        (True, False, False),
        (False, False, False),
        (False, False, True),
    ):
        blocks = [list(block) for block in _blocks(view, planned, width, whole=whole, terse=terse)]
        if sum(map(len, blocks)) + (len(blocks) - 1) * spaced <= LINES:
            break
    lines = [line for i, block in enumerate(blocks) for line in ([""] * (spaced and i > 0) + block)]
    if colour:
        tone = TONES[view.findings.verdict.outcome]
        lines = [_coloured(line, tone) for line in lines]
    return "\n".join(lines) + "\n"


def _blocks(view: View, planned: Plan | None, width: int, *, whole: bool, terse: bool) -> Iterator[Sequence[str]]:
    findings, verdict = view.findings, view.findings.verdict
    yield _cut(f"anonscope {VERSION}: {findings.source}, {view.size}, policy {findings.policy.name} {findings.policy.version}", width, 1)
    said = [*_cut(f"VERDICT: {view.headline}", width, 2 - terse), *_cut(view.sentence, width, 3 - terse)]
    for sentence in (*view.exceptions, *sentences(verdict.unassigned, options=True))[:2]:
        said += _cut(sentence, width, 2 - terse)
    if verdict.must_be_removed:
        said += _cut(f"Must be removed before any release: {', '.join(verdict.must_be_removed)}.", width, 1)
    if findings.suggestion is not None:
        said += _cut(f"{proposed.TITLE}: nobody chose them one by one.", width, 1)
    yield said
    yield list(_rules(view.rules, width, whole=whole)) or _cut(view.rules_sentence, width, 2)
    if planned is not None and view.plan is not None:
        yield list(_plan(planned, view.plan.title, view.plan.lead, width, terse=terse))
    remarks = len(findings.warnings)
    last = _cut(f"Take note{f' of {remarks} remarks' if remarks > 1 else ''}: {findings.warnings[0]}", width, 1) if remarks else []
    yield last + _cut("Everything that was measured: --full. A page with charts: -o report.html.", width, 1)


def _rules(rules: Sequence[RuleLine], width: int, *, whole: bool) -> Iterator[str]:
    """Yield the rules that are not met, with what was measured and the limit."""
    unmet = [rule for rule in rules if rule.status != "pass"]
    shown = unmet[: _MOST_RULES if len(unmet) <= _MOST_RULES else _MOST_RULES - 1]
    figures = [f"{rule.measured}, limit {rule.limit}" if rule.status == "fail" else "not measured" for rule in shown]
    wide = max(map(len, figures), default=0)
    for rule, figure in zip(shown, figures, strict=True):
        if whole:
            yield from wrap(
                legible(f"{_MARKS[rule.status]}  {rule.label}: {figure}"), width, initial_indent="  ", subsequent_indent=" " * 8
            )
        else:
            yield from _cut(f"  {_MARKS[rule.status]}  {figure.ljust(wide)}  {rule.label}", width, 1)
    if len(shown) < len(unmet):
        yield f"        and {len(unmet) - len(shown)} more of {len(rules)} rules"


def _plan(planned: Plan, title: str, lead: str, width: int, *, terse: bool) -> Iterator[str]:
    yield from _cut(f"PLAN: {title}", width, 1)
    if lead:
        yield from _cut(lead, width, 1 if terse else 3)
    if planned.best is None and planned.relaxations:
        way = planned.relaxations[0]
        yield from _cut(f"Would work, if that is accepted (1 of {len(planned.relaxations)} ways): {way.change}", width, 2 - terse)
    best = planned.best or next((way.release for way in planned.relaxations), None)
    if best is None:
        return
    command = _continued(best.command, width)
    if len(command) > _MOST_COMMAND - 2 * terse:
        yield "  Its command is long: --full prints it."
    else:
        yield from command


def _continued(command: str, width: int) -> list[str]:
    """Return a command over several lines that a shell reads as one; no word of it is broken."""
    lines, line = [], " "
    for word in map(quote, words_of(command)):
        if len(line) + len(word) + 3 > width and line.strip():
            lines.append(f"{line} \\")
            line = "   "
        line += f" {word}"
    return [*lines, line]


def _cut(text: str, width: int, most: int) -> list[str]:
    """Return text as so many lines at most; what is left out shows."""
    if most == 1:
        shown = legible(text)
        return [shown if len(shown) <= width else f"{shown[: width - 1].rstrip()}…"]
    lines = wrap(legible(text), width, break_on_hyphens=False)
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"{lines[most - 1][: width - 1].rstrip()}…"]


def _coloured(line: str, verdict: Tone) -> str:
    if line.startswith("VERDICT:"):
        return f"\x1b[1;{_CODES[verdict]}m{line}\x1b[0m"
    for mark, code in (("  FAIL", "31"), ("  ????", "33")):
        if line.startswith(mark):
            return f"\x1b[{code}m{mark}\x1b[0m{line[len(mark) :]}"
    return f"\x1b[1m{line}\x1b[0m" if line.startswith("PLAN:") else line

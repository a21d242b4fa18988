"""The first screen of an audit in a terminal: verdict, failing rules, the plan's command, and where the rest is. At most 24 lines.

Every part has several wordings, the longest first, each of whole sentences. Where all of them together are too many lines, the parts
that matter least are told in fewer words, one after the other: nothing is cut in the middle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonscope.errors import joined
from anonscope.report.audit import proposed
from anonscope.report.audit.view import RuleLine, View
from anonscope.report.charts.scales import fitting
from anonscope.report.layout import continued, wrapped
from anonscope.report.words import TONES, Tone, beside, legible, reason_asked
from anonscope.version import VERSION

if TYPE_CHECKING:
    from anonscope.operations.plan import Plan

LINES, COLUMNS = 24, 80
_MOST_RULES, _MOST_COMMAND, _LONGEST_NAME = 5, 6, 28
_MOST_NAMED = 3  # columns of a list that is told in brief, the last of them as "and so many more"
_SPACES = 2  # what yields later than blank lines do
_APART = (3, 2, 1, 4)  # blocks that a blank line stands before, the first as long as there is room for one
_MARKS = {"fail": "FAIL", "not measured": "????"}
CODES: dict[Tone, str] = {"low": "32", "mid": "33", "high": "31"}


@dataclass(frozen=True, slots=True)
class _Part:
    """What is said in one place, in wordings of which the later are shorter; `yields` says when each gives way, the lowest first."""

    block: int
    yields: tuple[int, ...]
    wordings: tuple[tuple[str, ...], ...]

    def patience(self, wording: int) -> int:
        """Return when a wording gives way to the next."""
        return self.yields[min(wording, len(self.yields) - 1)]


def first_screen(view: View, planned: "Plan | None", *, width: int = COLUMNS, colour: bool = False, lines: int = LINES) -> str:
    """Return the screen; what does not fit is named, and `--full` prints it."""
    parts = list(_Screen(view, width).parts(planned))
    chosen = [0] * len(parts)
    spaced = True
    # Blank lines go once the parts that yield first have been shortened; those that matter most stay whole as long as they can.
    while _length(parts, chosen, spaced) > lines:
        open_to = [i for i, part in enumerate(parts) if chosen[i] + 1 < len(part.wordings)]
        next_one = min(open_to, key=lambda i: (parts[i].patience(chosen[i]), i), default=None)
        if spaced and (next_one is None or parts[next_one].patience(chosen[next_one]) > _SPACES):
            spaced = False
        elif next_one is not None:
            chosen[next_one] += 1
        else:
            break
    room = lines - _length(parts, chosen, spaced=False)
    apart = {block for block in _APART[:room] if any(part.block < block for part in parts)}
    printed: list[str] = []
    for part, number in zip(parts, chosen, strict=True):
        if part.block in apart and part.wordings[number]:
            printed.append("")
            apart.discard(part.block)
        printed += part.wordings[number]
    if colour:
        tone = TONES[view.findings.verdict.outcome]
        printed = [_coloured(line, tone) for line in printed]
    return "\n".join(printed) + "\n"


def _length(parts: Sequence[_Part], chosen: Sequence[int], spaced: bool) -> int:
    said = [(part.block, part.wordings[number]) for part, number in zip(parts, chosen, strict=True)]
    blocks = len({block for block, lines in said if lines})
    return sum(len(lines) for _, lines in said) + spaced * max(blocks - 1, 0)


class _Screen:
    """The wordings of one audit at one width."""

    def __init__(self, view: View, width: int) -> None:
        self.view, self.width = view, width
        names = (*view.findings.columns, view.findings.source)
        self._long = sorted((name for name in names if len(name) > _LONGEST_NAME), key=len, reverse=True)

    def parts(self, planned: "Plan | None") -> Iterator[_Part]:
        """Yield the parts in reading order."""
        view, findings, verdict = self.view, self.view.findings, self.view.findings.verdict
        policy = f"policy {findings.policy.name} {findings.policy.version}"
        head = f"anonscope {VERSION}: {findings.source}, {view.size}, {policy}"
        yield self._told(0, 4, head, f"{findings.source}, {policy}")
        yield self._told(1, 9, f"VERDICT: {view.headline}")
        first, more, _ = view.sentence.partition(". ")
        yield self._told(1, 5, view.sentence, f"{first}." if more else view.sentence)
        for sentence in view.exceptions:
            yield self._told(1, 6, sentence, "Somebody stated exceptions: --full names them and the reasons.")
        open_columns = sum(column.unanswered for column in verdict.unassigned)
        for sentence in beside(verdict, options=True):
            yield self._told(1, 6, sentence, *([f"{open_columns} columns need a word: --full names them."] if open_columns else []))
        if removed := verdict.must_be_removed:
            yield self._told(
                1,
                4,
                f"Must be removed before any release: {', '.join(removed)}.",
                f"{len(removed)} direct identifiers must be removed before any release: --full names them.",
            )
        if findings.suggestion is not None:
            yield self._told(1, 3, f"{proposed.TITLE}: nobody chose them one by one.", "")
        yield _Part(2, (2, 8), tuple(self._rules()))
        if planned is not None and view.plan is not None:
            yield from self._plan(planned, view.plan.title, view.plan.lead)
        if remarks := len(findings.warnings):
            count = "a remark" if remarks == 1 else f"{remarks} remarks"
            told = f"Take note of {count}: {findings.warnings[0]}" if remarks > 1 else f"Take note: {findings.warnings[0]}"
            yield self._told(4, 0, told, f"Take note of {count} on the data: --full.")
        yield self._told(4, 9, "Everything that was measured: --full. A page with charts: -o report.html.", "All of it: --full.")

    def _plan(self, planned: "Plan", title: str, lead: str) -> Iterator[_Part]:
        yield self._told(3, 8, f"PLAN: {title}")
        best, ways = planned.best, planned.relaxations
        if best is not None:
            yield self._told(3, 1, lead, f"The best release found: {best.words.rpartition(': ')[2]}.")
        elif lead:
            yield self._told(3, (1, 5), lead, f"{lead.partition('. ')[0].rstrip('.')}.", "Why not: --full.")
        if best is None and ways:
            short = f"{len(ways)} ways would work if something is accepted: --full names them." if len(ways) > 1 else "One way: --full."
            told = f"Would work, if that is accepted{f' (1 of {len(ways)} ways)' if len(ways) > 1 else ''}:"
            whole, brief = f"{told} {ways[0].change}", f"{told} {self._in_brief(ways[0].change)}"
            # A list of columns gives way before sentences do.
            shorter = len(self._wrapped(brief)) < len(self._wrapped(whole))
            yield self._told(3, (1, 6), whole, brief, short) if shorter else self._told(3, 6, whole, short)
        release = best or next((way.release for way in ways), None)
        if release is not None:
            asked = [line for text in reason_asked(release.command) for line in self._wrapped(text)]
            command = (*asked, *continued(release.command, self.width))
            long = ("  Its command is long: --full prints it.",)
            yield _Part(3, (7,), (command, long) if len(command) - len(asked) <= _MOST_COMMAND else (long,))

    def _in_brief(self, change: str) -> str:
        """Return what would change with the first two of many sensitive attributes."""
        sensitive = [name for name in self.view.findings.roles.sensitive if name in change]
        for listed in (joined(sensitive), ", ".join(sensitive)):
            if len(sensitive) > _MOST_NAMED and listed in change:
                few = f"{', '.join(sensitive[: _MOST_NAMED - 1])} and {len(sensitive) - _MOST_NAMED + 1} more"
                return change.replace(listed, few)
        return change

    def _rules(self) -> Iterator[tuple[str, ...]]:
        """Yield the rules that are not met, with what was measured and the limit: in words, in figures, and only the first."""
        unmet = [rule for rule in self.view.rules if rule.status != "pass"]
        # No rule of a policy is about them, and they fail all the same.
        repeated = [c.sentence for c in self.view.findings.verdict.repeated if c.said is None]
        uncounted = tuple(line for sentence in repeated for line in self._failed(sentence))
        if not unmet:
            if uncounted:
                yield (*uncounted, *self._wrapped(self.view.rules_sentence))
            yield tuple(self._wrapped(self.view.rules_sentence))
            return
        shown = unmet[: _MOST_RULES if len(unmet) <= _MOST_RULES else _MOST_RULES - 1]
        left = len(unmet) - len(shown)
        rest = [f"        and {left} more of {len(self.view.rules)} rules"] if left else []
        told = [self._rule(rule) for rule in shown]
        yield (*uncounted, *(line for lines in told for line in lines), *rest)
        short = [lines if len(lines) == 1 else self._figures(rule) for rule, lines in zip(shown, told, strict=True)]
        yield (*(line for lines in short for line in lines), *rest)
        if len(unmet) > 2:
            yield (*short[0], f"        and {len(unmet) - 1} more of {len(self.view.rules)} rules")

    def _rule(self, rule: RuleLine) -> list[str]:
        figure = f"{rule.measured}, limit {rule.limit}" if rule.status == "fail" else "not measured"
        return self._marked(rule, f"{rule.label}: {figure}")

    def _figures(self, rule: RuleLine) -> list[str]:
        if rule.status != "fail":
            return self._rule(rule)
        named = "" if rule.title.lower() in rule.measured.lower() else f"{rule.title}: "
        return self._marked(rule, f"{named}{rule.measured}, limit {rule.limit}")

    def _marked(self, rule: RuleLine, text: str) -> list[str]:
        return self._failed(text, _MARKS[rule.status])

    def _failed(self, text: str, mark: str = _MARKS["fail"]) -> list[str]:
        return wrapped(self._named(f"{mark}  {text}"), self.width, initial_indent="  ", subsequent_indent=" " * 8)

    def _told(self, block: int, yields: int | tuple[int, ...], *wordings: str) -> _Part:
        lines = [tuple(self._wrapped(text)) for text in wordings]
        kept = [line for i, line in enumerate(lines) if i == 0 or len(line) < len(lines[i - 1])]
        return _Part(block, yields if isinstance(yields, tuple) else (yields,), tuple(kept))

    def _wrapped(self, text: str) -> list[str]:
        return wrapped(self._named(text), self.width)

    def _named(self, text: str) -> str:
        """Return text with endless names shortened: a name may be cut, a sentence never."""
        for name in self._long:
            text = text.replace(name, fitting(name, _LONGEST_NAME))
        return legible(text)


def _coloured(line: str, verdict: Tone) -> str:
    if line.startswith("VERDICT:"):
        return f"\x1b[1;{CODES[verdict]}m{line}\x1b[0m"
    for mark, code in (("  FAIL", "31"), ("  ????", "33")):
        if line.startswith(mark):
            return f"\x1b[{code}m{mark}\x1b[0m{line[len(mark) :]}"
    return f"\x1b[1m{line}\x1b[0m" if line.startswith("PLAN:") else line

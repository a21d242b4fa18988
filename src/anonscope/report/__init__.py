"""Results as text, JSON, Markdown and HTML. Nothing here computes a risk."""

import json
from importlib import import_module
from typing import Any

from anonscope.errors import OptionError

__all__ = ["FORMATS", "FORMATS_BY_SUFFIX", "PDF", "content", "render", "to_dict"]
PDF = "pdf"  # of files only
FORMATS = ("text", "json", "markdown", "html")
FORMATS_BY_SUFFIX = {".html": "html", ".htm": "html", ".json": "json", ".md": "markdown", ".txt": "text", ".pdf": PDF}
# Which file shows a result, and what its two functions begin with: NAME_to_dict and NAME_sheet. Loaded when a result is shown.
_FACES = {
    "Anonymisation": ("anonymise", "anonymisation"),
    "Answers": ("answer", "answers"),
    "Approximation": ("approximate", "approximation"),
    "Associations": ("associations", "associations"),
    "Attacks": ("attack", "attacks"),
    "Checks": ("check", "checks"),
    "Comparison": ("compare", "comparison"),
    "ComposedReleases": ("link", "composition"),
    "Exploration": ("explore", "exploration"),
    "FragmentRelease": ("fragment", "fragment_release"),
    "Fragmentation": ("associations", "fragmentation"),
    "IntruderTest": ("intruder_test", "intruder_test"),
    "Ladders": ("hierarchies", "ladders"),
    "LinkedRelease": ("link", "linkage"),
    "Pipeline": ("pipeline", "pipeline"),
    "Plan": ("plan", "plan"),
    "PreCheck": ("precheck", "precheck"),
    "ProbablyLinkedRelease": ("link", "probabilistic"),
    "Register": ("register", "register"),
    "Release": ("apply", "release"),
    "SignOff": ("sign_off", "sign_off"),
    "SuggestedRoles": ("suggest", "suggestion"),
    "Synthesis": ("synthesise", "synthesis"),
    "Verification": ("verify", "verification"),
    "Unicity": ("attack", "unicity"),
}
_WITHOUT_PAGE = ("SuggestedRoles",)  # what a command prints and writes no report of
# Formats that only one kind of result has, by who writes them.
_FURTHER = {("Checks", "junit"): "check_files", ("Checks", "sarif"): "check_files"}


def to_dict(result: Any) -> dict[str, Any]:
    """Return a result as plain data, in the shape of the JSON contract."""
    if _is_audit(result):
        from anonscope.report.audit.document import to_dict as audit_to_dict

        found_by = result.attacks.to_dict() if result.attacks is not None else None
        planned = _face(result.planned, "to_dict")(result.planned) if result.planned is not None else None
        return audit_to_dict(result, result.explanation, planned) | {
            "attack_results": found_by,
            "chains": [chain.to_dict() for chain in result.chains],
        }
    found: dict[str, Any] = _face(result, "to_dict")(result)
    return found


def render(result: Any, format: str) -> str:
    """Return a result in one of the formats, or as the fragment a notebook shows."""
    if (further := _FURTHER.get((type(result).__name__, format))) is not None:
        return str(getattr(import_module(f"anonscope.report.{further}"), format)(result))
    if format not in (*FORMATS, "fragment"):
        raise OptionError(f"No format is called {format!r}. There are: {', '.join(FORMATS)}.")
    if format == "json":
        return json.dumps(to_dict(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if _is_audit(result):
        from anonscope.report.audit.render import render_audit

        return render_audit(result, format)
    from anonscope.report.sheet import render_sheet

    return render_sheet(_face(result, "sheet")(result), format)


def on_terminal(result: Any, *, width: int, colour: bool, whole: bool, beside: bool = False, below: int = 0) -> str:
    """Return a result as a terminal shows it: its first screen, with room for so many lines below it, or the whole.

    `beside` says that the report of a release has an option of its own.
    """
    if _is_audit(result):
        from anonscope.report.audit.render import render_at_width, render_first_screen

        return render_at_width(result, width) if whole else render_first_screen(result, width=width, colour=colour, below=below)
    from anonscope.report.audit.first_screen import LINES
    from anonscope.report.layout import laid_out
    from anonscope.report.screen import BESIDE, PAGE, sheet_screen
    from anonscope.report.sheet import sheet_text

    sheet = _face(result, "sheet")(result)
    if whole or sheet.once:
        return "\n".join(laid_out(sheet_text(sheet), width)) + "\n"
    page = "" if type(result).__name__ in _WITHOUT_PAGE else BESIDE if beside else PAGE
    return sheet_screen(sheet, width=width, colour=colour, lines=LINES - below, page=page)


def content(result: Any, format: str) -> bytes:
    """Return what a file of a format holds; a PDF is the page, printed."""
    if format != PDF:
        return str(result.render(format)).encode("utf-8")
    from anonscope.report.pdf import printed

    return printed(result.render("html"))


def in_one_line(result: Any) -> str:
    """Return a result as Python prints it: what it is, what it is about, what it says."""
    kind = type(result).__name__
    if _is_audit(result):
        rules = [*result.verdict.rules, *result.verdict.attack_rules, *result.verdict.checks]
        unmet = sum(rule.status != "pass" for rule in rules)
        told = f"{unmet} of {len(rules)} rules {'is' if unmet == 1 else 'are'} not met" if unmet else "all rules are met"
        return f"<{kind} {result.source}: {result.verdict.outcome}, {told}>"
    if kind not in _FACES:
        return f"<{kind}>"
    sheet = _face(result, "sheet")(result)
    return f"<{kind} {sheet.source}: {sheet.title[:1].lower()}{sheet.title[1:]}>"


def _is_audit(result: Any) -> bool:
    # By name, like all results: what shows an audit is loaded when one is shown.
    return type(result).__name__ == "Audit"


def _face(result: Any, part: str) -> Any:
    module, name = _FACES[type(result).__name__]
    return getattr(import_module(f"anonscope.report.{module}"), f"{name}_{part}")

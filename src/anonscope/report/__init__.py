"""Results as text, JSON, Markdown and HTML. Nothing here computes a risk."""

import json
from importlib import import_module
from typing import Any

from anonscope.errors import OptionError

__all__ = ["FORMATS", "FORMATS_BY_SUFFIX", "render", "to_dict"]
FORMATS = ("text", "json", "markdown", "html")
FORMATS_BY_SUFFIX = {".html": "html", ".htm": "html", ".json": "json", ".md": "markdown", ".txt": "text"}
# Which file shows a result, and what its two functions begin with: NAME_to_dict and NAME_sheet. Loaded when a result is shown.
_FACES = {
    "Anonymisation": ("anonymise", "anonymisation"),
    "Answers": ("answer", "answers"),
    "Associations": ("associations", "associations"),
    "Attacks": ("attack", "attacks"),
    "Comparison": ("compare", "comparison"),
    "ComposedReleases": ("link", "composition"),
    "Exploration": ("explore", "exploration"),
    "FragmentRelease": ("fragment", "fragment_release"),
    "Fragmentation": ("associations", "fragmentation"),
    "LinkedRelease": ("link", "linkage"),
    "Pipeline": ("pipeline", "pipeline"),
    "Plan": ("plan", "plan"),
    "PreCheck": ("precheck", "precheck"),
    "ProbablyLinkedRelease": ("link", "probabilistic"),
    "Synthesis": ("synthesise", "synthesis"),
    "Verification": ("verify", "verification"),
    "Unicity": ("attack", "unicity"),
}


def to_dict(result: Any) -> dict[str, Any]:
    """Return a result as plain data, in the shape of the JSON contract."""
    if _is_audit(result):
        from anonscope.report.audit.document import to_dict as audit_to_dict

        found_by = result.attacks.to_dict() if result.attacks is not None else None
        planned = _face(result.planned, "to_dict")(result.planned) if result.planned is not None else None
        return audit_to_dict(result, result.explanation, planned) | {"attack_results": found_by}
    found: dict[str, Any] = _face(result, "to_dict")(result)
    return found


def render(result: Any, format: str) -> str:
    """Return a result in one of the formats, or as the fragment a notebook shows."""
    if format not in (*FORMATS, "fragment"):
        raise OptionError(f"No format is called {format!r}. There are: {', '.join(FORMATS)}.")
    if format == "json":
        return json.dumps(to_dict(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if _is_audit(result):
        from anonscope.report.audit.render import render_audit

        return render_audit(result, format)
    from anonscope.report.sheet import render_sheet

    return render_sheet(_face(result, "sheet")(result), format)


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

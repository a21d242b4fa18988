"""An audit as text, Markdown and HTML."""

from dataclasses import replace

from anonscope.operations.audit import Audit
from anonscope.report.audit.view import View, view


def render_audit(audit: Audit, format: str) -> str:
    """Return an audit in one of the formats, or as the fragment a notebook shows; the fragment goes without reasons."""
    match format:
        case "text":
            from anonscope.report.audit.text import to_text

            return to_text(_seen(audit))
        case "markdown":
            from anonscope.report.audit.markdown import to_markdown

            return to_markdown(_seen(audit))
        case "html":
            from anonscope.report.html import to_html

            return to_html(_seen(audit))
        case _:
            from anonscope.report.html import to_fragment

            return to_fragment(view(audit))


def _seen(audit: Audit) -> View:
    found = replace(view(audit), why=audit.explanation)
    if audit.planned is not None:
        from anonscope.report.plan import plan_sheet

        found = replace(found, plan=plan_sheet(audit.planned))
    if audit.attacks is None:
        return found
    from anonscope.report.attack import attack_sections

    return replace(found, attacked=attack_sections(audit.attacks), shows_values=audit.attacks.grouped_by is not None)

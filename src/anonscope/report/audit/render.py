"""An audit as text, Markdown and HTML."""

from dataclasses import replace

from anonscope.operations.audit import Audit
from anonscope.report.audit.sections import chains_section, defences_section, itpr_section
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

            known = audit.source_hash
            return to_html(replace(_seen(audit), hash=f", SHA-256 {known}" if known is not None else ""))
        case _:
            from anonscope.report.html import to_fragment

            return to_fragment(_seen(audit))


def render_first_screen(audit: Audit, *, width: int, colour: bool, below: int = 0) -> str:
    """Return the first screen of an audit for a terminal, with room for so many lines below it."""
    from anonscope.report.audit.first_screen import LINES, first_screen

    return first_screen(_seen(audit), audit.planned, width=width, colour=colour, lines=LINES - below)


def render_at_width(audit: Audit, width: int) -> str:
    """Return the whole report as a terminal of that width shows it."""
    from anonscope.report.audit.text import to_text

    return to_text(_seen(audit), width)


def _seen(audit: Audit) -> View:
    found = replace(view(audit), why=audit.explanation, defences=defences_section(audit.policy), information=itpr_section(audit))
    if audit.chains:
        found = replace(found, chains=chains_section(audit.chains))
    if audit.planned is not None:
        from anonscope.report.plan import plan_sheet

        found = replace(found, plan=plan_sheet(audit.planned, _smallest(audit)))
    if audit.attacks is None:
        return found
    from anonscope.report.attack import attack_sections

    return replace(found, attacked=attack_sections(audit.attacks), shows_values=audit.attacks.grouped_by is not None)


def _smallest(audit: Audit) -> int | None:
    """Return the smallest group of the table as it is, for the worst attacker; None where groups mean nothing."""
    worst = audit.worst_scenario
    sizes = worst.sizes.of(audit.counted_in)
    return min(size for size, _ in sizes) if sizes and not audit.made_up(worst) else None

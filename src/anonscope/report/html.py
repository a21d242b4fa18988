"""The report as one self-contained page: no script, no font and no image from elsewhere."""

from datetime import date
from functools import cache
from typing import Any

from anonscope.report import unassigned, words
from anonscope.report.audit import proposed, why_text
from anonscope.report.audit.view import View
from anonscope.version import VERSION


def to_html(view: View) -> str:
    """Return the whole page."""
    return _render("page.html.jinja", view)


def to_fragment(view: View) -> str:
    """Return the verdict and the rules only, as a notebook shows them."""
    return _render("fragment.html.jinja", view)


def _render(template: str, view: View) -> str:
    page = environment().get_template(template)
    known = {"words": words, "reasons": why_text, "proposed": proposed, "unassigned": unassigned, "version": VERSION, "today": date.today()}
    return str(page.render(view=view, findings=view.findings, **known))


@cache
def environment() -> Any:
    """Return what turns templates into pages."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("anonscope.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

"""The report as one self-contained page: no script, no font and no image from elsewhere."""

from datetime import date
from functools import cache
from typing import Any

from anonscope.report import words
from anonscope.report.view import View
from anonscope.version import VERSION


def to_html(view: View) -> str:
    """Return the whole page."""
    return _render("page.html.jinja", view)


def to_fragment(view: View) -> str:
    """Return the verdict and the rules only, as a notebook shows them."""
    return _render("fragment.html.jinja", view)


def _render(template: str, view: View) -> str:
    page = _environment().get_template(template)
    return str(page.render(view=view, findings=view.findings, words=words, version=VERSION, today=date.today()))


@cache
def _environment() -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("anonscope.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

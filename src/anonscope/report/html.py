"""The report as one self-contained page: no script, no font and no image from elsewhere."""

from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import Any

from anonscope.report import unassigned, words
from anonscope.report.audit import pictures, proposed, sections, why_text
from anonscope.report.audit.view import View
from anonscope.report.charts.scales import fitting
from anonscope.report.charts.svg import Svg, joined
from anonscope.report.glossary import glossary
from anonscope.version import VERSION

# Letters of a word that fits every card, of a figure that is never broken, and of a cell that is read like a sentence.
_LONGEST_WORD, _NUMBER, _PROSE = 22, 18, 60
_ENDLESS = 80  # letters of a word that nobody reads


def to_html(view: View) -> str:
    """Return the whole page."""
    return _render("page.html.jinja", view)


def to_fragment(view: View) -> str:
    """Return the verdict and the rules only, as a notebook shows them."""
    return _render("fragment.html.jinja", view)


def _render(template: str, view: View) -> str:
    page = environment().get_template(template)
    known: dict[str, Any] = {"words": words, "reasons": why_text, "proposed": proposed, "unassigned": unassigned}
    known |= {"pictures": pictures, "information": sections, "version": VERSION, "today": date.today()}
    return str(page.render(view=view, findings=view.findings, **known))


@cache
def environment() -> Any:
    """Return what turns templates into pages."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("anonscope.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_on_a_page,
    )
    made.filters["typed"] = _typed
    made.filters["fit"] = fit
    made.filters["named"] = named
    made.filters["readable"] = readable
    made.globals["footer"] = footer
    made.globals["glossary"] = glossary
    return made


def _on_a_page(value: Any) -> Any:
    """Return what a page says of a text: options of a terminal mean nothing there. Markup stays as it is."""
    return words.without_options(value) if type(value) is str else value


def _typed(text: str) -> Svg:
    """Return a text that is there to be copied, and stays as it is."""
    return joined(text)


def fit(text: str) -> str:
    """Return how a cell is set: numbers stay whole, endless words may break, long sentences take the width of a card."""
    longest = max((len(word) for word in text.split()), default=0)
    if longest > _LONGEST_WORD:
        return "endless" if len(text) <= _PROSE else "endless prose"
    if len(text) <= _NUMBER and any(c.isdigit() for c in text):
        return "whole"
    return "prose" if len(text) > _PROSE else ""


def named(text: str, columns: Iterable[str]) -> str:
    """Return a sentence of the first screen whose endless names are shortened; the roles below have them whole."""
    for column in sorted(columns, key=len, reverse=True):
        if len(column) > _PROSE:
            text = text.replace(column, fitting(column, _LONGEST_WORD))
    return text


def readable(text: str) -> str:
    """Return a sentence whose endless words are shortened, where the columns are not known; a hash is none of them."""
    return " ".join(fitting(word, _LONGEST_WORD) if len(word) > _ENDLESS else word for word in text.split(" "))


def footer(left: str, middle: str) -> Svg:
    """Return the style of printed pages: what stands at the foot of each, and its number."""
    return Svg(
        "@page { margin: 14mm 13mm 18mm; font: 8.5pt system-ui, sans-serif; "
        f"@bottom-left {{ content: {_quoted(left, 60)}; width: 40%; text-align: left }} "
        f"@bottom-center {{ content: {_quoted(middle, 110)}; width: 45%; text-align: center }} "
        '@bottom-right { content: counter(page) " / " counter(pages); width: 15%; text-align: right } }'
    )


def _quoted(text: str, most: int) -> str:
    """Return text as a string of a style sheet; nothing in it can end the string, or the element around it."""
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    return '"' + "".join(c if c.isalnum() or c in " .,:;_-·…/()%" else f"\\{ord(c):x} " for c in short) + '"'

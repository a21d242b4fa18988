"""A page as PDF: the same document, printed. Nothing is fetched for it."""

import logging
import re
from functools import cache
from importlib import resources
from typing import Any

from anonscope.errors import Defect, MissingExtra

_MIX = re.compile(r"color-mix\(in srgb, (#\w+) (\d+)%, (#\w+)\)")

# A drawing in a grid that ends on the next page stops the printer.
_PLAIN = ".chart { display: block !important; }"


def printer() -> Any:
    """Return what prints pages, or say how it is installed: asked before any work is done, so that none is lost."""
    try:
        from weasyprint import HTML
    except (ImportError, OSError):  # the second where Pango is missing
        raise MissingExtra("A PDF", "pdf") from None
    return HTML


def printed(page: str) -> bytes:
    """Return a page as PDF."""
    page_of = printer()
    # It tells of style rules that are for screens; a reader of a log should not have to know that.
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    made: bytes = page_of(string=_drawn(page), url_fetcher=_nothing).write_pdf(pdf_variant="pdf/ua-1")
    return made


def _nothing(url: str, *_: Any, **__: Any) -> Any:
    raise Defect("A page asked for something from elsewhere, and no page of ours does.")


def _drawn(page: str) -> str:
    """Return a page whose drawings have their styles inside: the printer styles no drawing by the rules of the page around it."""
    page = page.replace("</head>", f"<style>{_PLAIN}</style></head>", 1)
    return re.sub(r"<svg\b[^>]*>", lambda found: f"{found.group()}<style>{_drawing_styles()}</style>", page)


@cache
def _drawing_styles() -> str:
    """Return the rules of charts in the colours of paper."""
    folder = resources.files("anonscope.report").joinpath("templates")
    light = folder.joinpath("colours.css").read_text(encoding="utf-8").partition("macro light()")[2].partition("endmacro")[0]
    colours = dict(re.findall(r"--([\w-]+): (#\w+)", light))
    rules = folder.joinpath("charts.css").read_text(encoding="utf-8")
    rules = re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found.group(1)], rules)
    rules = _MIX.sub(lambda found: _mixed(found.group(1), int(found.group(2)), found.group(3)), rules)
    rules = re.sub(r"font: (\d+px)[^;]*", r"font-size: \1; font-family: sans-serif", rules)
    # One rule that it does not understand, and it reads no further.
    wanted = (
        f"{which} {{{body}}}"
        for which, body in re.findall(r"([^{}]+)\{([^{}]*)\}", rules)
        if re.search("fill|stroke", body) and ">" not in which
    )
    return " ".join(wanted).replace(".chart ", "")


def _mixed(one: str, percent: int, other: str) -> str:
    """Return two colours mixed as a screen mixes them."""
    channels = [
        [int(colour[1:][i : i + 1] * 2 if len(colour) == 4 else colour[1:][2 * i : 2 * i + 2], 16) for i in range(3)]
        for colour in (one, other)
    ]
    return "#" + "".join(f"{round((percent * a + (100 - percent) * b) / 100):02x}" for a, b in zip(*channels, strict=True))

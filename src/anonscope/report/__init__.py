"""Results as text, JSON, Markdown and HTML. Nothing here computes a risk."""

from dataclasses import replace

from anonscope.errors import OptionError
from anonscope.explain import Why
from anonscope.findings import Findings
from anonscope.report.document import measurement, to_dict, to_json
from anonscope.report.view import View, view

__all__ = ["FORMATS", "FORMATS_BY_SUFFIX", "measurement", "render", "to_dict"]
FORMATS = ("text", "json", "markdown", "html")
FORMATS_BY_SUFFIX = {".html": "html", ".htm": "html", ".json": "json", ".md": "markdown", ".txt": "text"}


def render(findings: Findings, format: str, why: Why | None = None) -> str:
    """Return the findings in one of the formats, or as the fragment a notebook shows."""
    match format:
        case "json":
            return to_json(findings, why) + "\n"
        case "text":
            from anonscope.report.text import to_text

            return to_text(_seen(findings, why))
        case "markdown":
            from anonscope.report.markdown import to_markdown

            return to_markdown(_seen(findings, why))
        case "html":
            from anonscope.report.html import to_html

            return to_html(_seen(findings, why))
        case "fragment":
            from anonscope.report.html import to_fragment

            return to_fragment(_seen(findings, why))
        case _:
            raise OptionError(f"No format is called {format!r}. There are: {', '.join(FORMATS)}.")


def _seen(findings: Findings, why: Why | None) -> View:
    return replace(view(findings), why=why)

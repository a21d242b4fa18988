"""Results as text, JSON, Markdown and HTML. Nothing here computes a risk."""

from anonscope.errors import OptionError
from anonscope.findings import Findings
from anonscope.report.document import measurement, to_dict, to_json
from anonscope.report.view import view

__all__ = ["FORMATS", "FORMATS_BY_SUFFIX", "measurement", "render", "to_dict"]
FORMATS = ("text", "json", "markdown", "html")
FORMATS_BY_SUFFIX = {".html": "html", ".htm": "html", ".json": "json", ".md": "markdown", ".txt": "text"}


def render(findings: Findings, format: str) -> str:
    """Return the findings in one of the formats, or as the fragment a notebook shows."""
    match format:
        case "json":
            return to_json(findings) + "\n"
        case "text":
            from anonscope.report.text import to_text

            return to_text(view(findings))
        case "markdown":
            from anonscope.report.markdown import to_markdown

            return to_markdown(view(findings))
        case "html":
            from anonscope.report.html import to_html

            return to_html(view(findings))
        case "fragment":
            from anonscope.report.html import to_fragment

            return to_fragment(view(findings))
        case _:
            raise OptionError(f"No format is called {format!r}. There are: {', '.join(FORMATS)}.")

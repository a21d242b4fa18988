"""Results as text, JSON, Markdown and HTML. Nothing here computes a risk."""

from anonscope.report.document import measurement, to_dict, to_json

__all__ = ["FORMATS_BY_SUFFIX", "measurement", "render", "to_dict"]
FORMATS_BY_SUFFIX = {".html": "html", ".json": "json", ".md": "markdown", ".txt": "text"}


def render(f, format):
    return to_json(f)

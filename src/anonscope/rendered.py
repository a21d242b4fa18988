"""Results that write themselves in every format."""

import json
from pathlib import Path
from typing import Any

from anonscope.errors import OptionError
from anonscope.output import write_text
from anonscope.report import FORMATS_BY_SUFFIX
from anonscope.report.sheet import Sheet, render_sheet


class Rendered:
    """A result that writes itself as text, JSON, Markdown or HTML."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        raise NotImplementedError

    def _sheet(self) -> Sheet:
        raise NotImplementedError

    def render(self, format: str = "text") -> str:
        """Return the result as text, json, markdown or html."""
        if format == "json":
            return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return render_sheet(self._sheet(), format)

    def save(self, path: str | Path) -> Path:
        """Write the result in the format of the file's name: .html, .json, .md or .txt."""
        target = Path(path)
        format = FORMATS_BY_SUFFIX.get(target.suffix.lower())
        if format is None:
            raise OptionError(f"A result is written as {', '.join(FORMATS_BY_SUFFIX)}, not as {target.suffix or 'a file without ending'}.")
        write_text(target, self.render(format))
        return target

    def _repr_html_(self) -> str:
        return render_sheet(self._sheet(), "fragment")

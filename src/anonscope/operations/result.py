"""Results that write themselves in every format."""

from dataclasses import fields
from pathlib import Path
from typing import Any, Self

from anonscope.errors import OptionError
from anonscope.io.writing import write_bytes


class Shown:
    """What Python prints in a line and a notebook shows as a screen. How is in `report`, which is loaded when it is asked."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        # A dataclass would write one of its own, with every field.
        cls.__repr__ = Shown.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        from anonscope import report

        return report.in_one_line(self)

    def _repr_html_(self) -> str:
        from anonscope import report

        return report.render(self, "fragment")


class Result(Shown):
    """A result that writes itself as text, JSON, Markdown or HTML."""

    __slots__ = ()

    @classmethod
    def of(cls, found: Any, **more: Any) -> Self:
        """Return the result that holds what a measurement found, and what is added to it."""
        return cls(**{f.name: getattr(found, f.name) for f in fields(found)}, **more)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape of the JSON contract."""
        from anonscope import report

        return report.to_dict(self)

    def render(self, format: str = "text") -> str:
        """Return the result as text, json, markdown or html."""
        from anonscope import report

        return report.render(self, format)

    def save(self, path: str | Path) -> Path:
        """Write the result in the format of the file's name: .html, .json, .md, .txt or .pdf."""
        from anonscope.report import FORMATS_BY_SUFFIX, content

        target = Path(path)
        format = FORMATS_BY_SUFFIX.get(target.suffix.lower())
        if format is None:
            raise OptionError(f"A result is written as {', '.join(FORMATS_BY_SUFFIX)}, not as {target.suffix or 'a file without ending'}.")
        write_bytes(target, content(self, format), private=self.private)
        return target

    @property
    def private(self) -> bool:
        """Whether a file of it is for its owner's eyes only."""
        return False

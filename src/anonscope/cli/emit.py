"""Where a result goes, and in which form: to a file named by its ending, or to the terminal."""

import os
import shutil
import sys
from pathlib import Path
from shlex import quote
from typing import Protocol

import typer


class Rendered(Protocol):
    """A result that can be written in several formats."""

    def render(self, format: str = "text") -> str: ...


def report_format(format: str | None, output: Path | None) -> str:
    """Return the format that was asked for, else that of the file's ending, else text; a file that cannot be written is told now."""
    from anonscope.errors import OptionError
    from anonscope.io.writing import check_writable
    from anonscope.report import FORMATS_BY_SUFFIX

    if output is None:
        return format or "text"
    check_writable(output)
    form = format or FORMATS_BY_SUFFIX.get(output.suffix.lower())
    if form is None:
        raise OptionError(f"The ending of {str(output)!r} does not tell the format. Use {', '.join(FORMATS_BY_SUFFIX)}, or say --format.")
    return form


def print_text(text: str) -> None:
    """Print, whatever the terminal's encoding can show."""
    encoding = sys.stdout.encoding or "utf-8"
    typer.echo(text.encode(encoding, errors="replace").decode(encoding), nl=False)


def coloured() -> bool:
    """Whether the terminal shows colours: no pipe does, and nobody who says NO_COLOR wants them."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def screen_width() -> int:
    """Return how many columns a line may have: those of the terminal, within what can be read."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 100))


def shown_source(source: str, table: str | None = None) -> str:
    """Return a source as it can be typed again, without the user and password of a database."""
    from anonscope.errors import without_credentials

    return quote(without_credentials(source)) + (f" --table {quote(table)}" if table is not None else "")


def emit(result: Rendered, form: str, output: Path | None, *, told: bool = True) -> None:
    """Write a result to a file, which is told unless more is, or print it."""
    from anonscope.io.writing import write_text

    if output is None:
        print_text(result.render(form))
    else:
        write_text(output, result.render(form))
        if told:
            typer.echo(f"Written: {output}", err=True)

"""Where a result goes, and in which form: to a file named by its ending, or to the terminal."""

import os
import shutil
import sys
from pathlib import Path
from shlex import quote
from typing import Protocol

import typer

SCREEN = "screen"  # what a terminal shows first
_TOLD_OF_RELEASES = 4  # lines, where one is written as well


class Rendered(Protocol):
    """A result that can be written in several formats."""

    def render(self, format: str = "text") -> str: ...


def report_format(format: str | None, output: Path | None, *, full: bool) -> str:
    """Return the format that was asked for, else that of the file's ending, else the first screen or, if asked for, the full text.

    A file that cannot be written is told now.
    """
    from anonscope.errors import OptionError
    from anonscope.io.writing import check_writable
    from anonscope.report import FORMATS_BY_SUFFIX, PDF

    if output is None:
        return format or ("text" if full else SCREEN)
    check_writable(output)
    form = format or FORMATS_BY_SUFFIX.get(output.suffix.lower())
    if form is None:
        raise OptionError(f"The ending of {str(output)!r} does not tell the format. Use {', '.join(FORMATS_BY_SUFFIX)}, or say --format.")
    if form == PDF:
        from anonscope.report.pdf import printer

        printer()
    return form


def print_text(text: str) -> None:
    """Print; on a terminal no sentence is wider than it, what goes into a pipe is as it is."""
    if sys.stdout.isatty():
        from anonscope.report.layout import folded

        text = "".join(f"{line}\n" for whole in text.splitlines() for line in folded(whole, screen_width()))
    print_screen(text)


def print_screen(text: str) -> None:
    """Print what is as wide as it should be, whatever the terminal's encoding can show."""
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


def emit(result: Rendered, form: str, output: Path | None, *, beside: bool = False) -> None:
    """Write a result to a file, or print it: on a terminal the first screen, into a pipe all of it.

    Where it is about a release that stands beside it, the command tells of both itself.
    """
    from anonscope import report
    from anonscope.io.writing import write_bytes

    if output is not None:
        write_bytes(output, report.content(result, form), private=getattr(result, "private", False))
        if not beside:
            typer.echo(f"Written: {output}", err=True)
    elif form in (SCREEN, "text") and sys.stdout.isatty():
        below = _TOLD_OF_RELEASES if beside else 0
        width = screen_width()
        print_screen(report.on_terminal(result, width=width, colour=coloured(), whole=form != SCREEN, beside=beside, below=below))
    else:
        print_text(result.render("text" if form == SCREEN else form))

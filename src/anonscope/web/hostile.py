"""Files that are small and become huge: looked at before anything reads them whole."""

import zipfile
from pathlib import Path

from anonscope.errors import AnonscopeError, RequestRefused, SourceError, shown
from anonscope.io.formats import marked
from anonscope.io.sources.apart import ReadingLimits, keep_apart
from anonscope.io.sources.encoding import open_bytes
from anonscope.io.sources.relation import ReadOptions
from anonscope.io.sources.workbook import TooLarge, is_open_xml

_PIECE = 2**20
_DELIMITERS = b",;\t|"


def check_kind(path: Path, name: str) -> None:
    """Raise if a file is an archive of a kind that is not taken."""
    if zipfile.is_zipfile(path) and not is_open_xml(path):
        # Other kinds repeat cells by a number, so that their size says nothing.
        raise RequestRefused(f"{shown(name)} is packed, but no .xlsx workbook. Save the table as .xlsx, .csv or .parquet.", 415)


def check_apart(path: Path, name: str, options: ReadOptions, limits: ReadingLimits) -> None:
    """Raise unless a process that can be spared has read the file to its end, within limits of memory, time and unpacked bytes.

    What it read is kept beside the file, and is what every later look at the table is given.
    """
    try:
        keep_apart(path, options, limits, name=name, folder=path.parent)
    except TooLarge as error:
        raise RequestRefused(str(error).replace(shown(path.name), shown(name)), 413) from None
    except AnonscopeError as error:
        raise SourceError(str(error).replace(shown(path.name), shown(name))) from None


def check_width(path: Path, name: str, limit: int) -> None:
    """Raise if the first line of a text file has far more columns than are allowed."""
    with open_bytes(path) as handle:
        line = handle.readline(16 * _PIECE)
    if b"\x00" in line[:4096] or marked(line) is not None or line.lstrip().startswith(b"{"):
        return
    columns = 1 + max(line.count(bytes([delimiter])) for delimiter in _DELIMITERS)
    # Names may hold delimiters, so that this is a bound only; the columns themselves are counted when the file has been opened.
    if columns > 4 * limit:
        raise RequestRefused(f"{shown(name)} has about {columns:,} columns; the limit is {limit:,}.", 413)

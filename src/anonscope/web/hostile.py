"""Files that are small and become huge: looked at before anything reads them whole."""

import gzip
import zipfile
import zlib
from pathlib import Path
from typing import IO

from anonscope.errors import RequestRefused, SourceError, shown
from anonscope.io.formats import marked
from anonscope.io.sources.encoding import is_packed
from anonscope.io.sources.workbook import TooLarge, check_workbook, is_open_xml

# A workbook is read into memory whole.
_LARGEST_WORKBOOK = 512 * 2**20
_PIECE = 2**20
_DELIMITERS = b",;\t|"


def check_unpacked(path: Path, name: str, limit: int, sheet: str | None = None) -> None:
    """Raise if a packed file holds more than it may; what it says of its own size is not believed."""
    try:
        if is_packed(path):
            with gzip.open(path, "rb") as handle:
                _unpack(handle, limit, name)
        elif zipfile.is_zipfile(path):
            if not is_open_xml(path):
                # Other kinds repeat cells by a number, so that their size says nothing.
                raise RequestRefused(f"{shown(name)} is packed, but no .xlsx workbook. Save the table as .xlsx, .csv or .parquet.", 415)
            check_workbook(path, name, sheet, min(limit, _LARGEST_WORKBOOK))
    except TooLarge as error:
        raise RequestRefused(str(error), 413) from None
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        raise SourceError(f"{shown(name)} is a damaged packed file.") from None


def check_width(path: Path, name: str, limit: int) -> None:
    """Raise if the first line of a text file has far more columns than are allowed."""
    with gzip.open(path, "rb") if is_packed(path) else open(path, "rb") as handle:
        line = handle.readline(16 * _PIECE)
    if b"\x00" in line[:4096] or marked(line) is not None or line.lstrip().startswith(b"{"):
        return
    columns = 1 + max(line.count(bytes([delimiter])) for delimiter in _DELIMITERS)
    # Names may hold delimiters, so that this is a bound only; the columns themselves are counted when the file has been opened.
    if columns > 4 * limit:
        raise RequestRefused(f"{shown(name)} has about {columns:,} columns; the limit is {limit:,}.", 413)


def _unpack(handle: "IO[bytes] | gzip.GzipFile", limit: int, name: str) -> None:
    """Stop as soon as too many bytes come out."""
    total = 0
    while piece := handle.read(_PIECE):
        total += len(piece)
        if total > limit:
            raise _refused(name, limit)


def _refused(name: str, limit: int) -> RequestRefused:
    return RequestRefused(f"{shown(name)} unpacks to more than the limit of {limit:,} bytes.", 413)

"""Files that are small and become huge: looked at before anything reads them whole."""

import gzip
import re
import zipfile
import zlib
from pathlib import Path
from typing import IO

from anonscope.errors import RequestRefused, SourceError, shown
from anonscope.io.formats import marked
from anonscope.io.sources.encoding import is_packed

# A workbook is read into memory whole, with a place for every cell up to its last one, filled or not.
_LARGEST_WORKBOOK = 512 * 2**20
_MOST_CELLS = 50_000_000
_MOST_ENTRIES = 10_000
_PIECE = 2**20
_DELIMITERS = b",;\t|"
_CELL = re.compile(rb'\br=["\']([A-Za-z]{1,7})([0-9]{1,9})["\']')
_LONGEST_CELL_NAME = 24


def check_unpacked(path: Path, name: str, limit: int) -> None:
    """Raise if a packed file holds more than it may; what it says of its own size is not believed."""
    try:
        if is_packed(path):
            with gzip.open(path, "rb") as handle:
                _unpack(handle, limit, name)
        elif zipfile.is_zipfile(path):
            _check_workbook(path, name, min(limit, _LARGEST_WORKBOOK))
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


def _check_workbook(path: Path, name: str, limit: int) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if "xl/workbook.xml" not in archive.namelist():
            # Other kinds repeat cells by a number, so that their size says nothing.
            raise RequestRefused(f"{shown(name)} is packed, but no .xlsx workbook. Save the table as .xlsx, .csv or .parquet.", 415)
        if len(entries) > _MOST_ENTRIES:
            raise _refused(name, limit)
        left = limit
        for entry in entries:
            with archive.open(entry) as handle:
                left -= _unpack(handle, left, name, sheet=entry.filename.startswith("xl/worksheets/"))


def _unpack(handle: "IO[bytes] | gzip.GzipFile", limit: int, name: str, *, sheet: bool = False) -> int:
    """Return how many bytes come out, and stop as soon as they are too many, or a sheet has cells far apart."""
    total, end = 0, b""
    width = height = 0
    while piece := handle.read(_PIECE):
        total += len(piece)
        if total > limit:
            raise _refused(name, limit)
        if sheet:
            for column, row in _CELL.findall(end + piece):
                width, height = max(width, _place(column)), max(height, int(row))
            end = piece[-_LONGEST_CELL_NAME:]
            if width * height > _MOST_CELLS:
                raise RequestRefused(f"{shown(name)} has cells so far apart that its sheet is {width:,} by {height:,}.", 413)
    return total


def _place(letters: bytes) -> int:
    """Return the number of a column that is called by letters."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _refused(name: str, limit: int) -> RequestRefused:
    return RequestRefused(f"{shown(name)} unpacks to more than the limit of {limit:,} bytes.", 413)

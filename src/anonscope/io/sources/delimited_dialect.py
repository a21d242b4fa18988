"""How a delimited text file is written: delimiter, quote, escape, header."""

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 200
# A line with which a writer tells office programs how the rest is delimited.
_DECLARED = re.compile(r"sep=([^\r\n\"])(?:\r\n|\r|\n)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the reader has to be told."""

    delimiter: str
    quote: str
    escape: str
    line_end: str
    header: tuple[str, ...]
    skip: int = 0  # lines before the header
    headed: bool = True  # whether the first line names the columns
    below: tuple[tuple[str, ...], ...] = ()  # a few lines under it


def detect(text: str, *, delimiter: str | None = None, quote: str | None = None, complete: bool = True) -> Dialect:
    """Return the dialect of a file from its beginning; what the user gave is not questioned.

    `complete` says that the text is the whole file; otherwise its last line may be cut.
    """
    declared = _DECLARED.match(text)
    if declared:
        text, delimiter = text[declared.end() :], delimiter or declared.group(1)
    quote = quote if quote is not None else _quote(text)
    escape, chosen = quote, delimiter or _delimiter(text, quote, quote, complete)
    # A quote inside a value is doubled, unless the text makes sense only with a backslash before it.
    if quote and f"\\{quote}" in text and not _is_strict(text, chosen, quote, quote, complete):
        other = delimiter or _delimiter(text, quote, "\\", complete)
        if _is_strict(text, other, quote, "\\", complete):
            escape, chosen = "\\", other
    header, line_end = _header(text, chosen, quote, escape)
    below = [tuple(row) for row in _rows(text, chosen, quote, escape, _SAMPLE_LINES + 1)[1:] if row]
    if not complete and len(below) > 1 and len(below) < _SAMPLE_LINES:
        below.pop()
    return Dialect(chosen, quote, escape, line_end, header, 1 if declared else 0, below=tuple(below))


def _delimiter(text: str, quote: str, escape: str, complete: bool) -> str:
    return max((d for d in DELIMITERS if d != quote), key=lambda d: _score(text, d, quote, escape, complete))


def _quote(text: str) -> str:
    """Double quotes, unless the file plainly wraps values in single ones."""
    if '"' in text:
        return '"'
    values = [value for line in text.splitlines()[:_SAMPLE_LINES] for d in DELIMITERS for value in line.split(d)]
    wrapped = sum(len(value) > 1 and value[0] == value[-1] == "'" for value in values)
    stray = sum((value[:1] == "'") != (value[-1:] == "'") for value in text.splitlines()[:_SAMPLE_LINES])
    return "'" if wrapped > len(text.splitlines()[:_SAMPLE_LINES]) // 2 and not stray else '"'


def _is_strict(text: str, delimiter: str, quote: str, escape: str, complete: bool) -> bool:
    """Whether a text is without fault in a dialect; what was cut off at its end is none of its own."""
    rows = reader_of(io.StringIO(text, newline=""), delimiter, quote, escape, strict=True)
    try:
        deque(rows, maxlen=0)
    except csv.Error as error:
        return not complete and "end of data" in str(error)
    return True


def _score(text: str, delimiter: str, quote: str, escape: str, complete: bool) -> tuple[float, int]:
    """How well a delimiter explains the text: share of lines as wide as the header, then the width."""
    rows = _rows(text, delimiter, quote, escape, _SAMPLE_LINES)
    if not complete and len(rows) > 1:
        rows = rows[:-1]
    if not rows or len(rows[0]) < 2:
        return (0.0, 0)
    widths = Counter(len(row) for row in rows if row)
    agreeing = widths[len(rows[0])] / sum(widths.values())
    # A ragged file is still delimited by what its header uses: below half agreement, only the header speaks.
    return (agreeing if agreeing >= 0.5 else 0.1, len(rows[0]))


def _header(text: str, delimiter: str, quote: str, escape: str) -> tuple[tuple[str, ...], str]:
    """Return the names and how their line ends; a line end inside quotes is part of a name."""
    stream = io.StringIO(text, newline="")
    header: list[str] = []
    # A name may be beyond Python's limit.
    with suppress(csv.Error):
        header = next(reader_of(iter(stream.readline, ""), delimiter, quote, escape), [])
    read = text[: stream.tell()]
    return tuple(header), next((end for end in ("\r\n", "\r") if read.endswith(end)), "\n")


def _rows(text: str, delimiter: str, quote: str, escape: str, limit: int) -> list[list[str]]:
    rows: list[list[str]] = []
    # A field beyond Python's limit: what stands above it tells enough.
    with suppress(csv.Error):
        rows.extend(islice(reader_of(io.StringIO(text, newline=""), delimiter, quote, escape), limit))
    return rows


def reader_of(lines: Iterable[str], delimiter: str, quote: str, escape: str, *, strict: bool = False) -> "Reader":
    """Return Python's own reader for a dialect."""
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        doublequote=escape == quote,
        escapechar=escape if escape and escape != quote else None,
        strict=strict,
    )

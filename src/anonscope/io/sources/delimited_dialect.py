"""How a delimited text file is written: delimiter, quote, escape, header."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 200


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the reader has to be told."""

    delimiter: str
    quote: str
    escape: str
    line_end: str
    header: tuple[str, ...]


def detect(text: str, *, delimiter: str | None = None, quote: str | None = None, complete: bool = True) -> Dialect:
    """Return the dialect of a file from its beginning; what the user gave is not questioned.

    `complete` says that the text is the whole file; otherwise its last line may be cut.
    """
    quote = quote if quote is not None else _quote(text)
    escape = _escape(text, quote)
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lambda d: _score(text, d, quote, escape, complete))
    header, line_end = _header(text, delimiter, quote, escape)
    return Dialect(delimiter, quote, escape, line_end, header)


def _quote(text: str) -> str:
    """Double quotes, unless the file plainly wraps values in single ones."""
    if '"' in text:
        return '"'
    values = [value for line in text.splitlines()[:_SAMPLE_LINES] for d in DELIMITERS for value in line.split(d)]
    wrapped = sum(len(value) > 1 and value[0] == value[-1] == "'" for value in values)
    stray = sum((value[:1] == "'") != (value[-1:] == "'") for value in text.splitlines()[:_SAMPLE_LINES])
    return "'" if wrapped > len(text.splitlines()[:_SAMPLE_LINES]) // 2 and not stray else '"'


def _escape(text: str, quote: str) -> str:
    """A quote inside a value is doubled, unless the file plainly writes a backslash before it."""
    if not quote:
        return ""
    sign = re.escape(quote)
    # A backslash before the closing quote is the end of a path, not an escape.
    escaped = re.search(rf"\\{sign}(?![,;\t|\r\n]|\Z)", text)
    doubled = re.search(rf"[^\\,;\t|\r\n{sign}]{sign}{sign}(?![,;\t|\r\n]|\Z)", text)
    return "\\" if escaped and not doubled else quote


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
    header = next(_reader(iter(stream.readline, ""), delimiter, quote, escape), [])
    read = text[: stream.tell()]
    return tuple(header), next((end for end in ("\r\n", "\r") if read.endswith(end)), "\n")


def _rows(text: str, delimiter: str, quote: str, escape: str, limit: int) -> list[list[str]]:
    try:
        return list(islice(_reader(io.StringIO(text, newline=""), delimiter, quote, escape), limit))
    except csv.Error:  # a NUL or a field beyond Python's limit: the engine's reader judges the file itself
        return []


def _reader(lines: Iterable[str], delimiter: str, quote: str, escape: str) -> Iterator[list[str]]:
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        doublequote=escape == quote,
        escapechar=escape if escape and escape != quote else None,
    )

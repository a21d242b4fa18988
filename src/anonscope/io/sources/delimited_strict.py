"""Delimited text that is not plainly written, read as Python's csv module reads it with strict=True, and written anew in one plain form."""

import csv
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from anonscope.engines.duckdb import UnreadableLine
from anonscope.io.sources.delimited_dialect import Dialect, reader_of

# As long as a line of the engine's reader may be.
_LONGEST = 2 * 2**20
# The module's longest field is one setting for all threads.
_FIELD_SIZE = threading.Lock()
NUL = "there is a NUL character, which no text has"
BLANK = 'the line is blank, which may be a missing value or nothing: write "" for a missing value, or delete the line'
FIRST = "the line is blank, and the header must come first"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """How the copy is written, and how many lines have a quote behind a blank, where it is a part of the value."""

    written: Dialect
    late_quotes: int


def rewrite(path: Path, encoding: str, written: Dialect, target: Path) -> Rewritten:
    """Copy the records to a file in which every field is quoted, or raise `UnreadableLine` for the first line that means nothing."""
    with _FIELD_SIZE:
        usual = csv.field_size_limit(_LONGEST)
        try:
            with (
                open(path, encoding="utf-8-sig" if encoding in ("utf-8", "ascii") else encoding, newline="") as source,
                open(target, "w", encoding="utf-8", newline="") as out,
            ):
                lines = _Lines(partial(source.readline, _LONGEST), written)
                records = _records(lines, written)
                header = next(records, [])
                delimiter = written.delimiter if written.delimiter.isascii() else ","
                writer = csv.writer(out, delimiter=delimiter, quotechar='"', quoting=csv.QUOTE_ALL, lineterminator="\n")
                writer.writerow(header)
                writer.writerows(records)
        finally:
            csv.field_size_limit(usual)
    plain = replace(written, delimiter=delimiter, quote='"', escape='"', line_end="\n", header=tuple(header), skip=0)
    return Rewritten(plain, lines.late_quotes)


class _Lines:
    """Lines with their ends, counted, and refused where they are none of a text."""

    def __init__(self, readline: "partial[str]", written: Dialect) -> None:
        self._readline, self._skip = readline, written.skip
        self.late_quotes = 0
        quote, delimiter = re.escape(written.quote), re.escape(written.delimiter)
        self._late = re.compile(rf"(?:^|{delimiter})[ \t]+{quote}") if written.quote and not written.delimiter.isspace() else None

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(iter(self._readline, ""), start=1):
            if len(line) >= _LONGEST:
                raise UnreadableLine(number, "the line is longer than 2 MB")
            if "\x00" in line:
                raise UnreadableLine(number, NUL)
            if number <= self._skip:
                continue
            if self._late is not None and self._late.search(line):
                self.late_quotes += 1
            yield line


def _records(lines: _Lines, written: Dialect) -> Iterator[list[str]]:
    """Yield the header and every record, all as wide as the header; blank lines of a table of several columns are none."""
    reader = reader_of(lines, written.delimiter, written.quote, written.escape, strict=True)
    width = 0
    while True:
        first = reader.line_num + 1 + written.skip
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            line = reader.line_num + written.skip
            raise UnreadableLine(first if "end of data" in str(error) else line, _reason(error)) from None
        if width == 0:
            if not record:
                raise UnreadableLine(first, FIRST)
            width = len(record)
        elif not record:
            if width == 1:
                raise UnreadableLine(first, BLANK)
            continue
        elif len(record) != width:
            raise UnreadableLine(first, f"{len(record)} values, but the header names {width} columns")
        yield record


def _reason(error: csv.Error) -> str:
    """Say it in our words: the module's own quote the file's delimiter only, but nobody promises that."""
    text = str(error)
    if "expected after" in text:
        return "something stands between a closing quote and the delimiter"
    if "end of data" in text:
        return "a quoted value is not closed"
    if "field larger" in text:
        return "a value is longer than 2 MB"
    return "the line cannot be split into columns"

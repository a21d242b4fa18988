"""CSV, TSV and the like: encoding and dialect detected, every value kept as written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.errors import NoRecords, OptionError, SourceError, shown
from anonscope.io.sources import delimited_dialect as dialect
from anonscope.io.sources import encoding
from anonscope.io.sources.delimited_plain import is_plain
from anonscope.io.sources.headerless import check_header
from anonscope.io.sources.relation import Column, ReadOptions, Relation, named_columns, positional, unnamed_columns
from anonscope.io.sources.unreadable import unreadable_line

# Below this size a table in memory is quicker than compressing it.
LARGE = 32 * 2**20
COPY = "utf8.csv"
_FIRST_LOOK = 5_000
_READABLE = ("utf-8", "utf-8-sig", "ascii")


@dataclass(frozen=True, slots=True)
class Delimited:
    """A file that the engine's reader can take: itself, or a copy as UTF-8."""

    path: Path
    written: dialect.Dialect
    names: tuple[str, ...]
    encoding: str
    late_quotes: int = 0  # lines on which a quote stands behind a blank


def open_delimited(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    """Return the file as a relation of text columns; an empty field is NULL."""
    file = prepare(path, engine, options, name, COPY)
    return Relation(
        name,
        tuple(Column(column, "VARCHAR") for column in file.names),
        f"{csv_reader([file.path], engine, file.written, len(file.names))} AS t({positional(len(file.names))})",
        stage=True,
        large=file.path.stat().st_size > LARGE,
        notes=(*_notes(file.encoding, options), *about_quotes(file.late_quotes)),
        delimited=True,
        delimiter=file.written.delimiter,
    )


def prepare(path: Path, engine: Engine, options: ReadOptions, name: str, copy: str) -> Delimited:
    """Find out how a file is written, and have a first look at its records; `copy` is what to call one that had to be rewritten."""
    head = encoding.head_of(path)
    if not head.strip(b"\x00\xff\xfe\xef\xbb\xbf \t\r\n"):
        raise NoRecords(f"{shown(name)} is empty.")
    found = encoding.known(options.encoding) if options.encoding else encoding.detect(path, head, name)
    written = dialect_of(head, found, options, path, name)
    readable, late_quotes = path, 0
    if found not in _READABLE or encoding.is_packed(path):
        # Unpacking first pays: the engine reads a plain file with all cores, a packed one with one.
        readable = engine.scratch / copy
        encoding.transcode(path, found, readable)
    try:
        if not is_plain(readable, written):
            from anonscope.io.sources.delimited_strict import rewrite  # late: most files are plain

            strict = rewrite(readable, "utf-8", written, engine.scratch / f"strict-{copy}")
            if readable != path:
                readable.unlink()
            readable, written, late_quotes = engine.scratch / f"strict-{copy}", strict.written, strict.late_quotes
        names = named_columns(list(written.header), name) if written.headed else unnamed_columns(len(written.header))
        _first_look(csv_reader([readable], engine, written, len(names)), engine, name)
    except UnreadableLine as error:
        raise unreadable_line(shown(name), error) from None
    except UnicodeError:
        raise SourceError(f"{shown(name)} is not {encoding.NAMES.get(found, found)}. Say which encoding it has.") from None
    return Delimited(readable, written, names, found, late_quotes)


def csv_reader(files: Sequence[Path], engine: Engine, written: dialect.Dialect, width: int, *, named: bool = False) -> str:
    """Return what goes behind FROM for files that are written alike, every column as text; `named` adds the name of the file."""
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    return (
        f"read_csv([{', '.join(engine.text(str(path)) for path in files)}], auto_detect = false, "
        f"header = {str(written.headed).lower()}, columns = {{{types}}}, "
        f"delim = {engine.text(written.delimiter)}, quote = {engine.text(written.quote)}, escape = {engine.text(written.escape)}, "
        # Left to itself the reader takes a line end inside a quoted name for the file's, and then finds no records.
        f"new_line = {engine.text(repr(written.line_end)[1:-1])}, {f'skip = {written.skip}, ' if written.skip else ''}"
        f"compression = 'none', hive_partitioning = false{', filename = true' if named else ''})"
    )


def dialect_of(head: bytes, found: str, options: ReadOptions, path: Path, name: str) -> dialect.Dialect:
    """Return how a text is written, from its beginning in an encoding that was found; options go first."""
    for option, value in (("delimiter", options.delimiter), ("quote", options.quote)):
        if value is not None and len(value) != 1 and not (option == "quote" and value == ""):
            raise OptionError(f"The {option} is one character, not {value!r}.")
        if value in ("\r", "\n", "\0"):
            raise OptionError(f"The {option} is a character that ends no line and is no NUL.")
    if options.delimiter is not None and options.delimiter == options.quote:
        raise OptionError("The delimiter and the quote cannot be the same character.")
    try:
        text = head.decode(found, errors="strict" if len(head) < encoding.HEAD else "ignore")
    except UnicodeError:
        raise SourceError(f"{shown(name)} is not {encoding.NAMES.get(found, found)}. Say which encoding it has.") from None
    delimiter = options.delimiter
    if delimiter is None and any(suffix.lower() in (".tsv", ".tab") for suffix in path.suffixes):
        delimiter = "\t"
    found_dialect = dialect.detect(text.lstrip("\ufeff"), delimiter=delimiter, quote=options.quote, complete=len(head) < encoding.HEAD)
    if options.header is None:
        check_header(found_dialect.header, found_dialect.below, name)
    return replace(found_dialect, headed=options.header is not False, below=())


def _first_look(reader: str, engine: Engine, name: str) -> None:
    """Read the beginning, so that most faults show before any work, and a file of only a header is told apart."""
    (count,) = engine.rows(f"SELECT COUNT(*) FROM (SELECT * FROM {reader} AS t LIMIT {_FIRST_LOOK}) AS x")[0]
    if count == 0:
        raise NoRecords(f"{shown(name)} has a header but no records.")


def about_quotes(lines: int) -> tuple[str, ...]:
    """Say that quotes behind a blank are parts of values, if there are any."""
    if not lines:
        return ()
    counted = "1 line has a quote" if lines == 1 else f"{lines:,} lines have a quote"
    return (f"{counted} behind a blank, where it does not open a value but is part of it. Take the blanks out if that is not meant.",)


def _notes(found: str, options: ReadOptions) -> tuple[str, ...]:
    if found in ("cp1252", "latin-1") and not options.encoding:
        return (f"The file is not UTF-8; it was read as {encoding.NAMES[found]}. Say its encoding if that is wrong.",)
    return ()

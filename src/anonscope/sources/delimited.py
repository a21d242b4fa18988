"""CSV, TSV and the like: encoding and dialect detected, every value kept as written."""

from pathlib import Path

from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.errors import OptionError, SourceError, shown
from anonscope.sources import dialect, encoding
from anonscope.sources.relation import Column, ReadOptions, Relation, named_columns, positional

# Below this size a table in memory is quicker than compressing it.
_LARGE = 32 * 2**20
_FIRST_LOOK = 5_000
_READABLE = ("utf-8", "utf-8-sig", "ascii")


def open_delimited(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    """Return the file as a relation of text columns; an empty field is NULL."""
    head = encoding.head_of(path)
    if not head.strip(b"\x00\xff\xfe\xef\xbb\xbf \t\r\n"):
        raise SourceError(f"{shown(name)} is empty.")
    found = encoding.known(options.encoding) if options.encoding else encoding.detect(path, head, name)
    written = _dialect(head, found, options, path, name)
    columns = tuple(Column(column, "VARCHAR") for column in named_columns(list(written.header), name))
    readable = path
    if found not in _READABLE or encoding.is_packed(path):
        # Unpacking first pays: the engine reads a plain file with all cores, a packed one with one.
        readable = engine.scratch / "utf8.csv"
        encoding.transcode(path, found, readable)
    relation = _relation(readable, engine, written, columns, name, _notes(found, options))
    try:
        _first_look(relation, engine, name)
    except UnreadableLine as error:
        raise unreadable(name, error) from None
    return relation


def unreadable(name: str, error: UnreadableLine) -> SourceError:
    """Return what to say when a line cannot be read."""
    where = f" on line {error.line:,}" if error.line else ""
    if error.reason == "invalid encoding":
        return SourceError(f"{shown(name)} is not UTF-8{where}. Give its encoding, for instance --encoding windows-1252.")
    advice = "Mend the file, or give --delimiter or --quote if they were taken wrongly."
    return SourceError(f"{shown(name)} cannot be read{where}: {error.reason}. {advice}")


def _dialect(head: bytes, found: str, options: ReadOptions, path: Path, name: str) -> dialect.Dialect:
    for option, value in (("--delimiter", options.delimiter), ("--quote", options.quote)):
        if value is not None and len(value) != 1 and not (option == "--quote" and value == ""):
            raise OptionError(f"{option} takes one character, not {value!r}.")
    try:
        text = head.decode(found, errors="strict" if len(head) < encoding.HEAD else "ignore")
    except UnicodeError:
        raise SourceError(f"{shown(name)} is not {encoding.NAMES.get(found, found)}. Give the right encoding with --encoding.") from None
    delimiter = options.delimiter
    if delimiter is None and any(suffix.lower() in (".tsv", ".tab") for suffix in path.suffixes):
        delimiter = "\t"
    return dialect.detect(text.lstrip("\ufeff"), delimiter=delimiter, quote=options.quote, complete=len(head) < encoding.HEAD)


def _relation(
    path: Path, engine: Engine, written: dialect.Dialect, columns: tuple[Column, ...], name: str, notes: tuple[str, ...]
) -> Relation:
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
    origin = (
        f"read_csv({engine.text(str(path))}, auto_detect = false, header = true, columns = {{{types}}}, "
        f"delim = {engine.text(written.delimiter)}, quote = {engine.text(written.quote)}, escape = {engine.text(written.escape)}, "
        # Left to itself the reader takes a line end inside a quoted name for the file's, and then finds no records.
        f"new_line = {engine.text(repr(written.line_end)[1:-1])}, "
        f"compression = 'none') AS t({positional(len(columns))})"
    )
    return Relation(name, columns, origin, stage=True, large=path.stat().st_size > _LARGE, notes=notes, delimiter=written.delimiter)


def _first_look(relation: Relation, engine: Engine, name: str) -> None:
    """Read the beginning, so that most faults show before any work, and a file of only a header is told apart."""
    (count,) = engine.rows(f"SELECT COUNT(*) FROM (SELECT * FROM {relation.origin} LIMIT {_FIRST_LOOK}) AS x")[0]
    if count == 0:
        raise SourceError(f"{shown(name)} has a header but no records.")


def _notes(found: str, options: ReadOptions) -> tuple[str, ...]:
    if found in ("cp1252", "latin-1") and not options.encoding:
        return (f"The file is not UTF-8; it was read as {encoding.NAMES[found]}. Say --encoding if that is wrong.",)
    return ()

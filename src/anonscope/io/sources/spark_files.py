"""What this machine can tell of its own files before Spark reads them.

Spark takes a text in the wrong encoding as it comes, so that different names become one, and takes for missing what some parts of a
table lack. Files on a storage that only Spark reaches cannot be looked at: there what the user says counts, and UTF-8.
"""

from dataclasses import dataclass
from pathlib import Path

from anonscope.engines import DuckDB
from anonscope.errors import NoRecords, OptionError, SourceError, shown
from anonscope.io.formats import KNOWN, format_of, marked
from anonscope.io.sources import encoding
from anonscope.io.sources.columnar import open_parquet
from anonscope.io.sources.delimited import dialect_of
from anonscope.io.sources.one_table import footers, one_format
from anonscope.io.sources.parts import PartFile, PartFiles, find_parts, is_pattern
from anonscope.io.sources.relation import ReadOptions
from anonscope.io.sources.same_schema import check_same_schema

# As Java calls what Python calls so.
_CHARSETS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "cp1252": "windows-1252", "iso8859-1": "ISO-8859-1", "latin-1": "ISO-8859-1"}
_GLANCE = 4096


@dataclass(frozen=True, slots=True)
class WrittenAs:
    """The format of some files; of delimited text also how it is written, as far as it is known."""

    format: str
    charset: str = "UTF-8"
    delimiter: str | None = None
    quote: str | None = None
    headed: bool = True


def look_at(source: str, options: ReadOptions) -> WrittenAs:
    """Return what the bytes of files of this machine tell, and refuse what Spark would misread."""
    path = Path(source)
    several = path.is_dir() or is_pattern(path)
    found = find_parts(path) if several else PartFiles(path.name, path.parent, (PartFile(path, path.name, 1),))
    first = found.files[0].path
    head = encoding.head_of(first, _GLANCE)
    by_bytes = marked(head, spark=True) if options.format is None else None
    if by_bytes is not None and KNOWN[by_bytes].one is None:
        return WrittenAs(by_bytes)
    form = one_format(found, options) if several else options.format or format_of(first, head, path.name)
    if KNOWN[form].spark is None:
        raise SourceError(f"{shown(path.name)} is {form}, which Spark does not read. Use the engine DuckDB, or write it as Parquet.")
    if form == "parquet":
        _check_parquet(found, several=several)
    return _delimited(found, form, options) if KNOWN[form].spark == "csv" else WrittenAs(form)


def charset_of(given: str) -> str:
    """Return what Java calls an encoding that the user named."""
    name = encoding.known(given)
    if name.startswith(("utf-16", "utf-32")):
        raise OptionError(f"Spark cannot split text in {name.upper()} into lines. Write it as UTF-8, or use the engine DuckDB.")
    return _CHARSETS.get(name, given)


def _check_parquet(found: PartFiles, *, several: bool) -> None:
    engine = DuckDB()
    try:
        if not several:
            open_parquet(found.files[0].path, engine, ReadOptions(), found.name)
            return
        schemas, records = footers(found, engine)
    finally:
        engine.close()
    parts = [part for part in found.files if records[part]]
    if not parts:
        raise NoRecords(f"{shown(found.name)} has columns but no records.")
    check_same_schema([(part, schemas[part]) for part in parts], found.name)


def _delimited(found: PartFiles, form: str, options: ReadOptions) -> WrittenAs:
    first = found.files[0].path
    head = encoding.head_of(first)
    charsets: dict[str, tuple[PartFile, str]] = {}
    given = encoding.known(options.encoding) if options.encoding else None
    for part in found.files:
        written = given or encoding.detect(part.path, encoding.head_of(part.path), part.name)
        charsets.setdefault(charset_of(written), (part, written))
    if len(charsets) > 1:
        (one, its), (other, others), *_ = charsets.values()
        raise SourceError(
            f"{one.shown} is {encoding.NAMES.get(its, its)} and {other.shown} is {encoding.NAMES.get(others, others)}; Spark reads all "
            "parts alike. Write them as UTF-8, or use the engine DuckDB."
        )
    (charset, (_, written)) = next(iter(charsets.items()))
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise NoRecords(f"{shown(first.name)} is empty.")
    dialect = dialect_of(head, written, options, first, first.name)
    said = KNOWN[form].delimiter if options.delimiter is None else None
    return WrittenAs("csv", charset, said or dialect.delimiter, dialect.quote, dialect.headed)

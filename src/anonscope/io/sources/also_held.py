"""What a file holds beside the table that is read from it: other sheets, pivot tables, comments, metadata, words that no record has.

Whoever gets the file gets all of it, and no verdict is about any of it. Nothing of what it says is told, only what there is.
"""

import base64
import binascii
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

# What programs say of themselves or of the types of columns; what pandas says is looked into.
_OF_PROGRAMS = frozenset(
    (
        *("ARROW:schema", "pandas", "PARQUET:field_id", "ARROW:extension:name", "ARROW:extension:metadata", "duckdb_schema"),
        *("iceberg.schema", "avro.schema", "parquet.avro.schema", "parquet.proto.class", "parquet.proto.descriptor"),
        *("writer.model.name", "org.apache.spark.version", "org.apache.spark.sql.parquet.row.metadata"),
        *("org.apache.spark.legacyDateTime", "org.apache.spark.legacyINT96", "org.apache.spark.timeZone"),
    )
)
# Parts of a packed workbook that hold what somebody wrote, or copies of tables.
_PARTS = (
    (re.compile(r"xl/pivotCache/pivotCacheRecords[^/]*\.xml"), "the records behind a pivot table"),
    (re.compile(r"xl/(threadedComments/|comments)[^/]*.*\.xml"), "comments"),
    (re.compile(r"xl/externalLinks/externalLink[^/]*\.xml"), "values of other workbooks"),
    (re.compile(r"xl/(embeddings|media)/.+"), "files or pictures within it"),
    (re.compile(r"xl/revisions/.+\.xml"), "a record of changes"),
)
_READABLE = re.compile(rb"[\x20-\x7e]{4,}|(?:[\xc3-\xf4][\x80-\xbf]+){2,}")


def in_workbook(path: Path, visible: Mapping[str, bool], read: str) -> tuple[str, ...]:
    """Return what a workbook holds beside the sheet that was read; `visible` says of every sheet whether a reader sees it."""
    others = {sheet: seen for sheet, seen in visible.items() if sheet != read}
    hidden = sum(not seen for seen in others.values())
    told = []
    if others:
        which = f", {'all' if hidden == len(others) else f'{hidden:,}'} of them hidden" if hidden and len(others) > 1 else ""
        one = "a further hidden sheet" if hidden else "a further sheet"
        told.append(one if len(others) == 1 else f"{len(others):,} further sheets{which}")
    return (*told, *_in_parts(path))


def _in_parts(path: Path) -> Iterator[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return  # .xls is no archive
    yield from (title for part, title in _PARTS if any(part.fullmatch(name) for name in names))


def in_parquet(metadata: Iterable[tuple[bytes, bytes | None]], columns: Iterable[str]) -> tuple[str, ...]:
    """Return what the metadata of a Parquet file holds beside types and names of columns."""
    said = {key.decode("utf-8", "replace"): value or b"" for key, value in metadata}
    told = list(_of_keys(said))
    if (schema := said.get("ARROW:schema")) is not None and _says_more(schema, (*columns, *said)):
        told += _of_fields(schema)
    return tuple(dict.fromkeys(told))


def in_arrow(table: Any) -> tuple[str, ...]:
    """Return what an Arrow file holds beside its records: metadata, and words of dictionaries that no record has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    schema = table.schema
    told = list(_of_keys(_texts(schema.metadata)))
    told += [words for field in schema for words in _of_keys(_texts(field.metadata), "with a column")]
    unused = 0
    for column in table.columns:
        if not pa.types.is_dictionary(column.type):
            continue
        # What one part of the file has in its dictionary and none of the records, whatever the part.
        words = pa.chunked_array([chunk.dictionary for chunk in column.chunks], column.type.value_type)
        try:
            used = pc.drop_null(pc.unique(column.cast(column.type.value_type)))
            unused += len(pc.drop_null(pc.unique(words))) > len(used)
        except pa.ArrowException:
            unused += 1  # of what cannot be counted nobody knows
    told += [f"values that no record has, in the dictionary of {_counted(unused, 'column')}"] if unused else []
    return tuple(dict.fromkeys(told))


def _texts(metadata: Mapping[bytes, bytes] | None) -> dict[str, bytes]:
    return {key.decode("utf-8", "replace"): value for key, value in (metadata or {}).items()}


def _of_keys(said: Mapping[str, bytes], where: str = "of the file") -> Iterator[str]:
    """Yield that there is metadata that no program writes by itself, or that pandas was told."""
    if others := [key for key in said if key not in _OF_PROGRAMS]:
        yield f"metadata {where} under {_counted(len(others), 'name')}"
    if "pandas" in said and _told_pandas(said["pandas"]):
        yield "attributes of a data frame"


def _told_pandas(text: bytes) -> bool:
    """Whether pandas was told more of a frame than its columns, their types and a range for its index."""
    try:
        found = json.loads(text)
        columns, above = found.get("columns", []), found.get("column_indexes", [])
        details = Counter(key for column in (*columns, *above) for key in (column.get("metadata") or {}))
        return bool(found.get("attributes")) or not details.keys() <= {
            "timezone",
            "precision",
            "scale",
            "encoding",
            "num_categories",
            "ordered",
        }
    except (ValueError, AttributeError, TypeError, RecursionError):
        return True


def _says_more(schema: bytes, known: Iterable[str]) -> bool:
    """Whether a schema of Arrow has letters beside names that are known; loading Arrow to read it takes longer than an audit of few."""
    try:
        raw = base64.b64decode(schema, validate=True)
    except (binascii.Error, ValueError):
        return True
    names = sorted({*known, *_OF_PROGRAMS, "UTC"}, key=len, reverse=True)
    for name in names:
        raw = raw.replace(name.encode(), b"\0")
    return _READABLE.search(raw) is not None


def _of_fields(schema: bytes) -> list[str]:
    import pyarrow as pa

    try:
        fields = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(schema, validate=True)))
    except (pa.ArrowException, binascii.Error, ValueError, OSError):
        return ["a schema that cannot be read"]
    return [words for field in fields for words in _of_keys(_texts(field.metadata), "with a column")]


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"

"""Files of SPSS, SAS and Stata, read by ReadStat through pyreadstat: codes as they are stored, labels beside them.

Values that the file itself calls missing are missing; labels stay what they are, the file's own dictionary, and are never counted.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonscope.engines import Engine
from anonscope.errors import MissingExtra, SourceError, shown
from anonscope.io.formats import SAS_TABLE, SAS_TRANSPORT, SPSS_PACKED, SPSS_PORTABLE, SPSS_SYSTEM
from anonscope.io.sources.encoding import head_of
from anonscope.io.sources.frames import from_arrow
from anonscope.io.sources.relation import FileLabels, ReadOptions, Relation

_EXACT = 2**53
_HEAD = 512
_CARD = 80  # SAS transport files are made of cards, the last one filled up with blanks
_NAMED = 5
_TIGHTEST = 1032  # so many bytes deflate can make of one


def open_statistical(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    """Return such a file as a relation, with its labels."""
    import pyarrow as pa

    columns, told = read_statistical(path, name, encoding=options.encoding)
    if not columns:
        raise SourceError(f"{shown(name)} has no columns.")
    arrays = [as_array(values) for values in columns.values()]
    relation = from_arrow(pa.Table.from_arrays(arrays, names=list(columns)), engine, name)
    labels = _labels(told, relation.names)
    return replace(relation, labels=labels, notes=_notes(labels))


def read_statistical(path: Path, name: str, *, encoding: str | None = None) -> tuple[Mapping[str, list[Any]], Any]:
    """Return the columns of a file and what it says of them; whatever its reader dies of is a fault of the file."""
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtra("A file of SPSS, SAS or Stata", "anonscope[stats]") from None
    head = head_of(path, _HEAD)
    if head.startswith(SAS_TRANSPORT) and path.stat().st_size % _CARD:
        raise SourceError(f"{shown(name)} is cut off or damaged: a SAS transport file is {_CARD} bytes long, or several times that.")
    reader = getattr(pyreadstat, _reader(head))
    said = {"encoding": encoding} if encoding is not None else {}
    try:
        # A place is kept for every record that the header promises, so two kilobytes can ask for all memory there is.
        promised = reader(str(path), metadataonly=True, **said)[1].number_rows or 0
        if promised > path.stat().st_size * (_TIGHTEST if head.startswith(SPSS_PACKED) else 1):
            raise SourceError("more records than bytes")
        columns, told = reader(str(path), output_format="dict", **said)
        if head.startswith(SPSS_SYSTEM):
            # What it calls missing is left out of what was read, and told only when asked for.
            told.missing_ranges = reader(str(path), metadataonly=True, user_missing=True, **said)[1].missing_ranges
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        # Its messages may quote what it found there.
        raise SourceError(f"{shown(name)} is not a readable file of SPSS, SAS or Stata.") from None
    if len({len(values) for values in columns.values()}) > 1:
        raise SourceError(f"{shown(name)} is not a readable file of SPSS, SAS or Stata.")
    return columns, told


def _reader(head: bytes) -> str:
    if head.startswith(SPSS_SYSTEM):
        return "read_sav"
    if SPSS_PORTABLE in head:
        return "read_por"
    if head.startswith(SAS_TABLE):
        return "read_sas7bdat"
    return "read_xport" if head.startswith(SAS_TRANSPORT) else "read_dta"


def as_array(values: Iterable[Any]) -> Any:
    """Return a column: whole numbers as such, because these files store all as fractions; an empty text is missing, as is NaN."""
    import pyarrow as pa

    known = [None if value == "" or (isinstance(value, float) and math.isnan(value)) else value for value in values]
    if all(value is None or (isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT) for value in known):
        return pa.array([None if value is None else int(value) for value in known], pa.int64())
    try:
        return pa.array(known)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if value is None else str(value) for value in known], pa.string())


def _labels(told: Any, names: tuple[str, ...]) -> FileLabels:
    columns = {name: label for name, label in told.column_names_to_labels.items() if name in names and label}
    values = {
        name: {_code(code): str(label) for code, label in labels.items()}
        for name, labels in told.variable_value_labels.items()
        if name in names and labels
    }
    missing = tuple(name for name in names if (told.missing_ranges or {}).get(name))
    return FileLabels(columns, values, missing)


def _code(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _notes(labels: FileLabels) -> tuple[str, ...]:
    if not labels.missing:
        return ()
    named = ", ".join(map(shown, labels.missing[:_NAMED])) + (f" and {len(labels.missing) - _NAMED} more" * (len(labels.missing) > _NAMED))
    return (f"The file says which values of {named} stand for a missing answer; they are read as missing.",)

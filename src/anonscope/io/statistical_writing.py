"""Tables as files of SPSS and Stata, with the labels that still hold."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anonscope.errors import MissingExtra, OutputError, shown
from anonscope.io.sources.relation import FileLabels

PROGRAMS = {"spss": "SPSS", "stata": "Stata"}
_EXACT = 2**53


def write_statistical(batches: Any, names: tuple[str, ...], path: Path, form: str, labels: FileLabels | None) -> None:
    """Write a table; labels of columns stay, labels of codes only where the very codes are still there."""
    try:
        import pandas
        import pyreadstat
    except ImportError:
        raise MissingExtra(f"A release for {PROGRAMS[form]}", "anonscope[stats]") from None
    table = batches.read_all()
    columns = [_column(table.column(i)) for i in range(len(names))]
    frame = pandas.DataFrame(dict(zip(names, columns, strict=True)), columns=list(names))
    write = pyreadstat.write_sav if form == "spss" else pyreadstat.write_dta
    told = labels or FileLabels({}, {})
    known: dict[str, str | None] = {name: label for name, label in told.columns.items() if name in names}
    try:
        write(frame, str(path), column_labels=known, variable_value_labels=dict(_codes(frame, told.values)))
    except (KeyboardInterrupt, SystemExit, OSError):
        raise
    except BaseException:
        # Names and texts of any kind fit a file of text, and not these; the message of the writer may quote them.
        raise OutputError(
            f"{shown(path.name)} cannot be written for {PROGRAMS[form]}: a name of a column is not one that it allows, or a text is too "
            "long for it. Use .csv or .parquet."
        ) from None


def _column(column: Any) -> list[Any]:
    """Return the values of a column as these programs know them: numbers, days and texts."""
    import pyarrow as pa

    kind, values = column.type, column.to_pylist()
    if pa.types.is_date(kind):
        return list(values)
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if numeric and all(value is None or abs(value) <= _EXACT for value in values):
        return [None if value is None else float(value) for value in values]
    return [None if value is None else value if isinstance(value, str) else str(value) for value in values]


def _codes(frame: Any, labels: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, dict[float, str]]]:
    """Yield the labels of codes that a column still has; what was recoded to words speaks for itself."""
    for name, known in labels.items():
        if name not in frame.columns or str(frame[name].dtype) != "float64":
            continue
        left = {str(int(code)) for code in frame[name].dropna() if float(code).is_integer()}
        # Codes of these files are numbers; what is no number labelled text.
        kept = {float(code): label for code, label in known.items() if code in left}
        if kept:
            yield name, kept

"""How the cost grows: with the records, and with the quasi-identifiers."""

from pathlib import Path

from benchmarks.compare import compare, job_of
from benchmarks.data import file_of
from benchmarks.job import NotMeasured
from benchmarks.options import Options
from benchmarks.printing import Lines, seconds, spread, times
from benchmarks.tables import CENSUS, WIDE, Size, Table

_SIX = 6
_ROWS = 1_000_000
_WIDTHS = (5, 10, 20, 40, 80, 130)
_COLUMNS = ("classes", "baseline s", "audit s", "ratio", "range", "CPU ratio")


def over_rows(options: Options) -> None:
    """The same columns, ten times as many records at each step."""
    lines = Lines(f"Growth over records: {_SIX} quasi-identifiers, Parquet", ("records", *_COLUMNS, "us a record"), first=12)
    for rows in options.growth:
        _line(lines, f"{rows:,}", file_of(CENSUS, Size(rows)), _SIX, options, unit=rows / 1e6)


def over_columns(options: Options) -> None:
    """The same records, one more quasi-identifier at each step."""
    lines = Lines(f"Growth over quasi-identifiers: {_ROWS:,} records, Parquet", ("columns", *_COLUMNS, "s a column"), first=12)
    path = file_of(CENSUS, Size(_ROWS))
    for columns in range(1, len(CENSUS.quasi_identifiers) + 1):
        _line(lines, str(columns), path, columns, options, unit=columns)


def over_width(options: Options) -> None:
    """Up to 130 quasi-identifiers, which need several words for their key; information-theoretic risk is part of the audit."""
    rows = max(options.growth)
    lines = Lines(f"Growth over width: {rows:,} records, Parquet", ("columns", *_COLUMNS, "s a column"), first=12)
    path = file_of(WIDE, Size(rows))
    for columns in _WIDTHS:
        _line(lines, str(columns), path, columns, options, unit=columns, table=WIDE)


def _line(lines: Lines, title: str, path: Path, columns: int, options: Options, *, unit: float, table: Table = CENSUS) -> None:
    """Print a step; `unit` is what its seconds are divided by in the last column."""
    try:
        found = compare(job_of(table, path, columns=columns, threads=options.threads), min(options.repeat, 3))
    except NotMeasured as reason:
        lines.note(title, reason)
        return
    lines.add(
        title,
        f"{found.classes:,}",
        seconds(found.baseline_seconds),
        seconds(found.audit_seconds),
        times(found.ratio),
        spread(found.ratios),
        times(found.cpu_ratio),
        seconds(found.audit_seconds / unit),
    )

"""How the cost grows: with the records, and with the quasi-identifiers."""

from dataclasses import replace
from pathlib import Path

from benchmarks.compare import compare, job_of
from benchmarks.data import file_of, folder_of
from benchmarks.job import NotMeasured
from benchmarks.options import Options
from benchmarks.printing import Lines, megabytes, seconds, spread, times
from benchmarks.tables import CENSUS, Size, Table, wide

_ROWS = 1_000_000
_MANY = 100_000_000  # from here on once is enough
_WIDTHS = (5, 10, 20, 40, 80, 130)
_MEMORY, _THREADS = "2GB", 2
_COLUMNS = ("classes", "baseline s", "audit s", "ratio", "range", "CPU ratio")
_BOUNDED = ("base peak", "audit peak", "base spills", "audit spills")


def over_rows(options: Options) -> None:
    """The same columns, ten times as many records at each step: with six of them classes stay few, with twelve they do not."""
    for columns in (6, len(CENSUS.quasi_identifiers)):
        lines = Lines(
            f"Growth over records: {columns} quasi-identifiers, ten Parquet files, memory limit {_MEMORY}, {_THREADS} threads",
            ("records", *_COLUMNS, "us a record", *_BOUNDED),
            first=12,
        )
        for rows in options.growth:
            path = folder_of(CENSUS, Size(rows))
            bounded = replace(options, threads=_THREADS, repeat=1 if rows >= _MANY else options.repeat)
            _line(lines, f"{rows:,}", path, columns, bounded, unit=rows / 1e6, memory_limit=_MEMORY)


def over_columns(options: Options) -> None:
    """The same records, one more quasi-identifier at each step."""
    lines = Lines(f"Growth over quasi-identifiers: {_ROWS:,} records, Parquet", ("columns", *_COLUMNS, "s a column"), first=12)
    path = file_of(CENSUS, Size(_ROWS))
    for columns in range(1, len(CENSUS.quasi_identifiers) + 1):
        _line(lines, str(columns), path, columns, options, unit=columns)


def over_width(options: Options) -> None:
    """Up to 130 quasi-identifiers, which need several words for their key; information-theoretic risk is part of the audit."""
    lines = Lines(
        f"Growth over width: {options.width:,} records, Parquet, memory limit {_MEMORY}, {_THREADS} threads",
        ("columns", *_COLUMNS, "s a column", *_BOUNDED),
        first=12,
    )
    for columns in _WIDTHS:
        table, bounded = wide(columns), replace(options, threads=_THREADS)
        _line(lines, str(columns), file_of(table, Size(options.width)), columns, bounded, unit=columns, table=table, memory_limit=_MEMORY)


def _line(
    lines: Lines,
    title: str,
    path: Path,
    columns: int,
    options: Options,
    *,
    unit: float,
    table: Table = CENSUS,
    memory_limit: str | None = None,
) -> None:
    """Print a step; `unit` is what its seconds are divided by. Memory is told where it is bounded."""
    try:
        job = job_of(table, path, columns=columns, threads=options.threads, memory_limit=memory_limit)
        found = compare(job, min(options.repeat, 3))
    except NotMeasured as reason:
        lines.note(title, reason)
        return
    memory = (found.baseline_peak, found.audit_peak, found.baseline_spilled, found.spilled)
    lines.add(
        title,
        f"{found.classes:,}",
        seconds(found.baseline_seconds),
        seconds(found.audit_seconds),
        times(found.ratio),
        spread(found.ratios),
        times(found.cpu_ratio),
        seconds(found.audit_seconds / unit),
        *(map(megabytes, memory) if memory_limit else ()),
    )

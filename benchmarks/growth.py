"""How the cost grows: with the records, and with the quasi-identifiers."""

from benchmarks.compare import compare, job_of
from benchmarks.data import file_of
from benchmarks.options import Options
from benchmarks.printing import Lines, seconds, spread, times
from benchmarks.tables import CENSUS, Size

_SIX = 6
_ROWS = 1_000_000
_TAIL = ("baseline s", "audit s", "ratio", "range")


def over_rows(options: Options) -> None:
    """The same columns, ten times as many records at each step."""
    lines = Lines(f"Growth over records: {_SIX} quasi-identifiers, Parquet", ("records", "classes", *_TAIL, "audit us a record"), first=12)
    for rows in options.growth:
        found = compare(job_of(CENSUS, file_of(CENSUS, Size(rows)), columns=_SIX, threads=options.threads), min(options.repeat, 3))
        lines.add(
            f"{rows:,}",
            f"{found.classes:,}",
            seconds(found.baseline_seconds),
            seconds(found.audit_seconds),
            times(found.ratio),
            spread(found.ratios),
            f"{found.audit_seconds / rows * 1e6:.2f}",
        )


def over_columns(options: Options) -> None:
    """The same records, one more quasi-identifier at each step."""
    path = file_of(CENSUS, Size(_ROWS))
    lines = Lines(
        f"Growth over quasi-identifiers: {_ROWS:,} records, Parquet", ("columns", "classes", *_TAIL, "audit s a column"), first=12
    )
    for columns in range(1, len(CENSUS.quasi_identifiers) + 1):
        found = compare(job_of(CENSUS, path, columns=columns, threads=options.threads), min(options.repeat, 3))
        lines.add(
            str(columns),
            f"{found.classes:,}",
            seconds(found.baseline_seconds),
            seconds(found.audit_seconds),
            times(found.ratio),
            spread(found.ratios),
            seconds(found.audit_seconds / columns),
        )

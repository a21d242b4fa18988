"""The whole audit against one GROUP BY over the same columns of the same file."""

from itertools import product

from benchmarks.compare import compare, job_of
from benchmarks.data import file_of
from benchmarks.job import Job, NotMeasured
from benchmarks.options import Options
from benchmarks.printing import Lines, at_most, megabytes, seconds, spread, times
from benchmarks.tables import DETAILED_VISITS, DISCHARGES, VISITS, Size, raw

MEMORY_LIMIT = "1GB"
_PEAK = 1000
# Twice the baseline for what SCORR's verdict needs (four times with persons), and twice more for all other metrics.
_PERSON_LEVEL, _EVENT_LEVEL = 2 + 2, 4 + 2
_RAW, _RAW_ALONE = 4, 1.3
_COLUMNS = ("", "baseline s", "audit s", "ratio", "range", "CPU ratio", "base peak", "audit peak", "ratio target", "memory target")


def person_level(options: Options, formats: tuple[str, ...]) -> None:
    """One record a person, from Parquet and from delimited text."""
    lines = Lines(f"Person level: {options.rows:,} records, 7 quasi-identifiers, 1 sensitive attribute", _COLUMNS)
    for format in formats:
        _line(
            lines,
            format,
            job_of(DISCHARGES, file_of(DISCHARGES, Size(options.rows), format), threads=options.threads),
            options,
            _PERSON_LEVEL,
        )


def raw_level(options: Options) -> None:
    """A table that nobody has coarsened: most records are alone. Whole audits, and k-anonymity alone, which a gate may ask for."""
    table, size = raw(options.seed, options.shape), Size(options.rows)
    lines = Lines(f"Raw: {size.rows:,} records, {len(table.quasi_identifiers)} quasi-identifiers, 1 sensitive attribute", _COLUMNS)
    for format in ("parquet", "csv"):
        path = file_of(table, size, format)
        for title, only, most in ((format, None, _RAW), (f"{format}, k-anonymity alone", ("k_anonymity",), _RAW_ALONE)):
            _line(lines, title, job_of(table, path, threads=options.threads, only=only), options, most)


def event_level(options: Options, limits: tuple[str | None, ...]) -> None:
    """Several records a person: the baseline groups by the person too."""
    size = Size(options.events, options.persons)
    lines = Lines(f"Event level: {size.rows:,} events of {size.persons:,} persons, 6 quasi-identifiers, 1 sensitive attribute", _COLUMNS)
    for limit, (detail, table) in product(limits, (("published", VISITS), ("detailed", DETAILED_VISITS))):
        job = job_of(table, file_of(VISITS, size), threads=options.threads, memory_limit=limit)
        title = f"{detail}, memory limit {limit}" if limit else detail
        _line(lines, title, job, options, _EVENT_LEVEL, memory=limit is not None)


def _line(lines: Lines, title: str, job: Job, options: Options, most: float, *, memory: bool = True) -> None:
    try:
        found = compare(job, options.repeat)
    except NotMeasured as reason:
        lines.note(title, reason)
        return
    lines.add(
        f"{title}: {found.classes:,} classes",
        seconds(found.baseline_seconds),
        seconds(found.audit_seconds),
        times(found.ratio),
        spread(found.ratios),
        times(found.cpu_ratio),
        megabytes(found.baseline_peak),
        megabytes(found.audit_peak),
        at_most(found.ratio, most, "x"),
        at_most(found.audit_peak, _PEAK, " MB") if memory else "-",
    )

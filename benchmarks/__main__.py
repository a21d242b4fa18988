"""Print every ratio of one run: python -m benchmarks [--full] [--only NAME]."""

import os
import platform
from importlib.metadata import version

from benchmarks import against_baseline, command_line, explain, growth, options, peer, statements


def main() -> None:
    """Measure what the command line asks for."""
    given = options.parse()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(
        f"anonscope {version('anonscope')}, DuckDB {version('duckdb')}, Python {platform.python_version()}, {platform.system()}, "
        f"{os.cpu_count()} cores{load}. Read the ratios: seconds differ from machine to machine."
    )
    formats = tuple(format for format in ("parquet", "csv") if given.wants(format))
    if formats:
        against_baseline.person_level(given, formats)
    if given.wants("raw"):
        against_baseline.raw_level(given)
    limits = tuple(limit for name, limit in (("events", None), ("memory", against_baseline.MEMORY_LIMIT)) if given.wants(name))
    if limits:
        against_baseline.event_level(given, limits)
    if given.wants("statements"):
        statements.statements(given)
    if given.wants("rows"):
        growth.over_rows(given)
    if given.wants("columns"):
        growth.over_columns(given)
    if given.wants("width"):
        growth.over_width(given)
    if given.wants("explain"):
        explain.explanations(given)
    if given.wants("cli"):
        command_line.commands(given)
    # Last, because it takes longest.
    if given.wants("pycanon"):
        peer.against_pycanon(given)


if __name__ == "__main__":
    main()

"""How a test compares an original with a release, both given column by column."""

from typing import Any

import pyarrow as pa

from anonscope.engines import DuckDB
from anonscope.io.sources import open_source
from anonscope.utility import Aligned, UtilityMeasurement, align, measure_all, settled

Columns = dict[str, list[Any]]


def compared(original: Any, release: Any, columns: Any = None, **also: Any) -> Aligned:
    """Return two tables side by side: columns, or paths of files."""
    engine = DuckDB(threads=1)
    try:
        ours, theirs = (pa.table(table) if isinstance(table, dict) else table for table in (original, release))
        return align(engine, settled(engine, open_source(ours, engine)), open_source(theirs, engine), columns, **also)
    finally:
        engine.close()


def measured(aligned: Aligned, utility: str, column: str | None = None, variant: str | None = None, **also: Any) -> UtilityMeasurement:
    """Return one measurement: of the table, if no column is named, and of the default variant."""
    found = [m for m in measure_all(aligned, [utility], **also) if m.column == column and variant in (None, m.variant)]
    return found[0]

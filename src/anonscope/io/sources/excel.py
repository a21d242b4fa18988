"""Excel and OpenDocument workbooks, one sheet."""

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonscope.engines import Engine
from anonscope.errors import OptionError, SourceError, shown
from anonscope.io.sources.columnar import from_arrow
from anonscope.io.sources.relation import ReadOptions, Relation


def open_excel(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    """Return a sheet as a relation of text columns: numbers without a useless '.0', dates as ISO."""
    import pyarrow as pa
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_path(str(path))
    except CalamineError:
        raise SourceError(f"{shown(name)} is not a readable workbook.") from None
    sheets = workbook.sheet_names
    if options.sheet is not None and options.sheet not in sheets:
        raise OptionError(f"{shown(name)} has no sheet named {shown(options.sheet)}. It has: {', '.join(map(shown, sheets))}.")
    rows = workbook.get_sheet_by_name(options.sheet or sheets[0]).to_python(skip_empty_area=True)
    if not rows:
        raise SourceError(f"{shown(name)} is empty.")
    header = [str(_text(value) or "") for value in rows[0]]
    if len(rows) == 1:
        raise SourceError(f"{shown(name)} has a header but no records.")
    columns = [pa.array([_text(value) for value in column], pa.string()) for column in zip(*rows[1:], strict=True)]
    # An empty cell is missing, as an empty field of delimited text is.
    relation = replace(from_arrow(pa.Table.from_arrays(columns, names=header), engine, name), delimited=True)
    if len(sheets) > 1 and options.sheet is None:
        note = f"The workbook has {len(sheets)} sheets; the first was read. Choose another with --sheet."
        relation = replace(relation, notes=(note,))
    return relation


def _text(value: Any) -> str | None:
    """Return a cell as text; an empty cell is missing."""
    if value == "" or value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.datetime | datetime.time):
        return value.isoformat()
    return str(value)

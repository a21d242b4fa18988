"""Excel and OpenDocument workbooks, one sheet."""

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonscope.engines import Engine
from anonscope.errors import OptionError, SourceError, shown
from anonscope.io.sources.also_held import in_workbook
from anonscope.io.sources.frames import from_arrow
from anonscope.io.sources.headerless import check_header
from anonscope.io.sources.relation import ReadOptions, Relation, unnamed_columns
from anonscope.io.sources.workbook import check_workbook

_LOOKED_AT = 200


def open_excel(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    """Return a sheet as a relation of text columns: numbers without a useless '.0', dates as ISO."""
    import pyarrow as pa

    visible, rows = _rows(path, options.sheet, name)
    sheets = list(visible)
    if not rows:
        raise SourceError(f"{shown(name)} is empty.")
    header = [str(_text(value) or "") for value in rows[0]]
    if options.header is None:
        check_header(header, [[_text(value) or "" for value in row] for row in rows[1:_LOOKED_AT]], name)
    if options.header is False:
        header = list(unnamed_columns(len(header)))
    elif len(rows) == 1:
        raise SourceError(f"{shown(name)} has a header but no records.")
    records = rows if options.header is False else rows[1:]
    columns = [pa.array([_text(value) for value in column], pa.string()) for column in zip(*records, strict=True)]
    # An empty cell is missing, as an empty field of delimited text is.
    relation = replace(from_arrow(pa.Table.from_arrays(columns, names=header), engine, name), delimited=True)
    relation = replace(relation, also_held=in_workbook(path, visible, options.sheet or sheets[0]))
    if len(sheets) > 1 and options.sheet is None:
        note = f"The workbook has {len(sheets)} sheets; the first was read. Name the sheet to read another."
        relation = replace(relation, notes=(note,))
    return relation


def _rows(path: Path, sheet: str | None, name: str) -> tuple[dict[str, bool], list[list[Any]]]:
    """Return the sheets, whether each is seen, and the cells of one; whatever the reader of workbooks dies of is a fault of the file."""
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    check_workbook(path, name, sheet)
    try:
        workbook = CalamineWorkbook.from_path(str(path))
        # What is called a sheet may also be a chart or a macro: it goes out with the file all the same.
        sheets = {told.name: told.visible == SheetVisibleEnum.Visible for told in workbook.sheets_metadata}
        if not sheets:
            raise SourceError(f"{shown(name)} has no sheet.")
        if sheet is None or sheet in sheets:
            return sheets, workbook.get_sheet_by_name(sheet or next(iter(sheets))).to_python(skip_empty_area=True)
    except (KeyboardInterrupt, SystemExit, SourceError):
        raise
    except BaseException:
        # It raises several kinds of its own, and one for its panics that is no ordinary exception.
        raise SourceError(f"{shown(name)} is not a readable workbook.") from None
    raise OptionError(f"{shown(name)} has no sheet named {shown(sheet)}. It has: {', '.join(map(shown, sheets))}.")


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

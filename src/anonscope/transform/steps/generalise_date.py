"""Dates become the week, month, quarter, year or decade they are in.

ISO/IEC 20889, generalisation. Safe Harbor (45 CFR 164.514(b)(2)(i)(C)) lets only the year of a date about a person pass.
"""

import re
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

from anonscope.columns.images import Image, read_image
from anonscope.engines import Engine
from anonscope.errors import shown
from anonscope.transform.cells.dates import NOT_A_DATE, day
from anonscope.transform.cells.written_dates import KNOWN, is_known
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import ColumnTransformation, Effect, check_types

_LABELS = {
    "day": "STRFTIME(day, '%Y-%m-%d')",
    "week": "STRFTIME(day, '%G-W%V')",
    "month": "STRFTIME(day, '%Y-%m')",
    "quarter": "STRFTIME(day, '%Y') || '-Q' || CAST(EXTRACT(quarter FROM day) AS VARCHAR)",
    "year": "STRFTIME(day, '%Y')",
    "decade": "SUBSTR(STRFTIME(day, '%Y'), 1, 3) || '0s'",
}
_DIRECTIVE = re.compile(r"%(-?[dmyHIMSj]|[aAbBYpfzZ%])")
_YEAR = re.compile(r"%-?[yY]")


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneraliseDate(ColumnTransformation):
    """Replace dates by a coarser `part` of them."""

    name: ClassVar[str] = "generalise_date"
    title: ClassVar[str] = "Generalise dates"
    standard: ClassVar[str] = "generalisation"
    effect: ClassVar[Effect] = "recoding"

    part: Literal["day", "week", "month", "quarter", "year", "decade"]
    format: str = ""  # of text that is not ISO

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        ColumnTransformation.__post_init__(self)
        if self.part not in _LABELS:
            raise self.fail(f"part must be one of {', '.join(_LABELS)}")
        if "%" in _DIRECTIVE.sub("", self.format):
            raise self.fail("format has a directive that is not known; known are %d, %m, %Y, %y, %b, %B and others of strptime")
        if self.format and not _YEAR.search(self.format):
            raise self.fail("format must have the year in it: %Y or %y")

    def check_engine(self, engine: Engine) -> None:
        ColumnTransformation.check_engine(self, engine)
        if self.format and engine.remote and not is_known(self.format):
            raise self.fail(f"format may have {KNOWN} on {engine.title}, each part of a date once. Use the engine DuckDB for others")

    @property
    def words(self) -> str:
        return f"generalise {shown(self.column)} to the {self.part}"

    def apply(self, table: Table) -> Table:
        return ColumnTransformation.apply(self, table.computed("day", day(table, self.column, self.format)))

    def expression(self, table: Table) -> Expression:
        # Our notation has four digits for a year.
        fails = "day IS NULL OR EXTRACT(year FROM day) NOT BETWEEN 1 AND 9999"
        return Expression(_LABELS[self.part], "VARCHAR", fails, NOT_A_DATE)

    def image_of(self, released: str) -> Image:
        return read_image(released, dates=True)

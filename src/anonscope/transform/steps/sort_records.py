"""Sort the records by what they say, so that their order says nothing.

The place of a record in a file is a value that nobody thinks of: two files in the order of one table can be put together row by
row. Records in the order of their own released values have no place but that one. Unlike a shuffle this needs no seed, and a seed
beside a release would undo the shuffle.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from anonscope.columns.images import Exactly, Image
from anonscope.engines.values import FLOATS
from anonscope.transform.table import Table
from anonscope.transform.transformation import Effect, Transformation


@dataclass(frozen=True, slots=True, kw_only=True)
class SortRecords(Transformation):
    """Put the records into the order of their values: by the first column, then by the second, and so on; missing values first."""

    name: ClassVar[str] = "sort_records"
    title: ClassVar[str] = "Sort records"
    standard: ClassVar[str] = "anatomisation"
    effect: ClassVar[Effect] = "removal"

    @property
    def columns(self) -> tuple[str, ...]:
        return ()

    @property
    def words(self) -> str:
        return "sort the records by their values"

    def apply(self, table: Table) -> Table:
        table.check()
        made = table.made + 1
        keys = [f"c{i} NULLS FIRST" for i in range(len(table.columns))]
        # Minus zero equals zero, but can be told from it.
        keys += [f"CAST(c{i} AS VARCHAR)" for i, column in enumerate(table.columns) if column.type in FLOATS]
        order = ", ".join(keys)
        select = f"SELECT * FROM {table.origin} ORDER BY {order}"
        if table.engine.remote:
            # What is stored there has no order; what is written has the one that it is read in.
            table.engine.define(f"step_{made}", select)
        else:
            table.engine.stage(f"step_{made}", select, large=False, ordered=True)
        return replace(table, origin=f"step_{made}", made=made)

    def image(self, column: str, released: str | None) -> Image:
        return Exactly(released)

"""Drop a column: what is not released cannot be linked.

ISO/IEC 20889 calls it attribute suppression; it is what R. Aufschläger et al. (2023), section 4.1, do with direct identifiers.
"""

from dataclasses import dataclass
from typing import ClassVar

from anonscope.columns.images import Everything, Exactly, Image
from anonscope.errors import shown
from anonscope.transform.table import Table
from anonscope.transform.transformation import Effect, Transformation


@dataclass(frozen=True, slots=True, kw_only=True)
class DropColumn(Transformation):
    """Leave a column out of the release."""

    name: ClassVar[str] = "drop_column"
    title: ClassVar[str] = "Drop a column"
    standard: ClassVar[str] = "attribute suppression"
    effect: ClassVar[Effect] = "removal"

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def words(self) -> str:
        return f"drop {shown(self.column)}"

    def mixes(self, column: str) -> bool:
        return False

    def apply(self, table: Table) -> Table:
        return table.without(self.column)

    def image(self, column: str, released: str | None) -> Image:
        return Everything() if column == self.column else Exactly(released)

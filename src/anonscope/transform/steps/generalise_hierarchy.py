"""Values become what a hierarchy calls them, some levels up.

Full-domain generalisation: every value of the column goes up by the same number of steps. ISO/IEC 20889, generalisation.
"""

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
from anonscope.columns.images import EVERYTHING, Everything, Image, Values, read_image
from anonscope.errors import shown
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import ColumnTransformation, Effect, check_types, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneraliseHierarchy(ColumnTransformation):
    """Replace the values of a column by their labels on a `level` of the hierarchy in a `file`."""

    name: ClassVar[str] = "generalise_hierarchy"
    title: ClassVar[str] = "Generalise by a hierarchy"
    standard: ClassVar[str] = "generalisation"
    effect: ClassVar[Effect] = "recoding"

    file: str
    level: int

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        ColumnTransformation.__post_init__(self)
        if not self.file:
            raise self.fail("file must name the file of a hierarchy")
        whole(self, "level", self.level, 0)

    @property
    def words(self) -> str:
        return f"generalise {shown(self.column)} to level {self.level} of its hierarchy"

    def located(self, folder: Path | None) -> "GeneraliseHierarchy":
        return replace(self, file=str((folder or Path()) / self.file))

    def hierarchy(self, path: Path) -> Hierarchy:
        """Return the hierarchy in the file, if it has the level."""
        found = _read(path, self.column, path.stat().st_mtime_ns if path.exists() else 0)
        if self.level > found.height:
            raise self.fail(f"level must be at most {found.height}, the last level of the hierarchy in {shown(path.name)}")
        return found

    def expression(self, table: Table) -> Expression:
        hierarchy = self.hierarchy(table.file(self.file))
        # The last level stands for everything, whatever the file calls it.
        top = self.level == hierarchy.height
        labels = (EVERYTHING,) * len(hierarchy.leaves) if top else hierarchy.labels(self.level)
        pairs = dict(zip(hierarchy.leaves, labels, strict=True))
        found = table.engine.lookup(f"hierarchy_{table.made + 1}", table.text(self.column), pairs)
        problem = f"are not in the hierarchy {shown(hierarchy.name)}"
        return Expression(found, "VARCHAR", f"({found}) IS NULL", problem)

    def apply(self, table: Table) -> Table:
        done = ColumnTransformation.apply(self, table)
        if self.level < self.hierarchy(table.file(self.file)).height:
            return done
        # On the last level a missing value is as unknown as any other.
        place, kind = done.at(self.column)
        return done.assigned({self.column: Expression(f"COALESCE({place}, '{EVERYTHING}')", kind)})

    def image(self, column: str, released: str | None) -> Image:
        if column == self.column and released == EVERYTHING:
            return Everything()
        return ColumnTransformation.image(self, column, released)

    def image_of(self, released: str) -> Image:
        hierarchy = self.hierarchy(Path(self.file))
        meant = frozenset(hierarchy.under(released, self.level))
        if self.otherwise == "keep" and hierarchy.uncovered([released]):
            meant |= {released}
        return Values(meant, released) if meant else read_image(released)


@lru_cache(maxsize=16)
def _read(path: Path, column: str, changed: int) -> Hierarchy:
    """Return the hierarchy in a file, read once until the file changes: images are asked for value by value."""
    return read_hierarchy(path, column)

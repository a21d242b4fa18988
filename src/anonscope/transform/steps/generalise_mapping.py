"""Values become labels that are listed one by one, or sets of which any may be meant.

ISO/IEC 20889, generalisation; R. Aufschläger et al. (2023), section 4.2, equation 1 and figure 3: {Bachelors, Masters}.
"""

from dataclasses import dataclass, fields
from typing import ClassVar

from anonscope.columns.images import Image, Values, read_image, set_label
from anonscope.errors import shown
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import ColumnTransformation, Effect, check_types

_NOT_LISTED = "are not listed in the step"


@dataclass(frozen=True, slots=True)
class Rest(Image):
    """Any value but these; a missing one is not meant."""

    listed: frozenset[str]
    label: str

    def contains(self, value: str | None) -> bool:
        return value is not None and value not in self.listed


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneraliseMapping(ColumnTransformation):
    """Replace listed values by the label that a `mapping` gives them, or by the set that one of the `groups` is."""

    name: ClassVar[str] = "generalise_mapping"
    title: ClassVar[str] = "Generalise by a list"
    standard: ClassVar[str] = "generalisation"
    effect: ClassVar[Effect] = "recoding"

    mapping: dict[str, str] | None = None
    groups: tuple[tuple[str, ...], ...] = ()
    rest: str | None = None  # the label of all values that are not listed

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        ColumnTransformation.__post_init__(self)
        if not self.mapping and not self.groups:
            raise self.fail("mapping or groups must list at least one value")
        if not all(self.groups):
            raise self.fail("groups must not be empty: a set without values stands for nothing")
        listed = [*(self.mapping or {}), *(value for group in self.groups for value in group)]
        if twice := len(listed) - len(set(listed)):
            raise self.fail(f"groups and mapping list {twice} of their values more than once; a value becomes one thing")
        if "" in (*(self.mapping or {}).values(), self.rest):
            raise self.fail("a label must not be empty: in a release an empty text is a missing value")
        if self.rest is not None and self.otherwise != "error":
            raise self.fail("rest is what all other values become, so otherwise means nothing beside it")

    @property
    def labels(self) -> dict[str, str]:
        """What every listed value becomes."""
        sets = {value: set_label(group) for group in self.groups for value in group}
        return (self.mapping or {}) | sets

    @property
    def words(self) -> str:
        count = len(self.labels)
        return f"replace {count} listed value{'s' if count > 1 else ''} of {shown(self.column)} by labels"

    def expression(self, table: Table) -> Expression:
        found = table.engine.lookup(f"mapping_{table.made + 1}", table.text(self.column), self.labels)
        if self.rest is not None:
            return Expression(f"COALESCE({found}, {table.engine.text(self.rest)})", "VARCHAR")
        return Expression(found, "VARCHAR", f"({found}) IS NULL", _NOT_LISTED)

    def image_of(self, released: str) -> Image:
        labels = self.labels
        meant = frozenset(value for value, label in labels.items() if label == released)
        if released == self.rest:
            return Rest(frozenset(labels) - meant, released)
        if self.otherwise == "keep" and released not in labels:
            meant |= {released}
        return Values(meant, released) if meant else read_image(released)

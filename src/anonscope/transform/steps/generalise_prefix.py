"""Codes are cut: postcodes, diagnosis and region codes say less the fewer characters they keep.

ISO/IEC 20889, generalisation; R. Aufschläger et al. (2023), section 4.2: "replacing parts of the value with a special character".
"""

from dataclasses import dataclass, fields
from typing import ClassVar, Literal

from anonscope.columns.images import EVERYTHING, Everything, Exactly, Image, Prefix
from anonscope.errors import shown
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import AnyValueTransformation, Effect, check_types, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralisePrefix(AnyValueTransformation):
    """Keep the first `characters` of every value and put stars in place of the rest."""

    name: ClassVar[str] = "generalise_prefix"
    title: ClassVar[str] = "Generalise to a prefix"
    standard: ClassVar[str] = "generalisation"
    effect: ClassVar[Effect] = "recoding"

    characters: int
    stars: Literal["each", "one"] = "each"

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        AnyValueTransformation.__post_init__(self)
        whole(self, "characters", self.characters)
        if self.stars not in ("each", "one"):
            raise self.fail("stars must be one of each, one")

    @property
    def words(self) -> str:
        return f"keep the first {self.characters} characters of {shown(self.column)}"

    def expression(self, table: Table) -> Expression:
        text = table.text(self.column)
        stars = f"REPEAT('{EVERYTHING}', LENGTH({text}) - {self.characters})" if self.stars == "each" else f"'{EVERYTHING}'"
        cut = f"SUBSTR({text}, 1, {self.characters}) || {stars}"
        return Expression(f"CASE WHEN LENGTH({text}) > {self.characters} THEN {cut} ELSE {text} END", "VARCHAR")

    def image_of(self, released: str) -> Image:
        if released == EVERYTHING:
            # A step before may have suppressed it.
            return Everything()
        start, rest = released[: self.characters], released[self.characters :]
        if not rest or rest.strip(EVERYTHING):
            return Exactly(released)
        return Prefix(start, len(released) if self.stars == "each" else None)

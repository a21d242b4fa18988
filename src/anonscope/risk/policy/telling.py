"""Columns that were given as sensitive or as the weight, are released as they are, and tell who somebody is all the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonscope.errors import IdentifierGiven, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingColumn:
    """A sensitive attribute or a weight by which a record is found, why, and the reason why it may be released, if somebody gave one."""

    column: str
    role: Literal["sensitive", "weight"]
    reason: str
    said: str | None = None

    @property
    def sentence(self) -> str:
        """What a reader must know of it."""
        given = "as the weight" if self.role == "weight" else "as sensitive"
        told = f"Column {shown(self.column)} was given {given}, is released as it is, and tells who somebody is: {self.reason.rstrip('.')}."
        return f"{told} Acknowledged: {self.said}" if self.said is not None else told

    def to_dict(self) -> dict[str, str | None]:
        """Return it as plain data."""
        return {"column": self.column, "role": self.role, "why": self.reason, "reason": self.said}


def check_given(columns: Sequence[TellingColumn]) -> None:
    """Raise if a column that was given another role tells who somebody is, and nobody said why it may be released."""
    if unanswered := [c for c in columns if c.said is None]:
        told = " ".join(c.sentence for c in unanswered)
        rounding = ", round it in a recipe first" if any(c.role == "weight" for c in unanswered) else ""
        raise IdentifierGiven(
            f"Withheld, and nothing was written: {told} Leave it out (-d COLUMN instead){rounding}, or say why it may be "
            "released (--acknowledge COLUMN=REASON, acknowledge).",
            [c.column for c in unanswered],
        )

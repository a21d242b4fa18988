"""Columns that were given as quasi-identifiers, as sensitive or as the weight, and tell who somebody is all the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonscope.errors import IdentifierGiven, shown

_GIVEN = {
    "quasi-identifier": "as a quasi-identifier",
    "sensitive": "as sensitive, is released as it is",
    "weight": "as the weight, is released as it is",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingColumn:
    """A column with a role by which a record is found, why, and the reason why it may be released, if somebody gave one."""

    column: str
    role: Literal["quasi-identifier", "sensitive", "weight"]
    reason: str
    said: str | None = None

    @property
    def sentence(self) -> str:
        """What a reader must know of it."""
        given = _GIVEN[self.role]
        told = f"Column {shown(self.column)} was given {given}, and tells who somebody is: {self.reason.rstrip('.')}."
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

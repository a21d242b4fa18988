"""Columns that were given a role, and tell who somebody is all the same, or may: a person has to answer for them by a word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonscope.errors import IdentifierGiven, ended, shown

GivenRole = Literal["quasi-identifier", "sensitive", "insensitive", "weight"]
_GIVEN: dict[GivenRole, str] = {
    "quasi-identifier": "as a quasi-identifier",
    "sensitive": "as sensitive, is released as it is",
    "insensitive": "as insensitive, is released as it is",
    "weight": "as the weight, is released as it is",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingColumn:
    """A column with a role by which a record is found, why, and the reason why it may be released, if somebody gave one."""

    column: str
    role: GivenRole
    reason: str
    said: str | None = None
    doubtful: bool = False  # it may, and nothing tells: a word is missing, and nothing more
    known: bool = False  # it is doubtful because outsiders know it, and no group was made by it

    @property
    def sentence(self) -> str:
        """What a reader must know of it."""
        because = self.reason.rstrip(".")
        tells = because if self.doubtful else f"tells who somebody is: {because}"
        told = f"Column {shown(self.column)} was given {_GIVEN[self.role]}, and {tells}."
        return f"{told} Acknowledged: {ended(self.said)}" if self.said is not None else told

    def to_dict(self) -> dict[str, str | bool | None]:
        """Return it as plain data."""
        return {
            "column": self.column,
            "role": self.role,
            "why": self.reason,
            "doubtful": self.doubtful,
            "known_outside": self.known,
            "reason": self.said,
        }


def known_sentence(columns: Sequence[TellingColumn]) -> tuple[str, ...]:
    """Return the sentence beside a verdict on columns that outsiders know and that are in no group; none if there are none."""
    known = [c for c in columns if c.known]
    if not known:
        return ()
    named = ", ".join(shown(c.column) for c in known)
    they = "is in no group though outsiders know it" if len(known) == 1 else "are in no group though outsiders know them"
    roles = " or ".join(dict.fromkeys(c.role for c in known))
    said = tuple(dict.fromkeys(c.said for c in known if c.said is not None))
    word = (
        f"Acknowledged: {ended('; '.join(said))}"
        if all(c.said is not None for c in known)
        else "Count what outsiders know, or say why not."
    )
    return (f"{named} {they}: given as {roles}, and released as {'it is' if len(known) == 1 else 'they are'}. {word}",)


def check_given(columns: Sequence[TellingColumn]) -> None:
    """Raise if a column that was given another role tells who somebody is, and nobody said why it may be released."""
    if unanswered := [c for c in columns if c.said is None]:
        told = " ".join(c.sentence for c in unanswered)
        rounding = ["round it in a recipe first"] if any(c.role == "weight" for c in unanswered) else []
        counting = ["count it (-q COLUMN instead)"] if any(c.known for c in unanswered) else []
        leaving = ["leave it out (-d COLUMN instead)"] if not all(c.known for c in unanswered) else []
        ways = ", ".join((*counting, *leaving, *rounding))
        raise IdentifierGiven(
            f"Withheld, and nothing was written: {told} {ways[0].upper()}{ways[1:]}, or say why it may be "
            "released (--acknowledge COLUMN=REASON, acknowledge).",
            [c.column for c in unanswered],
        )

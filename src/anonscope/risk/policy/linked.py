"""Records that the id of a person, or its pseudonym, ties together: what all of them say at once, and who answers for that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonscope.errors import RecordsLinked, ended, shown
from anonscope.io.figures import per_cent

# A column ties records together if it does so for more than this share of the people who have several.
MOST_TIED = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingIn:
    """A released column, and of how many people who have several records it ties these together; who answers for that, if somebody does.

    It does where its value is the same in all records of a person, and fewer people have it than are asked to be alike.
    """

    column: str
    people: int  # who have several records
    tied: int | None  # those whose records it ties together; None: not measured
    size: int
    said: str | None = None

    @property
    def found(self) -> bool:
        """Whether it stands in for the id; what was not measured may."""
        return self.tied is None or self.tied > MOST_TIED * self.people

    @property
    def told(self) -> str:
        """What was found, in words."""
        if self.tied is None:
            return f"whether {shown(self.column)} links them was not measured, because its values are nested"
        return (
            f"of {self.tied:,} of {self.people:,} people who have several, {shown(self.column)} is the same in all of them, "
            f"and fewer than {self.size:,} people have that value"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "column": self.column,
            "people": self.people,
            "tied": self.tied,
            "status": "not measured" if self.tied is None else "measured",
            "reason": self.said,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedRecords:
    """How many people are found by all of their records together, where a column says which belong to one person.

    Groups are counted record by record. With `left_out`, the column is not in what is released, and records are tied together only by
    columns that stand in for it.
    """

    column: str
    scenario: str
    people: int
    size: int  # so many are asked to be alike
    alone: int | None  # people whose records together are like nobody else's; None: not measured
    below: int | None  # those who share them with fewer than were asked for
    reason: str | None = None  # why it was not measured
    said: str | None = None  # why the records may stay together, if somebody said so
    left_out: bool = False
    standing_in: tuple[StandingIn, ...] | None = None  # other columns that tie them together; None: nobody looked for any

    @property
    def found(self) -> bool:
        """Whether records that are tied together tell more than the policy lets one record tell; what was not measured may."""
        return self.below is None or self.below > 0

    @property
    def open(self) -> bool:
        """Whether somebody must answer for it."""
        return self.found and (not self.left_out or bool(self.standing_in))

    @property
    def tying(self) -> tuple["LinkedRecords | StandingIn", ...]:
        """The columns that somebody must answer for: the id, or where it is left out those that stand in for it."""
        return () if not self.open else (self.standing_in or ()) if self.left_out else (self,)

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Those of them that nobody answered for."""
        return tuple(column.column for column in self.tying if column.said is None)

    @property
    def told(self) -> str:
        """What was found, in words."""
        if self.below is None:
            return f"How many people are alike by all of their records together was not measured: {self.reason}."
        if not self.below:
            return f"All records of a person together are shared by at least {self.size:,} people."
        alone = [f"{self.alone:,} of {self.people:,} people are like nobody else"] if self.alone else []
        few = [f"{self.below:,} of {self.people:,} have fewer than {self.size - 1:,} others like them"] if self.size > 2 else []
        return f"By all of their records together {', and '.join((*alone, *few))}."

    @property
    def sentence(self) -> str:
        """What a reader of the verdict must know of it."""
        column = shown(self.column)
        if self.left_out:
            return f"{self.told} So {column} is left out of the release{self._tested}"
        if not self.found:
            return self.told
        tied = f"{column} says which records belong to one person, and groups are counted record by record. {self.told}"
        if self.said is not None:
            return f"{tied} Acknowledged: {ended(self.said)}"
        return f"{tied} Leave the column out of the release, or say why records may stay together (--acknowledge {column}=REASON)."

    @property
    def _tested(self) -> str:
        """What else may say which records are one person's, as the end of a sentence: single columns were looked at, never several."""
        if self.standing_in is None:
            return ". Whether another column says which records are one person's was not tested."
        if not self.standing_in:
            return (
                f". No other column by itself says which records are one person's: none has a value that is the same in all of them and "
                f"that fewer than {self.size:,} people have, for more than {per_cent(MOST_TIED, 0)} of the people with several. What "
                "columns say together was not tested."
            )
        told = f", but the records of a person can be linked all the same: {'; '.join(c.told for c in self.standing_in)}."
        told += "".join(f" Acknowledged of {shown(c.column)}: {c.said}" for c in self.standing_in if c.said is not None)
        if not self.unanswered:
            return told
        words = ", ".join(f"--acknowledge {shown(column)}=REASON" for column in self.unanswered)
        return f"{told} Leave it out too (-d COLUMN instead), or say why records may be linked by that very column ({words})."

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "column": self.column,
            "scenario": self.scenario,
            "people": self.people,
            "class_size": self.size,
            "alone": self.alone,
            "below": self.below,
            "status": "not measured" if self.below is None else "measured",
            "why": self.reason,
            "left_out": self.left_out,
            "standing_in": None if self.standing_in is None else [column.to_dict() for column in self.standing_in],
            "reason": self.said,
        }


def worst_linked(found: Sequence[LinkedRecords]) -> tuple[LinkedRecords, ...]:
    """Return the attacker who finds most people, a column each; what was not measured is worse than any number."""
    worst: dict[str, LinkedRecords] = {}
    for linked in found:
        known = worst.get(linked.column)
        if known is None or _badness(linked) > _badness(known):
            worst[linked.column] = linked
    return tuple(worst.values())


def _badness(linked: LinkedRecords) -> tuple[bool, int, int]:
    return linked.below is None, linked.below or 0, linked.alone or 0


def check_linked(found: Sequence[LinkedRecords]) -> None:
    """Raise if records are tied together that find people, and nobody said why they may be."""
    if unanswered := [linked for linked in found if linked.unanswered]:
        told = " ".join(linked.sentence for linked in unanswered)
        raise RecordsLinked(f"Withheld, and nothing was written: {told}", [column for linked in unanswered for column in linked.unanswered])

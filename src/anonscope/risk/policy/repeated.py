"""Direct identifiers that repeat where nobody named the person: records would be counted as people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anonscope.columns.roles import Acknowledgements
from anonscope.columns.suggestion.evidence import RepeatedId
from anonscope.errors import PersonNotNamed, ended, shown
from anonscope.risk.policy.look_alikes import LookAlike, check_people_written


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedIdentifier:
    """A direct identifier that is the id of a person and stands in several records, and why that may be passed over, if it may."""

    column: str
    values: int
    records: int
    said: str | None = None
    doubtful: ClassVar[bool] = False

    @property
    def sentence(self) -> str:
        """What a reader must know of it."""
        told = f"{shown(self.column)} repeats, {self.values:,} values in {self.records:,} records: one person has several records."
        if self.said is not None:
            return f"{told} Each record was counted as a person all the same. Acknowledged: {ended(self.said)}"
        return f"{told} Name it with -p (person), so that people are counted."

    def to_dict(self) -> dict[str, str | int | None]:
        """Return it as plain data."""
        return {"column": self.column, "values": self.values, "records": self.records, "reason": self.said}


def with_reasons(found: Iterable[RepeatedId], acknowledged: Acknowledgements) -> tuple[RepeatedIdentifier, ...]:
    """Return identifiers with what was said of each by its name; a word about all the rest is none about these."""
    return tuple(
        RepeatedIdentifier(column=c.column, values=c.values, records=c.records, said=acknowledged.columns.get(c.column)) for c in found
    )


def check_people_counted(found: Sequence[RepeatedIdentifier], alike: Sequence[LookAlike] = ()) -> None:
    """Raise if records, or writings of one id, would be counted as people, and nobody said why that may be."""
    check_people_written(alike)
    if unanswered := [c for c in found if c.said is None]:
        told = " ".join(c.sentence for c in unanswered)
        raise PersonNotNamed(
            f"Withheld, and nothing was written: {told} If every record is another person all the same, say why "
            "(--acknowledge COLUMN=REASON, acknowledge).",
            unanswered[0].column,
        )

"""Sensitive values that differ only by blanks, case or the form of their letters, and what a policy says if they are made one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.errors import NotPublished, ended, shown
from anonscope.io.rounding import rounded
from anonscope.risk.metrics import METRICS

if TYPE_CHECKING:
    from anonscope.columns.written_ids import WrittenIds
    from anonscope.risk.policy.verdict import RuleResult


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAlike:
    """A sensitive attribute with values that look alike: how many it has as written and made one, and what that does to the limits."""

    column: str
    values: int
    kinds: int
    as_written: float | None = None  # the least l-diversity
    made_one: float | None = None
    breaking: "tuple[RuleResult, ...]" = ()  # rules that are kept as written only, as they are with these values made one
    measured: bool = True  # whether that was measured
    said: str | None = None
    people: "WrittenIds | None" = None  # where these are ids of people: what was counted of them

    @property
    def open(self) -> bool:
        """Whether limits may be kept by the way values are written."""
        return bool(self.breaking) or not self.measured

    @property
    def unanswered(self) -> bool:
        """Whether somebody must say why they are different values, or make them one."""
        return self.open and self.said is None

    @property
    def sentence(self) -> str:
        """What a reader of the verdict must know of it."""
        if self.people is not None:
            return f"{self.people.sentence}{self._word}"
        told = f"{shown(self.column)} has {self.values:,} values, and {self.kinds:,} if blanks, case and forms of letters tell none apart"
        if not self.measured:
            return f"{told}; what groups tell then was not measured.{self._word}"
        l_values = (
            f": l-diversity is {rounded(self.made_one):g} then, and {rounded(self.as_written):g} as written"
            if self.made_one is not None and self.as_written is not None
            else ""
        )
        if not self.breaking:
            return f"{told}{l_values}. All limits are kept either way."
        rules = "; ".join(_broken(result) for result in self.breaking)
        return f"{told}{l_values}. Made one they break the policy: {rules}.{self._word}"

    @property
    def _word(self) -> str:
        if self.said is not None:
            return f" Acknowledged: {ended(self.said)}"
        return f" Make them one before the table is released, or say why they differ (--acknowledge {self.column}=REASON)."

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "column": self.column,
            "values": self.values,
            "values_made_one": self.kinds,
            "l_diversity": rounded(self.as_written),
            "l_diversity_made_one": rounded(self.made_one),
            "measured": self.measured,
            "breaking": [{"metric": r.rule.metric, "limit": r.rule.limit_text, "value": rounded(r.value)} for r in self.breaking],
            "reason": self.said,
        }


def of_people(found: "WrittenIds", said: str | None) -> LookAlike:
    """Return what is stated of ids of people that look alike, with what was said of them by their name."""
    return LookAlike(column=found.column, values=found.values, kinds=found.seen, measured=False, said=said, people=found)


def check_people_written(columns: Sequence[LookAlike]) -> None:
    """Raise if people would be counted by how their ids are written, and nobody said why these differ."""
    if unanswered := [column for column in columns if column.people is not None and column.unanswered]:
        raise NotPublished(f"Withheld, and nothing was written: {' '.join(column.sentence for column in unanswered)}")


def _broken(result: "RuleResult") -> str:
    value = f"{rounded(result.value):g}" if result.value is not None else result.reason or result.status
    return f"{METRICS[result.rule.metric].title} is {value} and must be {result.rule.limit_text}"


def check_look_alikes(columns: Sequence[LookAlike], name: str) -> None:
    """Raise if a release keeps its limits only by the way values are written, and nobody said why these differ."""
    if unanswered := [column for column in columns if column.unanswered]:
        told = " ".join(column.sentence for column in unanswered)
        raise NotPublished(f"{shown(name)} is not published, and nothing was written: {told}")

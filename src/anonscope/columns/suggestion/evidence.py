"""What was found out about one column and what follows from it, as plain data without any value of the table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from anonscope.io.rounding import rounded

if TYPE_CHECKING:
    from anonscope.columns.suggestion.risk_rate import Label
    from anonscope.columns.suggestion.terms import Degree
    from anonscope.columns.suggestion.value_kinds import Kind

Role = Literal["direct identifier", "quasi-identifier", "sensitive", "person", "household", "weight", "insensitive"]
Confidence = Literal["low", "medium", "high"]
LooksLike = Literal["direct identifier", "record number", "quasi-identifier", "sensitive", "household", "weight", "unknown", "insensitive"]
CERTAINTY: dict[Confidence, str] = {"high": "sure", "medium": "fairly sure", "low": "please look"}
ROLES: tuple[Role, ...] = ("direct identifier", "quasi-identifier", "sensitive", "person", "household", "weight", "insensitive")


_NUMBERS = {"low": 1, "medium": 2, "high": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The numbers and names behind a suggestion. What is None was not found or could not be measured."""

    records: int
    values: int
    missing: float
    unique: float
    distinction: float
    separation: float
    risk_rate: float | None
    risk_rate_label: "Label"
    concept: str | None = None
    domain: str | None = None
    article_9: bool = False
    safe_harbor: int | None = None
    resolution: str | None = None
    replicability: "Degree | None" = None
    availability: "Degree | None" = None
    distinguishability: "Degree | None" = None
    smallest_combination: int | None = None

    @property
    def scores(self) -> "dict[str, int] | None":
        """The three assessments as numbers from 1 (low) to 3 (high), in the order of the paper; None where the meaning is not known.

        R. Aufschläger et al. (2023), section 6.7.1, after Malin et al. (2011).
        """
        given = {"replicability": self.replicability, "availability": self.availability, "distinguishability": self.distinguishability}
        known = {name: _NUMBERS[degree] for name, degree in given.items() if degree is not None}
        return known if len(known) == len(given) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as plain data."""
        from dataclasses import asdict

        found = {key: rounded(value) if isinstance(value, float) else value for key, value in asdict(self).items()}
        scores = self.scores
        return found | {"scores": scores, "score_sum": sum(scores.values()) if scores is not None else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSuggestion:
    """The role proposed for one column: how sure, why, and where the kinds of evidence disagree."""

    name: str
    role: Role
    confidence: Confidence
    type: "Kind"
    reasons: tuple[str, ...]
    disagreements: tuple[str, ...]
    evidence: Evidence
    # Whether nothing told what the column is about; its role is then a precaution.
    unknown: bool = False

    @property
    def certainty(self) -> str:
        """The confidence in words; of what is sure at least 98 in 100 should be right, of what is fairly sure 85."""
        return CERTAINTY[self.confidence]

    def to_dict(self) -> dict[str, Any]:
        """Return the suggestion as plain data."""
        return {
            "name": self.name,
            "role": self.role,
            "confidence": self.confidence,
            "unknown": self.unknown,
            "type": self.type,
            "reasons": list(self.reasons),
            "disagreements": list(self.disagreements),
            "evidence": self.evidence.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class ColumnLook:
    """What a column looks like, and why, in words without any value of it. Only the whole table can look insensitive."""

    column: str
    looks_like: LooksLike
    reason: str
    # Whether it looks like the id of a person who has several records.
    person: bool = False
    seen: str = ""  # the kind of its values, where these were looked at
    key: bool = False  # nearly every record has a value of its own
    unseen: bool = False  # its values could not be looked at at all
    own: bool = False  # nearly every record has a text of its own, and nothing tells what these are


@dataclass(frozen=True, slots=True)
class RepeatedId:
    """The id of a person that stands in several records: how many values it has, and in how many records."""

    column: str
    values: int
    records: int


@dataclass(frozen=True, slots=True)
class GivenLook:
    """A column that was given a role and looks like another, why, and whether that is no more than a doubt."""

    column: str
    reason: str
    doubtful: bool = False
    known: bool = False  # outsiders know it, and it was given a role that is in no group

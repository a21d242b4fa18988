"""What an audit asks for and what it finds, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from anonscope.engines import Statement
from anonscope.metrics import ClassSizes, Measurement
from anonscope.metrics.attack import DEFAULT_THRESHOLD, Outside
from anonscope.policy import Policy, Verdict
from anonscope.roles import Roles
from anonscope.suggestion.suggestion import Suggestion


@dataclass(frozen=True, slots=True)
class ScenarioCounts:
    """One attacker's view of the table: what they know, and how large the groups are that people hide in."""

    name: str
    quasi_identifiers: tuple[str, ...]
    sizes: ClassSizes


@dataclass(frozen=True, slots=True)
class SensitiveFacts:
    """What a reader must know of a sensitive attribute to read its numbers."""

    name: str
    values: int
    commonest: float
    numeric: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything an audit found, as plain data that outlives the connection."""

    source: str
    columns: tuple[str, ...]
    rows: int
    persons: int | None
    roles: Roles
    policy: Policy
    verdict: Verdict
    scenarios: tuple[ScenarioCounts, ...]
    sensitive: tuple[SensitiveFacts, ...]
    measurements: tuple[Measurement, ...]
    missing: dict[str, float]
    warnings: tuple[str, ...]
    assumptions: tuple[str, ...]
    statements: tuple[Statement, ...] = field(repr=False, default=())
    suggestion: Suggestion | None = None  # where the roles came from, if they were proposed and accepted

    @property
    def counted_in(self) -> Literal["record", "person"]:
        """Whether groups are counted in records or in persons."""
        return "person" if self.roles.event_level else "record"

    @property
    def worst_scenario(self) -> ScenarioCounts:
        """The scenario in which the largest share of members is in groups smaller than the policy asks for."""
        size, level = self.policy.class_size, self.counted_in
        return max(self.scenarios, key=lambda s: (s.sizes.below(size, level) / s.sizes.members(level), s.sizes.classes))


@dataclass(frozen=True, slots=True)
class Request:
    """What is measured only when somebody asks for it."""

    pairs: bool = False  # every two attributes together
    joined: bool = False  # each sensitive attribute with the others counted among what the attacker knows
    literal_chain: bool = False  # Markov chain risk to the letter of its equation as well
    outside: Outside = field(default_factory=Outside)  # what is known of the population
    risk_threshold: float = DEFAULT_THRESHOLD  # above it a record is at risk
    zip_populations: Mapping[str, int] | None = None  # people by the first three digits of ZIP codes, for Safe Harbor
    perturbed: tuple[str, ...] = ()  # columns whose values a recipe made up

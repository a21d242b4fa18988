"""What an audit asks for and what it finds, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.engines import Statement
from anonscope.risk.counting.population import DEFAULT_THRESHOLD, Outside
from anonscope.risk.metrics import ClassSizes, Measurement, Totals
from anonscope.risk.policy import Policy, Verdict
from anonscope.risk.policy.guarantee import StatedGuarantee
from anonscope.risk.policy.linked import LinkedRecords
from anonscope.risk.privacy_loss import PrivacyLoss

if TYPE_CHECKING:
    from anonscope.columns.suggestion.suggestion import Suggestion
    from anonscope.risk.counting.kept import KeptCounts


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
    suggestion: "Suggestion | None" = None  # where the roles came from, if they were proposed and accepted
    perturbed: tuple[str, ...] = ()  # columns whose values a recipe made up, among those that were measured
    privacy_loss: PrivacyLoss | None = None  # what differentially private steps of a recipe lose
    only: frozenset[str] | None = None  # the metrics that were asked for, by name; None: all of them

    @property
    def counted_in(self) -> Literal["record", "person"]:
        """Whether groups are counted in records or in persons."""
        return "person" if self.roles.event_level else "record"

    @property
    def worst_scenario(self) -> ScenarioCounts:
        """The scenario in which the largest share of members is in groups smaller than the policy asks for.

        One whose groups mean nothing is the worst only where all are so.
        """
        size, level = self.policy.class_size, self.counted_in

        def badness(scenario: ScenarioCounts) -> tuple[bool, float, int]:
            sizes = scenario.sizes
            return not self.made_up(scenario), sizes.below(size, level) / sizes.members(level), sizes.classes

        return max(self.scenarios, key=badness)

    def made_up(self, scenario: ScenarioCounts) -> tuple[str, ...]:
        """Return what an attacker knows of it that a recipe made up: then groups of equal values do not mean what they say."""
        person = (self.roles.person,) if self.roles.person is not None else ()
        return tuple(column for column in (*scenario.quasi_identifiers, *person) if column in self.perturbed)


@dataclass(frozen=True, slots=True)
class Request:
    """What is measured only when somebody asks for it."""

    pairs: bool = False  # every two attributes together
    joined: bool = False  # each sensitive attribute with the others counted among what the attacker knows
    literal_chain: bool = False  # Markov chain risk to the letter of its equation as well
    only: frozenset[str] | None = None  # the metrics to measure, by name; None: all of them
    outside: Outside = field(default_factory=Outside)  # what is known of the population
    risk_threshold: float = DEFAULT_THRESHOLD  # above it a record is at risk
    zip_populations: Mapping[str, int] | None = None  # people by the first three digits of ZIP codes, for Safe Harbor
    perturbed: tuple[str, ...] = ()  # columns whose values a recipe made up
    privacy_loss: PrivacyLoss | None = None
    guarantee: StatedGuarantee | None = None  # what whoever made the table states of it
    acknowledged: Acknowledgements = field(default_factory=Acknowledgements)  # what was said of columns without a role
    named: tuple[str, ...] | None = None  # direct identifiers that somebody named; None: all of them, else others are only to be dropped
    notices: tuple[str, ...] = ()  # what was noticed when the table was opened
    kept: "KeptCounts | None" = None  # counts of earlier parts of the table, which go along


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured of all scenarios, and what was found out on the way."""

    measurements: list[Measurement]
    scenarios: list[ScenarioCounts]
    totals: dict[str | None, Totals]
    facts: dict[str, SensitiveFacts]
    missing: dict[str, float]
    linked: list[LinkedRecords]
    records_without_person: int
    warnings: list[str]
    statements: tuple[Statement, ...] = ()

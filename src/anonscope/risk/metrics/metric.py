"""What a metric is, and what measuring it gives."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Literal

Attack = Literal["singling out", "linkability", "inference"]
Safer = Literal["higher", "lower"]
Need = Literal["sensitive", "person", "population", "population size", "weight", "household"]
Scope = Literal["whole", "each", "pair"]
Status = Literal["measured", "unbounded", "not measured"]
Level = Literal["record", "person"]
# "joined": records, in classes that the other sensitive attributes take part in.
Counted = Literal["record", "person", "joined"]
# What an attacker wants to know of somebody: which record (or person) is theirs, or their sensitive value.
Reading = Literal["re-identification", "inference"]
CountTable = Literal["class", "pair", "cell", "triple"]

# Whoever knows the field calls these by their letters, and pages say what they are beside them.
_KNOWN_BY_SYMBOL = ("k", "l", "t")


@dataclass(frozen=True, slots=True)
class Totals:
    """What is true of the whole table whatever is done to the quasi-identifiers."""

    records: int
    persons: int
    busiest_person: float  # largest share of the records that belongs to one person
    sensitive_values: int = 0
    commonest_value: float = 0.0  # share of the records that has the commonest sensitive value
    threshold: int = 0  # the class size a rule about records at risk asks for
    entropy: float = 0.0  # bits one lacks to know the sensitive value or, without one, the record (at event level the person)


@dataclass(frozen=True, slots=True)
class Floor:
    """The best value any change of the quasi-identifiers can reach, and why it stops there."""

    value: float
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One measure of risk: everything that reports, help and documentation say about it."""

    name: str
    title: str
    symbol: str
    question: str
    reading: str  # what a high and a low value mean, in a sentence
    formula: str
    attack: Attack
    family: Literal["conventional", "extended", "syntactic", "information", "class size", "attacker", "population", "survey"]
    source: str
    safer: Safer
    range: tuple[float, float | None]
    needs: tuple[Need, ...] = ()
    scopes: tuple[Scope, ...] = ("whole",)
    floor: Callable[[Totals], Floor] | None = None
    strict: bool = False  # defined by "less than": a value that only reaches a limit breaks it
    positive: bool = False  # above 0 for every table, so that nothing meets a limit of 0
    whole: bool = False  # counts people or values, so that a limit is a whole number
    whole_variants: tuple[str, ...] = ()  # variants of which that is true

    def __str__(self) -> str:
        return self.name

    @property
    def figure(self) -> str:
        """What stands before a figure: the symbol, with its name where the symbol alone says nothing."""
        if self.symbol in _KNOWN_BY_SYMBOL:
            return self.symbol
        title = self.title if self.title.startswith("Markov") else f"{self.title[:1].lower()}{self.title[1:]}"
        return title if self.symbol in title else f"{title} {self.symbol}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRisk(Metric):
    """A risk that every record has: one expression over counts, summarised by min, mean and max over records.

    The expression may use total_n, class_n, pair_n (the person's records in the class), cell_n (records of the class
    with the same sensitive value), value_n (all records with it) and person_value_n (the person's records with it).
    """

    table: CountTable
    sql: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of computing a class statistic; `unbounded` is 1 for a class in which no number is large enough, else 0."""

    name: str | None
    table: Literal["class", "cell", "ranked_cell", "ordered_distance", "hierarchical_distance"]
    sql: str
    unbounded: str | None = None
    because: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassStatistic(Metric):
    """A number that every class has; the table's value is the worst class's."""

    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """How many classes there are of each size, in records and, at event level, in persons."""

    records: tuple[tuple[int, int], ...]
    persons: tuple[tuple[int, int], ...]

    def of(self, level: Level) -> tuple[tuple[int, int], ...]:
        return self.records if level == "record" else self.persons

    @property
    def classes(self) -> int:
        return sum(count for _, count in self.records)

    def below(self, size: int, level: Level = "record") -> int:
        """Return how many records (or persons in classes) are in classes smaller than a size."""
        return sum(n * count for n, count in self.of(level) if n < size)

    def members(self, level: Level = "record") -> int:
        """Return how many records (or persons in classes) there are."""
        return sum(n * count for n, count in self.of(level))


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeMetric(Metric):
    """A number about the sizes of all classes; `parameter` says what its threshold means, if it has one."""

    measure: Callable[[ClassSizes, Level, int], float]
    parameter: str | None = None


@dataclass(frozen=True, slots=True)
class EntropyProfile:
    """How much the classes leave open about a target: the record, its person, or a sensitive attribute. In bits."""

    classes: int
    entropy: float  # of the target in the whole table
    conditional: float  # of the target when the class is known: the mean over records
    smallest_share: float  # the smallest product of a class's share of the records and its entropy
    smallest: float  # the smallest entropy of a class
    posterior: float  # the largest share of one target in a class


@dataclass(frozen=True, slots=True)
class Formula:
    """One function of an entropy profile, for one reading; None where it is 0 / 0."""

    variant: str | None
    reading: Reading
    measure: Callable[[EntropyProfile], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMetric(Metric):
    """A number made of a few sums over all classes."""

    formulas: tuple[Formula, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackerMetric(Metric):
    """A number about an attacker and the population they search; `over_records` says whether every record has it."""

    over_records: bool = False
    judged: bool = True  # whether a policy may have a rule about it
    named_variants: tuple[str, ...] = ()  # other ways of counting it, which a rule must name


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A metric's value in a scope: either `value`, or `min`, `mean` and `max` over records."""

    metric: str
    scenario: str
    attributes: tuple[str, ...] | None = None
    sensitive: str | None = None
    variant: str | None = None
    level: Counted = "record"
    value: float | None = None
    min: float | None = None
    mean: float | None = None
    max: float | None = None
    sum: float | None = None  # over records: how many an attacker is expected to find
    count: int | None = None  # the records that a share is about
    status: Status = "measured"
    reason: str | None = None

    def statistic(self, name: str) -> float | None:
        """Return `value`, `min`, `mean` or `max`."""
        found: float | None = getattr(self, name)
        return found


def _limits_of(metric: Metric, variant: str | None) -> str:
    """Return in words which numbers are a limit on a metric."""
    low, high = metric.range
    if metric.whole or variant in metric.whole_variants:
        return "a whole number from 1 on"
    if metric.strict or metric.positive:
        return f"above {low:g}" if high is None else f"above {low:g} and at most {high:g}"
    return f"from {low:g} on" if high is None else f"from {low:g} to {high:g}"


def limit_fault(metric: Metric, variant: str | None, value: object) -> str | None:
    """Return what is wrong with a value as a limit on a metric, if anything is: one that no table can meet, or that means nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return f"The limit of {metric.title} must be a number"
    low, high = metric.range
    if metric.whole or variant in metric.whole_variants:
        if value < 1 or value != int(value):
            return f"{metric.title} counts, so its limit is {_limits_of(metric, variant)}, not {value:g}"
    elif value < low or (high is not None and value > high):
        reach = f"from {low:g} on" if high is None else f"from {low:g} to {high:g}"
        return f"{metric.title} lies {reach}, so its limit does too, and is not {value:g}"
    elif value == low and metric.strict:
        return f"{metric.title} must stay below its limit and is never below {low:g}, so its limit is {_limits_of(metric, variant)}"
    elif value == low and metric.positive:
        return f"{metric.title} is above {low:g} in every table, so its limit is {_limits_of(metric, variant)}"
    return None

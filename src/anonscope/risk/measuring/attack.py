"""Measure attackers: what they find in the table itself, in a population, and in a survey with weights and households."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from anonscope.columns.roles import Roles, Scenario
from anonscope.engines import Engine
from anonscope.errors import OptionError
from anonscope.io.figures import per_cent
from anonscope.risk.counting import Layout, encode_population, faulty_weights, open_class_weights, open_members, open_population_classes
from anonscope.risk.counting.population import Matched, Outside
from anonscope.risk.measuring.selection import Selection
from anonscope.risk.metrics.k_map import EXTERNAL
from anonscope.risk.metrics.metric import ClassSizes, Level, Measurement
from anonscope.risk.rounding import exceeds

_BY_TABLE = ("k_map", "delta_presence")
POPULATION_METRICS = (*_BY_TABLE, "journalist", "marketer", "population_uniqueness")


class Attackers:
    """The attackers on one table: prepared once, measured for every scenario."""

    def __init__(self, engine: Engine, layout: Layout, roles: Roles, outside: Outside, threshold: float, chosen: Selection) -> None:
        if not 0 < threshold <= 1:
            raise OptionError(f"A risk threshold is more than 0 and at most 1, not {threshold:g}.")
        self.engine, self.layout, self.roles, self.outside, self.threshold = engine, layout, roles, outside, threshold
        self.warnings: list[str] = []
        self._survey = chosen.any_of("individual_risk", "household_risk")
        self._population = chosen.any_of(*POPULATION_METRICS)
        self._apart = chosen.any_of("distinction", "separation")
        self._people: Level = "person" if roles.event_level else "record"
        self._weights_fault = self._prepare_survey() if self._survey else None
        if outside.population is not None and self._population:
            encode_population(engine, layout, outside.population)

    def measure(self, scenario: Scenario, sizes: ClassSizes, persons: int) -> list[Measurement]:
        """Return what the attackers of the scenario that is open find."""
        found = list(self._in_the_table(sizes))
        if self._population:
            found += self._in_the_population(scenario, sizes, persons)
            found += self._in_an_external_table(scenario)
        if self._survey:
            found += self._in_the_survey(scenario)
        return [replace(m, scenario=scenario.name) for m in found]

    def _in_the_table(self, sizes: ClassSizes) -> Iterator[Measurement]:
        """Measure what the sizes of the classes say."""
        for level in ("record", self._people) if self._people == "person" else ("record",):
            inverse = {size: 1 / size for size, _ in sizes.of(level)}
            members = {size: size * count for size, count in sizes.of(level)}
            yield from self._summary("prosecutor", level, None, inverse, members)
            yield self._mean("marketer", level, "in the table", inverse, members)
        records, pairs = sizes.members(), sum(count * size * (size - 1) for size, count in sizes.records)
        yield Measurement(metric="distinction", scenario="", value=sizes.classes / records)
        yield Measurement(metric="separation", scenario="", value=_separation(pairs, records))

    def each(self, scenario: Scenario) -> Iterator[Measurement]:
        """Yield how far every attribute of the scenario that is open tells records apart."""
        if not self._apart:
            return
        rows = self.engine.rows(
            "SELECT attribute, COUNT(*), CAST(SUM(n) AS BIGINT), SUM(CAST(n AS DOUBLE) * (n - 1)) FROM attribute_class GROUP BY attribute"
        )
        by_attribute = {self.layout.attributes[attribute]: (classes, n, pairs) for attribute, classes, n, pairs in rows}
        for name in scenario.quasi_identifiers:
            classes, records, pairs = by_attribute[name]
            yield Measurement(metric="distinction", scenario=scenario.name, attributes=(name,), value=classes / records)
            yield Measurement(metric="separation", scenario=scenario.name, attributes=(name,), value=_separation(pairs, records))

    def _in_the_population(self, scenario: Scenario, sizes: ClassSizes, persons: int) -> Iterator[Measurement]:
        matched = next((found for found in self.outside.matched if found.kind == "population"), None)
        if matched is not None:
            yield from self._matched_population(matched, scenario)
            return
        reason = self._population_fault(scenario)
        if reason is None:
            yield from self._counted()
            return
        for metric in _BY_TABLE:
            yield self._unmeasured(metric, reason)
        size, fault = self._size(sizes, persons)
        if size is None:
            told = fault if self.outside.population is None else reason
            yield self._unmeasured("journalist", told)
            yield self._unmeasured("population_uniqueness", told)
            return
        yield from self._estimated(sizes, size)
        yield from self._uniqueness(scenario, sizes, size)

    def _population_fault(self, scenario: Scenario) -> str | None:
        """Align the population with the classes, and return why that cannot be done or says nothing, if so."""
        population = self.outside.population
        if population is None:
            return "no population table is given"
        if lacking := population.lacks(scenario.quasi_identifiers):
            return f"the population table has no column for {', '.join(map(repr, lacking))}"
        open_population_classes(self.engine, self.layout, population, scenario.quasi_identifiers)
        ((short, classes),) = self.engine.rows("SELECT SUM(CASE WHEN population_n < n THEN 1 ELSE 0 END), COUNT(*) FROM aligned")
        if not short:
            return None
        reason = f"the population is smaller than the sample in {int(short):,} of {classes:,} classes, so the sample is not from it"
        told = f"{reason[0].upper()}{reason[1:]}{self._named(scenario)}"
        self.warnings.append(f"{told}. Check that both tables write their values in the same way.")
        return reason

    def _counted(self) -> Iterator[Measurement]:
        """Measure against the population table."""
        rows = self.engine.rows("SELECT population_n, CAST(SUM(n) AS BIGINT) FROM aligned GROUP BY population_n")
        members = {int(size): int(n) for size, n in rows}
        inverse = {size: 1 / size for size in members}
        yield from self._summary("journalist", self._people, None, inverse, members)
        yield self._mean("marketer", self._people, "in the population", inverse, members)
        yield Measurement(metric="k_map", scenario="", level=self._people, value=min(members))
        ((low, high, met),) = self.engine.rows(
            "SELECT MIN(n / CAST(population_n AS DOUBLE)), MAX(n / CAST(population_n AS DOUBLE)), COUNT(*) FROM aligned"
        )
        ((classes, people, alone),) = self.engine.rows(
            "SELECT COUNT(*), CAST(SUM(n) AS BIGINT), SUM(CASE WHEN n = 1 THEN 1 ELSE 0 END) FROM population_class"
        )
        yield Measurement(
            metric="delta_presence",
            scenario="",
            level=self._people,
            min=low if classes == met else 0.0,
            mean=sum(members.values()) / people,
            max=high,
        )
        yield Measurement(
            metric="population_uniqueness", scenario="", level=self._people, variant="counted", value=alone / people, count=int(alone)
        )

    def _matched_population(self, matched: Matched, scenario: Scenario) -> Iterator[Measurement]:
        """Measure what a linkage of the release with its population says; of attackers who know less, no less is true."""
        unlinked = "the release was linked with its population, which tells how many people a record may be and nothing else"
        reason = _matched_fault(matched, scenario)
        yield self._unmeasured("delta_presence", reason or unlinked)
        yield self._unmeasured("population_uniqueness", reason or unlinked)
        if reason is not None:
            yield self._unmeasured("k_map", reason)
            yield self._unmeasured("journalist", reason)
            return
        yield Measurement(metric="k_map", scenario="", level=self._people, value=min(matched.people))
        if self._people == "person":
            yield self._unmeasured("journalist", "the release was linked record by record, and here one person may have several")
            return
        inverse = {people: 1 / people for people in matched.people}
        yield from self._summary("journalist", self._people, None, inverse, dict(matched.people))
        yield self._mean("marketer", self._people, "in the population", inverse, dict(matched.people))

    def _in_an_external_table(self, scenario: Scenario) -> Iterator[Measurement]:
        """Measure the most exposed link to a table that need not hold everybody.

        Somebody there whom f released records may be, while each of these may be F people, is linked rightly with chance 1 / max(f, F)
        at the most. The larger of the smallest f and the smallest F is at most the smallest of these larger numbers.
        """
        for matched in self.outside.matched:
            if matched.kind == "external":
                found = [people for people in matched.people if people]
                if matched.undecided:
                    yield replace(self._unmeasured("k_map", str(_matched_fault(matched, scenario))), variant=EXTERNAL)
                    continue
                if matched.fewest_released is None or not found:
                    reason = f"no released record may be anybody in {matched.name!r}, so nothing was learnt about linking"
                    yield replace(self._unmeasured("k_map", reason), variant=EXTERNAL)
                    continue
                value = max(min(found), matched.fewest_released)
                yield Measurement(metric="k_map", scenario="", level=self._people, variant=EXTERNAL, value=value)

    def _size(self, sizes: ClassSizes, persons: int) -> tuple[int | None, str]:
        """Return how many people the population is said to have, or why that is not known or of no use."""
        members = sizes.members(self._people)
        if self._people == "person" and members != persons:
            return None, "people have records in several classes, and the models know of one class a person"
        size = self.outside.population_size
        if self.outside.sampling_fraction is not None:
            size = round(members / self.outside.sampling_fraction)
        if size is None:
            return None, "neither a population table nor a sampling fraction or population size is given"
        if size < members:
            return None, f"the population is smaller than the sample: {size:,} against {members:,}"
        return size, ""

    def _estimated(self, sizes: ClassSizes, size: int) -> Iterator[Measurement]:
        """Estimate the journalist's risk from the share of the population that was drawn."""
        from anonscope.risk.measuring import population_estimates as estimators  # late: rarely is a population known by its size alone

        sample = estimators.sample_of(sizes.of(self._people), size)
        risks = estimators.expected_inverse(sample.sizes, sample.sizes * 0 + sample.fraction)
        inverse = {int(f): float(r) for f, r in zip(sample.sizes, risks, strict=True)}
        members = {f: f * count for f, count in sizes.of(self._people)}
        yield from self._summary("journalist", self._people, "estimated", inverse, members)
        yield self._mean("marketer", self._people, "estimated", inverse, members)

    def _uniqueness(self, scenario: Scenario, sizes: ClassSizes, size: int) -> Iterator[Measurement]:
        """Estimate how many people of the population are alone, by every model."""
        from anonscope.risk.measuring import population_estimates as estimators  # late: rarely is a population known by its size alone

        sample = estimators.sample_of(sizes.of(self._people), size)
        found: list[float] = []
        for name in estimators.ESTIMATORS:
            try:
                value = estimators.estimate(name, sample)
            except estimators.NoEstimate as problem:
                yield replace(self._unmeasured("population_uniqueness", str(problem)), variant=name)
                continue
            found.append(value)
            yield Measurement(
                metric="population_uniqueness", scenario="", level=self._people, variant=name, value=value, count=round(value * size)
            )
        if len(found) > 1 and sample.fraction < 1:
            self.warnings.append(
                f"The estimates of population uniqueness{self._named(scenario)} lie between {per_cent(min(found), 2)} and "
                f"{per_cent(max(found), 2)}. "
                "They come from models that disagree; this spread is not an interval that holds the truth, and no rule may decide by it."
            )

    def _prepare_survey(self) -> str | None:
        """Count members and weights, and return why weights are of no use, if so."""
        weighted, housed = self.roles.weight is not None, self.roles.household is not None
        if self.roles.event_level:
            return "it is about people, and here one person may have several records"
        fault = faulty_weights(self.engine) if weighted else None
        if fault is not None:
            self.warnings.append(f"{fault[0].upper()}{fault[1:]}; what needs the weight is not measured.")
        elif weighted or housed:
            open_members(self.engine, self.layout, self.roles, weighted=weighted)
            if housed:
                ((alone,),) = self.engine.rows("SELECT COALESCE(SUM(n), 0) FROM member WHERE h = 0")
                if alone:
                    self.warnings.append(f"Records without a household id ({int(alone):,}) count as a household of their own each.")
        return fault

    def _in_the_survey(self, scenario: Scenario) -> Iterator[Measurement]:
        weighted, housed = self.roles.weight is not None, self.roles.household is not None
        fault = self._weights_fault
        if fault is None and (weighted or housed):
            open_class_weights(self.engine, self.layout, scenario.quasi_identifiers)
            ((short, classes),) = self.engine.rows(
                "SELECT SUM(CASE WHEN x * 1000000000 < CAST(n AS DOUBLE) * 999999999 THEN 1 ELSE 0 END), COUNT(*) FROM class_weight"
            )
            if short:
                fault = (
                    f"the weights of {int(short):,} of {classes:,} classes add up to less than their records; "
                    "a weight must say how many people of the population a record stands for"
                )
            else:
                self.engine.materialise("class_risk", _WEIGHTED_RISK if weighted else _INVERSE_SIZE)
        if not weighted:
            yield self._unmeasured("individual_risk", "no survey weight is given")
        elif fault is not None:
            yield self._unmeasured("individual_risk", fault)
        else:
            yield from self._summarised("individual_risk", "class_risk")
        if not housed:
            yield self._unmeasured("household_risk", "no household is given")
        elif fault is not None:
            yield self._unmeasured("household_risk", fault)
        else:
            self.engine.materialise("household_risk", _HOUSEHOLD_RISK)
            yield from self._summarised("household_risk", "household_risk")

    def _summarised(self, metric: str, table: str) -> Iterator[Measurement]:
        """Summarise the risk in a table of (n, risk) over records."""
        limit = Fraction(self.threshold).limit_denominator(10**6)
        ((low, total, high, records, above),) = self.engine.rows(
            "SELECT MIN(risk), SUM(n * risk), MAX(risk), CAST(SUM(n) AS BIGINT), "
            f"SUM(CASE WHEN risk * {limit.denominator} > {limit.numerator} THEN n ELSE 0 END) FROM {table}"
        )
        yield Measurement(metric=metric, scenario="", min=low, mean=_between(low, total / records, high), max=high, sum=total)
        yield self._above(metric, "record", None, int(above), records)

    def _summary(
        self, metric: str, level: Level, variant: str | None, risks: dict[int, float], members: dict[int, int]
    ) -> Iterator[Measurement]:
        """Summarise a risk that is the same for all members of a class of one size."""
        total = sum(risks[size] * members[size] for size in members)
        records, low, high = sum(members.values()), min(risks.values()), max(risks.values())
        mean = _between(low, total / records, high)
        yield Measurement(metric=metric, scenario="", level=level, variant=variant, min=low, mean=mean, max=high, sum=total)
        above = sum(n for size, n in members.items() if exceeds(risks[size], self.threshold))
        yield self._above(metric, level, variant, above, records)

    def _above(self, metric: str, level: Level, variant: str | None, above: int, records: int) -> Measurement:
        named = f"above {self.threshold:g}" if variant is None else f"{variant}, above {self.threshold:g}"
        return Measurement(metric=metric, scenario="", level=level, variant=named, value=above / records, count=above)

    def _mean(self, metric: str, level: Level, variant: str, risks: dict[int, float], members: dict[int, int]) -> Measurement:
        total = sum(risks[size] * members[size] for size in members)
        mean = _between(min(risks.values()), total / sum(members.values()), max(risks.values()))
        return Measurement(metric=metric, scenario="", level=level, variant=variant, value=mean, sum=total)

    def _named(self, scenario: Scenario) -> str:
        return f" (scenario {scenario.name})" if len(self.roles.attackers) > 1 else ""

    def _unmeasured(self, metric: str, reason: str) -> Measurement:
        return Measurement(metric=metric, scenario="", level=self._people, status="not measured", reason=reason)


def assumptions(roles: Roles, outside: Outside) -> Iterator[str]:
    """Yield what the numbers rest on."""
    if outside.population is not None:
        yield (
            f"The population table {outside.population.name!r} has one record for every person of the population, "
            "among them everybody in the table."
        )
    for found in outside.matched:
        what = "population table" if found.kind == "population" else "external table"
        yield (
            f"The {what} {found.name!r} was linked by {', '.join(found.columns)}; a released value may be every value that it "
            "stands for there."
        )
    if outside.sampling_fraction is not None or outside.population_size is not None:
        yield "The table is a simple random sample of its population; what is said of the population is an estimate."
    if roles.weight is not None:
        yield f"The survey weight {roles.weight!r} is used by individual and household risk only; all else is about the records."
    if roles.household is not None:
        yield f"Members of a household ({roles.household!r}) are found independently of one another."


def _matched_fault(matched: Matched, scenario: Scenario) -> str | None:
    """Return why a linkage with the population says nothing, if so."""
    if lacking := [column for column in scenario.quasi_identifiers if column in matched.lacking]:
        return f"the population table has no column for {', '.join(map(repr, lacking))}"
    if matched.undecided:
        return f"{matched.undecided:,} records have labels that nothing explains, so whom they may be is not known"
    if matched.short:
        return f"the population has fewer people than the table in the groups of {matched.short:,} records, so the sample is not from it"
    return None


def _separation(pairs: float, records: int) -> float:
    """Return the share of pairs that differ; where there is no pair, nothing is left alike."""
    return 1 - pairs / (records * (records - 1)) if records > 1 else 1.0


def _between(low: float, mean: float, high: float) -> float:
    """Adding up may end a hair outside what was added."""
    return min(max(mean, low), high)


_INVERSE_SIZE = "SELECT q, n, 1 / CAST(n AS DOUBLE) AS risk FROM class_weight"

# Near p = 1 the closed forms for one and two subtract equal infinities; their limit is what the form for more gives.
_WEIGHTED_RISK = """
SELECT q, n, CASE
  WHEN n > 2 OR (1 - p) * 1000000 < 1 THEN p / (n - 1 + p)
  WHEN n = 1 THEN p / (1 - p) * (0 - LN(p))
  ELSE p / (1 - p) + (p / (1 - p)) * (p / (1 - p)) * LN(p)
END AS risk
FROM (SELECT q, n, n / x AS p FROM class_weight) AS y
"""

# The logarithm turns the product into a sum; a member who is found for certain has none and decides alone. Some engines refuse
# an exponential that is too small to be a number.
_HOUSEHOLD_RISK = """
SELECT h, CAST(SUM(n) AS BIGINT) AS n,
  CASE WHEN MAX(risk) < 1 AND SUM(missed) > -700 THEN 1 - EXP(SUM(missed)) ELSE CAST(1 AS DOUBLE) END AS risk
FROM (
  SELECT m.h, m.n, r.risk, CASE WHEN r.risk < 1 THEN m.n * LN(1 - r.risk) ELSE CAST(0 AS DOUBLE) END AS missed
  FROM scenario_member AS m JOIN class_risk AS r ON m.q = r.q
  WHERE m.h > 0
) AS y
GROUP BY h
UNION ALL
SELECT m.h, m.n, r.risk FROM scenario_member AS m JOIN class_risk AS r ON m.q = r.q WHERE m.h = 0
"""

"""Measure every metric over every scenario, attribute and sensitive attribute, from counts made once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from anonscope.count import (
    Layout,
    encode,
    is_numeric,
    measure_ordered,
    open_attribute_pairs,
    open_attributes,
    open_scenario,
    open_sensitive,
)
from anonscope.engines import Engine, Statement
from anonscope.metrics import METRICS, ClassSizes, ClassStatistic, Measurement, Metric, RecordRisk, SizeMetric, Totals, evaluate
from anonscope.metrics.evaluate import Summary
from anonscope.metrics.metric import Level, Variant
from anonscope.policy import Policy, Verdict, judge
from anonscope.roles import Roles, Scenario
from anonscope.sources import Relation

MISSING_LIMIT = 0.85
Progress = Callable[[str, int, int], None]


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


def run(
    engine: Engine, relation: Relation, roles: Roles, policy: Policy, *, rows: int | None = None, progress: Progress | None = None
) -> Findings:
    """Audit a relation."""
    roles.check(relation.names)
    return _Run(engine, relation, roles, policy, rows, progress or (lambda label, done, of: None)).findings()


class _Run:
    """One audit under way; what it collects becomes `Findings`."""

    def __init__(self, engine: Engine, relation: Relation, roles: Roles, policy: Policy, rows: int | None, progress: Progress) -> None:
        self.engine, self.relation, self.roles, self.policy, self.rows = engine, relation, roles, policy, rows
        self.event_level = roles.event_level
        self.missing: dict[str, float] = {}
        self.totals: dict[str | None, Totals] = {}
        self.facts: dict[str, SensitiveFacts] = {}
        self.records_without_person = 0
        self._progress = progress
        self._steps = 1 + len(roles.attackers) * (1 + len(roles.sensitive))
        self._done = 0

    def findings(self) -> Findings:
        self._step("reading and counting records")
        layout = encode(self.engine, self.relation, self.roles, self.rows)
        scenarios: list[ScenarioCounts] = []
        measurements: list[Measurement] = []
        for scenario in self.roles.attackers:
            found = list(self._scenario(layout, scenario))
            sizes = evaluate.class_sizes(self.engine, event_level=self.event_level)
            found += self._of_sizes(scenario, sizes)
            scenarios.append(ScenarioCounts(scenario.name, scenario.quasi_identifiers, sizes))
            measurements += found
        ordered = _in_registry_order(measurements)
        totals = self.totals[None]
        return Findings(
            source=self.relation.name,
            columns=self.relation.names,
            rows=totals.records,
            persons=totals.persons if self.event_level else None,
            roles=self.roles,
            policy=self.policy,
            verdict=judge(self.policy, self.roles, ordered, self.totals),
            scenarios=tuple(scenarios),
            sensitive=tuple(self.facts.values()),
            measurements=ordered,
            missing=self.missing,
            warnings=tuple(self._warnings()),
            assumptions=tuple(self._assumptions()),
            statements=self.engine.statements,
        )

    def _scenario(self, layout: Layout, scenario: Scenario) -> Iterator[Measurement]:
        columns = scenario.quasi_identifiers
        self._step(f"counting classes ({scenario.name})" if len(self.roles.attackers) > 1 else "counting classes")
        open_scenario(self.engine, layout, columns)
        self.totals.setdefault(None, evaluate.table_totals(self.engine, event_level=self.event_level))
        yield from self._of_classes(scenario)
        for j, sensitive in enumerate(self.roles.sensitive):
            self._step(f"measuring {sensitive}")
            if j > 0 or self.event_level:
                open_sensitive(self.engine, layout, j)
            open_attributes(self.engine, layout, columns, with_cells=True)
            yield from self._of_cells(layout, scenario, sensitive, j)
        if not self.roles.sensitive:
            open_attributes(self.engine, layout, columns, with_cells=False)
            yield from self._not_measurable(scenario)
        self._count_missing(layout)
        if self.event_level:
            open_attribute_pairs(self.engine, layout, columns)
        risks = [r for r in _risks("each") if "sensitive" not in r.needs]
        yield from self._each(layout, scenario, "pair" if self.event_level else "class", risks, None)

    def _of_classes(self, scenario: Scenario) -> Iterator[Measurement]:
        """Measure what needs the quasi-identifier only."""
        statistics = [(metric, variant) for metric, variant in _variants("class")]
        for (metric, variant), value in zip(statistics, evaluate.worst_classes(self.engine, statistics), strict=True):
            yield Measurement(metric=metric.name, scenario=scenario.name, variant=variant.name, value=value)
            if self.event_level and metric.name == "k_anonymity":
                persons = evaluate.fewest_persons(self.engine)
                yield Measurement(metric=metric.name, scenario=scenario.name, variant=variant.name, level="person", value=persons)
        for table in ("class", "pair"):
            risks = [r for r in _risks("whole") if not r.needs and evaluate.table_for(r, event_level=self.event_level) == table]
            for risk, summary in zip(risks, evaluate.summarise(self.engine, table, risks), strict=True):
                yield _summarised(risk, scenario, summary)

    def _of_cells(self, layout: Layout, scenario: Scenario, sensitive: str, j: int) -> Iterator[Measurement]:
        """Measure what needs one sensitive attribute."""
        engine, attribute = self.engine, len(layout.attributes) + j
        totals = self.totals.setdefault(sensitive, evaluate.value_totals(engine, self.totals[None]))
        if sensitive not in self.facts:
            numeric = is_numeric(engine, attribute)
            self.facts[sensitive] = SensitiveFacts(sensitive, totals.sensitive_values, totals.commonest_value, numeric)
            self._note_missing(sensitive, evaluate.missing_values(engine))
        numeric = self.facts[sensitive].numeric
        statistics = list(_variants("cell"))
        needing = [r for r in _risks("whole") if "sensitive" in r.needs]
        on_cells = [r for r in needing if evaluate.table_for(r, event_level=self.event_level) == "cell"]
        on_triples = [r for r in needing if r not in on_cells]
        values, summaries = evaluate.worst_cells(engine, statistics, on_cells)
        found = [
            Measurement(metric=metric.name, scenario=scenario.name, sensitive=sensitive, variant=variant.name, value=value)
            for (metric, variant), value in zip(statistics, values, strict=True)
        ]
        wanted = self.roles.distance.get(sensitive) or ("ordered" if numeric else "equal")
        if numeric or wanted == "ordered":
            measure_ordered(engine, attribute, numeric=numeric)
            for metric, variant in _variants("ordered_distance"):
                value = evaluate.worst_ordered(engine)
                found.append(
                    Measurement(metric=metric.name, scenario=scenario.name, sensitive=sensitive, variant=variant.name, value=value)
                )
        yield from sorted(found, key=lambda m: m.variant not in (None, wanted))
        summaries += evaluate.summarise(engine, "triple", on_triples)
        for risk, summary in zip([*on_cells, *on_triples], summaries, strict=True):
            yield replace(_summarised(risk, scenario, summary), sensitive=sensitive)
        yield from self._each(layout, scenario, "cell", [r for r in _risks("each") if "sensitive" in r.needs], sensitive)

    def _each(
        self, layout: Layout, scenario: Scenario, table: str, risks: list[RecordRisk], sensitive: str | None
    ) -> Iterator[Measurement]:
        """Measure every attribute of the scenario on its own."""
        by_attribute = evaluate.summarise_each(self.engine, table, risks)
        for i, risk in enumerate(risks):
            for attribute in scenario.quasi_identifiers:
                summary = by_attribute[layout.attributes.index(attribute)][i]
                yield replace(_summarised(risk, scenario, summary), attributes=(attribute,), sensitive=sensitive)

    def _of_sizes(self, scenario: Scenario, sizes: ClassSizes) -> Iterator[Measurement]:
        levels: tuple[Level, ...] = ("record", "person") if self.event_level else ("record",)
        for metric in METRICS.values():
            if isinstance(metric, SizeMetric):
                thresholds = self.policy.thresholds if metric.parameter else (0,)
                for level in levels:
                    for threshold in thresholds:
                        yield Measurement(
                            metric=metric.name,
                            scenario=scenario.name,
                            variant=f"below {threshold}" if metric.parameter else None,
                            level=level,
                            value=metric.measure(sizes, level, threshold),
                        )

    def _not_measurable(self, scenario: Scenario) -> Iterator[Measurement]:
        reason = "no sensitive attribute is given"
        for metric in METRICS.values():
            if "sensitive" in metric.needs:
                unmeasured = Measurement(metric=metric.name, scenario=scenario.name, status="not measured", reason=reason)
                yield unmeasured
                if "each" in metric.scopes:
                    yield from (replace(unmeasured, attributes=(attribute,)) for attribute in scenario.quasi_identifiers)

    def _count_missing(self, layout: Layout) -> None:
        for attribute, count in evaluate.missing_by_attribute(self.engine).items():
            self._note_missing(layout.attributes[attribute], count)
        if self.event_level and self.roles.person not in self.missing:
            self.records_without_person = evaluate.missing_persons(self.engine)
            self._note_missing(str(self.roles.person), self.records_without_person)

    def _note_missing(self, column: str, count: int) -> None:
        self.missing[column] = count / self.totals[None].records

    def _warnings(self) -> Iterator[str]:
        yield from self.relation.notes
        if self.totals[None].records == 1:
            yield "The table has one record, which is unique whatever its values are."
        for column, share in self.missing.items():
            if share == 1:
                yield f"Column {column!r} has no value at all; it says nothing about anybody."
            elif share > MISSING_LIMIT:
                yield f"Column {column!r} is missing in {share:.0%} of the records; the few that have it stand out. Consider dropping it."
        for facts in self.facts.values():
            if facts.values == 1:
                yield (
                    f"Sensitive attribute {facts.name!r} has one value only: everybody's is known without any attack, "
                    "so l-diversity is 1 and correlation is 1 whatever the quasi-identifiers are."
                )
        if self.records_without_person:
            yield (
                f"{self.records_without_person:,} records have no person id. They count as one unknown person; "
                "the risk is overstated if they are many people, and understated if they belong to people who have an id."
            )

    def _assumptions(self) -> Iterator[str]:
        yield "An attacker knows the quasi-identifiers of their target exactly, and that the target is in the table."
        yield "A missing value is a value of its own: two records that both lack it look alike. No record is left out."
        yield "Values are compared as they are written; zip codes keep their leading zeros."
        if self.rows is not None:
            yield f"Only the first {self.totals[None].records:,} records were measured (--rows); the rest of the table is not assessed."
        if self.event_level:
            yield f"Several records may belong to one person, told apart by {self.roles.person!r}; groups are counted in persons as well."
        else:
            yield "Every record belongs to a different person."
        for facts in self.facts.values():
            if self.roles.distance.get(facts.name) == "ordered" and not facts.numeric:
                yield f"{facts.name!r} is not numeric; its ordered distance uses the alphabetical order of its values."
            elif facts.numeric:
                yield f"{facts.name!r} is numeric: its ordered distance compares ranks, a missing value ranks lowest."
        if self.roles.weight is not None:
            yield f"The survey weight {self.roles.weight!r} is left aside: these measures are about the records in the table."
        if self.roles.household is not None:
            yield f"The household {self.roles.household!r} is left aside: every member is measured alone."

    def _step(self, label: str) -> None:
        self._progress(label, self._done, self._steps)
        self._done += 1


def _risks(scope: str) -> list[RecordRisk]:
    return [metric for metric in METRICS.values() if isinstance(metric, RecordRisk) and scope in metric.scopes]


def _variants(table: str) -> Iterator[tuple[ClassStatistic, Variant]]:
    for metric in METRICS.values():
        if isinstance(metric, ClassStatistic):
            yield from ((metric, variant) for variant in metric.variants if variant.table == table)


def _summarised(metric: Metric, scenario: Scenario, summary: Summary) -> Measurement:
    return Measurement(metric=metric.name, scenario=scenario.name, min=summary.min, mean=summary.mean, max=summary.max)


def _in_registry_order(measurements: list[Measurement]) -> tuple[Measurement, ...]:
    """Sort by metric, whole quasi-identifier before single attributes; otherwise as measured."""
    order = {name: i for i, name in enumerate(METRICS)}
    return tuple(sorted(measurements, key=lambda m: (order[m.metric], m.attributes is not None)))

"""The audit itself: what is opened when, and who measures what is open."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from anonscope.columns.roles import Roles, Scenario
from anonscope.engines import Engine
from anonscope.io.progress import Progress, silent
from anonscope.io.sources import Relation
from anonscope.risk.counting import (
    Layout,
    encode,
    in_two_forms,
    missing_in_source,
    open_attribute_cells,
    open_attribute_pairs,
    open_attributes,
    open_kinds,
    open_scenario,
    open_sensitive,
)
from anonscope.risk.counting.forms import alike_values
from anonscope.risk.findings import Findings, Measured, Request, ScenarioCounts, SensitiveFacts
from anonscope.risk.measuring.about import SensitiveAttribute, about_sensitive, about_sizes, about_tuples, facts_of, hierarchies_of
from anonscope.risk.measuring.attack import Attackers, assumptions
from anonscope.risk.measuring.remarks import Remarks
from anonscope.risk.measuring.selection import Selection, in_registry_order, meaningful, without_sensitive
from anonscope.risk.measuring.unmeasured import find_repeated, look_at_columns, sample_of, with_written_ids
from anonscope.risk.metrics import ClassSizes, Measurement, Metric, RecordRisk, Totals, evaluate
from anonscope.risk.metrics.evaluate import Summary
from anonscope.risk.metrics.metric import Scope
from anonscope.risk.metrics.profile import measurements as measured_profile
from anonscope.risk.metrics.profile import profiles
from anonscope.risk.policy import Policy, RepeatedIdentifier, TellingColumn, UnassignedColumn, Verdict, judge
from anonscope.risk.policy.guarantee import check_guarantee
from anonscope.risk.policy.linked import LinkedRecords, worst_linked

if TYPE_CHECKING:
    from anonscope.columns.suggestion.check import Check


def run(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    policy: Policy,
    *,
    rows: int | None = None,
    request: Request | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Audit a relation."""
    roles.check(relation.names)
    return Run(engine, relation, roles, policy, rows, request or Request(), progress or silent).findings()


class Run:
    """One audit under way; what it collects becomes `Findings`."""

    def __init__(
        self, engine: Engine, relation: Relation, roles: Roles, policy: Policy, rows: int | None, request: Request, progress: Progress
    ) -> None:
        self.engine, self.relation, self.roles, self.policy, self.rows = engine, relation, roles, policy, rows
        self.event_level = roles.event_level
        self.outside, self.risk_threshold = request.outside, request.risk_threshold
        self.chosen = Selection(request.only)
        # What is counted; the verdict is about all roles, and so are counts that are kept.
        self.counted = roles if self.chosen.sensitive or request.kept is not None else replace(roles, sensitive=())
        self.kept = request.kept
        self.pairs = request.pairs and bool(self.chosen.table_metrics("pair"))
        self.joined = request.joined and len(roles.sensitive) > 1 and self.chosen.sensitive
        self.literal = request.literal_chain
        self.zip_populations = request.zip_populations
        # Whoever audits may know that several records are one person's, where whoever made the release did not say so.
        self.privacy_loss = request.privacy_loss.judged_by(roles.person) if request.privacy_loss else None
        self.guarantee = request.guarantee
        self.words, self.named, self.notices = request.acknowledged, request.named, request.notices
        counted = (*roles.attributes, *roles.sensitive, roles.person, roles.household, roles.weight)
        self.perturbed = tuple(column for column in request.perturbed if column in counted)
        # Read first: what is wrong with a file is said before the table is read.
        self.hierarchies = hierarchies_of(roles)
        self.missing: dict[str, float] = {}
        self.totals: dict[str | None, Totals] = {}
        self.facts: dict[str, SensitiveFacts] = {}
        self.records_without_person = 0
        self.two_forms: tuple[str, ...] = ()
        self.repeated: tuple[RepeatedIdentifier, ...] = ()
        self.telling: tuple[TellingColumn, ...] = ()
        self.linked: list[LinkedRecords] = []
        self._steps = 1 + len(roles.attackers) * (1 + len(self.counted.sensitive) * (1 + self.joined))
        self._progress, self._done = progress, 0
        self.stands_in_for: str | None = None  # the engine that a worker of it measures for

    def findings(self) -> Findings:
        self._step("reading and counting records")
        table = (self.engine, self.relation, self.roles, self.words, self.rows)
        sample = sample_of(self.engine, self.relation, self.rows)  # one for both looks
        unassigned, self.telling = look_at_columns(*table, self.kept, sample=sample)
        self.repeated = find_repeated(*table, named=self.named, sample=sample)
        checks = self._checks()
        self.two_forms = self._in_two_forms()
        layout = encode(self.engine, self.relation, self.counted, self.rows, self.kept)
        stated = None
        if alike := alike_values(self.engine, layout, self.relation):
            from anonscope.risk.measuring.alike import beside_as_one  # late: few tables have values that look alike

            layout, stated = beside_as_one(self, alike, layout)
        measured = None
        if self.engine.remote:
            from anonscope.risk.measuring.near import measured_near  # late: most tables are here

            measured = measured_near(self, layout)
        measured = measured or self.measured(layout)
        self.totals, self.facts, self.missing, self.linked = measured.totals, measured.facts, measured.missing, measured.linked
        self.records_without_person = measured.records_without_person
        measurements = self.chosen.completed(measured.measurements, [scenario.name for scenario in self.roles.attackers])
        ordered = in_registry_order([meaningful(m, self.roles, self.perturbed) for m in measurements])
        totals, remarks, verdict = self.totals[None], self._remarks(), self._judged(ordered, checks, unassigned)
        return Findings(
            source=self.relation.name,
            columns=self.relation.names,
            rows=totals.records,
            persons=totals.persons if self.event_level else None,
            roles=self.roles,
            policy=self.policy,
            verdict=with_written_ids(table, stated(verdict, ordered) if stated is not None else verdict),
            scenarios=tuple(measured.scenarios),
            sensitive=tuple(self.facts.values()),
            measurements=ordered,
            missing=self.missing,
            warnings=(*remarks.warnings(), *measured.warnings),
            assumptions=(*remarks.assumptions(), *assumptions(self.roles, self.outside)),
            statements=(*self.engine.statements, *measured.statements),
            perturbed=self.perturbed,
            privacy_loss=self.privacy_loss,
            only=self.chosen.names,
        )

    def measured(self, layout: Layout) -> Measured:
        """Measure all scenarios of what was counted."""
        attackers = Attackers(self.engine, layout, self.roles, self.outside, self.risk_threshold, self.chosen)
        scenarios: list[ScenarioCounts] = []
        measurements: list[Measurement] = []
        for scenario in self.roles.attackers:
            found, sizes = self._scenario(layout, scenario, attackers)
            measurements += found
            measurements += about_sizes(scenario.name, sizes, self.chosen, self.policy.thresholds, event_level=self.event_level)
            measurements += attackers.measure(scenario, sizes, self.totals[None].persons)
            scenarios.append(ScenarioCounts(scenario.name, scenario.quasi_identifiers, sizes))
            if self.joined:
                # Last of all, because it puts other classes in the place of the scenario's.
                measurements += self._joined(layout, scenario)
        return Measured(
            measurements=measurements,
            scenarios=scenarios,
            totals=self.totals,
            facts=self.facts,
            missing=self.missing,
            linked=self.linked,
            records_without_person=self.records_without_person,
            warnings=attackers.warnings,
        )

    def _judged(
        self, measurements: Sequence[Measurement], checks: "tuple[Check, ...]", unassigned: tuple[UnassignedColumn, ...]
    ) -> Verdict:
        return judge(
            *(self.policy, self.roles, measurements, self.totals, checks, self.two_forms, self.outside.given, unassigned),
            *(self.repeated, self.telling, worst_linked(self.linked), self.engine.title if self.engine.remote else None),
            *(self.relation.also_held, self.words.rest if self.relation.also_held else None),
        )

    def apart(self) -> "Run":
        """Return what is asked without the table, for somebody who was handed what was counted."""
        other = copy(self)
        other.stands_in_for, other._progress = self.engine.title, silent
        del other.engine, other.relation
        return other

    def _checks(self) -> "tuple[Check, ...]":
        """Go through the policy's list of checks; first of all, because it opens all columns where counting opens some."""
        if self.policy.checklist is None:
            return ()
        if self.policy.guarantee is not None:
            return check_guarantee(self.policy.guarantee, self.guarantee, self.roles.person)
        from anonscope.columns.suggestion.propose import check_safe_harbor  # late: most policies have no such list

        return check_safe_harbor(self.engine, self.relation, self.roles, rows=self.rows, populations=self.zip_populations)

    def _in_two_forms(self) -> tuple[str, ...]:
        """Return the columns with a role that a reader of this very table tells more apart in than was counted."""
        told_apart = [*self.roles.attributes, *self.roles.sensitive, *filter(None, (self.roles.person, self.roles.household))]
        return in_two_forms(self.engine, self.relation, told_apart, self.rows, self.kept)

    def _scenario(self, layout: Layout, scenario: Scenario, attackers: Attackers) -> tuple[list[Measurement], ClassSizes]:
        columns = scenario.quasi_identifiers
        self._step(f"counting classes ({scenario.name})" if len(self.roles.attackers) > 1 else "counting classes")
        open_scenario(self.engine, layout, columns)
        self.totals.setdefault(None, evaluate.table_totals(self.engine, event_level=self.event_level))
        if self.event_level:
            from anonscope.risk.measuring.linked import linked_records  # late: most tables have one record a person

            self.linked += linked_records(self.engine, scenario, self.roles, self.totals[None], self.policy, self.perturbed, self.words)
        if self.chosen.sensitive and layout.sensitive and self.event_level:
            open_sensitive(self.engine, layout, columns, 0)
        if self.chosen.sensitive and layout.sensitive:
            open_kinds(self.engine, layout, columns, 0)
        if self.chosen.attributes:
            open_attributes(self.engine, layout, columns, with_cells=bool(layout.sensitive) and self.chosen.attribute_cells)
        if self.pairs:
            from anonscope.risk.counting.couples import open_couples  # late: pairs are looked at where somebody asks for them

            open_couples(self.engine, layout, columns)
        tasks = (self._of_sensitive, self._of_each, self._of_whole, self._of_tuples)
        sensitive, each, whole, tuples, apart = self.engine.together(
            [*(partial(_all, partial(task, layout, scenario)) for task in tasks), partial(_all, partial(attackers.each, scenario))]
        )
        return [*whole, *sensitive, *each, *tuples, *apart], evaluate.class_sizes(self.engine, event_level=self.event_level)

    def _of_whole(self, layout: Layout, scenario: Scenario) -> Iterator[Measurement]:
        """Measure what looks at the whole quasi-identifier, or at pairs of attributes."""
        yield from self._of_classes(scenario)
        yield from self._entropies(layout, scenario, "whole", None)
        if self.pairs:
            yield from self._entropies(layout, scenario, "pair", None)

    def _of_sensitive(self, layout: Layout, scenario: Scenario) -> Iterator[Measurement]:
        """Measure what looks at sensitive attributes."""
        columns = scenario.quasi_identifiers
        for j, sensitive in enumerate(layout.sensitive if self.chosen.sensitive else ()):
            self._step(f"measuring {sensitive}")
            if j > 0:
                open_sensitive(self.engine, layout, columns, j)
                open_kinds(self.engine, layout, columns, j)
                if self.chosen.attribute_cells:
                    open_attribute_cells(self.engine, layout, columns)
            yield from self._of_cells(layout, scenario, sensitive, j)
        if not self.roles.sensitive:
            yield from without_sensitive(scenario)

    def _of_each(self, layout: Layout, scenario: Scenario) -> Iterator[Measurement]:
        """Measure what looks at every quasi-identifier on its own."""
        if self.event_level and self.chosen.attribute_pairs:
            open_attribute_pairs(self.engine, layout, scenario.quasi_identifiers)
        risks = [r for r in self.chosen.record_risks("each") if "sensitive" not in r.needs]
        yield from self._together(
            lambda: self._count_missing(layout),
            lambda: self._entropies(layout, scenario, "each", None),
            lambda: self._each(layout, scenario, "pair" if self.event_level else "class", risks, None),
        )

    def _of_tuples(self, layout: Layout, scenario: Scenario) -> Iterator[Measurement]:
        """Measure what holds every attribute against all others."""
        if whole := self.chosen.tuple_metrics:
            known = scenario.quasi_identifiers
            yield from about_tuples(self.engine, layout, scenario.name, known, whole, literal=self.literal, stand_in_for=self.stands_in_for)

    def _of_classes(self, scenario: Scenario) -> Iterator[Measurement]:
        """Measure what needs the quasi-identifier only."""
        statistics = list(self.chosen.variants_on("class"))
        for (metric, variant), value in zip(statistics, evaluate.worst_classes(self.engine, statistics), strict=True):
            yield Measurement(metric=metric.name, scenario=scenario.name, variant=variant.name, value=value)
            if self.event_level and metric.name == "k_anonymity":
                persons = evaluate.fewest_persons(self.engine)
                yield Measurement(metric=metric.name, scenario=scenario.name, variant=variant.name, level="person", value=persons)
        for table in ("class", "pair"):
            risks = [
                r for r in self.chosen.record_risks("whole") if not r.needs and evaluate.table_for(r, event_level=self.event_level) == table
            ]
            for risk, summary in zip(risks, evaluate.summarise(self.engine, table, risks), strict=True):
                yield _summarised(risk, scenario, summary)

    def _of_cells(self, layout: Layout, scenario: Scenario, sensitive: str, j: int) -> Iterator[Measurement]:
        """Measure what needs one sensitive attribute."""
        engine, attribute = self.engine, len(layout.attributes) + j
        if sensitive not in self.facts:
            self.totals[sensitive], self.facts[sensitive], missing = facts_of(engine, sensitive, attribute, self.totals[None])
            self._note_missing(sensitive, missing)
        if self.pairs:
            from anonscope.risk.counting.couples import open_couple_cells  # late: this too

            open_couple_cells(engine, layout, scenario.quasi_identifiers)
        risks = [r for r in self.chosen.record_risks("each") if "sensitive" in r.needs]
        yield from self._together(
            lambda: about_sensitive(engine, scenario.name, self._about(layout, j), self.chosen, event_level=self.event_level),
            lambda: self._of_triples(scenario, sensitive),
            lambda: self._entropies(layout, scenario, "each", sensitive),
            lambda: self._entropies(layout, scenario, "pair", sensitive) if self.pairs else (),
            lambda: self._each(layout, scenario, "cell", risks, sensitive),
        )

    def _of_triples(self, scenario: Scenario, sensitive: str) -> Iterator[Measurement]:
        risks = [r for r in self.chosen.record_risks("whole") if evaluate.table_for(r, event_level=self.event_level) == "triple"]
        for risk, summary in zip(risks, evaluate.summarise(self.engine, "triple", risks), strict=True):
            yield replace(_summarised(risk, scenario, summary), sensitive=sensitive)

    def _together(self, *tasks: Callable[[], Iterable[Measurement] | None]) -> Iterator[Measurement]:
        """Yield what tasks find that only read what is open, at once where the engine can."""
        for found in self.engine.together([partial(_all, task) for task in tasks]):
            yield from found

    def _about(self, layout: Layout, j: int) -> SensitiveAttribute:
        name = layout.sensitive[j]
        return SensitiveAttribute(
            name=name,
            number=len(layout.attributes) + j,
            numeric=self.facts[name].numeric,
            totals=self.totals[name],
            distance=self.roles.distance.get(name),
            hierarchy=self.hierarchies.get(name),
        )

    def _joined(self, layout: Layout, scenario: Scenario) -> Iterator[Measurement]:
        """Measure each sensitive attribute once more, against an attacker who knows all the others."""
        from anonscope.risk.counting.joined import open_joined  # late: this too

        for j, sensitive in enumerate(layout.sensitive):
            self._step(f"measuring {sensitive}, the others known")
            open_joined(self.engine, layout, j)
            about = self._about(layout, j)
            yield from about_sensitive(self.engine, scenario.name, about, self.chosen, event_level=self.event_level, level="joined")

    def _entropies(self, layout: Layout, scenario: Scenario, scope: Scope, sensitive: str | None) -> Iterator[Measurement]:
        """Measure how much is left open, for the whole quasi-identifier, every attribute or every pair of attributes."""
        if not self.chosen.table_metrics(scope):
            return
        target: Literal["record", "person", "value"] = "value" if sensitive else "person" if self.event_level else "record"
        size = {"whole": 0, "each": 1, "pair": 2}[scope]
        found = profiles(self.engine, scope, target, self.totals[sensitive].entropy)
        for place in combinations(scenario.quasi_identifiers, size):
            yield from measured_profile(
                self.chosen.table_metrics(scope),
                found[tuple(sorted(map(layout.attributes.index, place)))],
                "inference" if sensitive else "re-identification",
                scope=scope,
                scenario=scenario.name,
                attributes=place or None,
                sensitive=sensitive,
            )

    def _each(
        self, layout: Layout, scenario: Scenario, table: str, risks: list[RecordRisk], sensitive: str | None
    ) -> Iterator[Measurement]:
        """Measure every attribute of the scenario on its own."""
        by_attribute = evaluate.summarise_each(self.engine, table, risks)
        for i, risk in enumerate(risks):
            for attribute in scenario.quasi_identifiers:
                summary = by_attribute[layout.attributes.index(attribute)][i]
                yield replace(_summarised(risk, scenario, summary), attributes=(attribute,), sensitive=sensitive)

    def _count_missing(self, layout: Layout) -> None:
        missing = evaluate.missing_by_attribute(self.engine) if self.chosen.attributes else missing_in_source(self.engine, layout)
        for attribute, count in missing.items():
            self._note_missing(layout.attributes[attribute], count)
        if self.event_level and self.roles.person not in self.missing:
            self.records_without_person = evaluate.missing_persons(self.engine)
            self._note_missing(str(self.roles.person), self.records_without_person)

    def _note_missing(self, column: str, count: int) -> None:
        self.missing[column] = count / self.totals[None].records

    def _remarks(self) -> Remarks:
        return Remarks(
            relation=self.relation,
            roles=self.roles,
            records=self.totals[None].records,
            rows=self.rows,
            remote=self.engine.remote,
            notices=self.notices,
            perturbed=self.perturbed,
            two_forms=self.two_forms,
            repeated=self.repeated,
            telling=self.telling,
            privacy_loss=self.privacy_loss,
            missing=self.missing,
            facts=self.facts,
            records_without_person=self.records_without_person,
            hierarchies=self.hierarchies,
            joined=self.joined,
            only=self.chosen.names,
        )

    def _step(self, label: str) -> None:
        self._progress(label, self._done, self._steps)
        self._done += 1


def _all(task: Callable[[], Iterable[Measurement] | None]) -> list[Measurement]:
    """Do a task to its end: one that yields does nothing until it is asked."""
    return list(task() or ())


def _summarised(metric: Metric, scenario: Scenario, summary: Summary) -> Measurement:
    return Measurement(metric=metric.name, scenario=scenario.name, min=summary.min, mean=summary.mean, max=summary.max)

"""Which metrics are measured: all of them, or those that somebody named; and which of them live on which table and in which scope."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from anonscope.columns.roles import Roles, Scenario
from anonscope.risk.metrics import METRICS, Metric, TupleMetric
from anonscope.risk.metrics.metric import ClassStatistic, Measurement, RecordRisk, Scope, TableMetric, Variant

NOT_ASKED = "it was not asked for"
# What is counted on the way to something else: recursive (c, l)-diversity is about the table's own l.
_RESTS_ON = {"recursive_c_l_diversity": "l_diversity"}


@dataclass(frozen=True, slots=True)
class Selection:
    """The metrics that an audit measures, by name; None is all of them."""

    names: frozenset[str] | None = None

    def __contains__(self, name: str) -> bool:
        return self.names is None or name in self.names

    def any_of(self, *names: str) -> bool:
        """Return whether one of some metrics is measured."""
        return any(name in self for name in names)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics to compute, in the order of the registry, with what they rest on."""
        if self.names is None:
            return tuple(METRICS.values())
        computed = {*self.names, *(_RESTS_ON[name] for name in self.names if name in _RESTS_ON)}
        return tuple(metric for name, metric in METRICS.items() if name in computed)

    @property
    def sensitive(self) -> bool:
        """Whether something looks at sensitive attributes."""
        return any("sensitive" in m.needs or isinstance(m, TableMetric) or (isinstance(m, TupleMetric) and m.telling) for m in self.metrics)

    @property
    def attributes(self) -> bool:
        """Whether something looks at every quasi-identifier on its own, or holds it against the others."""
        return any("each" in metric.scopes or isinstance(metric, TupleMetric) for metric in self.metrics)

    @property
    def attribute_cells(self) -> bool:
        """Whether something looks at sensitive attributes beside every quasi-identifier on its own."""
        return bool(self.table_metrics("each")) or any("sensitive" in risk.needs for risk in self.record_risks("each"))

    @property
    def attribute_pairs(self) -> bool:
        """Whether something looks at persons beside every quasi-identifier on its own."""
        return bool(self.table_metrics("each")) or any(risk.table == "pair" for risk in self.record_risks("each"))

    def record_risks(self, scope: Scope) -> list[RecordRisk]:
        """Return the record risks that are measured in a scope."""
        return [metric for metric in self.metrics if isinstance(metric, RecordRisk) and scope in metric.scopes]

    def variants_on(self, table: str) -> Iterator[tuple[ClassStatistic, Variant]]:
        """Yield the class statistics that are computed on a table, variant by variant."""
        for metric in self.metrics:
            if isinstance(metric, ClassStatistic):
                yield from ((metric, variant) for variant in metric.variants if variant.table == table)

    def table_metrics(self, scope: Scope) -> list[TableMetric]:
        """Return the metrics that are functions of an entropy profile in a scope."""
        return [metric for metric in self.metrics if isinstance(metric, TableMetric) and scope in metric.scopes]

    @property
    def tuple_metrics(self) -> list[TupleMetric]:
        """The metrics that hold every attribute against all others."""
        return [metric for metric in self.metrics if isinstance(metric, TupleMetric)]

    def completed(self, measured: list[Measurement], scenarios: Collection[str]) -> list[Measurement]:
        """Return what was asked for of what was measured, and of every other metric that it was not: nothing looks safe by its absence."""
        if self.names is None:
            return measured
        left = [
            Measurement(metric=name, scenario=scenario, status="not measured", reason=NOT_ASKED)
            for scenario in scenarios
            for name in METRICS
            if name not in self
        ]
        return [m for m in measured if m.metric in self] + left


def in_registry_order(measurements: list[Measurement]) -> tuple[Measurement, ...]:
    """Sort by metric, whole quasi-identifier before single attributes before pairs; otherwise as measured."""
    order = {name: i for i, name in enumerate(METRICS)}
    return tuple(sorted(measurements, key=lambda m: (order[m.metric], len(m.attributes or ()))))


def without_sensitive(scenario: Scenario) -> Iterator[Measurement]:
    """Yield what is not measured of a scenario where no attribute is sensitive."""
    reason = "no sensitive attribute is given"
    for metric in METRICS.values():
        if "sensitive" in metric.needs:
            unmeasured = Measurement(metric=metric.name, scenario=scenario.name, status="not measured", reason=reason)
            yield unmeasured
            if "each" in metric.scopes:
                yield from (replace(unmeasured, attributes=(attribute,)) for attribute in scenario.quasi_identifiers)


def meaningful(m: Measurement, roles: Roles, perturbed: Sequence[str]) -> Measurement:
    """Return a measurement, or that there is none: among made-up values a class no longer means what it says."""
    known = m.attributes or next(s.quasi_identifiers for s in roles.attackers if s.name == m.scenario)
    needs = METRICS[m.metric].needs
    beside = (roles.person, roles.household if "household" in needs else None, roles.weight if "weight" in needs else None)
    made_up = [column for column in (*known, m.sensitive, *beside) if column in perturbed]
    if not made_up or m.status == "not measured":
        return m
    reason = f"a recipe perturbed {made_up[0]!r}, so groups of equal values no longer mean what they say"
    bare = Measurement(metric=m.metric, scenario=m.scenario, attributes=m.attributes, sensitive=m.sensitive)
    return replace(bare, variant=m.variant, level=m.level, status="not measured", reason=reason)

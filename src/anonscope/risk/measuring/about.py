"""Everything that is measured of the classes that are open: about their sizes, about a sensitive attribute, about whole tuples.

Tuples are fetched once for all metrics that need the same ones, or looked at where they are if they are remote.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.risk.counting import Layout, StoredTuples, fetch_tuples, is_numeric, measure_ordered
from anonscope.risk.findings import SensitiveFacts
from anonscope.risk.measuring.selection import Selection
from anonscope.risk.metrics import ClassSizes, Measurement, SizeMetric, evaluate
from anonscope.risk.metrics.evaluate import tuple_count
from anonscope.risk.metrics.metric import Counted, Level, Totals, Variant
from anonscope.risk.metrics.profile import measurements
from anonscope.risk.metrics.tuple_metric import TupleFinding, TupleMetric, TupleReading

if TYPE_CHECKING:
    from anonscope.columns.hierarchy import Hierarchy

# Tuples times attributes squared, because every attribute is held against all the others. Beyond this it would take longer
# than everything else together.
LIMIT = 100_000_000
# Where tuples stay on the engine, every one is looked at about four times for each attribute, and statements grow with the square.
REMOTE_ATTRIBUTES = 20


def about_sizes(
    scenario: str, sizes: ClassSizes, chosen: Selection, thresholds: Sequence[int], *, event_level: bool
) -> Iterator[Measurement]:
    """Yield the metrics that are functions of the class sizes; those with a threshold once for each."""
    levels: tuple[Level, ...] = ("record", "person") if event_level else ("record",)
    for metric in chosen.metrics:
        if isinstance(metric, SizeMetric):
            for level in levels:
                for threshold in thresholds if metric.parameter else (0,):
                    yield Measurement(
                        metric=metric.name,
                        scenario=scenario,
                        variant=f"below {threshold}" if metric.parameter else None,
                        level=level,
                        value=metric.measure(sizes, level, threshold),
                    )


@dataclass(frozen=True, slots=True)
class SensitiveAttribute:
    """A sensitive attribute, its number in the dictionary, and how far apart its values are."""

    name: str
    number: int
    numeric: bool
    totals: Totals
    distance: str | None = None
    hierarchy: "Hierarchy | None" = None

    @property
    def wanted(self) -> str:
        """Return the ground distance that t-closeness takes by default."""
        return self.distance or ("hierarchical" if self.hierarchy else "ordered" if self.numeric else "equal")


def facts_of(engine: Engine, name: str, number: int, table: Totals) -> tuple[Totals, SensitiveFacts, int]:
    """Return totals and facts of the sensitive attribute that is open, which has a number, and how many records lack it."""
    asked: list[Callable[[], Any]] = [
        lambda: evaluate.value_totals(engine, table),
        lambda: is_numeric(engine, number),
        lambda: evaluate.missing_values(engine),
    ]
    totals, numeric, missing = engine.together(asked)
    return totals, SensitiveFacts(name, totals.sensitive_values, totals.commonest_value, numeric), missing


def hierarchies_of(roles: Roles) -> "dict[str, Hierarchy]":
    """Return the hierarchies of sensitive attributes by column; all that roles name are read, so that what is wrong with one is said."""
    if not roles.hierarchies:
        return {}
    from anonscope.columns.hierarchy import read_hierarchy  # late: most tables have none

    found = {column: read_hierarchy(Path(path), column) for column, path in roles.hierarchies.items()}
    # Those of quasi-identifiers say how they may be coarsened, which is nothing to measure.
    return {column: hierarchy for column, hierarchy in found.items() if column in roles.sensitive}


def about_sensitive(
    engine: Engine, scenario: str, about: SensitiveAttribute, chosen: Selection, *, event_level: bool, level: Counted = "record"
) -> Iterator[Measurement]:
    """Measure what lives on `cell`: statistics, risks and entropies in one pass, distances that need an order or a tree apart."""
    statistics = list(chosen.variants_on("cell"))
    risks = [r for r in chosen.record_risks("whole") if "sensitive" in r.needs and evaluate.table_for(r, event_level=event_level) == "cell"]
    if level == "joined":
        # What looks at persons too would need more than cells.
        risks = [r for r in risks if r.table == "cell"]
    found = evaluate.worst_cells(engine, statistics, risks, about.totals.entropy)

    def measured(metric: str, variant: Variant, value: float | None) -> Measurement:
        return Measurement(
            metric=metric,
            scenario=scenario,
            sensitive=about.name,
            variant=variant.name,
            level=level,
            value=value,
            status="measured" if value is not None else "unbounded",
            reason=variant.because if value is None else None,
        )

    values = {(metric.name, variant): value for (metric, variant), value in zip(statistics, found.statistics, strict=True)}
    for table in _distances(engine, about) if "t_closeness" in chosen else ():
        values |= {(metric.name, variant): evaluate.worst_distance(engine, table) for metric, variant in chosen.variants_on(table)}
    for metric, variant in chosen.variants_on("ranked_cell"):
        diversity = next(int(value or 0) for (name, _), value in values.items() if name == "l_diversity")
        # Up to an l of 2 nothing need be ranked: the variant on cells has counted it.
        two = next(value for (name, v), value in values.items() if name == metric.name and v.name == "l = 2")
        values[metric.name, variant] = two if diversity < 3 else evaluate.worst_ranked(engine, variant, diversity)
    # The default variant comes first.
    for (name, variant), value in sorted(values.items(), key=lambda entry: entry[0][1].name not in (None, about.wanted)):
        yield measured(name, variant, value)
    for risk, summary in zip(risks, found.risks, strict=True):
        yield Measurement(metric=risk.name, scenario=scenario, sensitive=about.name, level=level, **summary._asdict())
    yield from measurements(
        chosen.table_metrics("whole"), found.profile, "inference", scope="whole", scenario=scenario, sensitive=about.name, level=level
    )


def _distances(engine: Engine, about: SensitiveAttribute) -> Iterator[str]:
    """Yield the distance tables that make sense for the attribute, each made when it is asked for."""
    if about.numeric or about.distance == "ordered":
        measure_ordered(engine, about.number, numeric=about.numeric)
        yield "ordered_distance"
    if about.hierarchy is not None:
        from anonscope.columns.hierarchy import measure_hierarchical  # late: most tables have no hierarchies

        measure_hierarchical(engine, about.number, about.name, about.hierarchy)
        yield "hierarchical_distance"


def about_tuples(
    engine: Engine,
    layout: Layout,
    scenario: str,
    known: tuple[str, ...],
    metrics: list[TupleMetric],
    *,
    literal: bool = False,
    stand_in_for: str | None = None,
) -> Iterator[Measurement]:
    """Yield the measurements of the scenario that is open; with `literal`, the further readings of metrics that have one.

    A worker that stands in for a remote engine keeps that engine's limit, so that what is measured does not depend on who measures.
    """
    if (reason := _beyond(engine, len(known), stand_in_for or (engine.title if engine.remote else None))) is not None:
        yield from (Measurement(metric=m.name, scenario=scenario, status="not measured", reason=reason) for m in metrics)
        return
    stored = StoredTuples(engine, layout, known)
    if engine.remote:
        stored.open_codes()
    fetched = None if engine.remote else fetch_tuples(engine, layout, known, told=any(metric.telling for metric in metrics))

    def found(reading: TupleReading) -> Iterator[TupleFinding]:
        return reading.stored(stored) if fetched is None else reading.fetched(fetched)

    def measured(metric: TupleMetric) -> list[Measurement]:
        readings = [metric.measure, *([metric.literal] if literal and metric.literal is not None else [])]
        return [m for reading in readings for m in _placed(found(reading), metric, scenario, known)]

    for several in engine.together([partial(measured, metric) for metric in metrics]):
        yield from several


def _beyond(engine: Engine, attributes: int, remote: str | None) -> str | None:
    """Return why tuples are too many or too wide to be measured, if so; `remote` is the engine that they are on."""
    if remote is not None:
        if attributes <= REMOTE_ATTRIBUTES:
            return None
        return f"on {remote} it is measured for at most {REMOTE_ATTRIBUTES} attributes, not {attributes}; name fewer in a scenario"
    if tuple_count(engine) * attributes**2 > LIMIT:
        return f"distinct records times attributes squared are more than {LIMIT:,}; measure fewer attributes or fewer records (--rows)"
    return None


def _placed(found: Iterator[TupleFinding], metric: TupleMetric, scenario: str, known: tuple[str, ...]) -> Iterator[Measurement]:
    """Give every number its place."""
    for finding in found:
        m = Measurement(metric=metric.name, scenario=scenario, variant=finding.variant, value=finding.value, sensitive=finding.sensitive)
        if finding.summary is not None:
            m = replace(m, **finding.summary._asdict())
        if finding.attribute is not None:
            m = replace(m, attributes=(known[finding.attribute],))
        yield m

"""Everything that is measured about one sensitive attribute in the classes that are open."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.risk.counting import is_numeric, measure_ordered
from anonscope.risk.findings import SensitiveFacts
from anonscope.risk.measuring.selection import Selection
from anonscope.risk.metrics import evaluate
from anonscope.risk.metrics.metric import Counted, Measurement, Totals, Variant
from anonscope.risk.metrics.profile import measurements

if TYPE_CHECKING:
    from anonscope.columns.hierarchy import Hierarchy


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

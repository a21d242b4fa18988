"""Measure what looks at whole tuples, which are fetched once for all metrics that need the same ones."""

from collections.abc import Iterator
from dataclasses import replace

from anonscope.count import Layout, Tuples, fetch_tuples
from anonscope.engines import Engine
from anonscope.metrics.evaluate import tuple_count
from anonscope.metrics.metric import Measurement
from anonscope.metrics.tuple_metric import TupleFinding, TupleMetric

# Tuples times attributes squared, because every attribute is held against all the others. Beyond this it would take longer
# than everything else together.
LIMIT = 100_000_000


def about_tuples(
    engine: Engine, layout: Layout, scenario: str, known: tuple[str, ...], metrics: list[TupleMetric], *, literal: bool = False
) -> Iterator[Measurement]:
    """Yield the measurements of the scenario that is open; with `literal`, the further readings of metrics that have one."""
    if tuple_count(engine) * len(known) ** 2 > LIMIT:
        reason = f"distinct records times attributes squared are more than {LIMIT:,}; measure fewer attributes or fewer records (--rows)"
        yield from (Measurement(metric=m.name, scenario=scenario, status="not measured", reason=reason) for m in metrics)
        return
    tuples = fetch_tuples(engine, layout, known)
    for metric in metrics:
        yield from _placed(metric.measure(tuples), metric, scenario, tuples)
        if literal and metric.literal is not None:
            yield from _placed(metric.literal(tuples), metric, scenario, tuples)


def _placed(found: Iterator[TupleFinding], metric: TupleMetric, scenario: str, tuples: Tuples) -> Iterator[Measurement]:
    """Give every number its place."""
    for finding in found:
        m = Measurement(metric=metric.name, scenario=scenario, variant=finding.variant, value=finding.value, sensitive=finding.sensitive)
        if finding.summary is not None:
            m = replace(m, **finding.summary._asdict())
        if finding.attribute is not None:
            m = replace(m, attributes=(tuples.names[finding.attribute],))
        yield m

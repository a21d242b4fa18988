"""Measure what looks at whole tuples: fetched once for all metrics that need the same ones, or where they are if they are remote."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from anonscope.engines import Engine
from anonscope.risk.counting import Layout, StoredTuples, fetch_tuples
from anonscope.risk.metrics.evaluate import tuple_count
from anonscope.risk.metrics.metric import Measurement
from anonscope.risk.metrics.tuple_metric import TupleFinding, TupleMetric, TupleReading

# Tuples times attributes squared, because every attribute is held against all the others. Beyond this it would take longer
# than everything else together.
LIMIT = 100_000_000
# Where tuples stay on the engine, every one is looked at about four times for each attribute, and statements grow with the square.
REMOTE_ATTRIBUTES = 20


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

    for measurements in engine.together([partial(measured, metric) for metric in metrics]):
        yield from measurements


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

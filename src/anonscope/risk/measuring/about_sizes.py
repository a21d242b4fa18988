"""What the sizes of the classes say on their own."""

from collections.abc import Iterator, Sequence

from anonscope.risk.measuring.selection import Selection
from anonscope.risk.metrics import ClassSizes, Measurement, SizeMetric
from anonscope.risk.metrics.metric import Level


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

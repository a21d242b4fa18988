"""Which metrics of the registry live on which table and in which scope."""

from collections.abc import Iterator

from anonscope.risk.metrics import METRICS
from anonscope.risk.metrics.metric import ClassStatistic, RecordRisk, Scope, TableMetric, Variant


def record_risks(scope: Scope) -> list[RecordRisk]:
    """Return the record risks that are measured in a scope."""
    return [metric for metric in METRICS.values() if isinstance(metric, RecordRisk) and scope in metric.scopes]


def variants_on(table: str) -> Iterator[tuple[ClassStatistic, Variant]]:
    """Yield the class statistics that are computed on a table, variant by variant."""
    for metric in METRICS.values():
        if isinstance(metric, ClassStatistic):
            yield from ((metric, variant) for variant in metric.variants if variant.table == table)


def table_metrics() -> list[TableMetric]:
    """Return the metrics that are functions of an entropy profile."""
    return [metric for metric in METRICS.values() if isinstance(metric, TableMetric)]

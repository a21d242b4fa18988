"""Every metric, in the order reports show them."""

from anonscope.metrics.class_size import AVERAGE_CLASS_SIZE, RECORDS_AT_RISK
from anonscope.metrics.correlation import CORRELATION
from anonscope.metrics.k_anonymity import K_ANONYMITY
from anonscope.metrics.l_diversity import L_DIVERSITY
from anonscope.metrics.markov import MARKOV
from anonscope.metrics.metric import ClassSizes, ClassStatistic, Measurement, Metric, RecordRisk, SizeMetric, Totals
from anonscope.metrics.t_closeness import T_CLOSENESS
from anonscope.metrics.uniformity import UNIFORMITY
from anonscope.metrics.uniqueness import UNIQUENESS

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        K_ANONYMITY,
        L_DIVERSITY,
        T_CLOSENESS,
        UNIQUENESS,
        UNIFORMITY,
        CORRELATION,
        MARKOV,
        AVERAGE_CLASS_SIZE,
        RECORDS_AT_RISK,
    )
}

__all__ = ["METRICS", "ClassSizes", "ClassStatistic", "Measurement", "Metric", "RecordRisk", "SizeMetric", "Totals"]

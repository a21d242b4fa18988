"""Every metric, in the order reports show them."""

from anonscope.metrics.alpha_k_anonymity import ALPHA_K_ANONYMITY
from anonscope.metrics.attackers import JOURNALIST, MARKETER, PROSECUTOR
from anonscope.metrics.class_size import AVERAGE_CLASS_SIZE, RECORDS_AT_RISK
from anonscope.metrics.correlation import CORRELATION
from anonscope.metrics.delta_presence import DELTA_PRESENCE
from anonscope.metrics.entropy_l_diversity import ENTROPY_L_DIVERSITY
from anonscope.metrics.household_risk import HOUSEHOLD_RISK
from anonscope.metrics.individual_risk import INDIVIDUAL_RISK
from anonscope.metrics.information import (
    CONDITIONAL_PRIVACY,
    DISCRIMINATION_RATE,
    ENTROPY_L_DIVERSITY_RISK,
    ENTROPY_VARIATION,
    ITPR,
    MAXIMUM_INFORMATION_LEAKAGE,
    MUTUAL_INFORMATION,
    POSTERIOR,
)
from anonscope.metrics.k_anonymity import K_ANONYMITY
from anonscope.metrics.k_map import K_MAP
from anonscope.metrics.l_diversity import L_DIVERSITY
from anonscope.metrics.likeness import BASIC_BETA_LIKENESS, DELTA_DISCLOSURE, ENHANCED_BETA_LIKENESS
from anonscope.metrics.markov import MARKOV
from anonscope.metrics.markov_chain import MARKOV_CHAIN
from anonscope.metrics.metric import (
    AttackerMetric,
    ClassSizes,
    ClassStatistic,
    Measurement,
    Metric,
    RecordRisk,
    SizeMetric,
    TableMetric,
    Totals,
)
from anonscope.metrics.personal_information import PERSONAL_INFORMATION
from anonscope.metrics.population_uniqueness import POPULATION_UNIQUENESS
from anonscope.metrics.quasi_identifier import DISTINCTION, SEPARATION
from anonscope.metrics.recursive_c_l_diversity import RECURSIVE_C_L_DIVERSITY
from anonscope.metrics.t_closeness import T_CLOSENESS
from anonscope.metrics.tuple_metric import TupleMetric
from anonscope.metrics.uniformity import UNIFORMITY
from anonscope.metrics.uniqueness import UNIQUENESS

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        K_ANONYMITY,
        L_DIVERSITY,
        T_CLOSENESS,
        ALPHA_K_ANONYMITY,
        ENTROPY_L_DIVERSITY,
        RECURSIVE_C_L_DIVERSITY,
        BASIC_BETA_LIKENESS,
        ENHANCED_BETA_LIKENESS,
        DELTA_DISCLOSURE,
        UNIQUENESS,
        UNIFORMITY,
        CORRELATION,
        MARKOV,
        MARKOV_CHAIN,
        PERSONAL_INFORMATION,
        ITPR,
        DISCRIMINATION_RATE,
        MUTUAL_INFORMATION,
        CONDITIONAL_PRIVACY,
        MAXIMUM_INFORMATION_LEAKAGE,
        ENTROPY_L_DIVERSITY_RISK,
        POSTERIOR,
        ENTROPY_VARIATION,
        AVERAGE_CLASS_SIZE,
        RECORDS_AT_RISK,
        DISTINCTION,
        SEPARATION,
        PROSECUTOR,
        JOURNALIST,
        MARKETER,
        K_MAP,
        DELTA_PRESENCE,
        POPULATION_UNIQUENESS,
        INDIVIDUAL_RISK,
        HOUSEHOLD_RISK,
    )
}

__all__ = [
    "METRICS",
    "AttackerMetric",
    "ClassSizes",
    "ClassStatistic",
    "Measurement",
    "Metric",
    "RecordRisk",
    "SizeMetric",
    "TableMetric",
    "Totals",
    "TupleMetric",
]

"""Every metric, in the order reports show them."""

from anonscope.risk.metrics.alpha_k_anonymity import ALPHA_K_ANONYMITY
from anonscope.risk.metrics.attackers import JOURNALIST, MARKETER, PROSECUTOR
from anonscope.risk.metrics.class_size import AVERAGE_CLASS_SIZE, RECORDS_AT_RISK
from anonscope.risk.metrics.correlation import CORRELATION
from anonscope.risk.metrics.delta_presence import DELTA_PRESENCE
from anonscope.risk.metrics.entropy_l_diversity import ENTROPY_L_DIVERSITY
from anonscope.risk.metrics.household_risk import HOUSEHOLD_RISK
from anonscope.risk.metrics.individual_risk import INDIVIDUAL_RISK
from anonscope.risk.metrics.information import (
    CONDITIONAL_PRIVACY,
    DISCRIMINATION_RATE,
    ENTROPY_L_DIVERSITY_RISK,
    ENTROPY_VARIATION,
    ITPR,
    MAXIMUM_INFORMATION_LEAKAGE,
    MUTUAL_INFORMATION,
    POSTERIOR,
)
from anonscope.risk.metrics.k_anonymity import K_ANONYMITY
from anonscope.risk.metrics.k_map import K_MAP
from anonscope.risk.metrics.l_diversity import L_DIVERSITY
from anonscope.risk.metrics.likeness import BASIC_BETA_LIKENESS, DELTA_DISCLOSURE, ENHANCED_BETA_LIKENESS
from anonscope.risk.metrics.markov import MARKOV
from anonscope.risk.metrics.markov_chain import MARKOV_CHAIN
from anonscope.risk.metrics.metric import (
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
from anonscope.risk.metrics.personal_information import PERSONAL_INFORMATION
from anonscope.risk.metrics.population_uniqueness import POPULATION_UNIQUENESS
from anonscope.risk.metrics.quasi_identifier import DISTINCTION, SEPARATION
from anonscope.risk.metrics.recursive_c_l_diversity import RECURSIVE_C_L_DIVERSITY
from anonscope.risk.metrics.t_closeness import T_CLOSENESS
from anonscope.risk.metrics.tuple_metric import TupleMetric
from anonscope.risk.metrics.uniformity import UNIFORMITY
from anonscope.risk.metrics.uniqueness import UNIQUENESS

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

"""Information-theoretic metrics: how many bits about a target the classes give away.

A. Bkakria, F. Cuppens, N. Boulahia Cuppens, A. Tasidou (2021), "Information theoretic-based privacy risk evaluation for data
anonymization", Journal of Surveillance, Security and Safety 2, 83-102. The target X is the record (the person at event level)
in the re-identification reading and a sensitive attribute in the inference reading; Y is the class. Maximum information
leakage and entropy l-diversity risk are as the paper computed them, which is not as it printed them; the documentation says where.
"""

from collections.abc import Callable

from anonscope.io.figures import decimals, per_cent
from anonscope.risk.metrics.metric import EntropyProfile, Floor, Formula, TableMetric, Totals


def _both(measure: Callable[[EntropyProfile], float | None]) -> tuple[Formula, ...]:
    return Formula("re-identification", "re-identification", measure), Formula("inference", "inference", measure)


def _share(value: float) -> float:
    """Sums of rounded numbers may end a hair outside 0 to 1."""
    return min(max(value, 0.0), 1.0)


def _itpr(profile: EntropyProfile) -> float | None:
    # The class with the smallest product has the largest term. Terms of other classes may be negative and never count.
    return _share(1 - profile.classes * profile.smallest_share / profile.entropy) if profile.entropy else None


def _discrimination_rate(profile: EntropyProfile) -> float | None:
    return _share(1 - profile.conditional / profile.entropy) if profile.entropy else None


def _mutual_information(profile: EntropyProfile) -> float:
    return max(profile.entropy - profile.conditional, 0.0)


def _conditional_privacy(profile: EntropyProfile) -> float:
    return _share(1 - 2 ** -_mutual_information(profile))


def _maximum_information_leakage(profile: EntropyProfile) -> float:
    return max(profile.entropy - profile.smallest_share, 0.0)


def _entropy_l_diversity_risk(profile: EntropyProfile) -> float:
    return _share(2**-profile.smallest)


def _entropy_variation(profile: EntropyProfile) -> float:
    return max(profile.entropy - profile.smallest, 0.0)


def _entropy_floor(totals: Totals) -> Floor:
    # Some class has at most the entropy of the whole table.
    return Floor(2**-totals.entropy, f"the whole table leaves only {decimals(totals.entropy, 2)} bits open")


def _posterior_floor(totals: Totals) -> Floor:
    if totals.sensitive_values:
        return Floor(totals.commonest_value, f"{per_cent(totals.commonest_value)} of all records share the commonest sensitive value")
    return Floor(totals.busiest_person, f"one person has {per_cent(totals.busiest_person)} of all records")


ITPR = TableMetric(
    name="itpr",
    title="Information-theoretic privacy risk",
    symbol="ITPR",
    question="How near does the most telling group come to giving its members away?",
    reading="1 means that some group leaves nothing open; 0 that every group leaves its fair part of everything open.",
    formula="ITPR = max over classes of 1 - T p h / H, with T classes, p the share of records in the class",
    attack="singling out",
    family="information",
    source="Bkakria 2021, definitions 1 and 2",
    safer="lower",
    range=(0, 1),
    scopes=("whole", "each", "pair"),
    formulas=_both(_itpr),
)

DISCRIMINATION_RATE = TableMetric(
    name="discrimination_rate",
    title="Discrimination rate",
    symbol="DR",
    question="What part of the uncertainty does knowing the group remove on average?",
    reading="0 means that the groups say nothing, 1 that they say all.",
    formula="DR = 1 - H(X | Y) / H(X)",
    attack="singling out",
    family="information",
    source="Sondeck 2017; Bkakria 2021, section 3.3.1",
    safer="lower",
    range=(0, 1),
    scopes=("whole", "each", "pair"),
    formulas=_both(_discrimination_rate),
)

MUTUAL_INFORMATION = TableMetric(
    name="mutual_information",
    title="Mutual information",
    symbol="MI",
    question="How many bits does knowing the group tell on average?",
    reading="0 means that the groups say nothing; each bit halves what is left to guess among.",
    formula="MI = H(X) - H(X | Y)",
    attack="singling out",
    family="information",
    source="Shannon 1948; Bkakria 2021, section 3.3.2",
    safer="lower",
    range=(0, None),
    scopes=("whole", "each", "pair"),
    formulas=_both(_mutual_information),
)

CONDITIONAL_PRIVACY = TableMetric(
    name="conditional_privacy",
    title="Conditional privacy loss",
    symbol="CP",
    question="What fraction of the privacy is lost on average by knowing the group?",
    reading="0 means that none is lost; with each bit told, half of what is left goes.",
    formula="CP = 1 - 2^(-MI)",
    attack="singling out",
    family="information",
    source="Agrawal 2001; Bkakria 2021, section 3.3.3",
    safer="lower",
    range=(0, 1),
    scopes=("whole", "each", "pair"),
    formulas=_both(_conditional_privacy),
)

MAXIMUM_INFORMATION_LEAKAGE = TableMetric(
    name="maximum_information_leakage",
    title="Maximum information leakage",
    symbol="MIL",
    question="How many bits can one group tell at the most, weighed by its share of the records?",
    reading="At the most the entropy of the whole table, which it reaches when some group leaves nothing open.",
    formula="MIL = max over classes of H(X) - p h, with p the share of records in the class",
    attack="singling out",
    family="information",
    source="Bkakria 2021, section 3.3.4 and table 4",
    safer="lower",
    range=(0, None),
    scopes=("whole", "each", "pair"),
    formulas=_both(_maximum_information_leakage),
)

ENTROPY_L_DIVERSITY_RISK = TableMetric(
    name="entropy_l_diversity_risk",
    title="Entropy l-diversity risk",
    symbol="p_ELD",
    question="How well would one guess in the least varied group, going by its entropy?",
    reading="The inverse of entropy l-diversity: 1 means that some group leaves nothing open.",
    formula="p_ELD = 2^(-min over classes of h)",
    attack="inference",
    family="information",
    source="Bkakria 2021, section 3.3.5 and table 4",
    safer="lower",
    range=(0, 1),
    positive=True,
    scopes=("whole", "each", "pair"),
    floor=_entropy_floor,
    formulas=_both(_entropy_l_diversity_risk),
)

POSTERIOR = TableMetric(
    name="posterior",
    title="Largest posterior",
    symbol="p_max",
    question="How sure can one be of the best guess in the most telling group?",
    reading="The share of the commonest answer in the group where it is largest; 1 means certainty.",
    formula="p_max = max over classes and targets x of p(x | class)",
    attack="inference",
    family="information",
    source="Bkakria 2021, tables 1 and 2",
    safer="lower",
    range=(0, 1),
    positive=True,
    scopes=("whole", "each", "pair"),
    floor=_posterior_floor,
    formulas=_both(lambda profile: profile.posterior),
)

ENTROPY_VARIATION = TableMetric(
    name="entropy_variation",
    title="Entropy variation",
    symbol="θ",
    question="How many bits less does the most telling group leave open than the whole table?",
    reading="0 means that every group leaves as much open as the whole table, or more.",
    formula="θ = max over classes of H(X) - h",
    attack="inference",
    family="information",
    source="Bkakria 2021, eq. 15",
    safer="lower",
    range=(0, None),
    scopes=("whole", "each", "pair"),
    formulas=_both(_entropy_variation),
)

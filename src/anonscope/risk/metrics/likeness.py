"""How much likelier or rarer a sensitive value is inside a group than in the whole table: beta-likeness and delta-disclosure.

J. Cao, P. Karras (2012), "Publishing microdata with a robust privacy guarantee", definitions 2 and 3.
J. Brickell, V. Shmatikov (2008), "The cost of privacy: destruction of data-mining utility in anonymized data publishing".
p is a value's share of its class and q its share of the table.
"""

from anonscope.risk.metrics.metric import ClassStatistic, Floor, Totals, Variant

_P = "cell_n / CAST(class_n AS DOUBLE)"
_Q = "value_n / CAST(total_n AS DOUBLE)"
_GAIN = f"({_P} - {_Q}) / ({_Q})"
_RATIO = f"({_P}) / ({_Q})"
# Some value of a class is at least as frequent there as in the table, so the largest gain is never negative.
_LARGEST_GAIN = f"MAX({_GAIN})"
# The logarithm is taken once a class, of whichever ratio is farther from 1.
_DISCLOSURE = f"CASE WHEN MAX({_RATIO}) * MIN({_RATIO}) < 1 THEN -LN(MIN({_RATIO})) ELSE LN(MAX({_RATIO})) END / LN(2)"


def _floor(totals: Totals) -> Floor:
    return Floor(0.0, "one class that holds everybody is like the table")


BASIC_BETA_LIKENESS = ClassStatistic(
    name="basic_beta_likeness",
    title="Basic β-likeness",
    symbol="β",
    question="By what factor, less one, can a sensitive value be likelier in a group than in the whole table?",
    reading="0 means that no value is likelier in any group; 1 that some value is twice as likely.",
    formula="β = max over classes and sensitive values with p > q of (p - q) / q",
    attack="inference",
    family="syntactic",
    source="Cao 2012",
    safer="lower",
    range=(0, None),
    needs=("sensitive",),
    floor=_floor,
    variants=(Variant(None, "cell", _LARGEST_GAIN),),
)

ENHANCED_BETA_LIKENESS = ClassStatistic(
    name="enhanced_beta_likeness",
    title="Enhanced β-likeness",
    symbol="β_e",
    question="Is there a β-likeness that also keeps frequent sensitive values from becoming certain?",
    reading="Equal to basic β-likeness where every gain keeps the bound -ln q; unbounded where some value gains more, whatever β is.",
    formula="β_e = smallest β with (p - q) / q ≤ min(β, -ln q) for every class and sensitive value",
    attack="inference",
    family="syntactic",
    source="Cao 2012",
    safer="lower",
    range=(0, None),
    needs=("sensitive",),
    floor=_floor,
    variants=(
        Variant(
            None,
            "cell",
            _LARGEST_GAIN,
            unbounded=f"MAX(CASE WHEN {_GAIN} > surprise THEN 1 ELSE 0 END)",
            because="no β is large enough: in some group a value gains more than -ln q",
        ),
    ),
)

DELTA_DISCLOSURE = ClassStatistic(
    name="delta_disclosure",
    title="δ-disclosure",
    symbol="δ",
    question="How many times likelier or rarer can a sensitive value be in a group, in doublings?",
    reading="0 means that every group looks like the whole table; 1 that some value is twice or half as frequent.",
    formula="δ = max over classes and the sensitive values in them of |log2(p / q)|",
    attack="inference",
    family="syntactic",
    source="Brickell 2008",
    safer="lower",
    range=(0, None),
    strict=True,
    needs=("sensitive",),
    floor=_floor,
    variants=(
        Variant(None, "cell", _DISCLOSURE),
        Variant(
            "strict",
            "cell",
            _DISCLOSURE,
            unbounded="CASE WHEN COUNT(*) < MAX(values_n) THEN 1 ELSE 0 END",
            because="a value is missing from some group",
        ),
    ),
)

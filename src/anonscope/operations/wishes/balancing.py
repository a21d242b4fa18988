"""How the balance of risk and utility is struck: the weights and the readings of Kim 2025 that somebody may choose between."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from anonscope.operations.wishes.words import Wish, Words

_SHARE = {"least": 0, "most": 1, "metavar": "SHARE"}


@dataclass(frozen=True, kw_only=True)
class Balancing(Wish):
    """Weights, and what stands for loss, likeness and risk; docs/utility/balance.md has the formulas."""

    panel: ClassVar[str | None] = "How risk and utility are balanced"

    utility_weight: Annotated[
        float | None,
        Words(
            help="What utility counts in the balance (the paper's alpha), from 0 to 1; safety counts the rest.",
            wrong="The weight of utility is a number from 0 to 1, not {}.",
            **_SHARE,
        ),
    ] = None
    weights: Annotated[
        Mapping[str, float] | None,
        Words(
            help="What a column counts in the balance.",
            flags=("--attribute-weight",),
            metavar="COLUMN=WEIGHT",
            entry="A weight is written COLUMN=WEIGHT (for instance age=2)",
        ),
    ] = None
    total: Annotated[
        Literal["mean", "maximum"],
        Words(
            help="Loss and likeness of the table: the mean of the columns, or the largest loss of any and the largest likeness of any, "
            "so that one column left alone makes the likeness 1.",
            wrong="A total is a mean or a maximum, not {}.",
        ),
    ] = "mean"
    similarity_weight: Annotated[
        float,
        Words(
            help="What likeness counts in utility (wS); what was not lost counts the rest (wL).",
            wrong="The weight of similarity is a number from 0 to 1, not {}.",
            **_SHARE,
        ),
    ] = 0.5
    distance: Annotated[
        Literal["manhattan", "euclidean"],
        Words(
            help="How far numbers moved: the mean distance, or the root of the mean square.",
            wrong="The distance of numbers is manhattan or euclidean, not {}.",
        ),
    ] = "manhattan"
    normalisation: Annotated[
        Literal["range", "step", "min-max"],
        Words(
            help="What the loss of numbers is divided by: the column's range, half the widest label (blind to coarsening), or, of all five "
            "losses of a column at once, smallest and largest of them (mixes units).",
            wrong="Losses are divided by range, step or min-max, not by {}.",
        ),
    ] = "range"
    combination: Annotated[
        Literal["maximum", "mean", "sum"],
        Words(
            help="The risk of both ways: the larger of internal and external, their weighted mean, or their sum, which ends at 1.",
            flags=("--risk-combination",),
            wrong="Risks are combined by maximum, mean or sum, not by {}.",
        ),
    ] = "maximum"
    internal_weight: Annotated[
        float,
        Words(
            help="What the internal risk counts in the mean of both.",
            wrong="The weight of the internal risk is a number from 0 to 1, not {}.",
            **_SHARE,
        ),
    ] = 0.5
    sensitivities: Annotated[
        Mapping[str, float] | None,
        Words(
            help="Take for the internal risk the mean of what each column tells alone, weighted so; columns that are not named count 1.",
            flags=("--sensitivity",),
            metavar="COLUMN=WEIGHT",
            entry="A sensitivity is written COLUMN=WEIGHT (for instance diagnosis=3)",
        ),
    ] = None
    external_score: Annotated[
        Literal["matches", "probability", "correlation", "unique", "mean"],
        Words(
            help="What stands for the external risk: the mean of 1 / people that a record may be, one of the paper's three scores, or "
            "their mean.",
            wrong="The external risk is by matches, probability, correlation, unique or mean, not by {}.",
        ),
    ] = "matches"
    coefficient: Annotated[
        Literal["pearson", "spearman"],
        Words(
            help="Of what the score by correlation is made.",
            flags=("--correlation",),
            wrong="The coefficient must be pearson or spearman, not {}.",
        ),
    ] = "pearson"
    bins: Annotated[
        int,
        Words(
            help="Into how many bins the range of a numeric column is divided to compare its histograms.",
            metavar="N",
            least=1,
            wrong="Histograms need at least one bin, not {}.",
        ),
    ] = 20
    most_risk: Annotated[float | None, Words(help="Choose the balance's weights by this limit.", metavar="RISK")] = None
    least_utility: Annotated[float | None, Words(help="Or by this one, or by both.", metavar="UTILITY")] = None

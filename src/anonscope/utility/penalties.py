"""Losses of single cells: how wide what a cell may stand for is, against what could be."""

from collections.abc import Sequence

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn
from anonscope.utility.measure import NO_HIERARCHY, NOT_NUMERIC, Answer, Found, Utility, UtilityMeasurement, UtilitySettings, each_column


def mean_cell(column: AlignedColumn, losses: Floats) -> float:
    """Return the mean over records of a loss that every label has; a suppressed or false cell loses 1."""
    cells = np.where(column.lost, 1.0, losses[column.label])
    return float(column.count @ cells) / column.records


def certainty_penalty(column: AlignedColumn) -> Answer:
    return Found(mean_cell(column, column.labels.penalty))


def numeric_loss(column: AlignedColumn) -> Answer:
    if not column.domain.numeric:
        return NOT_NUMERIC
    width, span = column.labels.high - column.labels.low, column.domain.range
    return Found(mean_cell(column, width / span if span > 0 else np.zeros(len(width))))


def generalisation_loss(column: AlignedColumn) -> Answer:
    return Found(mean_cell(column, 1 - 1 / np.maximum(column.labels.extent, 1.0)))


def precision_loss(column: AlignedColumn) -> Answer:
    if column.ladder is None:
        return NO_HIERARCHY
    if (column.labels.level[column.label] < 0)[~column.lost & (column.place < column.domain.texts)].any():
        return "some labels are on no level of the hierarchy"
    return Found(mean_cell(column, np.maximum(column.labels.level, 0) / max(column.ladder.height, 1)))


def share_of_leaves(column: AlignedColumn) -> Answer:
    """Return ARX's loss of an attribute, from none of its leaves but one to all of them."""
    if column.ladder is None:
        return NO_HIERARCHY
    if (column.labels.leaves[column.label] == 0)[~column.lost & (column.place < column.domain.texts)].any():
        return "some labels are on no level of the hierarchy"
    every = float(column.ladder.leaves[-1][0])
    if every < 2:
        return Found(0.0)
    # A missing value that stays one is a leaf of its own.
    loss = mean_cell(column, np.maximum(column.labels.leaves, 1.0) / every)
    return Found(max(loss - 1 / every, 0.0) / (1 - 1 / every))


def _arx_loss(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    geometric = each_column("arx_loss", aligned, share_of_leaves, variant="geometric", together=_geometric, complete=True)
    # Of single columns both are the same.
    return [*geometric, each_column("arx_loss", aligned, share_of_leaves, variant="arithmetic", complete=True)[0]]


def _geometric(found: Sequence[Found]) -> Found:
    return Found(float(np.exp(np.log1p([answer.value for answer in found]).mean()) - 1))


NCP = Utility(
    name="ncp",
    title="Normalised certainty penalty",
    question="How wide is what a cell may stand for, against the whole column?",
    reading="0 is every value as it was, 1 is every value suppressed.",
    formula="mean over cells of\n"
    "  (upper - lower) / (max - min)      numeric and in one piece, clipped to the observed range\n"
    "  values under the label / values    otherwise, also where groups of numbers have others between; 0 for one value\n"
    "  1                                  suppressed or false",
    source="Xu et al. 2006",
    family="cells",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    monotone=True,
    measure=lambda aligned, settings: each_column("ncp", aligned, certainty_penalty),
)
NUMERIC_LOSS = Utility(
    name="numeric_loss",
    title="Numeric loss",
    question="How long are the intervals that numbers became, against the range of the column?",
    reading="0 is numbers as they were, 1 is intervals as long as the range; longer ones give more.",
    formula="mean over records of (upper - lower) / (max - min); 1 for a suppressed or false cell",
    source="Aufschläger et al. 2023, equation 14",
    family="cells",
    better="lower",
    range=(0, None),
    scopes=("table", "attribute"),
    needs=("numeric",),
    measure=lambda aligned, settings: each_column("numeric_loss", aligned, numeric_loss),
)
GENERALISATION_LOSS = Utility(
    name="generalisation_loss",
    title="Generalisation loss",
    question="How many values may a cell stand for?",
    reading="0 is one value a cell; [30-39] has 0.9 and a suppressed cell 1.",
    formula="mean over records of 1 - 1 / values that the label may stand for; 1 for a suppressed or false cell",
    source="Kim 2025, section 3.2.1",
    family="cells",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    monotone=True,
    measure=lambda aligned, settings: each_column("generalisation_loss", aligned, generalisation_loss),
)
PRECISION = Utility(
    name="precision",
    title="Precision",
    question="How far down in their hierarchies are the values that were released?",
    reading="1 is every value as it was, 0 is every value at the top of its hierarchy.",
    formula="1 - mean over cells of level / height; a suppressed or false cell is at the top",
    source="Sweeney 2002",
    family="cells",
    better="higher",
    range=(0, 1),
    scopes=("table", "attribute"),
    needs=("hierarchy",),
    monotone=True,
    measure=lambda aligned, settings: each_column("precision", aligned, _precision, complete=True),
)
ARX_LOSS = Utility(
    name="arx_loss",
    title="Loss as ARX computes it",
    question="How much of its hierarchy does a cell cover?",
    reading="0 is every value as it was, 1 is every value suppressed.",
    formula="per attribute v = (x - n / leaves) / (n - n / leaves), x = sum over records of leaves under the label / leaves\n"
    "geometric: product of (1 + v)^(1 / attributes) - 1; arithmetic: mean of v",
    source="Iyengar 2002, as in ARX 3.9",
    family="cells",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    variants=("geometric", "arithmetic"),
    needs=("hierarchy",),
    monotone=True,
    measure=_arx_loss,
)


def _precision(column: AlignedColumn) -> Answer:
    loss = precision_loss(column)
    return Found(1 - loss.value) if isinstance(loss, Found) else loss

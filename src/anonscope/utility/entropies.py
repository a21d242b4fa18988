"""Losses in bits: how many questions a reader of the release would still have to ask about the original values.

A. Gionis & T. Tassa (2009), "k-Anonymization with minimal loss of information", define three: what a cell's image leaves open on
average, the same weighted by how likely the image is, and what it leaves open about the value that is there. The variants of the
last are ARX's (F. Prasser, R. Bild & K. Kuhn (2016), "A generic method for assessing the quality of de-identified health data")
and that of H. Khan & L. Menten (2025), "An algorithmic pipeline for GDPR-compliant healthcare data anonymisation", who count labels
and not what they stand for.
"""

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn
from anonscope.utility.measure import Answer, Found, Utility, UtilityMeasurement, UtilitySettings, each_column, share_of_most


def entropy(counts: Floats) -> float:
    """Return the entropy of a distribution in bits, from counts."""
    some = counts[counts > 0]
    total = some.sum()
    return max(float((some * np.log2(total / some)).sum() / total), 0.0) if len(some) else 0.0


def left_open(column: AlignedColumn) -> tuple[Floats, Floats]:
    """Return of every label how many records of the original have a value in its image, and the entropy among them."""
    images, counts = column.labels.images, column.original
    inside = images.total(counts)
    bits = images.total(counts * np.log2(counts))
    open_bits = np.log2(np.maximum(inside, 1)) - bits / np.maximum(inside, 1)
    return inside, np.where(images.sizes < 2, 0.0, np.maximum(open_bits, 0.0))


def _of_most(bits: float, most: float) -> Found:
    return Found(bits / most if most > 0 else 0.0, bits, most)


def conditional_entropy(column: AlignedColumn) -> Answer:
    whole = entropy(column.original)
    _, bits = left_open(column)
    lost = float(column.count @ np.where(column.lost, whole, bits[column.label]))
    return _of_most(lost, column.records * whole)


def monotone_entropy(column: AlignedColumn) -> Answer:
    whole = entropy(column.original)
    inside, bits = left_open(column)
    lost = float(column.count @ np.where(column.lost, whole, (inside / column.records * bits)[column.label]))
    return _of_most(lost, column.records * whole)


def non_uniform_entropy(column: AlignedColumn) -> Answer:
    inside, _ = left_open(column)
    around = np.where(column.lost, column.records, inside[column.label])
    lost = float(column.count @ np.log2(around / column.original[column.place]))
    return _of_most(max(lost, 0.0), column.records * entropy(column.original))


def pipeline_entropy(column: AlignedColumn) -> Answer:
    """Return the loss by counts of labels; it can be negative where one value became several labels."""
    lost = float(column.count @ np.log2(column.released[column.label] / column.original[column.place]))
    return _of_most(lost, column.records * entropy(column.original))


def arx_entropy(column: AlignedColumn) -> Answer:
    """Return the loss level by level, from low to high: what records that went so far lost against the level before."""
    ladder = column.ladder
    level = column.labels.level.copy()
    if ladder is None:
        # Without a hierarchy there are the values and their suppression.
        level = np.where(column.labels.suppressed, 1, np.where(column.labels.exact, 0, -1))
    missing = column.place >= column.domain.texts
    top = 1 if ladder is None else ladder.height
    # A missing value is in no hierarchy: it is itself below the last level.
    reached = np.where(column.lost, top, np.where(missing & (level[column.label] < top), 0, level[column.label]))
    if (reached < 0).any():
        return "some labels are on no level of a hierarchy"
    before, lost = column.place, 0.0
    for step in np.unique(reached).tolist():
        after = np.zeros(len(before), dtype=np.int64) if step == top else _nodes(column, step)
        gone = reached >= step
        finer = np.bincount(before[gone], weights=column.count[gone])
        coarser = np.bincount(after[gone], weights=column.count[gone])
        lost += float(column.count[gone] @ np.log2(coarser[after[gone]] / finer[before[gone]]))
        before = after
    return _of_most(max(lost, 0.0), column.records * entropy(column.original))


def _nodes(column: AlignedColumn, level: int) -> Integers:
    """Return the node of every pair's value at a level; missing values have one of their own."""
    if column.ladder is None or level == 0:
        return column.place
    nodes = column.ladder.levels[level]
    return nodes[np.where(column.place < column.domain.texts, column.place + 1, 0)].astype(np.int64)


def entropy_loss(column: AlignedColumn) -> Answer:
    before, after = entropy(column.original), entropy(column.released)
    lost = before - after
    return Found(max(lost, 0.0) / before if before > 0 else 0.0, lost, before)


def _non_uniform(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    variants = (("gionis-tassa", non_uniform_entropy), ("arx", arx_entropy), ("pipeline", pipeline_entropy))
    return [
        m
        for variant, measure in variants
        for m in each_column("non_uniform_entropy", aligned, measure, variant=variant, together=share_of_most, complete=True)
    ]


CONDITIONAL_ENTROPY = Utility(
    name="conditional_entropy",
    title="Conditional entropy loss",
    question="How much does a cell leave open about the value, on average over what it may stand for?",
    reading="0 is nothing left open, 1 is as much as suppressing everything.",
    formula="sum over cells of H(X | image of the cell) / sum over cells of H(X); a suppressed or false cell has H(X)",
    source="Gionis & Tassa 2009; Aufschläger et al. 2023, equation 13",
    family="entropy",
    better="lower",
    range=(0, None),
    scopes=("table", "attribute"),
    raw="bits",
    measure=lambda aligned, settings: each_column("conditional_entropy", aligned, conditional_entropy, together=share_of_most),
)
MONOTONE_ENTROPY = Utility(
    name="monotone_entropy",
    title="Monotone entropy loss",
    question="How much does a cell leave open, where a wider image always counts for more?",
    reading="0 is nothing left open, 1 is as much as suppressing everything.",
    formula="sum over cells of Pr(image) H(X | image) / sum over cells of H(X); a suppressed or false cell has H(X)",
    source="Gionis & Tassa 2009",
    family="entropy",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    monotone=True,
    raw="bits",
    measure=lambda aligned, settings: each_column("monotone_entropy", aligned, monotone_entropy, together=share_of_most),
)
NON_UNIFORM_ENTROPY = Utility(
    name="non_uniform_entropy",
    title="Non-uniform entropy loss",
    question="How much does a cell leave open about the value that the record really has?",
    reading="0 is nothing lost, 1 is as much as suppressing everything; what is kept is 1 minus this.",
    formula="sum over cells of -log2(c(value) / sum of c over the image) / the same with everything suppressed",
    source="Gionis & Tassa 2009; variants: Prasser et al. 2016, Khan & Menten 2025",
    family="entropy",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    variants=("gionis-tassa", "arx", "pipeline"),
    monotone=True,
    raw="bits",
    measure=_non_uniform,
)
ENTROPY_LOSS = Utility(
    name="entropy_loss",
    title="Entropy loss",
    question="How much less varied are the labels than the values were?",
    reading="0 is as varied as before (or more), 1 is one label for all.",
    formula="max(0, H(values) - H(labels)) / H(values)",
    source="Kim 2025, section 3.2.1",
    family="entropy",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    raw="bits",
    measure=lambda aligned, settings: each_column("entropy_loss", aligned, entropy_loss),
)

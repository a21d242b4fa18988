"""Kim 2025's utility: what a release has lost and how alike it is, attribute by attribute and in one number.

S. Kim (2025), Electronics 14(21), 4350, sections 3.2 and 3.3 and table 7. Which loss and which similarity speak for an attribute
depends on what it is: table 7 has them for an age, a postal code, a gender, an income and a diagnosis. U = wS * S + wL * (1 - L); the
plain mean of loss and similarity in section 3.2 has the wrong sign, and S / L (`ratio`) has no bound and no value where nothing is lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from anonscope.columns.weights import attribute_weights
from anonscope.errors import OptionError, shown
from anonscope.utility.alignment.aligned import AlignedColumn
from anonscope.utility.balance.numbers import Total, check_share, total_of
from anonscope.utility.measure import UtilityMeasurement

LOSSES = ("generalisation_loss", "proximity_loss", "entropy_loss", "consistency_loss", "mean_absolute_deviation")
SIMILARITIES = ("cosine_similarity", "jaccard_similarity")
AttributeKind = Literal["range", "code", "category", "amount", "grouped"]
KINDS: tuple[AttributeKind, ...] = get_args(AttributeKind)
UtilityForm = Literal["weighted", "ratio"]
UTILITY_FORMS: tuple[UtilityForm, ...] = get_args(UtilityForm)


@dataclass(frozen=True, slots=True)
class Components:
    """The losses and the similarities that speak for an attribute."""

    losses: tuple[str, ...]
    similarities: tuple[str, ...]

    def __post_init__(self) -> None:
        for names, known, word in ((self.losses, LOSSES, "loss"), (self.similarities, SIMILARITIES, "similarity")):
            if not names or not set(names) <= set(known):
                raise OptionError(f"An attribute needs at least one {word} of: {', '.join(known)}.")


# Table 7, by kind instead of by example: age; zip; gender; income; diagnosis.
TABLE_7: Mapping[AttributeKind, Components] = {
    "range": Components(("generalisation_loss",), ("cosine_similarity",)),
    "code": Components(("generalisation_loss",), ("jaccard_similarity",)),
    "category": Components(("entropy_loss",), ("cosine_similarity",)),
    "amount": Components(("proximity_loss",), ("cosine_similarity",)),
    "grouped": Components(("entropy_loss",), ("jaccard_similarity",)),
}


@dataclass(frozen=True, slots=True)
class AttributeUtility:
    """Loss and similarity of one attribute, each from 0 to 1; None where the measure has no value."""

    column: str
    loss: float | None
    similarity: float | None
    components: Components
    kind: AttributeKind | None = None
    parts: tuple[tuple[str, float | None], ...] = ()  # what loss and similarity were made of

    def utility(self, similarity_weight: float) -> float | None:
        """Return wS * S + wL * (1 - L) of this attribute alone; None where one of the two has no value."""
        if self.loss is None or self.similarity is None:
            return None
        return similarity_weight * self.similarity + (1 - similarity_weight) * (1 - self.loss)


@dataclass(frozen=True, slots=True)
class Usefulness:
    """L_total, S_total and U over all attributes."""

    loss: float
    similarity: float
    utility: float | None  # None where S / L has no value
    form: UtilityForm
    similarity_weight: float
    attributes: tuple[AttributeUtility, ...]
    weights: tuple[float, ...] = ()  # what each attribute counts


def attribute_utility(column: str, measured: Mapping[str, float | None], components: Components) -> AttributeUtility:
    """Return loss and similarity of an attribute, each the mean of its components; losses must have been normalised to 0 to 1."""
    for name in (*components.losses, *components.similarities):
        if name not in measured:
            raise OptionError(f"The {name} of column {shown(column)} was not measured, but its utility needs it.")
        value = measured[name]
        if value is not None:
            # A cosine of counts is never negative, and one of deviations that is counts as no likeness.
            check_share(f"The {name} of column {shown(column)}", max(0.0, value) if name == "cosine_similarity" else value)
    return AttributeUtility(
        column,
        _mean([measured[name] for name in components.losses]),
        _mean([None if (value := measured[name]) is None else max(0.0, value) for name in components.similarities]),
        components,
        parts=tuple((name, measured[name]) for name in (*components.losses, *components.similarities)),
    )


def attribute_utilities(
    columns: Sequence[AlignedColumn],
    kinds: Mapping[str, str],
    measured: Sequence[UtilityMeasurement],
    *,
    distance: str = "manhattan",
    normalisation: str = "range",
) -> list[AttributeUtility]:
    """Return what every column loses and keeps, by the measures that its kind is balanced by.

    `distance` and `normalisation` say which proximity loss is meant; "min-max" makes one loss of all five, scaled between the smallest
    and the largest of them.
    """
    proximity = "step" if normalisation == "step" else distance
    by_column: dict[str | None, dict[str, UtilityMeasurement]] = {}
    for m in measured:
        if m.utility != "proximity_loss" or m.variant == proximity:
            by_column.setdefault(m.column, {}).setdefault(m.utility, m)
    found = []
    for column in columns:
        kind = attribute_kind(kinds.get(column.name), numeric=column.domain.numeric)
        components = TABLE_7[kind]
        values = by_column.get(column.name, {})
        wanted = {name: values[name].value if name in values else None for name in (*components.losses, *components.similarities)}
        one = replace(attribute_utility(column.name, wanted, components), kind=kind)
        found.append(_min_max(one, values) if normalisation == "min-max" else one)
    return found


def _min_max(attribute: AttributeUtility, values: Mapping[str, UtilityMeasurement]) -> AttributeUtility:
    """Return an attribute whose loss is the mean of all five, each scaled by the smallest and the largest of them as the paper says.

    The five have different units. Where all are equal there is no scale: nothing was lost if they are 0, else the loss has no value.
    """
    measured = {name: values[name] for name in LOSSES if name in values}
    raw = {name: m.raw if m.raw is not None else m.value for name, m in measured.items() if m.value is not None}
    known = {name: value for name, value in raw.items() if value is not None}
    low, high = (min(known.values()), max(known.values())) if known else (0.0, 0.0)
    scaled = {name: (value - low) / (high - low) for name, value in known.items()} if high > low else {}
    loss = _mean(list(scaled.values())) if scaled else (0.0 if known and high == 0 else None)
    similar = [(name, value) for name, value in attribute.parts if name in SIMILARITIES]
    return replace(
        attribute, loss=loss, parts=(*scaled.items(), *similar), components=Components(LOSSES, attribute.components.similarities)
    )


def measure_usefulness(
    attributes: Sequence[AttributeUtility],
    *,
    weights: Mapping[str, float] | None = None,
    loss_total: Total = "mean",
    similarity_total: Total = "mean",
    similarity_weight: float = 0.5,
    form: UtilityForm = "weighted",
) -> Usefulness:
    """Return loss, similarity and utility over all attributes: weighted means, or the largest of each."""
    if form not in UTILITY_FORMS:
        raise OptionError(f"Utility is {' or '.join(UTILITY_FORMS)}, not {form!r}.")
    share = check_share("The weight of similarity", similarity_weight)
    columns = [attribute.column for attribute in attributes]
    counted = attribute_weights(columns, weights)
    loss = total_of([attribute.loss for attribute in attributes], counted, loss_total)
    similarity = total_of([attribute.similarity for attribute in attributes], counted, similarity_total)
    if loss is None or similarity is None:
        missing = "loss" if loss is None else "similarity"
        raise OptionError(f"No attribute has a {missing} that could be measured, so there is no utility to state.")
    utility = share * similarity + (1 - share) * (1 - loss) if form == "weighted" else similarity / loss if loss > 0 else None
    return Usefulness(loss, similarity, utility, form, share, tuple(attributes), tuple(counted))


def attribute_kind(like: str | None, *, numeric: bool) -> AttributeKind:
    """Return the kind of an attribute from what table 5 likens it to (age, zip, income, diagnosis), or from being numeric."""
    kinds: Mapping[str, AttributeKind] = {"age": "range", "zip": "code", "income": "amount", "diagnosis": "grouped"}
    if like is not None and like in kinds:
        return kinds[like]
    return "amount" if numeric else "category"


def _mean(values: Sequence[float | None]) -> float | None:
    return total_of(values, [1.0] * len(values), "mean")

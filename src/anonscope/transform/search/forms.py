"""The de-identified form of a column: one level of its hierarchy; and what is true of the table when some columns have theirs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import EVERYTHING
from anonscope.columns.roles import Roles
from anonscope.io.rounding import rounded
from anonscope.risk.counting.columns import CodedColumn
from anonscope.transform.search.dimensions import Dimensions


@dataclass(frozen=True, slots=True, kw_only=True)
class DeidentifiedForm:
    """The one de-identified form of a column: a level of its hierarchy, and how many distinct values are left there."""

    column: str
    role: str
    level: int
    words: str
    values: int
    values_left: int
    automatic: bool  # its hierarchy was made from the data


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """Some quasi-identifiers in their de-identified form and the others as they were: k, l, t, and what that loses, in per cent."""

    deidentified: tuple[str, ...]
    k: int
    diversity: Mapping[str, int]
    closeness: Mapping[str, float]
    loss: float
    loss_gionis_tassa: float
    broken: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Whether all limits are kept."""
        return not self.broken

    @property
    def kept(self) -> float:
        """What is not lost, in per cent: the paper's inverse non-uniform entropy."""
        return 100 - self.loss

    @property
    def t(self) -> float | None:
        """The largest distance of any sensitive attribute; None without one."""
        return max(self.closeness.values(), default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the dimension as plain data."""
        return {
            "dimension": len(self.deidentified),
            "deidentified": list(self.deidentified),
            "k": self.k,
            "l": dict(self.diversity),
            "t": rounded(self.t),
            "t_by_attribute": {name: rounded(value) for name, value in self.closeness.items()},
            "loss_percent": rounded(self.loss),
            "loss_percent_gionis_tassa": rounded(self.loss_gionis_tassa),
            "kept_percent": rounded(self.kept),
            "met": self.met,
            "broken": list(self.broken),
        }


def form_in(column: str, roles: Roles, hierarchy: Hierarchy, level: int, coded: CodedColumn, *, automatic: bool) -> DeidentifiedForm:
    """Return the form of a column on a level, and how many of its values are left there."""
    words = hierarchy.words[level - 1] if level and hierarchy.words else ""
    usual = "stays as it is" if level == 0 else "everything is one" if level == hierarchy.height else f"level {level}"
    values = [value for value in coded.values if value is not None]
    return DeidentifiedForm(
        column=column,
        role="sensitive" if column in roles.sensitive else "quasi-identifier",
        level=level,
        words=words or usual,
        values=len(values),
        values_left=len({hierarchy.label(value, level) for value in values}),
        automatic=automatic,
    )


def dimension_of(dimensions: Dimensions, chosen: Iterable[int], roles: Roles) -> Dimension:
    """Return what is true of a set of de-identified quasi-identifiers, in the words of the table."""
    found = dimensions.measured(chosen)
    return Dimension(
        deidentified=tuple(roles.quasi_identifiers[a] for a in found.chosen),
        k=found.k,
        diversity=dict(zip(roles.sensitive, found.diversities, strict=True)),
        closeness=dict(zip(roles.sensitive, found.distances, strict=True)),
        loss=100 * dimensions.loss(found.chosen),
        loss_gionis_tassa=100 * dimensions.loss(found.chosen, by_images=True),
        broken=tuple(limit.name for limit in found.broken),
    )


def labelled(column: CodedColumn, hierarchy: Hierarchy, level: int) -> CodedColumn:
    """Return a column in codes with its values replaced by their labels on a level; a missing value stays missing below the last."""
    top = level == hierarchy.height
    labels = [EVERYTHING if top else None if value is None else hierarchy.label(value, level) for value in column.values]
    values = (None, *sorted({label for label in labels if label is not None}))
    place = {label: code for code, label in enumerate(values)}
    return CodedColumn(values, np.array([place[label] for label in labels], dtype=np.int32)[column.codes])

"""How far the columns of several fragments tell people apart, for whoever puts them together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonscope.io.rounding import rounded
from anonscope.risk.counting.columns import CodedColumn, numbered
from anonscope.risk.counting.grouping import distinct


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentsTogether:
    """How far some columns tell people apart: the smallest class, the share who are alone, and the mean of 1 / class size."""

    columns: tuple[str, ...]
    classes: int
    k: int
    unique: float
    average: float

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "columns": list(self.columns),
            "classes": self.classes,
            "k": self.k,
            "unique_share": rounded(self.unique),
            "average_risk": rounded(self.average),
        }


def told_apart(names: tuple[str, ...], columns: Mapping[str, CodedColumn], person: tuple[str, ...]) -> FragmentsTogether:
    """Return how far columns in codes tell people apart."""
    number, count = numbered([columns[name].codes for name in names], [len(columns[name].values) for name in names])
    if person:
        whose = columns[person[0]]
        classes, _, _ = distinct(number, count, whose.codes.astype(np.int64), len(whose.values), np.ones(len(number)))
        sizes = np.bincount(classes, minlength=count)
    else:
        sizes = np.bincount(number, minlength=count)
    people = int(sizes.sum())
    return FragmentsTogether(
        columns=names, classes=count, k=int(sizes.min()), unique=int((sizes == 1).sum()) / people, average=count / people
    )

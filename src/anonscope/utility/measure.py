"""What a measure of utility or loss is, and what measuring it gives."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from anonscope.utility.alignment.aligned import Aligned, AlignedColumn

Better = Literal["higher", "lower"]
Scope = Literal["attribute", "table"]
Need = Literal["numeric", "hierarchy"]
Status = Literal["measured", "not measured"]
Family = Literal["cells", "entropy", "distance", "classes", "similarity", "statistics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityMeasurement:
    """One number about a release, or why there is none. `column` is None for the whole table."""

    utility: str
    column: str | None = None
    variant: str | None = None
    value: float | None = None
    raw: float | None = None  # before it was put on its scale: bits, units of the column, a count
    interval: tuple[float, float] | None = None  # where the value is only known to lie in it
    status: Status = "measured"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A value; `raw` is what it was made of, and `most` the largest that could have been."""

    value: float
    raw: float | None = None
    most: float | None = None
    interval: tuple[float, float] | None = None


# Why a number does not exist.
Answer = Found | str


# Into how many bins the range of a numeric column is divided to compare histograms.
BINS = 20


@dataclass(frozen=True, slots=True)
class UtilitySettings:
    """What measures may be told: the k that was asked for, whether to work out what takes long, and the bins of histograms."""

    k: int | None = None
    condensation: bool = True
    bins: int = BINS


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """One measure of what is left or lost: everything that reports, help and documentation say about it."""

    name: str
    title: str
    question: str
    reading: str  # what a high and a low value mean, in a sentence
    formula: str
    source: str
    family: Family
    better: Better
    range: tuple[float, float | None]
    scopes: tuple[Scope, ...]
    variants: tuple[str, ...] = ()  # the default comes first
    needs: tuple[Need, ...] = ()
    monotone: bool = False  # coarsening truthfully never makes it better
    raw: str | None = None  # the unit of `raw`, where there is one
    measure: Callable[[Aligned, UtilitySettings], Iterable[UtilityMeasurement]]

    def __str__(self) -> str:
        return self.name


def measured(name: str, answer: Answer, column: str | None = None, variant: str | None = None) -> UtilityMeasurement:
    """Return an answer as a measurement; a number that is not finite is none."""
    if isinstance(answer, str):
        return UtilityMeasurement(utility=name, column=column, variant=variant, status="not measured", reason=answer)
    if not isfinite(answer.value) or (answer.raw is not None and not isfinite(answer.raw)):
        return measured(name, "the number is too large to be written", column, variant)
    return UtilityMeasurement(
        utility=name,
        column=column,
        variant=variant,
        # Adding zero turns minus zero into zero.
        value=float(answer.value) + 0.0,
        raw=None if answer.raw is None else float(answer.raw) + 0.0,
        interval=None if answer.interval is None else (float(answer.interval[0]), float(answer.interval[1])),
    )


def each_column(
    name: str,
    aligned: Aligned,
    measure: Callable[[AlignedColumn], Answer],
    *,
    variant: str | None = None,
    together: Callable[[Sequence[Found]], Found] | None = None,
    complete: bool = False,
) -> list[UtilityMeasurement]:
    """Return a measurement of the table, and one of every column; the table's is the mean of those, if not told otherwise.

    With `complete`, the table has a number only if every column has one.
    """
    answers = [measure(column) for column in aligned.columns]
    numbers = [answer for answer in answers if isinstance(answer, Found)]
    whole: Answer = (together or mean)(numbers) if numbers else _common_reason(answers)
    if complete and 0 < len(numbers) < len(answers):
        whole = f"{len(answers) - len(numbers)} of {len(answers)} columns have no number"
    found = [measured(name, whole, None, variant)]
    for column, answer in zip(aligned.columns, answers, strict=True):
        found.append(measured(name, answer, column.name, variant))
    return found


def mean(found: Sequence[Found]) -> Found:
    """Return the mean value; every column counts the same."""
    return Found(sum(answer.value for answer in found) / len(found))


def largest(found: Sequence[Found]) -> Found:
    """Return the largest value."""
    return Found(max(answer.value for answer in found))


def share_of_most(found: Sequence[Found]) -> Found:
    """Return the sum of what was lost by the sum of what could have been."""
    raw, most = (sum(getattr(answer, field) or 0.0 for answer in found) for field in ("raw", "most"))
    return Found(raw / most if most > 0 else 0.0, raw, most)


def _common_reason(answers: Sequence[Answer]) -> str:
    reasons = list(dict.fromkeys(answer for answer in answers if isinstance(answer, str)))
    return reasons[0] if len(reasons) == 1 else "no column can be measured"


NOT_NUMERIC = "the column is not numeric"
NO_HIERARCHY = "no hierarchy of the column was given"

"""Age bands: two ladders that statistics use.

The default goes by round numbers: 5 years, 10 years, 20 years, and where it is known how many people have each age, coarser bands that
part them where they are, such as below 40 and from 40 on. Ages from 90 on are one band from the start, as HIPAA's Safe Harbor asks for
(45 CFR 164.514(b)(2)(i)(C)). Social surveys divide at 18 instead: 18-24, 25-34 and so on up to 85, which do not nest in bands of 5
years.
"""

from collections.abc import Sequence

from anonscope.columns.hierarchy.bands import Banded
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.numbers import ladder_of, numbers
from anonscope.engines.values import number_of

_OLDEST = 130
_TOP = 90
_ROUND = tuple((f"in bands of {width} years", tuple(range(0, _TOP + 1 if _TOP % width == 0 else _TOP, width))) for width in (5, 10, 20))
_SURVEY = (
    ("as in social surveys: 18-24, 25-34, and so on", (0, 5, 12, 18, 25, 35, 45, 55, 65, 75, 85)),
    ("in stages of life: below 18, to 34, to 54, to 74", (0, 18, 35, 55, 75)),
    ("minors and adults", (18,)),
)


def ages(name: str, values: Sequence[str], counts: Sequence[int] | None = None) -> Hierarchy:
    """Return bands of 5, 10 and 20 years, or coarser ones by `counts`; what are no ages in whole years get a ladder of numbers."""
    return _banded(name, values, counts, _ROUND)


def survey_ages(name: str, values: Sequence[str]) -> Hierarchy:
    """Return the bands of social surveys: 18-24, 25-34 and so on; then stages of life; then minors and adults."""
    return _banded(name, values, None, _SURVEY)


def _banded(name: str, values: Sequence[str], counts: Sequence[int] | None, ladder: Sequence[tuple[str, tuple[int, ...]]]) -> Hierarchy:
    read = {value: int(number) for value in values if (number := number_of(value)) is not None and number in range(_OLDEST + 1)}
    if len(read) < len([value for value in values if number_of(value) is not None]):
        return numbers(name, values, counts)
    known = sorted(read, key=lambda value: (read[value], value))
    leaves = [*known, *sorted(value for value in values if value not in read)]
    levels = [
        Banded(words, [_label(read[leaf], begins) for leaf in known], [_begin(read[leaf], begins) for leaf in known])
        for words, begins in ladder
    ]
    return ladder_of(name, leaves, levels, dict(zip(values, counts, strict=True)) if counts is not None else None, read, str, whole=True)


def _begin(age: int, begins: tuple[int, ...]) -> int:
    return max((begin for begin in begins if begin <= age), default=0)


def _label(age: int, begins: tuple[int, ...]) -> str:
    """Return the band of an age; the last band is open, and so is the first unless it is 0."""
    if age < begins[0]:
        return f"<{begins[0]}"
    band = max(i for i, begin in enumerate(begins) if begin <= age)
    return f"{begins[band]}+" if band == len(begins) - 1 else f"[{begins[band]}-{begins[band + 1] - 1}]"

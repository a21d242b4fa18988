"""Age bands: two ladders that statistics use.

The default goes by round numbers: 5 years, 10 years, 20 years, below 20 and from 20 on. Ages from 90 on are one band from the start, as
HIPAA's Safe Harbor asks for (45 CFR 164.514(b)(2)(i)(C)). The border between children and adults is 20 and not 18, because bands of 5
years must nest in it. Social surveys divide at 18 instead: 18-24, 25-34 and so on up to 85, which do not nest in bands of 5 years.
"""

from collections.abc import Callable, Sequence

from anonscope.columns.hierarchy.assemble import Level, assemble
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.numbers import numbers
from anonscope.engines.values import number_of

_OLDEST = 130
_TOP = 90
_SURVEY = (
    ("as in social surveys: 18-24, 25-34, and so on", (0, 5, 12, 18, 25, 35, 45, 55, 65, 75, 85)),
    ("in stages of life: below 18, to 34, to 54, to 74", (0, 18, 35, 55, 75)),
    ("minors and adults", (18,)),
)


def ages(name: str, values: Sequence[str]) -> Hierarchy:
    """Return bands of 5, 10 and 20 years; a column that does not hold ages in whole years gets a ladder of its own."""
    return _banded(
        name,
        values,
        [
            ("in bands of 5 years", tuple(range(0, _TOP + 1, 5))),
            ("in bands of 10 years", tuple(range(0, _TOP + 1, 10))),
            ("in bands of 20 years", tuple(range(0, _TOP, 20))),
            ("below 20, and from 20 on", (20,)),
        ],
    )


def survey_ages(name: str, values: Sequence[str]) -> Hierarchy:
    """Return the bands of social surveys: 18-24, 25-34 and so on; then stages of life; then minors and adults."""
    return _banded(name, values, _SURVEY)


def _banded(name: str, values: Sequence[str], ladder: Sequence[tuple[str, tuple[int, ...]]]) -> Hierarchy:
    read = {value: int(number) for value in values if (number := number_of(value)) is not None and number in range(_OLDEST + 1)}
    if len(read) < len([value for value in values if number_of(value) is not None]):
        return numbers(name, values)
    leaves = [*sorted(read, key=lambda value: (read[value], value)), *sorted(value for value in values if value not in read)]
    return assemble(
        name,
        leaves,
        (Level(words, [label(read[leaf]) if leaf in read else None for leaf in leaves]) for words, label in map(_labelled, ladder)),
    )


def _labelled(level: tuple[str, tuple[int, ...]]) -> tuple[str, Callable[[int], str]]:
    """Return what a level does, and the function from an age to its band; the last band is open, and so is the first unless it is 0."""
    words, begins = level

    def label(age: int) -> str:
        if age < begins[0]:
            return f"<{begins[0]}"
        band = max(i for i, begin in enumerate(begins) if begin <= age)
        return f"{begins[band]}+" if band == len(begins) - 1 else f"[{begins[band]}-{begins[band + 1] - 1}]"

    return words, label

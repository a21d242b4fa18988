"""Ladders of intervals for numbers.

Widths are 1, 2 or 5 times a power of ten, each a multiple of the one before, and intervals begin at multiples of their width, so
that every level nests in the next and reads well. They go from about two values an interval to two or three intervals; where no nice
width leads that far, the last is doubled, and counts within 20 are doubled from the start: 2, 4, 8. Whole numbers get closed
intervals, "[30-39]", and other numbers half-open ones, "[30, 40)". Values far outside the rest, beyond five times the distance between
the quartiles, are together in "90+" or "<18" on every level, because intervals that tell them apart would leave everybody else in one.

Where it is known how many records have each value, the coarser levels may instead join such bands where the records are: in quarters
and halves, divided at the median or at natural breaks. Which of these ladders allows least loss is computed; see `judged`.

What is no number keeps its name up to the last level. Numbers that are not whole are those of double precision.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor, inf, isfinite, log, log10, nan
from typing import TYPE_CHECKING, Any

from anonscope.columns.hierarchy.assemble import MOST_LEVELS, Level, assemble, even_steps
from anonscope.columns.hierarchy.bands import Banded, joined
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.judged import MOST_JUDGED, best_of
from anonscope.columns.images import number_text
from anonscope.engines.values import number_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MANTISSAS = (1, 2, 5)
_FAR = 5
# Whole numbers within so small a range, such as counts of children, are joined two by two, four by four, and so on.
_SMALL = 20
_DOUBLINGS = (2, 4, 8, 16)
_FEW_INTERVALS = 3
# So many times the finest width a number may be, or rounding would put it into the wrong interval; double precision has 2**53.
_EXACT = 2**44
# Powers of ten are finite within these exponents, and are what they should be up to this one.
_EXPONENTS = range(-300, 308)
_EXACT_POWER = 22


@dataclass(frozen=True, slots=True)
class _Core:
    """The numbers without those far outside, sorted; `below` and `above` say whether there are any outside."""

    numbers: "NDArray[Any]"
    below: bool
    above: bool


@dataclass(frozen=True, slots=True)
class _Scale:
    """Widths as multiples of one power of ten."""

    exponent: int
    widths: tuple[int, ...]

    def text(self, multiple: int) -> str:
        """Return a multiple of the power of ten as our releases write numbers."""
        if self.exponent == 0:
            return str(multiple)
        exact = Decimal(multiple).scaleb(self.exponent)
        return number_text(float(exact)) if isfinite(float(exact)) else f"{exact.normalize():e}".replace("E", "e")


def numbers(name: str, values: Sequence[str], counts: Sequence[int] | None = None) -> Hierarchy:
    """Return a ladder of intervals over numbers that are written as text; `counts` are the records that have each."""
    import numpy as np

    read = {value: number for value in values if (number := _read(value)) is not None}
    known = sorted(read, key=lambda value: (read[value], value))
    leaves = [*known, *sorted(value for value in values if value not in read)]
    listed = [read[value] for value in known]
    whole = all(number == int(number) for number in listed)
    column: NDArray[Any] = np.array([int(n) for n in listed], dtype=object) if whole else np.array(listed, dtype=np.float64)
    if whole and len(listed) and max(map(abs, listed)) < 2**62:
        column = column.astype(np.int64)
    distinct = np.unique(column)
    core = _core(distinct)
    scale = _scale(core.numbers, whole)
    if scale is None:
        return assemble(name, leaves, ())
    levels = _levels(column, core, scale, whole)
    # Small counts, such as those of children, lie close together: doubling them loses less than parting them where the records are.
    judged = counts is not None and scale.widths[:1] != _DOUBLINGS[:1]
    return ladder_of(name, leaves, levels, dict(zip(values, counts or (), strict=True)) if judged else None, read, scale.text, whole)


def ladder_of(
    name: str,
    leaves: Sequence[str],
    levels: Sequence[Banded],
    counts: Mapping[str, int] | None,
    read: Mapping[str, int | float],
    text: Callable[[int], str],
    whole: bool,
) -> Hierarchy:
    """Return the best ladder that levels of bands give; leaves that are no number come last, and keep their name."""
    known = [leaf for leaf in leaves if leaf in read]
    odd = [None] * (len(leaves) - len(known))
    if counts is None or len(leaves) > MOST_JUDGED:
        return assemble(name, leaves, (Level(level.words, [*level.labels, *odd]) for level in levels))
    listed = [float(read[leaf]) for leaf in known]
    records = [counts[leaf] for leaf in known]
    made = (
        assemble(name, leaves, (Level(level.words, [*level.labels, *odd]) for level in ladder))
        for ladder in joined(levels, records, listed, text, whole)
    )
    return best_of(made, [counts[leaf] for leaf in leaves], [*listed, *(nan for _ in odd)])


def _read(text: str) -> int | float | None:
    """Return the number a text stands for; whole ones exactly, however long. None if it is none, or none that is finite."""
    number = number_of(text)
    if number is None or not isfinite(number):
        return None
    try:
        return int(text)
    except ValueError:
        return number


def _core(distinct: "NDArray[Any]") -> _Core:
    count = len(distinct)
    if count < 4:
        return _Core(distinct, below=False, above=False)
    lower, upper = distinct[[(count - 1) // 4, -1 - (count - 1) // 4]].tolist()
    far = _FAR * (upper - lower)
    inside = distinct[(distinct >= lower - far) & (distinct <= upper + far)]
    return _Core(inside, below=bool(distinct[0] < inside[0]), above=bool(distinct[-1] > inside[-1]))


def _scale(core: "NDArray[Any]", whole: bool) -> _Scale | None:
    """Return the widths that climb most evenly from the mean gap between numbers to their whole range, or None if none fits."""
    if len(core) < 3:
        return None
    low, high = core[[0, -1]].tolist()
    # Halves, because the distance of two large numbers may not be finite, and of two small ones too small to be one.
    half = high - low if whole else high / 2 - low / 2
    if half == 0:
        return None
    span = log10(half) + (0 if whole else log10(2))
    gap = _gap(core, span)
    least = max(gap, 0 if whole else log10(max(abs(low), abs(high))) - log10(_EXACT)) + log10(2)
    if whole and half < _SMALL:
        return _Scale(0, tuple(width for width in _DOUBLINGS if width <= half))
    exponents = range(max(floor(least) - 1, 0 if whole else _EXPONENTS.start), min(floor(span) + 1, _EXPONENTS.stop - 1) + 1)
    nice = [
        (mantissa, exponent)
        for exponent in exponents
        for mantissa in _MANTISSAS
        if least - 1e-9 <= log10(mantissa) + exponent <= span + 1e-9
    ]
    if not nice:
        return None
    lowest = nice[0][1]
    sizes = [mantissa * 10 ** (exponent - lowest) for mantissa, exponent in nice]
    heights = [(log10(mantissa) + exponent - gap) * log(10) for mantissa, exponent in nice]
    chosen = even_steps(heights, (span - gap) * log(10), allowed=lambda lower, upper: sizes[upper] % sizes[lower] == 0)
    first = 0 if whole else nice[chosen[0]][1]
    widths = tuple(nice[i][0] * 10 ** (nice[i][1] - first) for i in chosen)
    return _doubled(_Scale(first, widths), core, whole)


def _gap(core: "NDArray[Any]", span: float) -> float:
    """Return the usual distance of two numbers that follow each other, as a logarithm: the mean of those between the quartiles."""
    quarter = (len(core) - 1) // 4
    lower, upper = core[[quarter, -1 - quarter]].tolist()
    if quarter == 0 or not isfinite(upper - lower):
        return span - log10(len(core) - 1)
    return log10(upper - lower) - log10(len(core) - 1 - 2 * quarter)


def _doubled(scale: _Scale, core: "NDArray[Any]", whole: bool) -> _Scale:
    """Return the scale with its last width doubled as long as it makes many intervals."""
    ends = _places(core[[0, -1]], scale, whole)
    widths = list(scale.widths)
    while len(widths) < MOST_LEVELS:
        first, last = (int(end) // (widths[-1] // widths[0]) for end in ends)
        if last - first + 1 <= _FEW_INTERVALS:
            break
        widths.append(2 * widths[-1])
    return _Scale(scale.exponent, tuple(widths))


def _places(column: "NDArray[Any]", scale: _Scale, whole: bool) -> "NDArray[Any]":
    """Return how many of the finest widths lie below each number."""
    import numpy as np

    finest = scale.widths[0]
    if whole:
        return column // finest
    power = 10.0 ** abs(scale.exponent)

    def begins(place: "NDArray[Any]") -> "NDArray[Any]":
        if abs(scale.exponent) > _EXACT_POWER:
            return np.array([float(Decimal(int(p) * finest).scaleb(scale.exponent)) for p in place])
        # Dividing by a power of ten gives the number nearest to the decimal one; multiplying by a tenth would not.
        return place * finest / power if scale.exponent < 0 else place * finest * power

    place = np.floor(column / finest * power if scale.exponent < 0 else column / power / finest)
    place = np.where(begins(place) > column, place - 1, place)
    place = np.where(begins(place + 1) <= column, place + 1, place)
    return place.astype(np.int64)


def _levels(column: "NDArray[Any]", core: _Core, scale: _Scale, whole: bool) -> list[Banded]:
    """Return the bands of every width."""
    import numpy as np

    finest, coarsest = scale.widths[0], scale.widths[-1]
    times = coarsest // finest
    low, high = (int(end) // times for end in _places(core.numbers[[0, -1]], scale, whole))
    # Far numbers may be too large to be counted in widths; their own size does not matter.
    near = column if whole else np.clip(column, *_bounds(core.numbers))
    places = _places(near, scale, whole)
    least, beyond = low * times, (high + 1) * times
    found = []
    for width in scale.widths:
        label = _label_of(scale, width, whole)
        begins, inverse = np.unique(places // (width // finest), return_inverse=True)
        names = np.array([label(int(begin)) for begin in begins], dtype=object)[inverse]
        starts = np.array([int(begin) * width for begin in begins], dtype=object)[inverse]
        if core.below:
            names[places < least] = f"<{scale.text(least * finest)}"
        if core.above:
            names[places >= beyond] = f"{scale.text(beyond * finest)}+"
            starts[places >= beyond] = beyond * finest
        found.append(Banded(f"in bands of {scale.text(width)}", names.tolist(), starts.tolist()))
    return found


def _label_of(scale: _Scale, width: int, whole: bool) -> Callable[[int], str]:
    if whole:
        return lambda begin: f"[{begin * width}-{begin * width + width - 1}]"
    return lambda begin: f"[{scale.text(begin * width)}, {scale.text((begin + 1) * width)})"


def _bounds(core: "NDArray[Any]") -> tuple[float, float]:
    """Return numbers that are surely outside: further from the core than its widest interval."""
    low, high = float(core[0]), float(core[-1])
    far = 3 * (high - low)
    return (low - far, high + far) if far < inf else (-inf, inf)

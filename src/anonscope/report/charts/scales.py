"""Axes and words of charts: where a number stands along an axis, round marks on it, and names that fit the smallest page."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

# What a line of a chart holds at 320 pixels.
LETTERS = 36
_TICKS = 4


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high`; places are shares of its length."""

    low: float
    high: float
    log: bool = False
    ticks: tuple[float, ...] = ()

    def place(self, value: float) -> float:
        """Return where a value stands, from 0 to 1; beyond an end it stands on it."""
        if self.log:
            low, high, at = log10(self.low), log10(self.high), log10(max(value, self.low))
        else:
            low, high, at = self.low, self.high, value
        return min(max((at - low) / (high - low), 0.0), 1.0)


def linear(values: Sequence[float], *, from_zero: bool = True) -> Scale:
    """Return an axis around values, with ends and marks at round numbers."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    low = min(low, 0.0) if from_zero else low
    if high - low <= 0:
        low, high = (low, low + 1.0) if high == 0 else (min(low, 0.0), max(high, 0.0))
    raw = (high - low) / _TICKS
    power = 10.0 ** floor(log10(raw))
    step = next(digit * power for digit in (1, 2, 2.5, 5, 10) if digit * power >= raw * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return Scale(first * step, last * step, ticks=tuple(round(i * step, 12) for i in range(first, last + 1)))


def shares() -> Scale:
    """Return the axis from none to all."""
    return Scale(0.0, 1.0, ticks=(0.0, 0.25, 0.5, 0.75, 1.0))


def powers(values: Sequence[float]) -> Scale:
    """Return a logarithmic axis around positive values, with marks at powers of ten."""
    positive = [value for value in values if value > 0] or [1.0]
    first, last = floor(log10(min(positive)) + 1e-9), ceil(log10(max(positive)) - 1e-9)
    last = max(last, first + 1)
    step = max(1, ceil((last - first) / 6))
    return Scale(10.0**first, 10.0**last, log=True, ticks=tuple(10.0**i for i in range(first, last + 1, step)))


def short(value: float) -> str:
    """Return a number of an axis: thousands and millions as such, and no digits that nobody needs."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}" if abs(value) >= 1e-3 or value == 0 else f"1/{1 / value:,.0f}"


def percent(value: float) -> str:
    """Return a mark of an axis of shares."""
    return f"{100 * value:g} %"


def across(share: float) -> str:
    """Return a place along the width."""
    return f"{100 * share:.2f}%"


def fitting(name: str, letters: int = LETTERS) -> str:
    """Return a name that fits a line; what it lost is in the table beside the chart."""
    plain = "".join(c if c.isprintable() else " " for c in name)
    return plain if len(plain) <= letters else f"{plain[: max(letters - 1, 1)]}…"

"""Numbers as they are written: without digits that mean nothing, and exactly where that can be written out."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

_LONGEST, _MOST_DIGITS = 4000, 400
_POWER = re.compile(r"[eE]([+-]?[0-9_]+)")
# Beyond these digits lies only the order in which threads happened to add.
_DIGITS = 12
# And below this, of a sum of shares that come to 1.
LEFT_OVER = 1e-9


def rounded(value: float | None) -> float | None:
    """Return a number without the digits that mean nothing."""
    if value is None or isinstance(value, int):
        return value
    return float(f"{value:.{_DIGITS}g}")


def plain(value: Any) -> Any:
    """Return nested data with numbers rounded as everywhere, and tuples as lists."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return rounded(value) if isinstance(value, float) else value


def fraction_of(value: "str | int | float | Decimal | Fraction") -> Fraction:
    """Return a number exactly; raise ValueError where it is none, or has so large a power of ten that it could not be written out."""
    if isinstance(value, str | Decimal):
        text = str(value)
        power = _POWER.search(text[:_LONGEST])
        if len(text) > _LONGEST or (power is not None and abs(int(power.group(1))) > _MOST_DIGITS):
            raise ValueError("a number that takes for ever to write out")
    return Fraction(value)

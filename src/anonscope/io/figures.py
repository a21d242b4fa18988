"""Numbers as people read them: no powers of ten, no digits that nobody needs, and nearly never turned into certainly.

Every number of which somebody has to choose the digits is written here, for whatever text or page it is: shares as "35.4 %", fractions
with a point, thousands with a comma. What leaves no choice needs no function: a count is `{n:,}`, a limit as it was given `{limit:g}`.
"""

from anonscope.io.rounding import LEFT_OVER

_BILLION, _ENDLESS = 1e9, 1e15  # beyond it nobody counts digits


def number(value: float | None) -> str:
    """Return a score: whole ones as they are, others with three decimals, large ones with fewer."""
    if value is None:
        return "—"
    if isinstance(value, int) or (value.is_integer() and abs(value) >= 2):
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    text = f"{value:.1f}" if abs(value) >= 100 else f"{value:.3f}"
    if text == "1.000" and value < 1:
        return "0.999+"
    if text in ("0.000", "-0.000") and value:
        return "< 0.001" if value > 0 else "> -0.001"
    return text.removeprefix("-") if text == "-0.000" else text


def figure(value: float | None, digits: int = 4) -> str:
    """Return a number of any size with so many digits that count."""
    if value is None:
        return "—"
    if abs(value) >= _ENDLESS:
        return "over 10¹⁵" if value > 0 else "under -10¹⁵"
    if abs(value) >= _BILLION:
        # As it stands in the smallest card; nobody reads more digits.
        return f"{float(f'{value / _BILLION:.4g}'):,.4f}".rstrip("0").rstrip(".") + " billion"
    if float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) < 0.0001:
        return "< 0.0001" if value > 0 else "> -0.0001"
    return f"{value:.{digits}g}"


def share(part: float, whole: float) -> str:
    """Return a percentage that never hides a few people behind a zero."""
    if whole == 0 or part == 0:
        return "0 %"
    percent = 100 * part / whole
    if percent < 0.1:
        return "under 0.1 %"
    if percent >= 99.95 and part < whole:
        return "over 99.9 %"
    return f"{percent:.1f} %" if percent < 10 else f"{percent:.0f} %"


def per_cent(part: float, digits: int = 1) -> str:
    """Return a share with so many decimals, which never hides a few people behind a zero or behind all."""
    least = 10 ** -(digits + 2)
    if 0 < part < least:
        return f"under {100 * least:g} %"
    if 1 - least / 2 <= part < 1:
        return f"over {100 * (1 - least):.{digits}f} %"
    return f"{100 * part:.{digits}f} %" if 0 < part < 1 else f"{100 * max(part, 0.0):.0f} %"


def decimals(value: float | None, digits: int) -> str:
    """Return a number with so many decimals, for a column whose points stand below each other."""
    if value is None:
        return "—"
    text = f"{value:,.{digits}f}"
    # What is left of rounding has no sign.
    return text.removeprefix("-") if not text.strip("-0.,") else text


def different(value: float, limit: float) -> str:
    """Return a number in as few digits as tell it from a limit; what is left of rounding tells nothing."""
    if abs(value - limit) <= LEFT_OVER * max(1.0, abs(limit)):
        return f"{limit:g}"
    if abs(value) < LEFT_OVER:
        return "0"
    return next((text for digits in range(3, 17) if float(text := f"{value:.{digits}g}") != limit), f"{value:g}")


def typed(value: float) -> str:
    """Return a number as somebody would type it again: all its digits, but for those that only rounding left."""
    return f"{value:.12g}"

"""Numbers as people read them: no powers of ten, no digits that nobody needs, and nearly never turned into certainly."""

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


def figure(value: float | None) -> str:
    """Return a number of any size with four digits that count."""
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
    return f"{value:.4g}"


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


def per_cent(part: float) -> str:
    """Return a share with a decimal, which never hides a few people behind a zero or behind all."""
    if 0 < part < 0.001:
        return "under 0.1 %"
    if 0.9995 <= part < 1:
        return "over 99.9 %"
    return f"{100 * part:.1f} %" if 0 < part < 1 else f"{100 * max(part, 0.0):.0f} %"

"""Numbers as they are written: without digits that mean nothing."""

# Beyond these digits lies only the order in which threads happened to add.
_DIGITS = 12


def rounded(value: float | None) -> float | None:
    """Return a number without the digits that mean nothing."""
    if value is None or isinstance(value, int):
        return value
    return float(f"{value:.{_DIGITS}g}")

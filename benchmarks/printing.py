"""Tables as text, a line as soon as it is known: some take minutes."""

from collections.abc import Sequence


class Lines:
    """A table with a title and fixed widths; the first column is text, the others stand to the right."""

    def __init__(self, title: str, columns: Sequence[str], first: int = 44) -> None:
        self._widths = [first, *(max(10, len(column)) for column in columns[1:])]
        print(f"\n{title}\n")
        self.add(*columns)
        print("  ".join("-" * width for width in self._widths), flush=True)

    def add(self, *cells: object) -> None:
        """Print a line."""
        texts = [
            f"{cells[0]:<{self._widths[0]}}",
            *(f"{cell!s:>{width}}" for cell, width in zip(cells[1:], self._widths[1:], strict=False)),
        ]
        print("  ".join(texts).rstrip(), flush=True)

    def note(self, first: str, reason: object) -> None:
        """Print a line for what could not be measured."""
        print(f"{first:<{self._widths[0]}}  not measured: {reason}", flush=True)


def times(ratio: float) -> str:
    """Return a ratio as people say it."""
    return f"{ratio:.0f}x" if ratio >= 20 else f"{ratio:.2f}x"


def spread(ratios: Sequence[float]) -> str:
    """Return the lowest and the highest ratio."""
    return f"{min(ratios):.2f}-{max(ratios):.2f}"


def seconds(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def megabytes(value: float) -> str:
    return f"{value:.0f} MB"


def at_most(value: float, limit: float, unit: str) -> str:
    """Return whether a value keeps below its limit."""
    return f"{_met(value <= limit)} (<= {limit:g}{unit})"


def at_least(value: float, limit: float, unit: str) -> str:
    """Return whether a value reaches its limit."""
    return f"{_met(value >= limit)} (>= {limit:g}{unit})"


def _met(reached: bool) -> str:
    return "met" if reached else "MISSED"

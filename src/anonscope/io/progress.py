"""How far long work has got."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]


def silent(label: str, done: int, of: int) -> None:
    """Tell nobody."""

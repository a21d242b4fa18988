"""How far long work has got."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]

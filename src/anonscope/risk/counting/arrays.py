"""Arrays by what they hold."""

from typing import Any

from numpy.typing import NDArray

Integers = NDArray[Any]

Floats = NDArray[Any]

Flags = NDArray[Any]

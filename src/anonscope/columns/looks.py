"""What numbers and texts look like: rounded to a grid, or written in the same shape."""

import re
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]

# All labels on a grid on which so few values lie that this is no coincidence.
_CHANCE = 1e-3


def on_a_grid(labels: Numbers, values: Numbers) -> bool:
    """Return whether different numbers look rounded: all lie on a grid, and so few of the values do that this is no coincidence."""
    if len(labels) < 2 or not len(values):
        return False
    for digits in range(7):
        scaled = labels * 10.0**digits
        if np.abs(scaled).max() > 2**53:
            return False
        if np.abs(scaled - np.round(scaled)).max() < 1e-6:
            break
    else:
        return False
    whole = np.round(scaled).astype(np.int64)
    step = int(np.gcd.reduce(whole - whole[0]))
    others = values * 10.0**digits
    near = np.abs(others - np.round(others)) < 1e-6
    fits = near & (np.mod(np.round(others) - whole[0] % step, step) == 0)
    # A grid that people use needs no label to find it by; any other is found by the first two.
    return no_coincidence(float(fits.mean()), len(labels) - (0 if usual(step, int(whole[0])) else 2))


def usual(step: int, number: int) -> bool:
    """Return whether a number lies on a grid that people use: multiples of 1, 2 or 5, of tens of them, and so on."""
    return number % step == 0 and f"{step:e}"[0] in "125" and float(f"{step:.0e}") == step


def no_coincidence(share: float, labels: int) -> bool:
    """Return whether so many labels would hardly all keep what only a share of the values keeps."""
    return labels > 0 and share < 1 and (share == 0 or labels * log(share) < log(_CHANCE))


def shape(text: str) -> str:
    """Return how a text is written: a letter for letters, a digit for each digit."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", text))

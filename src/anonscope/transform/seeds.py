"""The seed of a random step: drawn from the operating system unless somebody chose one.

Whoever has the seed can draw the same numbers and take them off again, so it is a key: it has as many bits as one, and it stays in the
archive. A small seed that somebody chose can be tried, all of them in seconds; it is for tests.
"""

import re
import secrets
from typing import Protocol

from anonscope.errors import AnonscopeError

Seed = int | str
DIGITS = 32  # hexadecimal, at least: 128 bits
_DRAWN_BYTES = 32
# Fewer different ones among so many digits come up by chance once in 27 million times: somebody typed them.
_DIFFERENT = 8
# What TOML can write.
_LARGEST_NUMBER = 2**63 - 1
FOR_TESTS = "chosen seed, for tests"


class Failing(Protocol):
    """A step that says of itself what is wrong with it."""

    def fail(self, problem: str) -> AnonscopeError: ...


def drawn_seed() -> str:
    """Return a new seed of 256 bits from the operating system, in hexadecimal digits."""
    while not _is_random(found := secrets.token_hex(_DRAWN_BYTES)):
        pass
    return found


def is_for_tests(seed: Seed | None) -> bool:
    """Return whether a seed is so small that all of its kind can be tried."""
    return isinstance(seed, int)


def check_seed(step: Failing, seed: object) -> None:
    """Raise unless a seed can be used and written down."""
    if seed is None or (isinstance(seed, str) and _is_random(seed)):
        return
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= _LARGEST_NUMBER:
        raise step.fail(
            f"seed must be left out, so that one is drawn, or be at least {DIGITS} hexadecimal digits in quotes, drawn at random (openssl "
            "rand -hex 32); a whole number from 0 on is for tests"
        )


def _is_random(seed: str) -> bool:
    return re.fullmatch(rf"[0-9a-f]{{{DIGITS},}}", seed) is not None and len(set(seed)) >= _DIFFERENT

"""Every way to put a few things into classes."""

from collections.abc import Iterator


def partitions(many: int) -> Iterator[list[int]]:
    """Yield every way to put so many tuples into classes, as the number of each tuple's class."""
    found: list[list[int]] = [[]]
    for _ in range(many):
        found = [[*numbers, new] for numbers in found for new in range(max(numbers, default=-1) + 2)]
    yield from found

"""How much of a large table is looked at where an estimate will do."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonscope.operations.wishes.words import Wish, Words


@dataclass(frozen=True, kw_only=True)
class Sketching(Wish):
    """How many groups are drawn, and by which seed."""

    panel: ClassVar[str | None] = "What is drawn"

    groups: Annotated[
        int,
        Words(
            help="About how many groups are drawn and counted exactly; intervals are half as wide with four times as many.",
            metavar="N",
            least=100,
            most=100_000_000,
            wrong="The number of groups must be from 100 to 100,000,000, not {}.",
        ),
    ] = 50_000
    seed: Annotated[int, Words(help="Seed of what is drawn.", metavar="N")] = 1

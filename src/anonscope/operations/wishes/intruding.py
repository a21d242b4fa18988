"""How a motivated intruder test is drawn."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonscope.operations.wishes.words import Wish, Words


@dataclass(frozen=True, kw_only=True)
class Intruding(Wish):
    """How many questions, and by what records are known."""

    panel: ClassVar[str | None] = "The test"

    questions: Annotated[
        int,
        Words(
            help="How many from a record to a person, and as many from a person to a record.",
            metavar="N",
            least=1,
            wrong="The number of questions must be at least 1, not {}.",
        ),
    ] = 20
    key: Annotated[str | None, Words(help="Tells records apart in release and original. Default: their order.", metavar="COLUMN")] = None
    seed: Annotated[
        int | None,
        Words(help="Seed of the draw, which stays with the sealed answers.", metavar="N", least=0, wrong="A seed is 0 or above, not {}."),
    ] = None

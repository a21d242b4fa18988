"""Who the records were drawn from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from anonscope.operations.wishes.words import Wish, Words


@dataclass(frozen=True, kw_only=True)
class Drawn(Wish):
    """The people whom the records may belong to: a table of them, or how many there are."""

    panel: ClassVar[str | None] = "Who the records were drawn from"

    population: Annotated[Any, Words(help="A table of everybody, one row a person.", metavar="FILE", reads=str)] = None
    population_columns: Annotated[
        Mapping[str, str] | None,
        Words(
            help="What a quasi-identifier is called in the population, if not the same.",
            flags=("--population-column",),
            metavar="COLUMN=COLUMN",
            entry="A population column is written COLUMN=COLUMN (for instance age=age_at_census)",
        ),
    ] = None
    sampling_fraction: Annotated[float | None, Words(help="Share of the population that is in the table.", metavar="SHARE")] = None
    population_size: Annotated[int | None, Words(help="Or: how many people there are.", metavar="N")] = None

"""Which columns are looked at, how they are split, and what they are like."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from anonscope.errors import OptionError, shown
from anonscope.operations.wishes.words import Wish, Words

_FRAGMENTS = "The fragments"


@dataclass(frozen=True, kw_only=True)
class Chosen(Wish):
    """Columns that are compared with each other."""

    columns: Annotated[
        Sequence[str] | None,
        Words(help="A column to compare; all by default.", flags=("--column", "-c"), metavar="COLUMN"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Splitting(Wish):
    """How columns are split into fragments."""

    panel: ClassVar[str | None] = _FRAGMENTS

    fragments: Annotated[
        Sequence[Sequence[str]] | None,
        Words(
            help="The columns of one fragment. Repeat for every fragment; none asks for a proposal.",
            flags=("--fragment", "-f"),
            metavar="COLUMN,COLUMN",
        ),
    ] = None
    number: Annotated[int, Words(help="How many fragments to propose.", flags=("--number", "-n"), metavar="N")] = 2
    target: Annotated[str | None, Words(help="The column that is to be predicted (FMRMR).", flags=("--target", "-t"), metavar="COLUMN")] = (
        None
    )
    common: Annotated[
        Sequence[str],
        Words(help="A column that every fragment keeps, without a target (uFMRMR).", metavar="COLUMN"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class Fragmenting(Splitting):
    """How fragments are released."""

    panel: ClassVar[str | None] = _FRAGMENTS

    sensitive_in: Annotated[int | Literal["all"], Words(help="Which fragment has the sensitive columns.", metavar="N|all", reads=str)] = 1
    assemble: Annotated[bool, Words(help="One table again, row by row, which must meet the policy as a whole.")] = False

    def __post_init__(self) -> None:
        place: int | str = self.sensitive_in
        if isinstance(place, str) and place.isdecimal():
            object.__setattr__(self, "sensitive_in", int(place))
        elif isinstance(place, str) and place != "all":
            raise OptionError(f"Sensitive columns go to a fragment, by its number, or to all; not to {shown(place)}.")
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class Alike(Wish):
    """What columns are like, where their names do not say it."""

    like: Annotated[
        Mapping[str, str] | None,
        Words(
            help="A column is like an age, zip, income or diagnosis.",
            metavar="COLUMN=KIND",
            entry="A likeness is written COLUMN=KIND (for instance charges=income)",
            split_last=True,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Ready(Wish):
    """Which ready recipe is made."""

    level: Annotated[
        Literal["P1", "P2", "P3"] | None,
        Words(
            help="A pseudonymisation level: P1 weak, P2 moderate, P3 strong.",
            shown=False,
            wrong="The level must be one of P1, P2, P3, not {}.",
        ),
    ] = None
    safe_harbor: Annotated[bool, Words(help="Or: what HIPAA's Safe Harbor asks for.")] = False

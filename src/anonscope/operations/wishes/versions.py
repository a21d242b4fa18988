"""How versions of a table are compared and linked, and what a point of somebody's events is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from anonscope.operations.wishes.balancing import Balancing
from anonscope.operations.wishes.columns import Alike
from anonscope.operations.wishes.words import Wish, Words

Unknown = Literal["anything", "observed", "itself", "prefix"]
_COMPARED, _LINKED = "What is compared", "How they are linked"
_TABLES = "Which tables"
_POINTS = "What a point is"


@dataclass(frozen=True, kw_only=True)
class Explained(Wish):
    """What a released value stands for that nothing explains."""

    panel: ClassVar[str | None] = "Which column is what"

    unknown: Annotated[
        Unknown | Mapping[str, Unknown],
        Words(
            help="What a released value stands for that nothing explains: anything, observed (what it replaced, record by record), itself "
            "(a value that the other table lacks) or prefix (the first characters of values). For all columns or, repeated, by column.",
            metavar="[COLUMN=]HOW",
        ),
    ] = "anything"


@dataclass(frozen=True, kw_only=True)
class External(Wish):
    """A table that an attacker may hold, and what columns are called in it."""

    panel: ClassVar[str | None] = _TABLES

    external: Annotated[Any, Words(help="A table that an attacker may hold.", metavar="FILE", reads=str)] = None
    external_columns: Annotated[
        Mapping[str, str] | None,
        Words(
            help="What a released column is called in the external table.",
            flags=("--external-column",),
            metavar="COLUMN=COLUMN",
            entry="An external column is written COLUMN=COLUMN (for instance age=age_at_census)",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Comparing(Alike, External, Balancing):
    """What is compared, and how the balance of risk and utility is struck."""

    panel: ClassVar[str | None] = _COMPARED

    names: Annotated[Sequence[str] | None, Words(help="What to call a release. Repeat, one each.", flags=("--name",), metavar="NAME")] = (
        None
    )
    key: Annotated[str | None, Words(help="Match records by this column, not by their order.", metavar="COLUMN")] = None
    synthetic: Annotated[
        bool,
        Words(help="Records of the releases are nobody's, or in no order: compare them as wholes. Recognised where it shows."),
    ] = False
    condensation: Annotated[
        bool,
        Words(help="Measure the relative condensation loss too, which compares the records of every class with each other."),
    ] = False
    model: Annotated[str | None, Words(help="Learn to predict this column from each release (extra ml).", metavar="COLUMN")] = None
    seed: Annotated[int, Words(help="Seed of what is drawn.", metavar="N")] = 1


@dataclass(frozen=True, kw_only=True)
class Linking(Wish):
    """Which columns are linked, and what a missing value matches."""

    panel: ClassVar[str | None] = _LINKED

    columns: Annotated[
        Mapping[str, str] | None,
        Words(
            help="A column of the release and what it is called in the external table. Repeat; for the others, names suggest it.",
            flags=("--column",),
            metavar="COLUMN=COLUMN",
            entry="A column is written COLUMN=COLUMN (for instance age=age_at_census)",
        ),
    ] = None
    only: Annotated[
        bool, Words(help="Link by the columns that are named only, though both tables have more in common.", flags=("--only-columns",))
    ] = False
    missing: Annotated[
        Literal["value", "anything"],
        Words(
            help="A missing value is a value of its own, or may be anything.",
            wrong="A missing value counts as value or anything, not as {}.",
        ),
    ] = "value"


@dataclass(frozen=True, kw_only=True)
class Likeness(Wish):
    """How keys are linked that have errors in them."""

    panel: ClassVar[str | None] = _LINKED

    threshold: Annotated[
        float,
        Words(
            help="From which match probability on two records are linked by likeness.",
            metavar="PROBABILITY",
            above=0,
            most=1,
            wrong="The threshold of the match probability must be above 0 and at most 1, not {}.",
        ),
    ] = 0.95
    overlap: Annotated[
        float,
        Words(
            help="Share of the released people who are in the other table at all, by likeness.",
            metavar="SHARE",
            above=0,
            most=1,
            wrong="The overlap is a share above 0 and at most 1, not {}.",
        ),
    ] = 1.0
    seed: Annotated[int, Words(help="Seed of what is drawn.", metavar="N")] = 1


@dataclass(frozen=True, kw_only=True)
class Pointing(Wish):
    """What a point of somebody's events is, and how many are known."""

    panel: ClassVar[str | None] = _POINTS

    points: Annotated[Sequence[str], Words(help="A column that is part of a point. Repeat.", flags=("--point",), metavar="COLUMN")]
    coarsen: Annotated[
        Mapping[str, str | float] | None,
        Words(
            help="How coarse it is known: a width of numbers, or year, month, day, hour, minute.",
            metavar="COLUMN=HOW",
            entry="How coarse a column is known is written COLUMN=HOW (for instance day=month)",
        ),
    ] = None
    attributes: Annotated[Sequence[str], Words(help="Known of the person as well.", flags=("--attribute",), metavar="COLUMN")] = ()
    most: Annotated[
        int,
        Words(
            help="Up to how many points are known.",
            metavar="N",
            least=1,
            most=20,
            wrong="The number of points must be from 1 to 20, not {}.",
        ),
    ] = 6
    people: Annotated[
        int,
        Words(help="How many people are drawn.", metavar="N", least=1, wrong="The number of people must be at least 1, not {}."),
    ] = 1000
    seed: Annotated[int, Words(help="Seed of what is drawn.", metavar="N")] = 1

"""How roles are proposed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from anonscope.operations.wishes.policy import POLICIES, PolicyGiven
from anonscope.operations.wishes.words import Wish, Words

_STAGES = "The stages"


@dataclass(frozen=True, kw_only=True)
class Forbidding(Wish):
    """Which columns get no role."""

    panel: ClassVar[str | None] = _STAGES

    forbid: Annotated[Iterable[str], Words(help="Give a column no role whatever is found.", metavar="COLUMN")] = ()


@dataclass(frozen=True, kw_only=True)
class Rates(Forbidding):
    """From which risk rate on a column has a role."""

    panel: ClassVar[str | None] = _STAGES

    alpha: Annotated[float, Words(help="Risk rate above which a column counts as sensitive.", metavar="PERCENT")] = 25.0
    beta: Annotated[float, Words(help="Risk rate from which a column counts as a quasi-identifier.", metavar="PERCENT")] = 1.0


@dataclass(frozen=True, kw_only=True)
class Suggesting(Rates):
    """What a proposal goes by."""

    force: Annotated[
        Mapping[str, str] | None,
        Words(
            help="Give a column a role whatever is found.",
            metavar="COLUMN=ROLE",
            entry="A forced role is written COLUMN=ROLE (for instance region=quasi-identifier)",
            split_last=True,
        ),
    ] = None
    time_budget: Annotated[
        float,
        Words(
            help="How long a usual machine may search for sets of columns that tell all records apart; counted in steps, not by the clock.",
            metavar="SECONDS",
            least=0,
            wrong="A time budget is a number of seconds, 0 or more, not {}.",
        ),
    ] = 2.0


@dataclass(frozen=True, kw_only=True)
class Dictionary(Wish):
    """What somebody wrote down about columns."""

    dictionary: Annotated[
        Any,
        Words(
            help="What columns are: a CSV table of names and labels, a Table Schema (JSON), DDI (XML), or a file of SPSS, SAS or Stata.",
            metavar="FILE",
            reads=Path,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Stages(Forbidding):
    """What the stages of a pipeline go by."""

    panel: ClassVar[str | None] = _STAGES

    alpha: Annotated[
        float | None,
        Words(help="Risk rate above which a column counts as sensitive. Default: the widest gap between the rates.", metavar="PERCENT"),
    ] = None
    beta: Annotated[
        float | None,
        Words(help="Risk rate from which it counts as a quasi-identifier. Default: the widest gap below.", metavar="PERCENT"),
    ] = None
    by_knowledge: Annotated[bool, Words(help="Weigh a column's risk rate by how easily others get it.")] = False
    policy: Annotated[PolicyGiven, Words(help=f"Policy to meet: {POLICIES}", also="; or a TOML file.", metavar="NAME|FILE", reads=str)] = (
        "pipeline"
    )
    levels: Annotated[
        Mapping[str, int] | None,
        Words(
            help="The level of its hierarchy that is a column's de-identified form; else the coarsest below the last.",
            flags=("--level",),
            metavar="COLUMN=LEVEL",
            entry="A level is written COLUMN=LEVEL (for instance age=2)",
        ),
    ] = None

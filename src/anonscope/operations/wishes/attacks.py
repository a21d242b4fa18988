"""How a release is attacked: by whom, with which tables, and as part of what."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from anonscope.operations.wishes.policy import PolicyGiven
from anonscope.operations.wishes.versions import External
from anonscope.operations.wishes.words import Wish, Words

_TABLES, _ATTACKER, _ATTACKED, _TOO = "Which tables", "What the attacker knows", "How it is attacked", "Attack the release as well"
CONTROL = Words(help="People of the same population who are not in the original.", metavar="FILE", reads=str)


@dataclass(frozen=True, kw_only=True)
class AttackedToo(Wish):
    """Whether a release is attacked as well, where its original is at hand."""

    panel: ClassVar[str | None] = _TOO

    attack: Annotated[bool, Words(help="Attack, also without a control.")] = False
    control: Annotated[Any, CONTROL] = None


@dataclass(frozen=True, kw_only=True)
class AttackedFrom(Wish):
    """The tables that a release is attacked with as well, where its original is not at hand."""

    panel: ClassVar[str | None] = _TOO

    original: Annotated[Any, Words(help="The table it was made of, whose people are looked for.", metavar="FILE", reads=str)] = None
    control: Annotated[Any, CONTROL] = None


@dataclass(frozen=True, kw_only=True)
class AttackedWith(Wish):
    """The tables that a release is attacked with."""

    panel: ClassVar[str | None] = _TABLES

    original: Annotated[Any, Words(help="The table that the release was made of.", metavar="FILE", reads=str)]
    control: Annotated[Any, CONTROL] = None
    also: Annotated[Sequence[Any], Words(help="A further release of the same people.", metavar="RELEASE")] = ()


@dataclass(frozen=True, kw_only=True)
class Attackers(Wish):
    """What attackers know, in files."""

    panel: ClassVar[str | None] = _ATTACKER

    attackers: Annotated[Any, Words(help="What attackers know, as a TOML file.", metavar="FILE", reads=Path)] = None
    prior: Annotated[Any, Words(help="A table of what is likely before the release is seen.", metavar="FILE", reads=str)] = None


@dataclass(frozen=True, kw_only=True)
class AttackJudged(Wish):
    """A policy about what attacks find."""

    panel: ClassVar[str | None] = _ATTACKED

    policy: Annotated[
        PolicyGiven | None,
        Words(help="Judge by a policy, such as synthetic or research-attacked.", metavar="NAME|FILE", reads=str),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Knowing(Wish):
    """What an attacker knows of somebody, and how well."""

    panel: ClassVar[str | None] = _ATTACKER

    columns: Annotated[
        Sequence[str], Words(help="A known column; default: the quasi-identifiers.", flags=("--know",), metavar="COLUMN")
    ] = ()
    within: Annotated[
        Mapping[str, float],
        Words(
            help="A known number is off by up to this.",
            metavar="COLUMN=NUMBER",
            entry="A reach is written COLUMN=NUMBER (for instance age=2)",
        ),
    ] = field(default_factory=dict)
    wrong: Annotated[
        Mapping[str, float],
        Words(
            help="A known value is somebody else's this often.",
            metavar="COLUMN=SHARE",
            entry="A share of errors is written COLUMN=SHARE (for instance zip=0.1)",
        ),
    ] = field(default_factory=dict)
    known: Annotated[float, Words(help="Share of people the attacker knows of.", metavar="SHARE")] = 1.0
    attempt: Annotated[float, Words(help="How likely the attack is tried on somebody.", metavar="SHARE")] = 1.0


@dataclass(frozen=True, kw_only=True)
class Attacking(External):
    """How a release is attacked."""

    panel: ClassVar[str | None] = _ATTACKED

    external_only: Annotated[bool, Words(help="Link the external table by the columns that are named only.", flags=("--only-columns",))] = (
        False
    )

    key: Annotated[str | None, Words(help="Tells records apart in release and original. Default: their order.", metavar="COLUMN")] = None
    paired: Annotated[bool | None, Words(help="Whether records stand in the same order.", flags=("--paired/--unpaired",), shown=False)] = (
        None
    )
    attacks: Annotated[
        Iterable[str] | None,
        Words(
            help="singling_out, linkability, inference, membership, composition, downcoding. Repeat; default: all.",
            flags=("--attack",),
            metavar="NAME",
        ),
    ] = None
    targets: Annotated[int, Words(help="How many people are attacked; 0 is everybody.", metavar="N")] = 2000
    group: Annotated[str | None, Words(help="Show who is hit by this column's values, which are named.", metavar="COLUMN")] = None
    class_size: Annotated[int | None, Words(help="The smallest group the release had to have (downcoding).", metavar="K")] = None
    model: Annotated[bool, Words(help="Also learn sensitive values from the release (extra ml).")] = False
    seed: Annotated[int, Words(help="Seed of what is drawn.", metavar="N")] = 1

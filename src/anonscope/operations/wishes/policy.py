"""What a table is judged by, and what is measured beside that."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from anonscope.errors import AnonscopeError, OptionError, PolicyError, nearest, shown
from anonscope.operations.wishes.words import Wish, Words

if TYPE_CHECKING:
    from anonscope.risk.policy import Policy

    PolicyGiven: TypeAlias = str | Path | Policy
else:
    PolicyGiven = Any  # a policy, its name, or the path of its file

# Written out, so that `anonscope --help` loads no engine; a test holds them to the presets.
POLICIES = (
    "arx-default, differential-privacy, ema-0070, hipaa-safe-harbor, output-10, pipeline, public-medium, public-strict, "
    "research-attacked, research-shared, scorr, synthetic, trusted-internal"
)
_PANEL, _SEARCH = "What comes out", "What is looked for"
ZIP_POPULATIONS = Words(help="CSV of ZIP3 and people, for the policy hipaa-safe-harbor.", metavar="FILE", reads=Path)


@dataclass(frozen=True, kw_only=True)
class Judging(Wish):
    """The policy to judge by."""

    panel: ClassVar[str | None] = _PANEL

    policy: Annotated[
        PolicyGiven, Words(help=f"Policy to judge by: {POLICIES}", also="; or a TOML file of your own.", metavar="NAME|FILE", reads=str)
    ] = "scorr"


@dataclass(frozen=True, kw_only=True)
class Publishing(Wish):
    """The policy that what is published must meet, if one is asked for."""

    panel: ClassVar[str | None] = _PANEL

    policy: Annotated[
        PolicyGiven | None,
        Words(
            help="Publish only what meets this policy, over the roles that are given. Without it, none is asked for.",
            also=" A preset, or a TOML file of your own.",
            metavar="NAME|FILE",
            reads=str,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Meeting(Wish):
    """The policy to meet, or limits instead of one."""

    panel: ClassVar[str | None] = _SEARCH

    policy: Annotated[
        PolicyGiven | None, Words(help=f"Policy to meet: {POLICIES}", also="; or a TOML file.", metavar="NAME|FILE", reads=str)
    ] = None
    limits: Annotated[
        Mapping[str, float] | None,
        Words(
            help="A limit: k_anonymity=5; beside a policy, it asks for more.",
            flags=("--limit",),
            metavar="METRIC=NUMBER",
            entry="A limit is written METRIC=NUMBER (for instance k_anonymity=5)",
        ),
    ] = None


def _split(text: str) -> tuple[str, str]:
    from anonscope.risk.policy.exceptions import split  # late: whoever asks for help needs none

    return split(text)


@dataclass(frozen=True, kw_only=True)
class Excepting(Wish):
    """Limits that may be left, how far, and why."""

    panel: ClassVar[str | None] = _PANEL
    error: ClassVar[type[AnonscopeError]] = PolicyError

    exceptions: Annotated[
        Mapping[str, str] | None,
        Words(
            help="Accept that a rule is broken, and say how far and why: 'correlation:income<=0.78=it is public'; 'all:COLUMN=REASON' for "
            "all rules about a column. The result never counts as meeting the policy.",
            flags=("--except",),
            metavar="WHAT=REASON",
            entry="The exception",
            split=_split,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Gating(Wish):
    """Whether a gate judges what is to leave, or what a release will be made of."""

    panel: ClassVar[str | None] = _PANEL

    before_release: Annotated[
        bool,
        Words(help="It is a source that a release is yet to be made of: direct identifiers in it are told, and do not fail the check."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Measuring(Wish):
    """What an audit measures beside the usual."""

    panel: ClassVar[str | None] = _PANEL

    only: Annotated[
        Iterable[str] | None,
        Words(
            help="Measure these metrics alone, such as k_anonymity,l_diversity: quicker, and rules about others are not met.",
            metavar="METRICS",
        ),
    ] = None
    for_policy: Annotated[
        bool, Words(help="Measure only what the policy judges: the same verdict, sooner. Metrics named beside it are measured too.")
    ] = False
    pairs: Annotated[bool, Words(help="Measure every two quasi-identifiers together as well (information theory).")] = False
    joined: Annotated[
        bool,
        Words(
            help="Measure each sensitive column also against an attacker who knows the other ones.",
            flags=("--join-sensitive",),
        ),
    ] = False
    literal_chain: Annotated[bool, Words(help="Measure Markov chain risk to the letter of its equation as well.")] = False
    chains: Annotated[
        Sequence[Sequence[str]],
        Words(
            help="Measure Markov chain risk of who knows these quasi-identifiers first, such as age,sex. Repeat for several.",
            flags=("--chain",),
            metavar="COLUMN,COLUMN",
        ),
    ] = ()
    risk_threshold: Annotated[
        float,
        Words(
            help="Count the records whose risk is above this.",
            metavar="RISK",
            least=0,
            most=1,
            wrong="A risk threshold is a share from 0 to 1, not {}.",
        ),
    ] = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.only is not None:
            object.__setattr__(self, "only", _metrics(self.only))


def _metrics(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of metrics, of which several may stand in one text with commas between them."""
    from anonscope.risk.metrics import METRICS  # late: whoever asks for help needs none

    found = tuple(dict.fromkeys(name.strip() for text in names for name in text.split(",") if name.strip()))
    for name in found:
        if name not in METRICS:
            raise OptionError(f"No metric is called {shown(name)}. {nearest(name, tuple(METRICS), 'There are')}")
    if not found:
        raise OptionError("Only what is named is measured, and no metric is named.")
    return found


@dataclass(frozen=True, kw_only=True)
class ZipPopulations(Wish):
    """How many people live where, for Safe Harbor."""

    panel: ClassVar[str | None] = _PANEL

    zip_populations: Annotated[str | Path | None, ZIP_POPULATIONS] = None


@dataclass(frozen=True, kw_only=True)
class Keeping(Wish):
    """Whether counts of earlier parts go along, and those of this part are kept."""

    panel: ClassVar[str | None] = _PANEL

    keep_counts: Annotated[
        str | Path | None,
        Words(
            help="Audit all parts of a table whose counts are kept in this private folder, and this one; keep its counts there too.",
            metavar="FOLDER",
            reads=Path,
        ),
    ] = None
    with_counts: Annotated[
        str | Path | None,
        Words(help="The same, and the folder stays as it is: what if this part were appended?", metavar="FOLDER", reads=Path),
    ] = None
    counts_key: Annotated[
        str | Path | None,
        Words(
            help="File of the key that kept counts are hashed with, which lies elsewhere. The first time, a new one is drawn into it.",
            metavar="FILE",
            reads=Path,
        ),
    ] = None

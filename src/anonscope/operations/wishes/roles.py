"""Which column is what, and what was said of columns that are in no measurement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from anonscope.errors import AnonscopeError, RoleError
from anonscope.operations.wishes.words import Wish, Words

if TYPE_CHECKING:
    from anonscope.columns.roles import Acknowledgements, Roles
    from anonscope.columns.suggestion.suggestion import Suggestion

    RolesGiven: TypeAlias = Roles | Suggestion | str | Path | None
else:
    RolesGiven = Any  # roles themselves, a suggestion, or the path of a file; naming them would load an engine

_PANEL = "Which column is what"


@dataclass(frozen=True, kw_only=True)
class ColumnRoles(Wish):
    """The role of every column that has one."""

    panel: ClassVar[str | None] = _PANEL
    error: ClassVar[type[AnonscopeError]] = RoleError

    quasi_identifiers: Annotated[
        Iterable[str],
        Words(help="What an outsider may know.", flags=("--quasi-identifier", "-q"), metavar="COLUMN"),
    ] = ()
    sensitive: Annotated[Iterable[str], Words(help="What nobody may learn.", flags=("--sensitive", "-s"), metavar="COLUMN")] = ()
    person: Annotated[
        str | None,
        Words(help="Id of the person, if one person may have several records.", flags=("--person", "-p"), metavar="COLUMN"),
    ] = None
    direct_identifiers: Annotated[
        Iterable[str],
        Words(help="Names, numbers: must be removed, never counted.", flags=("--direct-identifier", "-d"), metavar="COLUMN"),
    ] = ()
    insensitive: Annotated[
        Iterable[str],
        Words(
            help="Neither known outside nor harmful: it may be released as it is.",
            flags=("--insensitive", "-i"),
            metavar="COLUMN",
        ),
    ] = ()
    household: Annotated[str | None, Words(help="Id of the household.", metavar="COLUMN")] = None
    weight: Annotated[str | None, Words(help="Survey weight.", flags=("--weight", "-w"), metavar="COLUMN")] = None
    scenarios: Annotated[
        Mapping[str, Iterable[str]] | None,
        Words(
            help="A further attacker and what they know.",
            flags=("--scenario",),
            metavar="NAME=COLUMN,COLUMN",
            entry="A scenario is written NAME=COLUMN,COLUMN (for instance neighbour=age,sex)",
        ),
    ] = None
    distance: Annotated[
        Mapping[str, str] | None,
        Words(
            help="Sensitive columns by whether their values have an order (ordered) or none (equal), for t-closeness.",
            each=(
                ("ordered", Words(help="Sensitive column whose values have an order (t-closeness).", metavar="COLUMN")),
                ("equal", Words(help="Numeric sensitive column whose order means nothing (t-closeness).", metavar="COLUMN")),
            ),
        ),
    ] = None

    def given(self) -> "Roles":
        """Return the roles that were said column by column."""
        from anonscope.columns.roles import Roles, Scenario  # late: whoever asks for help needs none

        for name, columns in (self.scenarios or {}).items():
            if isinstance(columns, str):
                raise RoleError(f"scenario {name} takes a list of column names; write [{columns!r}], not {columns!r}.")
        return Roles(
            direct_identifiers=tuple(self.direct_identifiers),
            quasi_identifiers=tuple(self.quasi_identifiers),
            sensitive=tuple(self.sensitive),
            insensitive=tuple(self.insensitive),
            person=self.person,
            household=self.household,
            weight=self.weight,
            scenarios=tuple(Scenario(name, tuple(columns)) for name, columns in (self.scenarios or {}).items()),
            distance=dict(self.distance or {}),
        )


@dataclass(frozen=True, kw_only=True)
class RoleFiles(Wish):
    """Files that say more about columns."""

    panel: ClassVar[str | None] = _PANEL

    hierarchies: Annotated[
        Mapping[str, str | Path] | None,
        Words(
            help="How the values of a column coarsen: a CSV file as ARX writes it, or TOML. For a sensitive column it serves "
            "t-closeness, for a quasi-identifier generalisation.",
            flags=("--hierarchy",),
            metavar="COLUMN=FILE",
            entry="A hierarchy is written COLUMN=FILE (for instance diagnosis=diagnoses.csv)",
        ),
    ] = None
    roles: Annotated[RolesGiven, Words(help="Roles from a TOML file; options go first.", metavar="FILE", reads=Path)] = None


@dataclass(frozen=True, kw_only=True)
class RoleWishes(RoleFiles, ColumnRoles):
    """Roles, column by column or from a file."""


@dataclass(frozen=True, kw_only=True)
class Acknowledging(Wish):
    """Why columns without a role may be released as they are: one by one, and one reason for all the rest."""

    panel: ClassVar[str | None] = _PANEL

    acknowledge: Annotated[
        Mapping[str, str] | None,
        Words(
            help="Why a column without a role may be released as it is; the report and the manifest keep it.",
            metavar="COLUMN=REASON",
            entry="An acknowledgement is written COLUMN=REASON (for instance ward='names no small group')",
        ),
    ] = None
    acknowledge_rest: Annotated[
        str | None,
        Words(help="Why all other columns without a role may be, unless they look like direct identifiers.", metavar="REASON"),
    ] = None

    def acknowledged(self) -> "Acknowledgements":
        """Return what was said, as an audit takes it."""
        from anonscope.columns.roles import Acknowledgements  # late: whoever asks for help needs none

        return Acknowledgements(dict(self.acknowledge or {}), self.acknowledge_rest)


@dataclass(frozen=True, kw_only=True)
class Proposed(Wish):
    """Whether roles that nobody gave are those that are proposed."""

    panel: ClassVar[str | None] = _PANEL

    accept_suggestions: Annotated[bool, Words(help="Use the roles that `suggest` proposes; options and file go first.")] = False

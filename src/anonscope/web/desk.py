"""What somebody has on the desk about one table: roles as they are being said, policy, versions, notes. All rooms show the same one."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.roles import SINGLES, Acknowledgements, Roles, left_of, without
from anonscope.columns.suggestion.suggestion import Suggestion
from anonscope.errors import ColumnNotFound, RequestRefused
from anonscope.risk.policy import DEFAULT, Verdict

if TYPE_CHECKING:
    from anonscope.web.responses import Renders

Row = Literal["person", "event"]
# So many changes of roles can be taken back.
_MOST_UNDONE = 100


@dataclass(frozen=True)
class Searched:
    """What a search came to, as it is told of a version."""

    loss: float | None
    suppressed: int
    method: str
    levels: Mapping[str, int] = field(default_factory=dict)  # the coarsest at which a record has a column
    frontier: tuple[Mapping[str, float], ...] = ()
    smallest_class: int | None = None


@dataclass(eq=False)
class Version:
    """A release that was made of the table: what was asked for, what came of it, and what policies say of it."""

    number: int
    how: str  # the operation that made it
    asked: Mapping[str, Any]  # as REST takes it
    roles: Roles  # with which it was made; columns that are not in it any more among them
    policy: str  # it was made for
    release: Path
    acknowledged: Acknowledgements = field(default_factory=Acknowledgements)
    searched: Searched | None = None
    report: "Renders | None" = field(default=None, repr=False)  # how it was made
    verdicts: dict[str, Verdict] = field(default_factory=dict, repr=False)  # by the name of the policy
    audits: "dict[str, Renders]" = field(default_factory=dict, repr=False)  # what each verdict rests on, where it was measured here
    unjudged: dict[str, str] = field(default_factory=dict)  # why a policy says nothing of it
    removed: bool = False
    absent: str | None = None  # why its files are not here
    data: str | None = None  # the hash of the table that it was made of, where that is kept
    recorded: dict[str, str] = field(default_factory=dict)  # outcomes that an earlier run measured, by the name of the policy
    columns: tuple[str, ...] = ()  # that it still has, as far as that is known
    judged_with: Roles | None = None  # the roles that the verdicts are about, where those are not the ones it was made with

    def judged_by(self, roles: Roles | None) -> bool:
        """Whether its verdicts are about these roles, as far as they are about columns that it still has."""
        return roles is None or self._said_of_its_columns(roles) == self._said_of_its_columns(self.judged_with or self.roles)

    def _said_of_its_columns(self, roles: Roles) -> dict[str, Any]:
        told = (left_of(roles, self.columns) if self.columns else roles).to_dict()
        # Hierarchies are given beside roles here; and the order in which columns are named says nothing.
        return {name: sorted(value) if isinstance(value, list) else value for name, value in told.items() if name != "hierarchies"}

    @property
    def file(self) -> Path:
        """The release itself; raise if it is not here."""
        if self.absent is not None:
            raise RequestRefused(self.absent, 409)
        return self.release


@dataclass(frozen=True)
class Signed:
    """A dossier that was written: of which version, from which answers, and what it says."""

    version: int | None
    answers: str | None
    dossier: "Renders" = field(repr=False)


@dataclass(frozen=True)
class Shown:
    """A result that a room shows until there is a newer one: where it is, of which version it was asked, and what it says."""

    location: str
    version: int | None
    result: "Renders | None" = field(default=None, repr=False)

    @property
    def place(self) -> str:
        """Among which results it is found: /api/v1/PLACE/ID.json."""
        return self.location.split("/")[-2]


@dataclass(frozen=True)
class Wished:
    """How the table is to be repaired: what the sliders, locks, weights and own limits say."""

    levels: Mapping[str, int] = field(default_factory=dict)
    suppression: float = 0.05
    limits: Mapping[str, float] = field(default_factory=dict)
    alone: bool = False  # whether the limits stand in the place of the policy, not beside it
    untouched: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(eq=False)
class Desk:
    """The state of a workspace. `revision` grows with every change, so that two tabs know which of them is behind."""

    roles: Roles | None = None
    row: Row | None = None
    policy: str = DEFAULT
    notes: str = ""
    reason: str = ""  # why columns without a role may be released
    answers: dict[str, str] = field(default_factory=dict)  # to the questions that choose a policy, by the name of the question
    wished: Wished = field(default_factory=Wished)
    hierarchies: dict[str, Hierarchy] = field(default_factory=dict, repr=False)
    versions: list[Version] = field(default_factory=list)
    signed: list[Signed] = field(default_factory=list)
    results: dict[str, Shown] = field(default_factory=dict)  # by the kind of work that found it
    added: tuple[str, ...] = ()  # tables that are compared as further versions, by their ids
    left_out: tuple[int, ...] = ()  # versions that are not compared
    control: str | None = None  # a table of people who are not in this one, by its id
    shown: int | None = None  # the number of a version, or the table as it is
    revision: int = 0
    population: str | None = None  # the table of everybody, by its id, and what quasi-identifiers are called there
    population_columns: dict[str, str] = field(default_factory=dict)
    outside: str | None = None  # a table that somebody else may hold
    outside_columns: dict[str, str] = field(default_factory=dict)
    notice: str = ""  # what whoever comes back must know
    stale: bool = False  # whether something else than roles and policy was changed since the table was measured
    undoable: list[Roles] = field(default_factory=list, repr=False)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def changed(self) -> None:
        """Count a change."""
        self.revision += 1

    @property
    def kept(self) -> list[Version]:
        """The versions that nobody removed."""
        return [version for version in self.versions if not version.removed]

    @property
    def newest(self) -> Version | None:
        """The version that was made last."""
        return self.kept[-1] if self.kept else None

    def version(self, number: int) -> Version:
        """Return a version, also one that was removed, which can be brought back."""
        found = next((version for version in self.versions if version.number == number), None)
        if found is None:
            raise RequestRefused("There is no such version.", 404)
        return found

    def propose(self, suggestion: Suggestion, *, anew: bool = False) -> None:
        """Begin with the roles that are proposed, unless somebody has said some already."""
        with self.lock:
            if self.roles is None or anew:
                self.roles, self.undoable = suggestion.roles, []
                self.changed()

    def say(self, roles: Roles) -> None:
        """Take over roles; those before can be had again."""
        with self.lock:
            if self.roles is not None and roles != self.roles:
                self.undoable = [*self.undoable, self.roles][-_MOST_UNDONE:]
            if roles != self.roles:
                self.roles = roles
                self.changed()

    def undo(self) -> None:
        """Take back the last change of roles."""
        with self.lock:
            if not self.undoable:
                raise RequestRefused("There is no change of roles to take back.", 409)
            self.roles = self.undoable.pop()
            self.changed()

    def add(self, version: Version) -> None:
        """Keep a release, and show it."""
        with self.lock:
            self.versions.append(version)
            self.shown = version.number
            self.changed()

    def show(self, kind: str, shown: Shown) -> None:
        """Have a room show what was found."""
        with self.lock:
            self.results[kind] = shown
            self.changed()

    def sign(self, signed: Signed) -> None:
        """Keep a dossier."""
        with self.lock:
            self.signed.append(signed)
            self.changed()

    def next_number(self) -> int:
        """Return what the next version is called by."""
        return max((version.number for version in self.versions), default=0) + 1


def assigned(roles: Roles, changes: Mapping[str, str | None], columns: tuple[str, ...]) -> Roles:
    """Return roles with some columns given another role, or none; a role that only one column can have leaves the one that had it."""
    for column in changes:
        if column not in columns:
            raise ColumnNotFound(column, columns)
    kept = without(roles, changes)
    lists = {role: list(getattr(kept, role)) for role in ("direct_identifiers", "quasi_identifiers", "sensitive", "insensitive")}
    singles: dict[str, Any] = {role: getattr(kept, role) for role in SINGLES}
    for column, role in changes.items():
        if role in singles:
            singles[role] = column
        elif role in lists:
            lists[role].append(column)
        elif role is not None:
            raise RequestRefused("There is no such role.", 422)
    order = {column: at for at, column in enumerate(columns)}
    # What an attacker knows who was described apart is a quasi-identifier, until somebody says that it is something else.
    gone = {column for column, role in changes.items() if role != "quasi_identifiers"}
    known = (replace(s, quasi_identifiers=tuple(c for c in s.quasi_identifiers if c not in gone)) for s in roles.scenarios)
    scenarios = tuple(s for s in known if s.quasi_identifiers)
    distance = {column: kind for column, kind in roles.distance.items() if column in lists["sensitive"]}
    ordered: dict[str, Any] = {role: tuple(sorted(names, key=order.__getitem__)) for role, names in lists.items()}
    return replace(kept, **ordered, **singles, scenarios=scenarios, distance=distance)

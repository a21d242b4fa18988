"""Which column is what: roles, attacker scenarios, and the file that keeps them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from os.path import relpath
from pathlib import Path
from typing import Any

from anonscope.errors import ColumnNotFound, RoleError, shown
from anonscope.io.toml_file import TomlFile, read_toml

SCHEMA = "anonscope/roles/1"
DEFAULT_SCENARIO = "default"
DISTANCES = ("equal", "ordered", "hierarchical")
_LISTS = ("direct_identifiers", "quasi_identifiers", "sensitive", "insensitive")
# What options add to what a file says; what they say of any other role replaces it.
_ADDED = ("direct_identifiers", "insensitive")
# What may be missing without being missed: columns that are never counted.
_NOT_COUNTED = ("direct_identifiers", "insensitive")
SINGLES = ("person", "household", "weight")
_TABLES = ("scenarios", "distance", "hierarchies")
TITLES = {
    "direct_identifiers": "direct identifier",
    "quasi_identifiers": "quasi-identifier",
    "sensitive": "sensitive",
    "insensitive": "insensitive",
    "person": "person",
    "household": "household",
    "weight": "weight",
}
# What each means, for whoever has to choose.
MEANINGS = {
    "direct_identifiers": "Names one person by itself: a name, a telephone number, an insurance number. It must go before any release.",
    "quasi_identifiers": "An outsider may know it about somebody: age, sex, postcode, occupation. Together such columns recognise people.",
    "sensitive": "Nobody should learn it about anybody: a diagnosis, an income, a belief.",
    "insensitive": "Neither known outside nor harmful: you say that it may be released as it is.",
    "person": "Says which rows belong to the same person.",
    "household": "Says which rows belong to the same household.",
    "weight": "A survey weight: for how many people of the population a row stands.",
}


@dataclass(frozen=True, slots=True)
class Scenario:
    """What one attacker knows: a set of quasi-identifiers."""

    name: str
    quasi_identifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Roles:
    """The role of every column that has one; insensitive is what somebody said is neither known outside nor harmful."""

    direct_identifiers: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()
    person: str | None = None
    household: str | None = None
    weight: str | None = None
    scenarios: tuple[Scenario, ...] = ()
    # Ground distance of t-closeness where the default (ordered for numbers, equal for the rest) is not wanted.
    distance: Mapping[str, str] = field(default_factory=dict)
    # Files that say how values coarsen: of a quasi-identifier to generalise it, of a sensitive attribute for t-closeness.
    hierarchies: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for role in _LISTS:
            for i, column in enumerate(getattr(self, role)):
                if column in getattr(self, role)[:i]:
                    raise RoleError(f"Column {shown(column)} is named twice as {TITLES[role]}.")
        seen: dict[str, str] = {}
        for role, column in self._assigned():
            other = seen.setdefault(column, role)
            if other != role:
                raise RoleError(f"Column {shown(column)} has two roles: {TITLES[other]} and {TITLES[role]}. A column has one role; choose.")
        for i, scenario in enumerate(self.scenarios):
            if not scenario.quasi_identifiers:
                raise RoleError(f"Scenario {shown(scenario.name)} names no column.")
            if len(set(scenario.quasi_identifiers)) < len(scenario.quasi_identifiers):
                raise RoleError(f"Scenario {shown(scenario.name)} names a column twice.")
            taken = [other.name for other in self.scenarios[:i]] + ([DEFAULT_SCENARIO] if self.quasi_identifiers else [])
            if scenario.name in taken:
                raise RoleError(
                    f"Two scenarios are called {shown(scenario.name)}; all quasi-identifiers together are {DEFAULT_SCENARIO!r}."
                )
        for column, distance in self.distance.items():
            if distance not in DISTANCES:
                raise RoleError(f"The distance of {shown(column)} must be one of {', '.join(DISTANCES)}.")

    @property
    def attackers(self) -> tuple[Scenario, ...]:
        """Every scenario to measure: all quasi-identifiers together, then the named ones."""
        whole = (Scenario(DEFAULT_SCENARIO, self.quasi_identifiers),) if self.quasi_identifiers else ()
        return whole + self.scenarios

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every quasi-identifier of any scenario, once."""
        return tuple(dict.fromkeys(c for scenario in self.attackers for c in scenario.quasi_identifiers))

    @property
    def assigned(self) -> frozenset[str]:
        """Every column that has a role."""
        return frozenset(column for _, column in self._assigned())

    @property
    def event_level(self) -> bool:
        """Whether several records may belong to one person."""
        return self.person is not None

    def check(self, columns: Sequence[str]) -> None:
        """Raise unless every column exists and there is something to measure."""
        for _, column in self._assigned():
            if column not in columns:
                raise ColumnNotFound(column, columns)
        for column in self.distance:
            if column not in self.sensitive:
                raise RoleError(f"Column {shown(column)} has a distance but is not sensitive.")
            if self.distance[column] == "hierarchical" and column not in self.hierarchies:
                raise RoleError(f"Column {shown(column)} has a hierarchical distance but no hierarchy. Give one (--hierarchy COLUMN=FILE).")
        for column in self.hierarchies:
            if column not in self.sensitive and column not in self.attributes:
                raise RoleError(
                    f"Column {shown(column)} has a hierarchy but is neither a quasi-identifier, which it would coarsen, "
                    "nor sensitive, for t-closeness."
                )
        if not self.attributes:
            raise RoleError(
                "No quasi-identifier is given, so there is nothing to measure. "
                "Name the columns an outsider may know (-q age -q sex -q zip), or take what is proposed (--accept-suggestions)."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the roles as plain data, without those that are not set."""
        document: dict[str, Any] = {role: list(getattr(self, role)) for role in _LISTS if getattr(self, role)}
        document |= {role: getattr(self, role) for role in SINGLES if getattr(self, role) is not None}
        if self.scenarios:
            document["scenarios"] = {s.name: list(s.quasi_identifiers) for s in self.scenarios}
        if self.distance:
            document["distance"] = dict(self.distance)
        if self.hierarchies:
            # A report names files without their folders.
            document["hierarchies"] = {column: Path(path).name for column, path in self.hierarchies.items()}
        return document

    def to_toml(self, folder: Path | None = None) -> str:
        """Return the roles as the document that `load` reads; files are named as seen from the folder it will be in."""
        import tomli_w

        document = {"schema": SCHEMA} | self.to_dict()
        if self.hierarchies:
            document["hierarchies"] = {column: relpath(path, folder or Path()) for column, path in self.hierarchies.items()}
        return "# Roles of the columns of a table, read by: anonscope audit SOURCE --roles THIS_FILE\n" + tomli_w.dumps(document)

    def _assigned(self) -> Iterable[tuple[str, str]]:
        for role in _LISTS:
            yield from ((role, column) for column in getattr(self, role))
        for scenario in self.scenarios:
            yield from (("quasi_identifiers", column) for column in scenario.quasi_identifiers)
        yield from ((role, getattr(self, role)) for role in SINGLES if getattr(self, role) is not None)


@dataclass(frozen=True, slots=True)
class Acknowledgements:
    """Why columns without a role may be released all the same, in the words of whoever answers for it: one by one, and of the rest."""

    columns: Mapping[str, str] = field(default_factory=dict)
    rest: str | None = None

    def __post_init__(self) -> None:
        for column, reason in self.columns.items():
            _check_reason(reason, f"the acknowledgement of {shown(column)}")
        if self.rest is not None:
            _check_reason(self.rest, "the acknowledgement of all other columns")

    def __bool__(self) -> bool:
        return bool(self.columns) or self.rest is not None

    def left_of(self, columns: Sequence[str]) -> "Acknowledgements":
        """Return what was said of the columns that are left."""
        return replace(self, columns={column: reason for column, reason in self.columns.items() if column in columns})

    def of(self, column: str) -> str | None:
        """Return why a column may be released, if somebody said so."""
        return self.columns.get(column, self.rest)


def _check_reason(reason: str, what: str) -> None:
    # The word that messages have in its place is no reason.
    if not isinstance(reason, str) or reason.strip() in ("", "REASON"):
        raise RoleError(f"A reason is missing in {what}: write in a few words why it may be released.")


def merged(base: Roles, given: Roles) -> Roles:
    """Return the roles of a file, with what was given directly put in their place; a column has the role that was given directly."""
    # What a file counts or drops, nobody passes over by the way: that stays a contradiction.
    said = {column: role for role, column in given._assigned() if role != "insensitive"}
    overruled: dict[str, Any] = {role: tuple(c for c in getattr(base, role) if said.get(c, role) == role) for role in _LISTS}
    overruled |= {role: None for role in SINGLES if said.get(getattr(base, role), role) != role}
    base = replace(base, **overruled)
    changes = {role: getattr(given, role) for role in (*_LISTS, *SINGLES, *_TABLES) if getattr(given, role)}
    # Whoever names one more column to drop or to pass over does not take back the others.
    changes |= {role: tuple(dict.fromkeys((*getattr(base, role), *changes[role]))) for role in _ADDED if role in changes}
    # What a file calls insensitive, an option may count or drop.
    counted = given.assigned - set(given.insensitive)
    harmless = tuple(column for column in changes.get("insensitive", base.insensitive) if column not in counted)
    return replace(base, **changes | {"insensitive": harmless})


def without(roles: Roles, columns: Iterable[str]) -> Roles:
    """Return the roles without these columns."""
    gone = frozenset(columns)
    changes: dict[str, Any] = {role: tuple(c for c in getattr(roles, role) if c not in gone) for role in _LISTS}
    changes |= {role: None for role in SINGLES if getattr(roles, role) in gone}
    kept = (replace(s, quasi_identifiers=tuple(c for c in s.quasi_identifiers if c not in gone)) for s in roles.scenarios)
    changes["scenarios"] = tuple(s for s in kept if s.quasi_identifiers)
    changes |= {table: {c: v for c, v in getattr(roles, table).items() if c not in gone} for table in ("distance", "hierarchies")}
    return replace(roles, **changes)


def dropped_from(roles: Roles, columns: Sequence[str], dropped: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the columns of a roles file that a table lacks and need not have, because it is a release.

    That is what its manifest says was `dropped`, and what is never counted, such as direct identifiers, unless the table has a column
    of nearly the same name that has no role: then somebody mistyped it.
    """
    missing = [column for _, column in roles._assigned() if column not in columns]
    free = {column.lower() for column in columns if column not in roles.assigned}
    uncounted = {column for role in _NOT_COUNTED for column in getattr(roles, role)}
    spared = (c for c in missing if c in dropped or (c in uncounted and not get_close_matches(c.lower(), free, n=1)))
    return tuple(dict.fromkeys(spared))


def filled(given: Roles, proposed: Roles) -> Roles:
    """Return the roles that were given, and those proposed for the columns that have none."""
    changes: dict[str, Any] = {}
    for role in _LISTS:
        # A column that only a scenario names is a quasi-identifier already, and may be one in general too.
        taken = given.assigned - set(given.attributes if role == "quasi_identifiers" else ())
        changes[role] = tuple(dict.fromkeys((*getattr(given, role), *(c for c in getattr(proposed, role) if c not in taken))))
    for role in SINGLES:
        free = getattr(proposed, role) not in given.assigned
        changes[role] = getattr(given, role) or (getattr(proposed, role) if free else None)
    return replace(given, **changes)


def load(path: Path) -> Roles:
    """Read a roles file."""
    document = read_toml(path, RoleError)
    content = dict(document.content)
    if content.pop("schema", SCHEMA) != SCHEMA:
        raise document.fail(f"this version reads {SCHEMA}", "schema")
    fields: dict[str, Any] = {}
    for key, value in content.items():
        if key in _LISTS:
            fields[key] = _names(document, key, value)
        elif key in SINGLES:
            if not isinstance(value, str):
                raise document.fail("must be the name of one column, in quotes", key)
            fields[key] = value
        elif key == "scenarios":
            table = _table(document, key, value)
            fields[key] = tuple(Scenario(name, _names(document, f"scenarios.{name}", listed)) for name, listed in table.items())
        elif key == "distance":
            fields[key] = _table(document, key, value)
        elif key == "hierarchies":
            # A file beside the roles file is found from wherever the command is run.
            files = _table(document, key, value)
            fields[key] = {column: str(path.parent / _file(document, column, name)) for column, name in files.items()}
        else:
            raise document.fail(f"no such key; known are {', '.join((*_LISTS, *SINGLES, *_TABLES))}", key)
    try:
        return Roles(**fields)
    except RoleError as error:
        raise RoleError(f"{shown(path.name)}: {error}") from None


def _names(document: TomlFile, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise document.fail('must be a list of column names, such as ["age", "sex"]', key)
    return tuple(value)


def _file(document: TomlFile, column: str, value: Any) -> str:
    if not isinstance(value, str):
        raise document.fail("must be the name of a file, in quotes", f"hierarchies.{column}")
    return value


def _table(document: TomlFile, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise document.fail(f"must be a table; write [{key}] and one entry a line", key)
    return value


def left_of(roles: Roles, columns: Sequence[str]) -> Roles:
    """Return the roles of the columns that a release still has."""

    def kept(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in columns)

    scenarios = tuple(replace(s, quasi_identifiers=kept(s.quasi_identifiers)) for s in roles.scenarios if kept(s.quasi_identifiers))
    return Roles(
        direct_identifiers=kept(roles.direct_identifiers),
        quasi_identifiers=kept(roles.quasi_identifiers),
        sensitive=kept(roles.sensitive),
        insensitive=kept(roles.insensitive),
        person=roles.person if roles.person in columns else None,
        household=roles.household if roles.household in columns else None,
        weight=roles.weight if roles.weight in columns else None,
        scenarios=scenarios,
        distance={c: d for c, d in roles.distance.items() if c in columns},
        # A hierarchy is about the original values; generalised ones are not among its leaves.
        hierarchies={c: h for c, h in roles.hierarchies.items() if c in kept(roles.sensitive)},
    )

"""Everything this package raises.

* AnonscopeError
  - SourceError          the table cannot be read
    . NoRecords          it has none
    . TableNotFound      the database has no such table
  - RoleError            the roles do not fit the table
    . ColumnNotFound
  - PopulationError      the population table does not fit
  - HierarchyError       a hierarchy cannot be read, or does not cover a column
  - PolicyError          the policy cannot be understood
  - RecipeError          a recipe cannot be understood, or does not fit the table
  - BudgetError          more privacy would be lost than is allowed, or nobody said how much is
  - QueryError           a file of queries cannot be understood, or does not fit the table
  - DomainError          a declared domain cannot be understood, or does not fit the table
  - LinkageError         two tables cannot be linked
  - AlignmentError       original and release cannot be compared record by record
  - RegisterError        a register of releases cannot be read, or is broken
  - SealError            a seal or a key cannot be read, or nothing may be sealed
  - IntruderError        a motivated intruder test cannot be set up or judged
  - CountsError          kept counts cannot be used, or not with this table
  - OutputError          the result cannot be written
  - NotPublished         a release breaks its limits as it is written, so it is not
    . ColumnsWithoutRole nobody said what some of its columns are
    . PersonNotNamed     one person has several records, and records were to be counted
    . IdentifierGiven    a sensitive attribute or the weight tells who somebody is
  - DataClosed           the table was closed before the question
  - OptionError          an option has a value that means nothing
    . NotExplained       the reasons cannot be worked out where the table is
  - EngineError          the engine refused a statement
  - MissingExtra         an optional dependency is not installed
  - RequestRefused       the server does not do what a request asks

* Defect                 what must not happen did; no fault of the data

Messages are made of column names, counts and file names only. They never hold a cell value, because
logs outlive data agreements.
"""

import errno
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path


class AnonscopeError(Exception):
    """Base class: catch this to catch us."""


class SourceError(AnonscopeError):
    """The table cannot be read."""


class NoRecords(SourceError):
    """The table, or a part of it, has no records."""


class RoleError(AnonscopeError):
    """The roles do not fit the table."""


class PopulationError(AnonscopeError):
    """The population table does not fit."""


class HierarchyError(AnonscopeError):
    """A hierarchy cannot be read, or does not cover a column."""


class PolicyError(AnonscopeError):
    """The policy cannot be understood."""


class RecipeError(AnonscopeError):
    """A recipe cannot be understood, or does not fit the table."""


class BudgetError(AnonscopeError):
    """More privacy would be lost than is allowed, or nobody said how much is. Nothing was spent."""


class QueryError(AnonscopeError):
    """A file of queries cannot be understood, or does not fit the table. Nothing was spent."""


class DomainError(AnonscopeError):
    """A declared domain cannot be understood, or does not fit the table."""


class LinkageError(AnonscopeError):
    """Two tables cannot be linked."""


class AttackError(AnonscopeError):
    """An attack cannot be carried out, or would say nothing."""


class AlignmentError(AnonscopeError):
    """Original and release cannot be compared record by record."""


class RegisterError(AnonscopeError):
    """A register of releases cannot be read, is broken, or was asked for something that means nothing."""


class SealError(AnonscopeError):
    """A seal or a key cannot be read, or what is to be sealed is not what it should be."""


class IntruderError(AnonscopeError):
    """A motivated intruder test cannot be set up or judged."""


class CountsError(AnonscopeError):
    """Kept counts cannot be read, are damaged, or do not fit the table. They stay as they are."""


class OutputError(AnonscopeError):
    """The result cannot be written."""


class NotPublished(AnonscopeError):
    """A release was not published: it breaks its limits as it is written, or something must be said first. Nothing was written."""


class ColumnsWithoutRole(NotPublished):
    """Nobody said what some columns of a release are: `identifiers` look like direct identifiers, `others` need a word.

    `person` is the one among the identifiers that looks like the id of a person who has several records. With `steps`,
    the steps of a recipe were to change or drop them, and no role does. `quasi_identifiers` and `sensitive` are what some of the
    others look like.
    """

    def __init__(
        self,
        message: str,
        identifiers: Sequence[str],
        others: Sequence[str],
        person: str | None = None,
        *,
        steps: bool = False,
        quasi_identifiers: Sequence[str] = (),
        sensitive: Sequence[str] = (),
    ) -> None:
        self.identifiers, self.others, self.person, self.steps = tuple(identifiers), tuple(others), person, steps
        self.quasi_identifiers, self.sensitive = tuple(quasi_identifiers), tuple(sensitive)
        super().__init__(message)


class PersonNotNamed(NotPublished):
    """A direct identifier, `column`, tells that one person has several records, and nobody said that people are to be counted by it."""

    def __init__(self, message: str, column: str) -> None:
        self.column = column
        super().__init__(message)


class IdentifierGiven(NotPublished):
    """Sensitive attributes or the weight, `columns`, tell who somebody is, and nobody said why they may be released as they are."""

    def __init__(self, message: str, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        super().__init__(message)


class RecordsLinked(NotPublished):
    """Ids or pseudonyms, `columns`, tie records of people together who are found by these, and nobody said why that may be."""

    def __init__(self, message: str, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        super().__init__(message)


class Defect(Exception):
    """What must not happen did: a fault of ours, told without data."""


class DataClosed(AnonscopeError):
    """The table was closed before the question."""

    def __init__(self, question: str, instead: str) -> None:
        super().__init__(f"{question} needs the table, which is closed. {instead}")


class OptionError(AnonscopeError):
    """An option has a value that means nothing."""


class NotExplained(OptionError):
    """The reasons behind an audit cannot be worked out where the table is."""


class EngineError(AnonscopeError):
    """The engine refused a statement."""


class OutOfMemory(EngineError):
    """The engine had too little memory for a statement: nothing is wrong with the data."""


class MissingExtra(AnonscopeError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, package: str) -> None:
        super().__init__(f"{purpose} needs the package {package}. Install it with: pip install {package}")


class RequestRefused(AnonscopeError):
    """The server does not do what a request asks; `status` is the one of HTTP."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class ColumnNotFound(RoleError):
    """A role names a column the table does not have."""

    def __init__(self, column: str, available: Sequence[str]) -> None:
        self.column = column
        self.available = tuple(available)
        super().__init__(f"No column is named {shown(column)}. {nearest(column, available, 'The table has')}")


class TableNotFound(SourceError):
    """A database has no table or view of this name, or this user cannot see it."""

    def __init__(self, table: str, available: Sequence[str]) -> None:
        self.table = table
        self.available = tuple(available)
        hint = nearest(table, available, "The database has") if available else "This user sees no table in it."
        super().__init__(f"No table or view is named {shown(table)}. {hint}")


_LACKING = {
    errno.ENOMEM: "memory",
    errno.EAGAIN: "threads, processes or memory",
    errno.ENOSPC: "space on the disk",
    errno.EDQUOT: "space on the disk (a quota is used up)",
    errno.EFBIG: "space (files may not become so long here)",
    errno.EMFILE: "open files",
    errno.ENFILE: "open files",
}


def lack(error: BaseException) -> str | None:
    """Return a sentence if an error says that the machine has too little of something: no fault of the data, and no defect."""
    if isinstance(error, MemoryError):
        return "There is not enough memory for this. Give the process more, or the engine less (--memory-limit, --threads)."
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return "No further thread can be started here. Allow the process more of them, or more memory."
    if isinstance(error, OSError) and error.errno in _LACKING:
        return f"The system gives this process too little: {_LACKING[error.errno]}."
    return None


def nearest(wanted: str, available: Sequence[str], has: str) -> str:
    """Return the nearest name, or the names there are."""
    by_lower_case = {name.lower(): name for name in available}
    close = get_close_matches(wanted.lower(), by_lower_case, n=1)
    if close:
        return f"Did you mean {shown(by_lower_case[close[0]])}?"
    listed = ", ".join(shown(name) for name in available[:12])
    more = f" and {len(available) - 12} more" if len(available) > 12 else ""
    return f"{has}: {listed}{more}."


# In an address that became a path, two slashes are one. The last @ counts: one in a password may have been left as it is.
_LOGIN = re.compile(r"^([a-z][a-z0-9+_.-]+(?::[a-z][a-z0-9+_.-]+)*:/{1,2})[^/?#]*@", re.IGNORECASE)


def without_credentials(source: str) -> str:
    """Return an address without user, password and options, fit to be printed; anything else as it is."""
    if "://" not in source and not _LOGIN.match(source):
        return source
    return _LOGIN.sub(r"\1", source).partition("?")[0]


def joined(names: Sequence[str]) -> str:
    """Return names as people say them: a, b and c; nothing of none."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def ended(text: str) -> str:
    """Return what somebody said as a sentence that others can follow: with a full stop, unless it ends in a sign already."""
    said = text.strip()
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def shown(name: str | Path, limit: int = 80) -> str:
    """Return a name fit for one line of text: quoted, no credentials, control characters escaped, shortened unless it is a path."""
    text = without_credentials(str(name))
    if isinstance(name, Path):
        limit = max(limit, len(text))
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return "'" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in text) + "'"

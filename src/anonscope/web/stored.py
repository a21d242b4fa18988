"""A table that was sent, and all that was found out about it for as long as it is wanted."""

import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.columns.suggestion.suggestion import Suggestion
from anonscope.errors import AnonscopeError, RequestRefused, SourceError, shown
from anonscope.io.sources.relation import Column
from anonscope.operations.anonymise import Anonymisation
from anonscope.operations.audit import Audit
from anonscope.operations.plan import Plan
from anonscope.operations.read import Data, read
from anonscope.operations.verify import Verification
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.words import said
from anonscope.risk.policy import DEFAULT
from anonscope.web.desk import Desk

if TYPE_CHECKING:
    from anonscope.operations.explore import Exploration
    from anonscope.web.alone import Counting


@dataclass(frozen=True)
class Beside:
    """A table of everybody the records may belong to, and what quasi-identifiers are called there where that differs."""

    path: Path
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def said(self) -> dict[str, Any]:
        """What `read` is told of it."""
        return {"population": str(self.path)} | ({"population_columns": dict(self.columns)} if self.columns else {})


@dataclass(eq=False)
class StoredTable:
    """A table that was sent, and what was found out about it."""

    id: str
    name: str  # as its owner calls the file: text to show, never a path
    path: Path
    size: int
    columns: tuple[Column, ...]
    records: int
    notes: tuple[str, ...]
    reading: Reading = field(default_factory=Reading)  # how it is to be read
    delimiter: str | None = None  # of a text file
    beside: "Beside | None" = None  # the people whom the records may belong to
    perturbed: tuple[str, ...] = ()  # columns whose values a recipe made up, by the manifest that was sent
    suggestion: Suggestion | None = None
    roles: Roles | None = None
    acknowledged: Acknowledgements = field(default_factory=Acknowledgements)  # what was said of columns without a role
    policy: str = DEFAULT
    audit: Audit | None = field(default=None, repr=False)
    anonymisation: Anonymisation | None = field(default=None, repr=False)
    plan: Plan | None = field(default=None, repr=False)
    verification: Verification | None = field(default=None, repr=False)
    fragments: tuple[Path, ...] = ()
    exploration: "Exploration | None" = field(default=None, repr=False)
    begun: tuple[Any, dict[str, int] | None] | None = field(default=None, repr=False)  # where sliders begin, and of what that holds
    desk: Desk = field(default_factory=Desk, repr=False)
    counting: "Counting | None" = field(default=None, repr=False)
    ladders: dict[str, Hierarchy] = field(default_factory=dict, repr=False)  # made from the data, for the roles of the audit
    audited_as: Mapping[str, Any] = field(default_factory=dict)  # what the last audit was asked for beside roles and policy
    unmeasured: Mapping[str, Any] | None = None  # the last audit of an earlier run, until it is measured again
    origin: str | None = None  # where its owner has the file, if the server knows
    sha256: str | None = None  # of the file as it came in
    forgotten: bool = False
    # Engines answer one question at a time.
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _data: Data | None = field(default=None, repr=False)

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def release(self) -> Path | None:
        """The release that was made last, is kept, and is here."""
        newest = self.desk.newest
        return newest.release if newest is not None and newest.absent is None else None

    @property
    def reads_itself(self) -> bool:
        """Whether the file tells how it is to be read, because its owner said nothing of that."""
        return said(self.reading, only=(Reading,)) == said(Reading())

    @contextmanager
    def opened(self, roles: Roles | None, memory_limit: str | None) -> Iterator[Data]:
        """Give the table to somebody who alone works on it; it is closed afterwards."""
        with self.lock:
            if self.forgotten:
                raise RequestRefused("The table was forgotten.", 404)
            with read_named(self.path, self.name, roles, memory_limit, self.reading, self.beside) as data:
                yield data

    def open_apart(self, memory_limit: str | None) -> Data:
        """Return the table opened once more, for whoever asks while something else works on it; they close it."""
        if self.forgotten:
            raise RequestRefused("The table was forgotten.", 404)
        return read_named(self.path, self.name, None, memory_limit, self.reading)

    def keep(self, data: Data | None) -> None:
        """Keep an open table for questions about its last audit, instead of the one kept so far; the caller holds the lock."""
        if self._data is not None:
            self._data.close()
        self._data = data

    def forget(self) -> None:
        """Delete everything of the table; work under way finds nothing any more, and what it holds goes when it ends."""
        self.forgotten = True
        shutil.rmtree(self.folder, ignore_errors=True)
        self.forget_results()
        if self.lock.acquire(blocking=False):
            try:
                self.keep(None)
            finally:
                self.lock.release()

    def forget_results(self) -> None:
        """Let go of what was found out."""
        self.audit = self.verification = self.anonymisation = self.plan = self.exploration = self.suggestion = None
        self.fragments, self.desk, self.ladders = (), Desk(), {}
        if self.counting is not None:
            self.counting.close()
            self.counting = None


def read_named(
    path: Path, name: str, roles: Roles | None, memory_limit: str | None, reading: Reading, beside: Beside | None = None
) -> Data:
    """Open a stored table under the name that its owner knows."""
    try:
        people = beside.said if beside is not None else {}
        data = read(path, roles=roles, memory_limit=memory_limit, isolate=True, **said(reading, only=(Reading,)), **people)
    except AnonscopeError as error:
        message = str(error).replace(shown(path.name), shown(name))
        if isinstance(error, RequestRefused):
            raise
        raise SourceError(message) from None
    data.relation = replace(data.relation, name=name)
    # A command to copy names the file as its owner does, and never where it lies here.
    data.said = {**data.said, "source": name}
    return data

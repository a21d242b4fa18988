"""Whether tables meet their policies, for a pipeline: one table, or all that a repository names."""

from collections.abc import Mapping
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import Any, Literal

from anonscope.errors import AnonscopeError, OptionError, shown, without_credentials
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.operations.audit import audit
from anonscope.operations.checking.findings import Finding, findings_of
from anonscope.operations.checking.repository import TableEntry, find_repository, read_repository
from anonscope.operations.read import Data, read
from anonscope.operations.result import Result
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.policy import Judging
from anonscope.operations.wishes.words import wishes_of
from anonscope.risk.policy import Policy, excepting
from anonscope.risk.policy import load as load_policy

DOCUMENT = "anonscope/check/1"
Outcome = Literal["met", "met with exceptions", "not met", "not checked"]
_BY_CODE: dict[int, Outcome] = {0: "met", 1: "not met", 4: "met with exceptions"}
_CODES: dict[Outcome, int] = {outcome: code for code, outcome in _BY_CODE.items()} | {"not checked": 2}
# Which exit code stands for several tables: what could not be checked at all is the worst.
_WORST: tuple[Outcome, ...] = ("not checked", "not met", "met with exceptions", "met")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTable:
    """One table: whether its policy is met, and what was found of every rule; or why it could not be checked."""

    source: str
    policy: str
    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    error: str | None = None
    roles: str | None = None  # the file that says which column is what

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What stands in the way of a release."""
        return tuple(finding for finding in self.findings if finding.level == "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks(Result):
    """What came of checking tables: an outcome each, and one exit code for a pipeline."""

    tables: tuple[CheckedTable, ...]
    repository: str | None = None  # the file that named them

    @property
    def met(self) -> bool:
        """Whether every table meets its policy."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """0 all policies are met, 4 some by stated exceptions only, 1 some are not, 2 some table could not be checked."""
        return _CODES[next(outcome for outcome in _WORST if any(table.outcome == outcome for table in self.tables))]


@shown_in_notebooks
def check(
    data: Any = None,
    policy: "str | Path | Policy | None" = None,
    *,
    exceptions: Mapping[str, str] | None = None,
    before_release: bool = False,
    repository: str | Path | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Checks:
    """Return whether a table meets its policy; without a table, whether all tables do that a repository names.

    `data` is what `read` returns, or what `read` takes, then with its keywords; roles must be given, nothing is guessed. Without it
    `repository` is an anonscope.toml or a pyproject.toml with [tool.anonscope], by default the nearest above the working folder. A
    table of a repository that cannot be read is told in its place, and the others are checked all the same.
    A file is judged as it is: a direct identifier that it still holds stands in the way, unless it is a source, `before_release`.
    """
    if data is None:
        beside = {"policy": policy, "exceptions": exceptions, "before_release": before_release or None} | reading
        limits = {asked.name for asked in wishes_of(Resources)}
        if said := sorted(name for name, value in beside.items() if value is not None and name not in limits):
            raise OptionError(f"Without a table, {', '.join(said)} cannot be said: the file that names the tables says it of each.")
        # As seen from here, so that no message tells where on a machine the repository lies.
        file = Path(repository) if repository is not None else Path(relpath(find_repository(Path.cwd())))
        found = read_repository(file)
        tables = tuple(_checked(entry, reading, progress) for entry in found.tables)
        return Checks(tables=tables, repository=file.name)
    if repository is not None:
        raise OptionError("Either one table is checked, or all that a repository names; not both.")
    judged_by = excepting(load_policy(policy if policy is not None else Judging().policy), exceptions)
    roles = reading.get("roles")
    named_roles = str(roles) if isinstance(roles, str | Path) else None
    if isinstance(data, Data):
        if reading:
            raise OptionError(f"The table is open already; {', '.join(sorted(reading))} must be said when it is read.")
        return Checks(tables=(_judged(data, judged_by, data.relation.name, named_roles, before_release, progress),))
    with read(data, **reading) as opened:
        return Checks(tables=(_judged(opened, judged_by, _named(data), named_roles, before_release, progress),))


def _checked(entry: TableEntry, limits: Mapping[str, Any], progress: Progress | None) -> CheckedTable:
    """Return what came of one table of a repository; what is wrong with it stops no other."""
    roles = entry.roles
    try:
        judged_by = excepting(load_policy(entry.policy), entry.exceptions)
        with read(entry.source, roles=roles, **entry.reading, **limits) as data:
            return _judged(data, judged_by, entry.name, roles, entry.before_release, progress)
    except AnonscopeError as error:
        return CheckedTable(source=entry.name, policy=Path(entry.policy).name, outcome="not checked", error=str(error), roles=_seen(roles))


def _judged(data: Data, policy: Policy, name: str, roles: str | None, before_release: bool, progress: Progress | None) -> CheckedTable:
    if not data.roles.attributes and not data.roles.sensitive and policy.checklist is None:
        raise OptionError(f"Nobody said which column of {shown(name)} is what. Write the roles first (anonscope suggest, --roles FILE).")
    # Only what the policy judges: a gate has to be quick, and tells no other number anyway.
    found = audit(data, policy, for_policy=True, progress=progress)
    told = findings_of(found, before_release=before_release)
    # An audit says what holds once they are removed; a gate lets through the file as it is, and they are in it.
    still_there = bool(found.verdict.must_be_removed) and not before_release
    outcome = "not met" if still_there else _BY_CODE[found.verdict.exit_code]
    return CheckedTable(source=name, policy=policy.name, outcome=outcome, findings=told, roles=_seen(roles))


def _named(source: Any) -> str:
    if not isinstance(source, str | Path):
        return "the data frame"
    return without_credentials(str(source)) if "://" in str(source) else _seen(str(source)) or str(source)


def _seen(path: str | None) -> str | None:
    """Return a file as seen from the working folder; one outside of it by its name, because where that is concerns nobody else."""
    if path is None:
        return None
    place, here = Path(path).absolute(), Path.cwd()
    return place.relative_to(here).as_posix() if place.is_relative_to(here) else place.name

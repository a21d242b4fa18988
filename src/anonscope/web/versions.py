"""Releases that were made of a table: kept in a list, and judged by the policy of the workspace."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.columns.roles import Acknowledgements, Roles, left_of
from anonscope.errors import AnonscopeError
from anonscope.operations.audit import audit
from anonscope.operations.read import read
from anonscope.report.words import without_options
from anonscope.risk.policy import load
from anonscope.web.desk import Searched, Version

if TYPE_CHECKING:
    from anonscope.operations.anonymise import Anonymisation
    from anonscope.web.responses import Renders
    from anonscope.web.stored import StoredTable

_ROUNDING = 1e-9  # a smaller share is what sums leave behind


def place(table: "StoredTable") -> Path:
    """Return where a new release of a table goes."""
    release = table.folder / f"release-{secrets.token_hex(4)}" / "release.csv"
    release.parent.mkdir()
    return release


def keep(
    table: "StoredTable",
    release: Path,
    *,
    how: str,
    asked: Mapping[str, Any],
    policy: str,
    memory_limit: str | None,
    acknowledged: Acknowledgements,
    roles: Roles | None = None,
    result: "Anonymisation | None" = None,
    report: "Renders | None" = None,
) -> None:
    """Put a release into the list of versions, judged by the policy it was made for and by that of the workspace."""
    if table.forgotten:
        return
    desk = table.desk
    left = result.release.roles if result is not None and result.release is not None else roles or table.roles or Roles()
    version = Version(desk.next_number(), how, dict(asked), left, policy, release, acknowledged, searched(result), report or result)
    # What a search was asked for beside a policy is no part of that policy, and its verdict is not that of the policy.
    if result is not None and result.after is not None and result.policy.name == policy:
        version.verdicts[policy], version.audits[policy] = result.after.verdict, result.after
    judge(version, desk.policy, memory_limit)
    desk.add(version)


def judge(version: Version, policy: str, memory_limit: str | None) -> None:
    """Measure a version by a policy, unless that was done; where it cannot be, the reason is kept in the place of a verdict."""
    if policy in version.verdicts or version.absent is not None:
        return
    try:
        with read(version.release, memory_limit=memory_limit) as data:
            data.roles = left_of(version.roles, data.columns)
            data.acknowledged = version.acknowledged.left_of(data.columns)
            found = audit(data, load(policy))
            version.verdicts[policy], version.audits[policy] = found.verdict, found
            version.unjudged.pop(policy, None)
    except AnonscopeError as error:
        version.unjudged[policy] = without_options(str(error))


def searched(made: "Anonymisation | None") -> Searched | None:
    """Return what is told of a search."""
    if made is None:
        return None
    points = tuple({"loss": point.loss, "risk": point.risk} for point in made.frontier)
    return Searched(made.loss, made.suppressed, made.method, levels_of(made), points)


def levels_of(made: "Anonymisation") -> dict[str, int]:
    """Return the coarsest level that a record which was not suppressed has in every column; with it, no group is smaller."""
    hidden = made.suppressed / made.records if made.records else 0.0
    found = {}
    for column in made.columns:
        shares = [*column.shares[:-1], column.shares[-1] - hidden]
        found[column.column] = max((level for level, share in enumerate(shares) if share > _ROUNDING), default=0)
    return found

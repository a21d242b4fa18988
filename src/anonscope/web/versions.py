"""Releases that were made of a table: kept in a list, and judged by the policy of the workspace."""

import csv
import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.columns.roles import Acknowledgements, Roles, left_of
from anonscope.errors import AnonscopeError
from anonscope.io.rounding import LEFT_OVER
from anonscope.operations.apply import apply
from anonscope.operations.audit import Audit, audit
from anonscope.operations.publishing.unlinking import unlinked
from anonscope.operations.read import read
from anonscope.report.words import without_options
from anonscope.risk.policy import load
from anonscope.transform.recipe import load_recipe
from anonscope.transform.release.manifest import recipe_path
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.sort_records import SortRecords
from anonscope.web.desk import Searched, Version
from anonscope.web.stored import read_named

if TYPE_CHECKING:
    from anonscope.operations.anonymise import Anonymisation
    from anonscope.web.responses import Renders
    from anonscope.web.stored import StoredTable


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
    said = roles or table.roles or Roles()
    version = Version(desk.next_number(), how, dict(asked), said, policy, release, acknowledged, searched(result), report or result)
    with open(release, newline="", encoding="utf-8") as file:
        version.columns = tuple(next(csv.reader(file), ()))
    # What a search was asked for beside a policy is no part of that policy, and its verdict is not that of the policy.
    if result is not None and result.after is not None and result.policy.name == policy:
        version.verdicts[policy], version.audits[policy] = result.after.verdict, result.after
    judge(table, version, desk.policy, memory_limit)
    desk.add(version)


def judge(table: "StoredTable", version: Version, policy: str, memory_limit: str | None) -> None:
    """Measure a version by a policy and by the roles that the table was measured with, unless that was done.

    Where it cannot be, the reason is kept in the place of a verdict.
    """
    if version.absent is not None:
        return
    if not version.judged_by(table.roles):
        # What was found with other roles says nothing about these: a column that counts as known now was in no group before.
        version.judged_with = table.roles
        for about in (version.verdicts, version.audits, version.unjudged, version.recorded):
            about.clear()
    if policy in version.verdicts:
        return
    try:
        found = _audited(table, version, policy, memory_limit)
        version.verdicts[policy], version.audits[policy] = found.verdict, found
        version.unjudged.pop(policy, None)
    except AnonscopeError as error:
        version.unjudged[policy] = without_options(str(error))


def _audited(table: "StoredTable", version: Version, policy: str, memory_limit: str | None) -> Audit:
    roles = version.judged_with or version.roles
    # What somebody stated as an exception holds for the policy that it was stated for.
    exceptions = version.asked.get("exceptions") if policy == version.policy else None
    with read(version.release, memory_limit=memory_limit) as data:
        version.columns = tuple(data.columns)
        left_out = {roles.person, roles.household} - {None, *data.columns}
        if not left_out or version.how == "synthesise":
            data.roles = left_of(roles, data.columns)
            data.acknowledged = version.acknowledged.left_of(data.columns)
            return audit(data, load(policy), exceptions=exceptions)
    # Records of a file that does not say whose they are would be counted as if each were somebody else's. People are counted where it is
    # still known: in the table, recoded as the version is.
    recipe = load_recipe(recipe_path(version.release))
    steps = tuple(s for s in recipe.steps if not (isinstance(s, SortRecords) or (isinstance(s, DropColumn) and s.column in left_out)))
    with read_named(table.path, table.name, roles, memory_limit, table.reading, table.beside) as data:
        data.acknowledged = version.acknowledged
        release = apply(replace(recipe, steps=steps, comments=()), data)
        with release.read() as left:
            left.roles = left_of(roles, left.columns)
            found = audit(left, load(policy), exceptions=exceptions)
        return unlinked(release, found, also=[column for column in left_out if column is not None])[1]


def searched(made: "Anonymisation | None") -> Searched | None:
    """Return what is told of a search."""
    if made is None:
        return None
    points = tuple({"loss": point.loss, "risk": point.risk} for point in made.frontier)
    measured = made.after.measurements if made.after is not None else ()
    sizes = [m.value for m in measured if m.metric == "k_anonymity" and m.value is not None]
    return Searched(made.loss, made.suppressed, made.method, levels_of(made), points, int(min(sizes)) if sizes else None)


def levels_of(made: "Anonymisation") -> dict[str, int]:
    """Return the coarsest level that a record which was not suppressed has in every column; with it, no group is smaller."""
    hidden = made.suppressed / made.records if made.records else 0.0
    found = {}
    for column in made.columns:
        shares = [*column.shares[:-1], column.shares[-1] - hidden]
        found[column.column] = max((level for level, share in enumerate(shares) if share > LEFT_OVER), default=0)
    return found

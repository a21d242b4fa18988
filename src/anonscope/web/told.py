"""What a workspace shows of itself everywhere: the verdict in words, the versions, what is under way."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, Field

from anonscope.report import words
from anonscope.risk.policy import Verdict
from anonscope.transform.release.manifest import recipe_path
from anonscope.web.desk import Desk, Row, Version
from anonscope.web.drawn import promise_of, tells_of
from anonscope.web.jobs import Jobs
from anonscope.web.schemas import JobInfo, TableInfo
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.what_if import OpenColumns

_CHANGED = "Columns or policy were changed since it was measured."
_OTHER_PAPERS = "Its manifest and dossier are by {}, for which it was made. For papers by this policy, make it again in Repair."
_OTHER_ROLES = "Columns were changed since it was judged. Measure the table, and its versions are judged with it."
_EARLIER_PAPERS = (
    "Its manifest and dossier are about the columns as they were when it was made. For papers by these, make it again in Repair."
)
_NEVER = "Nobody has measured it yet."
_HOW = {
    "anonymise": "searched",
    "apply": "made by a recipe",
    "pipeline": "made by the pipeline",
    "synthesise": "drawn",
}


class VerdictTold(BaseModel):
    """A verdict as it is shown: its words, its colour, its sign; or why there is none."""

    outcome: str | None = Field(description="The outcome by the policy of the workspace; none if it was not measured.")
    words: str
    tone: Literal["low", "mid", "high", "none"]
    sign: str
    reason: str | None = None

    @classmethod
    def of(cls, verdict: Verdict | None, reason: str | None = None) -> "VerdictTold":
        """Return how a verdict is told; what was not measured is never shown as safe."""
        if verdict is None:
            return cls(outcome=None, words=words.NOT_MEASURED, tone="none", sign=words.SIGNS["none"], reason=reason)
        tone = words.tone(verdict.outcome)
        return cls(outcome=verdict.outcome, words=words.HEADLINES[verdict.outcome], tone=tone, sign=words.SIGNS[tone], reason=reason)


class VersionInfo(BaseModel):
    """A release that was made here: how, for which policy, what it loses, and what the policy of the workspace says of it."""

    number: int
    name: str
    how: str
    policy: str
    verdict: VerdictTold
    loss: float | None
    suppressed: int | None
    smallest_class: int | None = Field(description="How many the smallest group of look-alikes in it has, where that was measured.")
    method: str | None
    promise: str | None = Field(description="Of a version that was drawn, its budget, or that it guarantees nothing.")
    tells: str | None = Field(description="Of a version that was drawn here, how like the table it is.")
    asked: dict[str, Any]
    removed: bool
    reported: bool = Field(description="Whether there is a report of how it was made.")
    audited: bool = Field(description="Whether there is a report of what the policy of the workspace says of it.")
    files: list[str] = Field(description="What can be downloaded of it.")
    levels: dict[str, int] = Field(description="The coarsest level at which a record of it has a column: where sliders begin.")
    frontier: list[dict[str, float]] = Field(description="Risk and least loss for other class sizes, where they were searched.")

    @classmethod
    def of(cls, version: Version, desk: Desk) -> "VersionInfo":
        """Return what is told of a version; a verdict about other roles than the workspace has is none."""
        made, policy = version.searched, desk.policy
        fits = version.judged_by(desk.roles)
        judged = version.verdicts.get(policy) if fits else None
        absent = version.absent or (version.unjudged.get(policy) if fits else _OTHER_ROLES)
        other = None
        if judged is not None and version.policy != policy:
            other = _OTHER_PAPERS.format(version.policy)
        elif judged is not None and version.judged_with is not None and version.judged_with != version.roles:
            other = _EARLIER_PAPERS
        return cls(
            number=version.number,
            name=_called(version.number),
            how=_HOW[version.how],
            policy=version.policy,
            verdict=VerdictTold.of(judged, absent or other),
            loss=made.loss if made is not None else None,
            suppressed=made.suppressed if made is not None else None,
            smallest_class=made.smallest_class if made is not None else None,
            method=made.method if made is not None else None,
            promise=promise_of(version),
            tells=tells_of(version),
            asked=dict(version.asked),
            removed=version.removed,
            reported=version.report is not None,
            audited=fits and policy in version.audits,
            files=files_of(version),
            levels=dict(made.levels) if made is not None else {},
            frontier=[dict(point) for point in made.frontier] if made is not None else [],
        )


def files_of(version: Version) -> list[str]:
    """Return the names under which files of a version can be had."""
    if version.absent is not None:
        return []
    beside = {"release.recipe.toml": recipe_path(version.release), "release.parquet": version.release.with_suffix(".parquet")}
    missing = [name for name, path in beside.items() if not path.is_file()]
    known = (
        "release.csv",
        "release.parquet",
        "release.manifest.json",
        "release.recipe.toml",
        "release-for-recipient.zip",
        "release-for-archive.zip",
    )
    return [name for name in known if name not in missing]


class WishedInfo(BaseModel):
    """How the table is to be repaired, as the room shows it."""

    levels: dict[str, int]
    suppression: float
    limits: dict[str, float]
    alone: bool = Field(description="Whether the limits stand in the place of the policy, not beside it.")
    untouched: list[str]
    weights: dict[str, float]


class OtherTable(BaseModel):
    """A table beside this one."""

    id: str
    name: str

    @classmethod
    def named(cls, workspace: Workspace, ids: Iterable[str | None]) -> "list[OtherTable]":
        """Return those of the tables that are still there."""
        found = (workspace.tables.get(id) for id in ids if id is not None)
        return [cls(id=table.id, name=table.name) for table in found if table is not None]


class ResultShown(BaseModel):
    """What a room shows of the last work of its kind."""

    location: str
    version: str = Field(description="What was shown when it was asked for.")


class WorkspaceInfo(BaseModel):
    """Everything that the rooms of a table show: kept by the server, so that a reload or another tab shows the same."""

    revision: int
    table: TableInfo
    row: Row | None = Field(description="What a row is: a person, or an event of somebody. None: nobody has said it.")
    roles: dict[str, Any] | None = Field(description="Roles as they stand now, which an audit may not have measured yet.")
    undoable: int = Field(description="How many changes of roles can be taken back.")
    policy: str
    policy_title: str
    answers: dict[str, str] = Field(description="Answers to the questions that choose a policy, for as long as they choose this one.")
    notes: str
    reason: str = Field(description="Why columns without a role may be released.")
    wished: WishedInfo
    hierarchies: list[str] = Field(description="Columns whose hierarchy somebody gave or changed.")
    open: OpenColumns = Field(description="Columns about which a release needs a word.")
    measured: bool = Field(description="Whether an audit has measured the table with these roles and this policy.")
    original: VerdictTold
    shown: int | None = Field(description="The version that is shown; none: the table as it is.")
    shown_name: str
    verdict: VerdictTold
    versions: list[VersionInfo]
    results: dict[str, ResultShown] = Field(description="What was found last, by the kind of work: compare, link, attack, answer.")
    added: list[OtherTable] = Field(description="Tables that are compared as further versions.")
    left_out: list[int] = Field(description="Versions that are not compared.")
    control: OtherTable | None = Field(description="People who are not in this table.")
    signed: list[int | None] = Field(description="Dossiers that were written, by the version that each is about.")
    notice: str = Field(description="What whoever comes back to the workspace must know.")
    jobs: list[JobInfo]

    @classmethod
    def of(cls, table: StoredTable, workspace: Workspace, jobs: Jobs) -> "WorkspaceInfo":
        """Return what is told of a table and of all that was done with it."""
        from anonscope.risk.policy import load
        from anonscope.risk.policy.questions import policy_chosen_by

        desk = table.desk
        with desk.lock:
            measured = table.audit is not None and desk.roles == table.roles and desk.policy == table.policy and not desk.stale
            reason = None if measured else _unmeasured(table) if table.audit is None else _CHANGED
            original = VerdictTold.of(table.audit.verdict if measured and table.audit is not None else None, reason)
            versions = [VersionInfo.of(version, desk) for version in desk.versions]
            shown = next((v for v in versions if v.number == desk.shown and not v.removed), None)
            wished = desk.wished
            return cls(
                revision=desk.revision,
                table=TableInfo.of(table),
                row=desk.row,
                roles=desk.roles.to_dict() if desk.roles is not None else None,
                undoable=len(desk.undoable),
                policy=desk.policy,
                policy_title=load(desk.policy).title,
                answers=dict(desk.answers) if policy_chosen_by(desk.answers) == desk.policy else {},
                notes=desk.notes,
                reason=desk.reason,
                wished=WishedInfo(
                    levels=dict(wished.levels),
                    suppression=wished.suppression,
                    limits=dict(wished.limits),
                    alone=wished.alone,
                    untouched=list(wished.untouched),
                    weights=dict(wished.weights),
                ),
                hierarchies=sorted(desk.hierarchies),
                open=OpenColumns.of(table.audit.verdict.unassigned if table.audit is not None else ()),
                measured=measured,
                original=original,
                shown=shown.number if shown is not None else None,
                shown_name=_called(shown.number if shown is not None else None),
                verdict=shown.verdict if shown is not None else original,
                versions=versions,
                results={kind: ResultShown(location=one.location, version=_called(one.version)) for kind, one in desk.results.items()},
                added=OtherTable.named(workspace, desk.added),
                left_out=list(desk.left_out),
                control=next(iter(OtherTable.named(workspace, [desk.control])), None),
                signed=[one.version for one in desk.signed],
                notice=_notice(workspace, desk),
                jobs=[JobInfo.of_job(job) for job in jobs.about(workspace.id, table.id)],
            )


def _called(version: int | None) -> str:
    return "The table as it is" if version is None else f"Version {version}"


def _unmeasured(table: StoredTable) -> str:
    before = table.unmeasured
    if before is None:
        return _NEVER
    return f"When the project was kept, {before['policy']} said “{before['outcome']}”; it is being measured again."


def _notice(workspace: Workspace, desk: Desk) -> str:
    problem = workspace.keeper.problem if workspace.keeper is not None else None
    return " ".join(part for part in (desk.notice, problem) if part)

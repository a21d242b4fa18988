"""What the REST interface takes and gives about what-if questions."""

from collections.abc import Mapping, Sequence
from time import thread_time
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from anonscope.operations.explore import Exploration
from anonscope.operations.wishes.policy import Meeting
from anonscope.operations.wishes.search import Tried
from anonscope.report.unassigned import asked_before_release
from anonscope.risk.policy import UnassignedColumn
from anonscope.web.asked import asked
from anonscope.web.schemas import Level

if TYPE_CHECKING:
    from anonscope.web.stored import StoredTable

_EASING = 0.6  # seconds of a processor to look for levels that take less away


class LevelInfo(BaseModel):
    """A level of a hierarchy: how many values are told apart there, and what it does."""

    level: int
    values: int
    words: str


class ExplorerColumn(BaseModel):
    """A quasi-identifier and its levels."""

    column: str
    automatic: bool
    levels: list[LevelInfo]


class RuleInfo(BaseModel):
    """A rule of the policy, and how the release would stand."""

    metric: str
    title: str
    label: str
    limit: str
    value: float | None
    status: Literal["pass", "fail", "not measured"]
    risk: Literal["low", "medium", "high"] | None
    attacks: list[str]
    reason: str | None


class RisksInfo(BaseModel):
    """What an attacker could do who knows that somebody is in the table."""

    smallest_class: int
    highest: float
    average: float
    records_at_risk: float
    unique: float
    threshold: int


class Bar(BaseModel):
    """One bar of the histogram of class sizes; the last has no upper end."""

    low: int = Field(alias="from")
    high: int | None = Field(alias="to")
    classes: int
    records: int


class PointInfo(BaseModel):
    """Where a release stands between risk and loss."""

    class_size: int
    risk: float
    loss: float


class UnassignedInfo(BaseModel):
    """A column in no measurement: what it looks like and why, what was said of it, and whether a release needs a word about it."""

    column: str
    looks_like: str
    why: str
    word: Literal["insensitive", "acknowledged"] | None
    reason: str | None
    unanswered: bool


class Explored(BaseModel):
    """What a release at some levels would be like."""

    contract: str = Field(alias="schema")
    source: str
    policy: str
    records: int
    tuples: int
    levels: dict[str, int]
    suppression: float
    suppressed: int
    needed: int
    allowed: int
    met: bool
    outcome: Literal["release", "release with acknowledgement", "withhold"]
    rules: list[RuleInfo]
    attacks: dict[str, str]
    risks: RisksInfo
    loss: float
    losses: dict[str, float]
    classes: int
    histogram: list[Bar]
    point: PointInfo
    columns: list[ExplorerColumn]
    columns_without_role: list[UnassignedInfo]
    notes: list[str]
    milliseconds: float

    @classmethod
    def of(cls, found: Exploration, milliseconds: float = 0.0) -> "Explored":
        """Return what is told of a what-if, and how long it took."""
        return cls.model_validate(found.to_dict() | {"milliseconds": round(milliseconds, 1)})


class OpenColumns(BaseModel):
    """Columns about which a release needs a word, and the question or the sentence that asks for it."""

    columns: list[str]
    identify: bool
    words: str | None

    @classmethod
    def of(cls, columns: Sequence[UnassignedColumn]) -> "OpenColumns":
        """Return what is asked before a release."""
        identifiers = [c.column for c in columns if c.identifies]
        chosen = identifiers or [c.column for c in columns if c.unanswered]
        return cls(columns=chosen, identify=bool(identifiers), words=asked_before_release(columns))


class ExplorerInfo(BaseModel):
    """What can be chosen, and the table as it is."""

    policy: str
    records: int
    tuples: int
    suppression: float
    columns: list[ExplorerColumn]
    columns_without_role: list[UnassignedInfo]
    open: OpenColumns
    planned: dict[str, int] | None = Field(description="Where sliders begin: levels that would do, near the version shown or the plan.")
    start: Explored

    @classmethod
    def of(cls, found: Exploration, planned: Mapping[str, int] | None = None) -> "ExplorerInfo":
        """Return what can be chosen, of a what-if with all columns as they are."""
        start = Explored.of(found.at({}, 0.0))
        return cls(
            policy=found.policy.name,
            records=found.records,
            tuples=found.tuples,
            suppression=found.suppression,
            columns=start.columns,
            columns_without_role=start.columns_without_role,
            open=OpenColumns.of(found.verdict.unassigned),
            planned=dict(planned) if planned is not None else None,
            start=start,
        )


@asked
class ExplorerAsked(Meeting):
    """What to judge by: a policy or limits; without either, the policy of the audit."""

    policy: str | None = None


@asked
class ExploreAsked(Tried):
    """Levels of quasi-identifiers (those left out stay as they are), and the largest share of records to suppress."""

    levels: dict[str, Level] | None = None


def begun(table: "StoredTable", found: Exploration) -> dict[str, int] | None:
    """Return where sliders begin: at the levels of the plan's release, or near the version that is shown.

    A release that is recoded record by record has no levels of its own. The coarsest that any of its records has would do as well, and
    take away far more: so these are lowered for as long as the policy is met.
    """
    desk = table.desk
    version = next((one for one in desk.kept if one.number == desk.shown and one.searched is not None), None)
    planned = next((one.levels for one in (table.plan.releases if table.plan is not None else ()) if one.levels is not None), None)
    coarsest = {column.column: len(column.cardinalities) - 1 for column in found.columns}
    made = version.searched.levels if version is not None and version.searched is not None else {}
    levels = {column: min(made[column], most) for column, most in coarsest.items() if column in made} or planned or coarsest
    key = (id(found), tuple(sorted(levels.items())), desk.wished.suppression)
    if table.begun is None or table.begun[0] != key:
        table.begun = (key, eased(found, levels, desk.wished.suppression))
    return table.begun[1]


def eased(found: Exploration, levels: Mapping[str, int], suppression: float) -> dict[str, int] | None:
    """Return levels that lose less and would still do, one step after the other, beginning where most is lost; None if none would do."""
    now, ends = found.at(levels, suppression), thread_time() + _EASING
    if not now.met:
        return None
    at, tried = dict(levels), set[tuple[str, int]]()
    while thread_time() < ends:
        lost = {column.column: column.loss for column in now.columns}
        steps = [column for column, level in at.items() if level and (column, level) not in tried]
        if not steps:
            break
        column = max(steps, key=lambda name: lost[name])
        lower = found.at({**at, column: at[column] - 1}, suppression)
        if lower.met:
            at[column], now = at[column] - 1, lower
        else:
            tried.add((column, at[column]))
    return at

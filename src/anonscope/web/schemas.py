"""What the REST interface takes and gives, as its OpenAPI document says."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from anonscope.columns.readings import Unknown
from anonscope.columns.roles import Acknowledgements, Roles, Scenario
from anonscope.transform.search.prepare import DEFAULT_SUPPRESSION
from anonscope.web.jobs import Job, State
from anonscope.web.storage import StoredTable

Level = Annotated[int, Field(ge=0, le=1000)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Asked(BaseModel):
    """What is asked for."""

    # A word that is not known is a mistake, not something to pass over.
    model_config = ConfigDict(extra="forbid")


class Failure(BaseModel):
    """Why a request was not done, in one sentence."""

    error: str


class ColumnInfo(BaseModel):
    """A column and its type, as the file has it."""

    name: str
    type: str


class TableInfo(BaseModel):
    """A stored table, and what is known of it so far."""

    id: str
    name: str
    bytes: int
    records: int
    columns: list[ColumnInfo]
    notes: list[str]
    perturbed: list[str]
    suggested: bool
    audited: bool
    explorable: bool
    anonymised: bool
    released: bool

    @classmethod
    def of(cls, table: StoredTable) -> "TableInfo":
        """Return what is told of a table."""
        return cls(
            id=table.id,
            name=table.name,
            bytes=table.size,
            records=table.records,
            columns=[ColumnInfo(name=column.name, type=column.type) for column in table.columns],
            notes=list(table.notes),
            perturbed=list(table.perturbed),
            suggested=table.suggestion is not None,
            audited=table.audit is not None,
            explorable=table.exploration is not None,
            anonymised=table.anonymisation is not None,
            released=table.release is not None,
        )


class TableList(BaseModel):
    """All tables of a session."""

    tables: list[TableInfo]


class JobInfo(BaseModel):
    """A job: how far it is, and where its result is when it is done."""

    id: str
    kind: str
    table: str | None
    state: State
    label: str
    done: int
    of: int
    error: str | None
    location: str | None

    @classmethod
    def of_job(cls, job: Job) -> "JobInfo":
        """Return what is told of a job."""
        known = ("id", "kind", "table", "state", "label", "done", "of", "error", "location")
        return cls(**{name: getattr(job, name) for name in known})


class PolicyInfo(BaseModel):
    """A policy that comes with the package."""

    name: str
    title: str
    summary: str
    jurisdiction: str


class PolicyList(BaseModel):
    """All policies that come with the package."""

    policies: list[PolicyInfo]


class RolesGiven(Asked):
    """The role of every column that has one."""

    direct_identifiers: list[str] = []
    quasi_identifiers: list[str] = []
    sensitive: list[str] = []
    insensitive: list[str] = []
    person: str | None = None
    household: str | None = None
    weight: str | None = None
    scenarios: dict[str, list[str]] = {}
    distance: dict[str, Literal["equal", "ordered"]] = {}

    def roles(self) -> Roles:
        """Return the roles as the audit takes them."""
        return Roles(
            direct_identifiers=tuple(self.direct_identifiers),
            quasi_identifiers=tuple(self.quasi_identifiers),
            sensitive=tuple(self.sensitive),
            insensitive=tuple(self.insensitive),
            person=self.person,
            household=self.household,
            weight=self.weight,
            scenarios=tuple(Scenario(name, tuple(columns)) for name, columns in self.scenarios.items()),
            distance=dict(self.distance),
        )


class Words(Asked):
    """Why columns without a role may be released as they are: one by one, and one reason for all the rest."""

    acknowledge: dict[str, Annotated[str, Field(max_length=2000)]] = {}
    acknowledge_rest: Annotated[str, Field(max_length=2000)] | None = None

    def acknowledged(self) -> Acknowledgements:
        """Return what was said, as the audit takes it."""
        return Acknowledgements(dict(self.acknowledge), self.acknowledge_rest)


class SuggestAsked(Asked):
    """How roles are to be suggested."""

    time_budget: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] = 2.0


class AuditAsked(Words):
    """What to audit by. Without roles, those that were suggested."""

    roles: RolesGiven | None = None
    policy: str = "scorr"
    explain: bool | Literal["quick"] = "quick"


class RecordsAsked(Asked):
    """Which of the records at most risk to list. Values show people, which must be confirmed."""

    top: Annotated[int, Field(ge=1, le=1000)] = 20
    scenario: str | None = None
    values: bool = False
    confirm: bool = False
    largest_set: Annotated[int, Field(ge=1)] | None = None


class RecordList(BaseModel):
    """Records at most risk, a row each."""

    columns: list[str]
    records: list[list[Any]]


class AnonymiseAsked(Words):
    """What to meet, and how. Without policy or limits, the policy of the audit; without acknowledgements, those of the audit."""

    policy: str | None = None
    limits: dict[str, Annotated[float, Field(allow_inf_nan=False)]] | None = None
    exceptions: dict[str, str] = {}
    method: Literal["auto", "global", "local", "mondrian"] = "auto"
    suppression: Share = DEFAULT_SUPPRESSION
    suppressed: Literal["keep", "drop"] = "keep"
    levels: dict[str, Level] | None = None
    untouched: list[str] = []
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = {}
    alternatives: bool = False
    time_budget: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class AttackerAsked(Asked):
    """What an attacker knows, as a file of attackers says it."""

    name: str
    columns: list[str]
    within: dict[str, float] = {}
    wrong: dict[str, float] = {}
    known: float = 1.0
    attempt: float = 1.0


class AttackAsked(Asked):
    """An original that was audited, a release of it, and a control of people who are not in it."""

    original: str
    release: str | None = None
    own_release: bool = False
    control: str | None = None
    external: str | None = None
    external_columns: dict[str, str] | None = None
    external_only: bool = False
    also: list[str] = []
    attackers: list[AttackerAsked] | None = None
    attacks: list[str] | None = None
    policy: str | None = None
    key: str | None = None
    paired: bool | None = None
    targets: int = 2000
    group: str | None = None
    class_size: int | None = None
    model: bool = False
    seed: int = 1


class UnicityAsked(Asked):
    """Whose events they are, what makes a point, and how coarse it is known."""

    person: str
    points: list[str]
    coarsen: dict[str, str] = {}
    attributes: list[str] = []
    most: int = 6
    people: int = 1000
    seed: int = 1


class CompareAsked(Asked):
    """An original that was audited, its releases, a table that an attacker may hold, and what explains released values.

    `recipes` are documents by the id of a release, `hierarchies` delimited text by column; `unknown` says what a value stands for that
    nothing explains.
    """

    original: str
    releases: list[str] = []
    own_release: bool = False
    external: str | None = None
    external_columns: dict[str, str] | None = None
    key: str | None = None
    recipes: dict[str, Annotated[str, Field(max_length=200_000)]] = {}
    hierarchies: dict[str, Annotated[str, Field(max_length=4_000_000)]] = {}
    unknown: Unknown | dict[str, Unknown] = "anything"

"""What the REST interface takes and gives, as its OpenAPI document says."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError

from anonscope.errors import RequestRefused
from anonscope.operations.wishes.attacks import AttackedFrom, AttackedToo, AttackedWith, Attacking, AttackJudged, Knowing
from anonscope.operations.wishes.policy import Excepting, Judging, Measuring
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Acknowledging, ColumnRoles
from anonscope.operations.wishes.search import Anonymising, Interrupted, Planning
from anonscope.operations.wishes.suggestion import Dictionary, Suggesting
from anonscope.operations.wishes.versions import Comparing, Explained, Linking, Pointing
from anonscope.operations.wishes.words import wishes_of
from anonscope.web.asked import asked
from anonscope.web.jobs import Job, State
from anonscope.web.stored import StoredTable

Level = Annotated[int, Field(ge=0, le=1000)]
WORDS = {wish.name: wish.words for wish in wishes_of(Interrupted)}
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
    planned: bool
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
            planned=table.plan is not None,
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
    seconds: Annotated[float, Field(description="How long it has been running, or ran.")]
    expected: Annotated[float | None, Field(description="How long the same took last time.")]

    @classmethod
    def of_job(cls, job: Job) -> "JobInfo":
        """Return what is told of a job."""
        known = ("id", "kind", "table", "state", "label", "done", "of", "error", "location", "seconds", "expected")
        return cls(**{name: getattr(job, name) for name in known})


class SealInfo(BaseModel):
    """Who put which key under which files, and when."""

    by: str
    fingerprint: str
    public_key: str
    sealed: str
    files: list[str]


class PolicyInfo(BaseModel):
    """A policy that comes with the package."""

    name: str
    title: str
    summary: str
    jurisdiction: str


class PolicyList(BaseModel):
    """All policies that come with the package."""

    policies: list[PolicyInfo]


@asked
class ReadingSent(Reading):
    """How a table that is sent is to be read, where it does not tell by itself."""

    @classmethod
    def of(cls, sent: Mapping[str, str]) -> "ReadingSent":
        """Return what the fields of a form say of it."""
        known = {wish.name: sent[wish.name] for wish in wishes_of(Reading) if sent.get(wish.name)}
        try:
            return TypeAdapter(cls).validate_python(known)
        except ValidationError as error:
            # Never what it said there: that may be data.
            raise RequestRefused(f"The field {error.errors()[0]['loc'][0]} of the form is not understood.", 422) from None


@asked
class RolesGiven(ColumnRoles):
    """The role of every column that has one."""


@asked
class SuggestAsked(Suggesting, Dictionary):
    """How roles are to be suggested. A dictionary is the text of a CSV table or of a Table Schema, or maps names to labels."""

    dictionary: dict[str, Annotated[str, Field(max_length=2000)]] | Annotated[str, Field(max_length=1_000_000)] | None = None
    time_budget: Annotated[FiniteFloat, Field(le=600)] = 2.0


@asked
class AuditAsked(Measuring, Excepting, Judging, Acknowledging, AttackedFrom):
    """What to audit by. Without roles, those that were suggested. With an original, the table is attacked as a release of it."""

    roles: Annotated[RolesGiven | None, Field(description="Roles of the columns; without them, those that were suggested.")] = None
    policy: str = "scorr"
    explain: Annotated[
        bool | Literal["quick"], Field(description="Whether reasons are worked out; quick estimates what would take long.")
    ] = "quick"
    plan: Annotated[bool, Field(description="Whether the page leads with how the table can be released.")] = True


class RecordsAsked(Asked):
    """Which of the records at most risk to list. Values show people, which must be confirmed."""

    top: Annotated[Annotated[int, Field(ge=1, le=1000)], Field(description="How many records.")] = 20
    scenario: Annotated[str | None, Field(description="The attacker whose risks order them; without it, the one who gets furthest.")] = None
    rule: Annotated[
        str | None, Field(description="The metric of a rule: records that break it or, if none does, those nearest to its limit first.")
    ] = None
    values: Annotated[bool, Field(description="Whether values are shown, which shows people.")] = False
    confirm: Annotated[bool, Field(description="Confirms that values are meant to be shown.")] = False
    largest_set: Annotated[
        Annotated[int, Field(ge=1)] | None,
        Field(description="Minimal unique sets of up to so many attributes count in SUDA scores; without it, all sizes."),
    ] = None


class RecordList(BaseModel):
    """Records at most risk, a row each."""

    columns: list[str]
    records: list[list[Any]]


@asked
class PlanAsked(Planning, Excepting):
    """What a plan is to meet. Without policy or limits, the policy of the audit, or that of the recipe it is to be like."""

    policy: str | None = None
    like: Annotated[str | None, Field(description="The table whose release was made here and whose recipe an earlier delivery had.")] = None
    levels: dict[str, Level | tuple[Level, Level]] | None = None


@asked
class AnonymiseAsked(Anonymising, Excepting, Acknowledging, AttackedToo):
    """What to meet, and how. Without policy or limits, the policy of the audit; without acknowledgements, those of the audit."""

    policy: str | None = None
    levels: dict[str, Level | tuple[Level, Level]] | None = None
    alternatives: Annotated[bool, Field(description=WORDS["explain"].help)] = False


@asked
class AttackerAsked(Knowing):
    """What an attacker knows, as a file of attackers says it; without columns, the quasi-identifiers."""

    name: Annotated[str, Field(description="What the attacker is called in the report.")]


@asked
class AttackAsked(Attacking, AttackedWith, AttackJudged):
    """An original that was audited, a release of it, and a control of people who are not in it."""

    release: Annotated[str | None, Field(description="The release to attack.")] = None
    policy: str | None = None
    own_release: Annotated[bool, Field(description="Whether the release is the one that was made of the table here.")] = False
    version: Annotated[int | None, Field(ge=1, description="Or the number of a version that was made of it.")] = None
    attackers: Annotated[
        list[AttackerAsked] | None, Field(description="What attackers know; without them, the quasi-identifiers, scenario by scenario.")
    ] = None


@asked
class UnicityAsked(Pointing):
    """Whose events they are, what makes a point, and how coarse it is known."""

    person: Annotated[str, Field(description="The column that says whose event it is.")]


@asked
class LinkAsked(Explained, Linking):
    """A release, or the one that was made of a table here, a table that an attacker may hold, and what explains released values.

    Columns are linked among the quasi-identifiers if the release was audited here, else among all that both tables have. `recipe` is a
    document, `hierarchies` delimited text by column.
    """

    release: Annotated[str, Field(description="The release, or the table that it was made of.")]
    external: Annotated[str, Field(description="A table that an attacker may hold.")]
    own_release: Annotated[bool, Field(description="Whether the release is the one that was made of the table here.")] = False
    version: Annotated[int | None, Field(ge=1, description="Or the number of a version that was made of it.")] = None
    recipe: Annotated[
        Annotated[str, Field(max_length=200_000)] | None,
        Field(description="The recipe that made the release, as a document that names no files."),
    ] = None
    hierarchies: Annotated[
        dict[str, Annotated[str, Field(max_length=4_000_000)]],
        Field(description="Delimited text by column, which says how its values coarsen."),
    ] = field(default_factory=dict)


@asked
class CompareAsked(Explained, Comparing, AttackedToo):
    """An original that was audited, its releases, a table that an attacker may hold, and what explains released values.

    `recipes` are documents by the id of a release, `hierarchies` delimited text by column; `unknown` says what a value stands for that
    nothing explains.
    """

    original: Annotated[str, Field(description="The table that the releases were made of.")]
    releases: Annotated[list[str], Field(description="Versions of the same people.")] = field(default_factory=list)
    own_release: Annotated[bool, Field(description="Whether the release is the one that was made of the table here.")] = False
    versions: Annotated[
        list[Annotated[int, Field(ge=1)]], Field(description="Numbers of versions that were made of the original here.")
    ] = field(default_factory=list)
    recipes: Annotated[
        dict[str, Annotated[str, Field(max_length=200_000)]],
        Field(description="Recipes by the id of the release that each made, as documents that name no files."),
    ] = field(default_factory=dict)
    hierarchies: Annotated[
        dict[str, Annotated[str, Field(max_length=4_000_000)]],
        Field(description="Delimited text by column, which says how its values coarsen."),
    ] = field(default_factory=dict)

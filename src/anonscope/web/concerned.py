"""Whom a finding is about, over REST: the groups that an attacker sees or that a rule concerns; and what weights make the best version."""

from collections import Counter
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from anonscope.errors import RequestRefused
from anonscope.operations.comparing.comparison import Comparison
from anonscope.report.glossary import glossary
from anonscope.risk.metrics import METRICS
from anonscope.utility import UTILITIES
from anonscope.utility.balance import BalanceWeights
from anonscope.web import schemas as schema
from anonscope.web.rest import FAILURES, Mine, Table
from anonscope.web.tasks import API

router = APIRouter(prefix=API, responses=FAILURES)
_MOST_SIZES = 12


class GroupsAsked(schema.Asked):
    """Which groups are wanted."""

    scenario: Annotated[str | None, Field(description="The attacker; without one, the one who gets furthest.")] = None
    rule: Annotated[str | None, Field(description="The metric of a rule; without one, all groups.")] = None


class SizeInfo(BaseModel):
    """How many records are in groups of a size."""

    size: int
    records: int
    groups: int | None = Field(description="How many groups that is; none where the rule concerns only parts of them.")


class GroupsInfo(BaseModel):
    """The groups that an attacker sees or that a rule concerns, by their size, smallest first; no value of the table."""

    scenario: str
    rule: str | None
    broken: bool = Field(description="Whether these records break the rule; else they are all, those nearest to its limit first.")
    records: int
    of: int
    sizes: list[SizeInfo]
    larger: int = Field(description="Records in groups that are larger than those listed.")


class Term(BaseModel):
    """A word and what it means."""

    term: str
    meaning: str


class TermList(BaseModel):
    """All words that pages explain."""

    terms: list[Term]


class WeighedVersion(BaseModel):
    """A version under weights: its balance, and whether it meets the policy."""

    version: str
    balance: float | None = Field(description="RUT, from 0 to 1; none where it could not be weighed.")
    met: bool


class Weighed(BaseModel):
    """Versions of a comparison if utility counts so much and safety the rest."""

    alpha: float
    best: str | None = Field(description="The best of those that meet the policy; none if none does, or if nobody can tell.")
    versions: list[WeighedVersion]


@router.post("/tables/{id}/groups")
def groups(table: Table, asked: GroupsAsked | None = None) -> GroupsInfo:
    """Say which groups an attacker sees, or which a rule concerns."""
    asked = asked or GroupsAsked()
    with table.lock:
        if table.audit is None:
            raise RequestRefused("The table was not audited yet.", 409)
        found, audit = table.audit.records(None, scenario=asked.scenario, rule=asked.rule), table.audit
    failing = {result.rule.metric for result in audit.verdict.rules if result.status == "fail"}
    # Where people have several records, a group is as large as the people in it.
    size_of = "persons_in_class" if "persons_in_class" in found.column_names else "class_size"
    members = Counter(found.column(size_of).to_pylist())
    listed = sorted(members.items())[:_MOST_SIZES]
    return GroupsInfo(
        scenario=asked.scenario or audit.worst_scenario.name,
        rule=asked.rule,
        broken=asked.rule in failing,
        records=found.num_rows,
        of=audit.rows,
        sizes=[
            SizeInfo(size=size, records=n, groups=n // size if size_of == "class_size" and n % size == 0 else None) for size, n in listed
        ],
        larger=found.num_rows - sum(n for _, n in listed),
    )


@router.get("/comparisons/{id}/balance")
def balance(workspace: Mine, id: str, alpha: Annotated[float, Field(ge=0, le=1)] = 0.5) -> Weighed:
    """Say which version of a comparison is best if utility counts `alpha` and safety the rest; nothing is measured again."""
    found, weights = workspace.comparison(id), BalanceWeights(alpha)
    if not isinstance(found, Comparison):
        raise RequestRefused(
            "This comparison is kept from an earlier run, and only its report is. Compare again to weigh its versions.", 409
        )
    weighed = replace(found, form=replace(found.form, utility_weight=alpha))
    versions = [
        WeighedVersion(version=v.name, balance=v.balance.rut(weights) if v.balance is not None else None, met=v.name in found.met)
        for v in found.versions
    ]
    return Weighed(alpha=alpha, best=weighed.best(), versions=versions)


@router.get("/terms")
def terms() -> TermList:
    """Explain every word that pages use: the glossary, the metrics and the measures of utility."""
    known = {term.term: term.meaning for term in glossary()}
    measures = {one.title: one.question for one in METRICS.values()} | {one.title: one.question for one in UTILITIES.values()}
    known |= {title: question for title, question in measures.items() if title.lower() not in known}
    return TermList(terms=[Term(term=term, meaning=meaning) for term, meaning in sorted(known.items())])

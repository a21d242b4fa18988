"""Releases that nobody has made, as people are told of them: the verdict, the loss, what becomes of every column, the command."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.roles import Roles
from anonscope.errors import shown
from anonscope.operations.audit import Audit
from anonscope.operations.planning import in_words
from anonscope.operations.planning.asks import asks
from anonscope.operations.planning.command import REASON, command, named_as_formulas
from anonscope.operations.planning.relaxing import Relaxed
from anonscope.operations.planning.solving import Made
from anonscope.operations.read import Data
from anonscope.operations.wishes.search import Suppressed
from anonscope.risk.measuring.unmeasured import find_repeated
from anonscope.risk.policy import Policy, Verdict
from anonscope.risk.policy.exceptions import except_sentence
from anonscope.risk.policy.linked import StandingIn
from anonscope.transform.search.prepare import DEFAULT_SUPPRESSION


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPlan:
    """What becomes of a column: its role, and that in words."""

    column: str
    role: str
    becomes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRelease:
    """A release that nobody has made: what its audit would say, what it loses, what becomes of every column, the command."""

    name: str
    words: str
    method: str
    verdict: Verdict
    says: str | None  # the verdict in words, where it rests on stated exceptions
    smallest_class: int
    loss: float
    records: int
    suppressed: int
    columns: tuple[ColumnPlan, ...]
    command: str
    cut: bool = False  # the time was up: the command ends its search at the same step, and without --steps it goes further
    levels: Mapping[str, int] | None = None  # where one level holds for a whole column

    @property
    def risk(self) -> float:
        """The highest risk that goes with its smallest class."""
        return 1 / self.smallest_class

    @property
    def asks(self) -> dict[str, Any]:
        """What the command asks for, as `an.anonymise` and REST take it."""
        return asks(self.command)


@dataclass(frozen=True, slots=True)
class PlanAsked:
    """What a plan was asked for beside the policy."""

    suppression: float
    suppressed: Suppressed
    levels: Mapping[str, int | tuple[int, int]]
    untouched: tuple[str, ...]
    hierarchies: Mapping[str, str | Path | Hierarchy]

    @property
    def options(self) -> list[str]:
        """The options of a command that say the same."""
        found = [] if self.suppression == DEFAULT_SUPPRESSION else ["--suppression", f"{self.suppression:g}"]
        found += [] if self.suppressed == "keep" else ["--suppressed", self.suppressed]
        for column, hierarchy in self.hierarchies.items():
            found += [] if isinstance(hierarchy, Hierarchy) else ["--hierarchy", f"{column}={hierarchy}"]
        return found

    @property
    def bounded(self) -> list[str]:
        """The options that bound the levels of columns."""
        found = [part for column in self.untouched for part in ("--untouched", column)]
        for column, level in self.levels.items():
            found += ["--level", f"{column}={level if isinstance(level, int) else f'{level[0]}-{level[1]}'}"]
        return found


@dataclass(frozen=True, slots=True)
class Telling:
    """Tells what recodings of an audited table lead to."""

    data: Data
    found: Audit
    asked: PlanAsked
    ladders: Mapping[str, Hierarchy]
    standing: tuple[StandingIn, ...] = ()  # what stands in for the id of the person, should it be left out

    @property
    def roles(self) -> Roles:
        return self.found.roles

    @property
    def policy(self) -> Policy:
        return self.found.policy

    def release(self, made: Made, name: str, way: Relaxed | None = None) -> PlannedRelease:
        """Return the release that a recoding leads to, under a name; `way` is what has to give for it."""
        recoding, problem = made.recoding, made.problem
        suppressed = recoding.records_suppressed
        share = suppressed / problem.records if problem.records else 0.0
        gone = share if problem.suppressed == "keep" else 0.0
        shares = {x.name: in_words.without_suppressed(recoding.shares(a).tolist(), gone) for a, x in enumerate(problem.ladders)}
        changes = {column: in_words.becomes(column, at, self.ladders.get(column)) for column, at in shares.items()}
        details = {column: in_words.in_detail(column, at, self.ladders.get(column)) for column, at in shares.items()}
        roles = way.roles if way is not None and way.roles is not None else None
        policy = way.policy if way is not None and way.policy is not None else self.policy
        # By the rules, and not by the outcome: that is "withhold" as long as somebody has to say a word about another column.
        excepted = bool(made.verdict.excepted)
        levels = made.solved.levels if made.solved.method == "global" else None
        return PlannedRelease(
            name=name,
            words=in_words.said_of(changes, suppressed=share, verdict=made.verdict, loss=made.loss),
            method=made.solved.method,
            verdict=made.verdict,
            says=except_sentence(made.policy, made.verdict) if excepted else None,
            smallest_class=made.smallest,
            loss=made.loss,
            records=problem.records,
            suppressed=suppressed,
            columns=tuple(self._columns(details, roles or self.roles)),
            command=self._command(made, policy, roles, way),
            cut=made.cut,
            levels=dict(zip((x.name for x in problem.ladders), levels, strict=True)) if levels is not None else None,
        )

    def _command(self, made: Made, policy: Policy, roles: Roles | None, way: Relaxed | None) -> str:
        bounded = (way is None or way.bounded) and made.solved.method != "global"
        said = [*self.asked.options, *(self.asked.bounded if bounded else []), *made.options]
        said += way.options if way is not None else ()
        for e in policy.exceptions if way is None or way.policy is None else ():
            said += ["--except", f"{e.what}={e.reason}"]
        unanswered = [c for c in self.found.verdict.unassigned if c.unanswered]
        for column in unanswered:
            said += ["-d", column.column] if column.identifies else []
        if any(not column.identifies for column in unanswered):
            said += ["--acknowledge-rest", REASON]
        for telling in self.found.verdict.telling:
            said += ["--acknowledge", f"{telling.column}={REASON}"] if telling.said is None else []
        asked = {telling.column for telling in self.found.verdict.telling}
        for tying in self.standing:
            said += ["--acknowledge", f"{tying.column}={REASON}"] if tying.said is None and tying.column not in asked else []
        said += [part for column in self._taken_for_ids(roles) for part in ("--acknowledge", f"{column}={REASON}")]
        # What protects more than was asked for is asked for more.
        judged = made.policy if way is None else policy
        return command(self.data, "anonymise", judged, said, roles=roles, person=self._people)

    def _taken_for_ids(self, roles: Roles | None) -> list[str]:
        """Return columns that a way drops by naming them, and that would be taken for ids of people then because they repeat."""
        if roles is None:
            return []
        known = {*self.roles.direct_identifiers, *(c.column for c in self.found.verdict.repeated)}
        found = find_repeated(self.data.engine, self.data.relation, roles, self.data.acknowledged, self.data.rows)
        return [c.column for c in found if c.said is None and c.column not in known]

    @property
    def _people(self) -> str | None:
        """The direct identifier that must be named as the person before anything is released."""
        return next((c.column for c in self.found.verdict.repeated if c.said is None), None) if self.roles.person is None else None

    def _columns(self, changes: Mapping[str, str], roles: Roles) -> Iterator[ColumnPlan]:
        unassigned = {c.column: c for c in self.found.verdict.unassigned}
        for column in self.data.columns:
            if column in roles.direct_identifiers:
                yield ColumnPlan(column=column, role="direct identifier", becomes="dropped")
            elif column in changes:
                yield ColumnPlan(column=column, role="quasi-identifier", becomes=changes[column])
            elif column == roles.person:
                yield ColumnPlan(column=column, role="person", becomes=self._person_becomes(column))
            elif column == roles.household:
                yield ColumnPlan(column=column, role="household", becomes="a pseudonym")
            elif column == roles.weight:
                yield ColumnPlan(column=column, role="weight", becomes="as it is")
            elif column in roles.sensitive:
                yield ColumnPlan(column=column, role="sensitive", becomes="as it is")
            elif column in unassigned and unassigned[column].unanswered and unassigned[column].identifies:
                yield ColumnPlan(column=column, role="none", becomes="dropped: it looks like a direct identifier")
            else:
                yield ColumnPlan(column=column, role="insensitive" if column in roles.insensitive else "none", becomes="as it is")

    def _person_becomes(self, column: str) -> str:
        """Return what becomes of the id of the person: whether records may stay together shows when the release is made."""
        kept = any(linked.column == column and (linked.said is not None or not linked.found) for linked in self.found.verdict.linked)
        return (
            "a pseudonym" if kept or not self.found.verdict.linked else "a pseudonym, or left out if it would tie records that find people"
        )

    def first(self) -> Iterator[str]:
        """Yield what somebody must say before a release can be made."""
        unanswered = [c for c in self.found.verdict.unassigned if c.unanswered]
        if dropped := [c.column for c in unanswered if c.identifies]:
            yield f"{', '.join(dropped)} would be dropped (-d): nobody said what it is, and it looks like a direct identifier."
        if others := [c.column for c in unanswered if not c.identifies]:
            yield f"Say what {', '.join(others)} is, or put your reason in the place of {REASON}: nobody said why it may be released."
        for telling in self.found.verdict.telling:
            if telling.said is None:
                yield f"Leave {telling.column} out (-d), or put your reason in the place of {REASON}: {telling.sentence}"
        for tying in self.standing:
            if tying.said is None:
                yield (
                    f"Leave {tying.column} out (-d), or put your reason in the place of {REASON}: where the id of the person is left out, "
                    f"records can be linked all the same, because {tying.told}."
                )
        if wrong := named_as_formulas(self.data, self.roles):
            listed = ", ".join(map(shown, wrong))
            yield f"Office programs take the name {listed} for a formula, so the release is written as .parquet; rename it for .csv."
        for identifier in self.found.verdict.repeated:
            if identifier.said is None:
                told = "; the figures of this plan count records" if identifier.column == self._people else ""
                yield f"Name {identifier.column} as the person (-p): it repeats, so records are not people{told}."

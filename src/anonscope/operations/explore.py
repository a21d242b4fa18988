"""What if: what a release with its columns at some levels would be like, told from the counts, without making it.

What it says of some levels and of a limit on suppression is what an audit of that release would find. Where more records would
have to be suppressed than may be, nothing is suppressed, and the numbers are those of the table with its columns coarsened only.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.hierarchy.for_columns import hierarchies_for_roles, made_from_data
from anonscope.errors import ColumnNotFound, OptionError, PolicyError, shown
from anonscope.io.progress import Progress, shown_in_notebooks, silent
from anonscope.operations.apply import check_unperturbed
from anonscope.operations.read import Data, check_opened
from anonscope.operations.result import Result
from anonscope.operations.wishes.search import Tried
from anonscope.risk.counting.arrays import Floats
from anonscope.risk.counting.combinations import too_many
from anonscope.risk.measuring.unmeasured import find_repeated, look_at_columns
from anonscope.risk.metrics import METRICS
from anonscope.risk.metrics.metric import Attack
from anonscope.risk.policy import (
    ATTACKS,
    DEFAULT,
    Policy,
    RepeatedIdentifier,
    Rule,
    RuleResult,
    TellingColumn,
    UnassignedColumn,
    Verdict,
    check_people_counted,
    policy_or_limits,
)
from anonscope.risk.policy.policy import Given, asks_population, check_searchable
from anonscope.risk.policy.unassigned import left_out, left_out_note
from anonscope.risk.policy.verdict import judge_numbers, verdict_of
from anonscope.risk.rounding import at_most
from anonscope.transform.carry_out import check_engine
from anonscope.transform.search.classes import Classes
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.losses import DEFAULT_LOSS, prepared
from anonscope.transform.search.nodes import Evaluator, release_classes
from anonscope.transform.search.prepare import DEFAULT_SUPPRESSION, SearchSettings
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import everywhere
from anonscope.transform.search.targets import limits_of
from anonscope.transform.steps.recode import population_of, prepared_for, values_of
from anonscope.transform.table import Table

# The bars of the histogram of class sizes.
_BARS = ((1, 1), (2, 2), (3, 4), (5, 10), (11, 20), (21, 50), (51, 100), (101, 1000), (1001, None))


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelOfColumn:
    """A quasi-identifier at a level: how many values every level has, what each does in words, and what this one loses."""

    column: str
    level: int
    automatic: bool  # its hierarchy was made from the data
    cardinalities: tuple[int, ...]
    words: tuple[str, ...]  # of every level above the values themselves; empty where its hierarchy has none
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeBar:
    """Classes of so many members: how many there are, and how many people are in them. The last bar has no upper end."""

    low: int
    high: int | None
    classes: int
    members: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration(Result):
    """What a release at some levels would be like: verdict, classes, risks, what is suppressed and what is lost."""

    source: str
    policy: Policy
    records: int
    tuples: int  # different combinations of the quasi-identifiers, as they are
    suppression: float  # the largest share of the records that may be suppressed
    suppressed: int
    needed: int  # records that would have to be suppressed
    allowed: int  # records that may be
    verdict: Verdict
    columns: tuple[LevelOfColumn, ...]
    classes: int
    sizes: tuple[SizeBar, ...] = field(repr=False)
    smallest_class: int
    highest_risk: float
    average_risk: float
    records_at_risk: float
    unique: float
    loss: float
    notes: tuple[str, ...] = ()
    _explorer: "Explorer" = field(repr=False, compare=False)

    @property
    def levels(self) -> dict[str, int]:
        """The level of every quasi-identifier."""
        return {column.column: column.level for column in self.columns}

    @property
    def met(self) -> bool:
        """Whether the verdict is not to withhold."""
        return self.verdict.met

    def at(self, levels: Mapping[str, int], suppression: float | None = None) -> "Exploration":
        """Return what other levels would be like, told from the same counts; the table need not be open any more."""
        return self._explorer.explore(levels, self.suppression if suppression is None else suppression)


@shown_in_notebooks
def explore(
    data: Data,
    policy: str | Path | Policy | None = None,
    *,
    limits: Mapping[str, float] | None = None,
    levels: Mapping[str, int] | None = None,
    suppression: float = DEFAULT_SUPPRESSION,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    progress: Progress | None = None,
) -> Exploration:
    """Return what a release with the columns at these `levels` would be like; nothing is made, and nothing is written.

    It is judged by a `policy` or by `limits` named one by one. A column that `levels` does not name stays as it is, which is level 0.
    `suppression` is the largest share of records that may be suppressed. `hierarchies` are files or `Hierarchy` objects; columns
    without one get one made from the data. Further levels are asked of the result: `found.at({"age": 2})`.
    """
    check_opened(data, "an.explore(an.read(source, quasi_identifiers=[...]), levels={...})")
    at = Tried(levels=levels, suppression=suppression)
    # A question needs no policy to be named, as an audit does not.
    asked = policy_or_limits(DEFAULT if policy is None and limits is None else policy, limits)
    return explorer_of(data, asked, progress or silent, hierarchies).explore(at.levels or {}, at.suppression)


def explorer_of(
    data: Data, policy: Policy, progress: Progress = silent, hierarchies: Mapping[str, str | Path | Hierarchy] | None = None
) -> "Explorer":
    """Return what answers for any levels of a table: this reads it, once."""
    roles, engine = data.roles, data.engine
    if policy.beyond_recoding is not None:
        raise PolicyError(policy.beyond_recoding)
    check_searchable(policy)
    check_engine(engine, ())
    roles.check(data.columns)
    check_unperturbed(data, roles)
    given = {**roles.hierarchies, **(hierarchies or {})}
    for column in hierarchies or {}:
        if column not in data.columns:
            raise ColumnNotFound(column, data.columns)
        if column not in (*roles.attributes, *roles.sensitive):
            raise OptionError(f"Column {shown(column)} is no quasi-identifier, so it is not recoded.")
    progress("making hierarchies", 0, 3)
    repeated = find_repeated(engine, data.relation, roles, data.acknowledged, data.rows)
    check_people_counted(repeated)
    table = Table.of(engine, data.relation, data.rows)
    people = data.population if asks_population(policy, data.outside.given) else None
    everybody = population_of(people.source, roles.attributes, people.columns, engine) if people is not None else None
    relation = data.relation if data.rows is None else table.relation(data.relation.name)
    ladders = hierarchies_for_roles(engine, relation, roles, given, further=values_of(everybody))
    progress("counting combinations", 1, 3)
    # As much as need be is suppressed here; whether that may be is asked afterwards, so that a limit can move without new tuples.
    found = prepared_for(table, roles, ladders, SearchSettings(suppression=1.0), everybody)
    if found.parted is not None:
        raise too_many(found.parted.found, "a what-if", "Search for a release instead (anonscope anonymise)")
    progress("looking at the other columns", 2, 3)
    beside, telling = look_at_columns(engine, data.relation, roles, data.acknowledged, data.rows)
    known = Known(
        columns=tuple(data.columns),
        source=data.relation.name,
        ladders=ladders,
        automatic=tuple(column for column in roles.attributes if column not in given),
        remote=engine.remote,
        scenarios=tuple(s.quasi_identifiers for s in roles.scenarios),
        outside=data.outside.given,
        # What only numbers the records is left out of a release, as `anonymise` makes it.
        unassigned=tuple(c for c in beside if not c.needless),
        left_out=left_out(beside),
        repeated=repeated,
        telling=telling,
    )
    return Explorer(found.problem, policy, known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a table beside its tuples."""

    source: str = ""
    columns: tuple[str, ...] = ()  # all of the table
    ladders: Mapping[str, Hierarchy] = field(default_factory=dict)
    automatic: tuple[str, ...] = ()  # whose hierarchies were made from the data
    remote: bool = False  # whether another engine than DuckDB holds the table
    scenarios: tuple[tuple[str, ...], ...] = ()
    outside: frozenset[Given] = frozenset()  # tables that rules may wait for
    unassigned: tuple[UnassignedColumn, ...] = ()
    left_out: tuple[str, ...] = ()
    repeated: tuple[RepeatedIdentifier, ...] = ()
    telling: tuple[TellingColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A rule of the policy and the limits it means for this table; or why it cannot be decided from tuples."""

    rule: Rule
    limits: tuple[Limit, ...]
    reason: str | None = None


class Explorer:
    """Answers what a release at some levels would be like."""

    def __init__(self, problem: Problem, policy: Policy, known: Known | None = None) -> None:
        check_searchable(policy)
        self.problem, self.policy, self.known = problem, policy, known or Known()
        asked = [rule for rule in policy.rules if rule.given is None or rule.given in self.known.outside]
        self._asked = tuple(_asked(rule, problem, self.known.scenarios) for rule in asked)
        limits = [limit for one in self._asked for limit in one.limits]
        self._notes = tuple(_notes(self.known))
        self._evaluator = Evaluator(problem, limits, prepared(DEFAULT_LOSS, problem))
        # Tuples at a level are kept once they are counted, which two requests must not do at the same time.
        self._lock = threading.Lock()

    def explore(self, levels: Mapping[str, int], suppression: float) -> Exploration:
        """Return what a release at these levels would be like; a column that is left out stays as it is."""
        asked = Tried(levels=levels, suppression=suppression)
        at = self._levels(asked.levels or {})
        with self._lock:
            return self._found(at, asked.suppression)

    def _levels(self, levels: Mapping[str, int]) -> tuple[int, ...]:
        names = tuple(ladder.name for ladder in self.problem.ladders)
        for column, level in levels.items():
            if column in self.known.columns and column not in names:
                raise OptionError(f"Column {shown(column)} is no quasi-identifier, so it is not recoded and has no level.")
            if column not in names:
                raise ColumnNotFound(column, names)
            height = self.problem.ladders[names.index(column)].height
            if not 0 <= level <= height:
                raise OptionError(f"Column {shown(column)} has levels from 0 to {height}, so there is no level {level}.")
        return tuple(levels.get(name, 0) for name in names)

    def _found(self, levels: tuple[int, ...], suppression: float) -> Exploration:
        problem = self.problem
        release = self._evaluator.release(levels)
        allowed = at_most(suppression, problem.records)
        mask = release.mask if release.suppressed <= allowed else np.zeros(problem.tuples, dtype=bool)
        made = {scope: release_classes(problem, levels, mask, scope) for scope in {None, *(x.attributes for x in self._evaluator.limits)}}
        members = made[None].persons
        people, threshold = float(members.sum()), self.policy.class_size
        penalties = everywhere(problem, levels, mask).penalties()
        weights = np.array(problem.weights)
        return Exploration(
            source=self.known.source,
            policy=self.policy,
            records=problem.records,
            tuples=problem.tuples,
            suppression=suppression,
            suppressed=int(problem.n[mask].sum()),
            needed=release.suppressed,
            allowed=allowed,
            verdict=self._verdict(made),
            columns=tuple(self._columns(levels, penalties)),
            classes=made[None].count,
            sizes=tuple(_bars(members)),
            smallest_class=int(members.min()),
            highest_risk=float(1 / members.min()),
            average_risk=len(members) / people,
            records_at_risk=float(members[members < threshold].sum() / people),
            unique=float(members[members == 1].sum() / people),
            loss=float(penalties @ weights / weights.sum()),
            notes=self._notes,
            _explorer=self,
        )

    def _verdict(self, made: Mapping[tuple[int, ...] | None, Classes]) -> Verdict:
        """Return the verdict on a release; direct identifiers do not count, because they are in none."""
        results = tuple(_judged(one, made) for one in self._asked)
        about: dict[str, tuple[RuleResult, ...]] = {
            attack: tuple(found for one in self._asked for found in _about(attack, one, made)) for attack in ATTACKS
        }
        known = self.known
        return verdict_of(self.policy, results, about, unassigned=known.unassigned, repeated=known.repeated, telling=known.telling)

    def _columns(self, levels: tuple[int, ...], penalties: Floats) -> Iterator[LevelOfColumn]:
        for ladder, level, lost in zip(self.problem.ladders, levels, penalties, strict=True):
            hierarchy = self.known.ladders.get(ladder.name)
            yield LevelOfColumn(
                column=ladder.name,
                level=level,
                automatic=ladder.name in self.known.automatic,
                cardinalities=ladder.cardinalities,
                words=hierarchy.words if hierarchy is not None else (),
                loss=float(lost),
            )


def _notes(known: Known) -> Iterator[str]:
    """Yield what is to be known of every what-if about a table, whatever its levels are."""
    yield "Nothing was made: these are the numbers that a release at these levels would have. Its own audit decides."
    if known.automatic:
        yield made_from_data(known.automatic, remote=known.remote)
    yield from left_out_note(known.left_out)


def _asked(rule: Rule, problem: Problem, scenarios: Sequence[Sequence[str]]) -> _Asked:
    if rule.given is not None and (rule.given != "population" or rule.variant is not None):
        return _Asked(rule, (), "only an audit of the release can ask it, because it is about another table")
    try:
        return _Asked(rule, limits_of([replace(rule, given=None)], problem, scenarios))
    except PolicyError as error:
        return _Asked(rule, (), str(error))


def _judged(asked: _Asked, made: Mapping[tuple[int, ...] | None, Classes]) -> RuleResult:
    if not asked.limits:
        return RuleResult(rule=asked.rule, status="not measured", reason=asked.reason)
    found = judge_numbers(asked.rule, [_plain(asked.rule, limit.worst(made[limit.attributes])) for limit in asked.limits])
    return found if found.value is not None else replace(found, reason="worse than any number")


def _plain(rule: Rule, value: float | None) -> float | None:
    """Return a number as an audit has it: what counts is whole."""
    return int(value) if value is not None and METRICS[rule.metric].whole else value


def _about(attack: Attack, asked: _Asked, made: Mapping[tuple[int, ...] | None, Classes]) -> Iterator[RuleResult]:
    """Yield what a rule says about one question: of a rule about both readings of a metric, the reading that asks it."""
    if attack not in asked.rule.attacks:
        return
    limits = asked.limits
    if len(asked.rule.attacks) > 1:
        limits = tuple(limit for limit in limits if (limit.sensitive is not None) == (attack == "inference"))
    if limits or asked.reason:
        yield _judged(replace(asked, limits=limits), made)


def _bars(members: Floats) -> Iterator[SizeBar]:
    for low, high in _BARS:
        chosen = members[(members >= low) & (members <= (high if high is not None else np.inf))]
        yield SizeBar(low=low, high=high, classes=len(chosen), members=int(chosen.sum()))

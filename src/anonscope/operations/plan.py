"""A plan: from a table that may not be released to the least harmful one that may be, with the command that makes it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, thread_time

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.hierarchy.for_columns import hierarchies_for_roles, made_from_data
from anonscope.errors import AnonscopeError, ColumnNotFound, OptionError, shown
from anonscope.operations.apply import check_unperturbed
from anonscope.operations.audit import Audit, audit
from anonscope.operations.planning.drawn import LOSES_MUCH, DrawnInstead, drawn_instead
from anonscope.operations.planning.foreseen import BesideTuples
from anonscope.operations.planning.last_time import LastTime, changed, last_time, recoding_of
from anonscope.operations.planning.relaxing import DATA, NEARLY_ALL, Blocked, Kind, Relaxed, ranked, relaxed
from anonscope.operations.planning.solving import METHODS, Made, Solver, names_of, pareto, protective
from anonscope.operations.planning.telling import PlanAsked, PlannedRelease, Telling
from anonscope.operations.read import Data, check_opened, opening
from anonscope.operations.result import Result
from anonscope.operations.wishes.search import Planning, Suppressed
from anonscope.risk.measuring.standing_in import standing_in
from anonscope.risk.policy import DEFAULT, Policy, excepting, policy_or_limits
from anonscope.risk.policy.linked import StandingIn
from anonscope.risk.policy.policy import asks_population, check_searchable
from anonscope.risk.policy.unassigned import left_out
from anonscope.transform.recipe import Recipe, recipe_of
from anonscope.transform.search.counted import counted_columns
from anonscope.transform.search.methods import Method
from anonscope.transform.search.prepare import DEFAULT_SUPPRESSION, SearchSettings, bounds_of, prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.steps import SHARE
from anonscope.transform.search.targets import Obstacle, limits_of, obstacles
from anonscope.transform.steps.recode import population_of, prepared_for, values_of
from anonscope.transform.table import Table

# For tables of up to so many distinct tuples a plan is counted in steps, and so is the same on every machine.
COUNTED = 20_000
# It takes no longer for tables of up to so many; for larger ones, no longer than their audit took.
SECONDS, TUPLES = 3.0, 100_000
MOST_LEVELS = 1_000  # more than any hierarchy has
# Of the time of a plan: for the best release, and for each of those that protect more; and the seconds of what would work instead.
_BEST, _FURTHER, _INSTEAD = 0.64, 0.09, 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """What would work where the policy cannot be met: a change of the data, or of what is asked; and the release that it leads to."""

    kind: Kind
    change: str
    release: PlannedRelease
    drops: tuple[str, ...] = ()  # columns that would have to leave the table first

    @property
    def changes_data(self) -> bool:
        """Whether it changes the data; else somebody has to accept less."""
        return self.kind in DATA

    @property
    def command(self) -> str:
        return self.release.command


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Result):
    """Whether recoding can meet the policy, the best releases found, and what would have to give where none was."""

    source: str
    policy: Policy
    records: int
    tuples: int | None
    met: bool  # already, as the table is
    feasible: bool | None  # None: none was found, and nobody proved that there is none
    reasons: tuple[str, ...] = ()  # why it cannot be met, or why there is no plan
    first: tuple[str, ...] = ()  # what must be said before anything is released
    releases: tuple[PlannedRelease, ...] = ()  # that meet the policy: nothing beats one of them in both risk and loss
    relaxations: tuple[Relaxation, ...] = ()
    drawn: tuple[DrawnInstead, ...] = ()  # tables that could be drawn instead, where recoding loses much or meets nothing
    complete: bool = True  # whether everything was looked at before the time was up
    seconds: float = 0.0
    last_time: LastTime | None = None  # what became of an earlier recipe on this table, if one was named
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> PlannedRelease | None:
        """The release that loses least of those that meet the policy."""
        return self.releases[0] if self.releases else None


@opening
def plan(
    data: Data,
    policy: str | Path | Policy | None = None,
    *,
    limits: Mapping[str, float] | None = None,
    exceptions: Mapping[str, str] | None = None,
    suppression: float = DEFAULT_SUPPRESSION,
    suppressed: Suppressed = "keep",
    levels: Mapping[str, int | tuple[int, int]] | None = None,
    untouched: Iterable[str] = (),
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    seconds: float | None = None,
    like: Recipe | str | Path | None = None,
) -> Plan:
    """Return how a table can be released under a policy: the best recodings found, or what would have to give.

    Everything is told from the counts of an audit, and nothing is made or written. `limits` beside a policy ask for more,
    `exceptions` say what somebody accepts, as `audit` takes them. `suppression` is the largest share of records that may be
    suppressed, which stay with "*" in every quasi-identifier or go (`suppressed="drop"`), `levels` fixes or bounds the level of a
    column, `untouched` columns stay as they are. `seconds` bounds the search.
    `like` is the recipe of an earlier delivery: whether it still does, and the smallest change if not.
    """
    check_opened(data, "an.plan(an.read(source, quasi_identifiers=[...]), policy)")
    wish = Planning(suppression=suppression, suppressed=suppressed, levels=levels, untouched=untouched, seconds=seconds)
    bounds_of(wish.levels or {}, wish.untouched)
    if like is not None:
        return _like(data, recipe_of(like), policy, limits, exceptions, suppression, suppressed, seconds)
    asked = excepting(policy_or_limits(DEFAULT if policy is None and limits is None else policy, limits), exceptions)
    return audit(data, asked).plan(
        suppression=suppression, suppressed=suppressed, levels=levels, untouched=wish.untouched, hierarchies=hierarchies, seconds=seconds
    )


def _like(
    data: Data,
    recipe: Recipe,
    policy: str | Path | Policy | None,
    limits: Mapping[str, float] | None,
    exceptions: Mapping[str, str] | None,
    suppression: float,
    suppressed: Suppressed,
    seconds: float | None,
) -> Plan:
    """Return the plan of a new delivery: whether the recipe of the last one still does, and what changes least if it does not."""
    step = recoding_of(recipe)
    asked = step.judged_by if policy is None and limits is None else policy_or_limits(policy, limits)
    asked = excepting(asked, exceptions)
    before = last_time(data, recipe, asked)
    bounds = {column: (level, MOST_LEVELS) for column, level in before.levels.items()}
    found = audit(data, asked)
    # Columns become coarser than they were and never finer; a recipe that gives every combination its own levels has none to start from.
    methods = ("global",) if bounds else None
    try:
        plan = found.plan(suppression=suppression, suppressed=suppressed, levels=bounds, seconds=seconds, methods=methods)
    except OptionError as error:
        # A level of last time that a column does not have any more was nobody's wish this time.
        plan = no_plan(found, str(error))
    if not before.holds and plan.best is not None and plan.best.levels is not None:
        before = replace(before, change=changed(before.levels, plan.best.levels))
    return replace(plan, last_time=before)


def planned(
    data: Data,
    found: Audit,
    *,
    suppression: float = DEFAULT_SUPPRESSION,
    suppressed: Suppressed = "keep",
    levels: Mapping[str, int | tuple[int, int]] | None = None,
    untouched: Iterable[str] = (),
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    seconds: float | None = None,
    took: float | None = None,
    methods: Sequence[Method] | None = None,
) -> Plan:
    """Return the plan of a table that was audited, whose counts are still on its engine; `took` are the seconds of the audit."""
    wish = Planning(suppression=suppression, suppressed=suppressed, levels=levels, untouched=untouched, seconds=seconds)
    asked = PlanAsked(wish.suppression, wish.suppressed, wish.levels or {}, tuple(wish.untouched), dict(hierarchies or {}))
    return _Planning(data, found, asked, wish.seconds, took, methods).plan()


def no_plan(found: Audit, reason: str) -> Plan:
    """Return the plan of a table of which nothing can be told, and why."""
    return Plan(
        source=found.source, policy=found.policy, records=found.rows, tuples=None, met=found.verdict.met, feasible=None, reasons=(reason,)
    )


class _Planning:
    """One plan under way."""

    def __init__(
        self,
        data: Data,
        found: Audit,
        asked: PlanAsked,
        seconds: float | None,
        took: float | None,
        methods: Sequence[Method] | None = None,
    ) -> None:
        self.methods: Sequence[Method] = methods or METHODS
        self.data, self.found, self.asked, self.roles, self.policy = data, found, asked, found.roles, found.policy
        self.began, self.busy, self.seconds, self.took = monotonic(), thread_time(), seconds, took
        self.bounds = bounds_of(asked.levels, asked.untouched)

    def plan(self) -> Plan:
        found, policy = self.found, self.policy
        for column in self.bounds:
            if column not in self.data.columns:
                raise ColumnNotFound(column, self.data.columns)
            if column not in self.roles.attributes:
                raise OptionError(f"Column {shown(column)} is no quasi-identifier, so it is not recoded.")
        if policy.beyond_recoding is not None:
            return no_plan(found, policy.beyond_recoding)
        try:
            check_searchable(policy)
            self.roles.check(self.data.columns)
            check_unperturbed(self.data, self.roles)
            problem, ladders = self._problem()
            limits = limits_of(policy, problem, [s.quasi_identifiers for s in self.roles.scenarios])
        except AnonscopeError as error:
            if self.bounds and isinstance(error, OptionError):
                # A level that a column does not have is a slip of whoever asked for it, and says nothing of the table.
                raise
            return no_plan(found, str(error))
        self.problem, telling = problem, Telling(self.data, found, self.asked, ladders, self._standing_in())
        beside = BesideTuples(
            scenarios=tuple(s.quasi_identifiers for s in self.roles.scenarios),
            unassigned=found.verdict.unassigned,
            repeated=found.verdict.repeated,
            telling=found.verdict.telling,
        )
        solver = self._solver(beside)
        # Where nothing has to change, nothing is searched for, and no command is printed.
        met = found.verdict.met and not found.verdict.must_be_removed
        stops = () if met else obstacles(limits, problem)
        made = () if stops or met else self._searched(solver)
        feasible = False if stops else True if made or met else None
        ways: tuple[Relaxed, ...] = ()
        # Somebody whom the best release tells next to nothing asks what else would work, as if there were none.
        if not met and all(one.loss >= NEARLY_ALL for one in made):
            broken = tuple(stop.limit for stop in stops) or solver.broken
            blocked = Blocked(problem=problem, policy=policy, limits=broken, roles=self.roles, bounds=self.bounds, proved=bool(stops))
            # Reading, making ladders and the first search have had their time; what would help has some of its own.
            solver.more(_INSTEAD if self.seconds is None else self.seconds)
            ways = ranked([way for way in relaxed(blocked, solver) if not made or way.made.loss < NEARLY_ALL])
        return Plan(
            source=found.source,
            policy=policy,
            records=problem.records,
            tuples=problem.tuples,
            met=met,
            feasible=feasible,
            reasons=(*_reasons(stops), *_ways_ended(solver, ways)) if stops else () if made else (*solver.why, *_ended(solver)),
            first=tuple(telling.first()),
            releases=tuple(telling.release(one, name) for one, name in zip(made, names_of(made), strict=True)),
            relaxations=tuple(
                Relaxation(kind=way.kind, change=way.change, release=telling.release(way.made, way.kind, way), drops=way.drops)
                for way in ways
            ),
            drawn=self._drawn(made) if not met else (),
            complete=not solver.left_out,
            seconds=monotonic() - self.began,
            notes=tuple(self._notes(solver)),
        )

    def _solver(self, beside: BesideTuples) -> Solver:
        """Return what searches, in steps or within a time.

        Seconds that somebody asked for are those on the wall, and so are those of an audit; the usual ones are counted by the thread
        that searches, so that a machine that has more to do finds the same, only later.
        """
        tuples = self.problem.tuples
        if self.seconds is None and (tuples <= TUPLES or self.took is None):
            return Solver(beside, SECONDS - (thread_time() - self.busy), clock=tuples > COUNTED, now=thread_time)
        seconds = max(self.took or 0.0, 0.5) if self.seconds is None else self.seconds
        return Solver(beside, seconds - (monotonic() - self.began))

    def _standing_in(self) -> tuple[StandingIn, ...]:
        """Return what would stand in for the id of the person, should a release have to leave it out: it is not made without a word then.

        What is recoded is shared by as many people as the policy asks for, so only what leaves as it is counts.
        """
        found, data = self.found.verdict, self.data
        named = self.roles.person or next((c.column for c in found.repeated if c.said is None), None)
        tied = self.roles.person is None or any(linked.unanswered for linked in found.linked)
        if named is None or not tied or data.engine.remote:
            return ()
        identifying = {c.column for c in found.unassigned if c.unanswered and c.identifies}
        gone = {*self.roles.direct_identifiers, *self.roles.attributes, *left_out(found.unassigned), *identifying}
        relation = data.relation if data.rows is None else Table.of(data.engine, data.relation, data.rows).relation(data.relation.name)
        kept = [column for column in relation.names if column not in gone]
        return tuple(standing_in(data.engine, relation, named, max(2, self.policy.class_size), data.acknowledged, kept))

    def _drawn(self, made: Sequence[Made]) -> tuple[DrawnInstead, ...]:
        """Return what could be drawn instead, where the best recoding loses much, or there is none."""
        if made and min(one.loss for one in made) <= LOSES_MUCH:
            return ()
        # What is learnt from records takes longer than a plan has, unless somebody gave it more.
        tried = ("tree", "cart") if self.seconds is not None and self.seconds > SECONDS else ("tree",)
        return drawn_instead(self.data, self.found.verdict, self.policy.name, tried)

    def _problem(self) -> tuple[Problem, dict[str, Hierarchy]]:
        """Return the problem of the search, from the counts of the audit; where a population counts, the table is read once more."""
        data, roles = self.data, self.roles
        given = {**roles.hierarchies, **self.asked.hierarchies}
        settings = SearchSettings(suppression=self.asked.suppression, suppressed=self.asked.suppressed, levels=self.bounds)
        table = Table.of(data.engine, data.relation, data.rows)
        people = data.population if asks_population(self.policy, data.outside.given) else None
        counted = None if people is not None else counted_columns(data.engine, roles)
        everybody = population_of(people.source, roles.attributes, people.columns, data.engine) if people is not None else None
        ladders = hierarchies_for_roles(
            data.engine,
            data.relation if data.rows is None else table.relation(data.relation.name),
            roles,
            given,
            further=values_of(everybody),
        )
        if counted is not None:
            return prepare(counted[0], roles, ladders, settings, counts=counted[1]).problem, ladders
        assert everybody is not None, "the counts are enough elsewhere"
        return prepared_for(table, roles, ladders, settings, everybody).problem, ladders

    def _searched(self, solver: Solver) -> tuple[Made, ...]:
        """Return the releases that meet the policy: the best, and further ones that protect more, which nothing beats."""
        found = solver.all(self.problem, self.policy, methods=self.methods, share=_BEST)
        # Where none was quick enough, the surest has what is left.
        found = found or solver.all(self.problem, self.policy, methods=("global",), most=SHARE)
        best = min(found, key=lambda made: made.loss, default=None)
        if best is None:
            return ()
        # Where groups must be larger, the quickest tries again, and local recoding goes on from what it found; by the clock, who did best.
        method = best.solved.start or best.solved.method
        methods = tuple(one for one in dict.fromkeys(("mondrian", method) if solver.clock else ("mondrian",)) if one in self.methods)
        for size, policy in protective(self.policy, self.problem.records):
            if size > best.smallest:
                found += solver.all(self.problem, policy, methods=methods or (method,), share=_FURTHER, further="local" in self.methods)
        return pareto(found)

    def _notes(self, solver: Solver) -> Iterator[str]:
        automatic = [column for column in self.roles.attributes if column not in {**self.roles.hierarchies, **self.asked.hierarchies}]
        if automatic:
            yield made_from_data(automatic, remote=self.data.engine.remote)
        if solver.left_out:
            ended = "The time was up" if solver.clock else "The steps of a plan were taken"
            yield f"{ended} before all methods were at their end; anonscope anonymise looks further, and may lose less."


def _ended(solver: Solver) -> Iterator[str]:
    """Yield how to look further, where the search was not at its end and found nothing."""
    if solver.left_out:
        longer = _longer(solver)
        yield f"That proves nothing, because the search ended early: with more time (--seconds {longer}) a plan looks further."


def _ways_ended(solver: Solver, ways: Sequence[Relaxed]) -> Iterator[str]:
    """Yield how to look further for what would work where nothing can be met: none was found in time, or only what costs much."""
    if solver.left_out and all(way.made.loss > LOSES_MUCH for way in ways):
        what = "they may lose less" if ways else "something may be found"
        yield f"The search for ways out ended early: with more time (anonscope plan, --seconds {_longer(solver)}) {what}."


def _longer(solver: Solver) -> int:
    return max(30, round(10 * solver.seconds))


def _reasons(stops: Sequence[Obstacle]) -> Iterator[str]:
    """Yield why limits cannot be kept, each reason once: what stops an attribute mostly stops all of them."""
    said: dict[str, list[Obstacle]] = {}
    wishes: dict[str, list[Obstacle]] = {}  # what was asked of columns, and the limits that this contradicts
    for stop in stops:
        wish, colon, _ = stop.reason.partition(":")
        if colon and wish.startswith("contradicts"):
            wishes.setdefault(wish, []).append(stop)
        else:
            said.setdefault(f"{stop.limit.metric} {stop.limit.about[:1]} {stop.limit.limit} {stop.reason}", []).append(stop)
    for first, *others in wishes.values():
        names = ", ".join(dict.fromkeys(stop.limit.name for stop in others))
        yield f"{first.limit.name} {first.reason}.{f' So {_does(others)} {names}.' if others else ''}"
    for alike in said.values():
        limit, reason = alike[0].limit, alike[0].reason
        name = limit.name if len(alike) == 1 else replace(limit, about=limit.about[:1]).name
        yield f"{name} {reason}."


def _does(stops: Sequence[Obstacle]) -> str:
    return "does" if len(stops) == 1 else "do"

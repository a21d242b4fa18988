"""Find the recoding that meets a policy at the least loss, carry it out, and show the road it took."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from anonscope.attacks.linkage.images import images_of
from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.hierarchy.for_columns import hierarchies_for_roles, made_from_data
from anonscope.columns.roles import left_of
from anonscope.errors import ColumnNotFound, OptionError, PolicyError
from anonscope.io.progress import Progress, shown_in_notebooks, silent
from anonscope.operations.apply import Release, check_unperturbed
from anonscope.operations.attacking.attack_with import AttackWith
from anonscope.operations.audit import Audit, audit
from anonscope.operations.link import matched_population
from anonscope.operations.publishing.unlinking import release_notes, unlinked
from anonscope.operations.publishing.with_release import WithRelease
from anonscope.operations.read import Data, check_opened, opening
from anonscope.operations.wishes.search import Interrupted, Loss, Method, Start, Suppressed
from anonscope.risk.counting import in_other_form
from anonscope.risk.counting.combinations import too_many
from anonscope.risk.counting.population import Outside
from anonscope.risk.measuring.unmeasured import own_weights
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import DEFAULT, Policy, check_answered, check_given, check_people_counted, excepting, policy_or_limits
from anonscope.risk.policy.policy import asks_population
from anonscope.risk.policy.unassigned import left_out, left_out_note
from anonscope.transform.carry_out import check_engine, counted
from anonscope.transform.ready.searched import Searched
from anonscope.transform.recipe import Recipe
from anonscope.transform.search.label_tables import LabelTables
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.methods import Fallen, Reached, Solved, repeated, solve_in_parts, unsearched
from anonscope.transform.search.portfolio import solve
from anonscope.transform.search.prepare import DEFAULT_SUPPRESSION, Prepared, SearchSettings, bounds_of
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.steps import in_a_plan
from anonscope.transform.search.targets import Obstacle, limits_of, obstacles
from anonscope.transform.search.told import Alternative, Candidate, ColumnRecoding, FrontierPoint, columns_of, road_of, solution_of
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.pseudonymise import Pseudonymise, pseudonym_note
from anonscope.transform.steps.recode import labels_for, population_of, values_of, written
from anonscope.transform.table import Table

if TYPE_CHECKING:
    from anonscope.operations.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Anonymisation(WithRelease):
    """What came of it: whether the policy is met, by which recoding, what it cost; and the release, if there is one."""

    met: bool
    method: str
    method_reason: str
    loss_name: str
    loss: float | None
    losses: Mapping[str, float]
    records: int
    suppressed: int
    classes: int
    columns: tuple[ColumnRecoding, ...]
    binding: tuple[str, ...]
    unreachable: tuple[str, ...]
    remaining: tuple[str, ...]
    space: tuple[Candidate, ...] = field(repr=False, default=())
    evaluated: int | None = None
    lattice_size: int = 0
    proof: str = ""
    why: str = ""
    bound: float | None = None
    alternatives: tuple[Alternative, ...] = ()
    frontier: tuple[FrontierPoint, ...] = ()
    notes: tuple[str, ...] = ()
    reached: tuple[Reached, ...] = ()  # by each method, where the best of all was asked for
    curve: tuple[Fallen, ...] = ()  # how the loss fell with time, where local recoding was given some
    ways_out: "Plan | None" = field(repr=False, default=None)  # what would work, where there is no release

    before: Audit = field(repr=False)
    _without: ClassVar[str] = "The policy is not met, and no stated exception covers that, so there is no release to write."


@shown_in_notebooks
@opening
def anonymise(
    data: Data,
    policy: str | Path | Policy | None = None,
    *,
    limits: Mapping[str, float] | None = None,
    exceptions: Mapping[str, str] | None = None,
    method: Method = "auto",
    loss: Loss = "ncp",
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    suppression: float = DEFAULT_SUPPRESSION,
    suppressed: Suppressed = "keep",
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, int | tuple[int, int]] | None = None,
    untouched: Iterable[str] = (),
    time_budget: float | None = None,
    start: Start | None = None,
    steps: Mapping[str, int] | None = None,
    as_planned: bool = False,
    keep_best: bool = False,
    explain: bool = False,
    attacks: AttackWith | None = None,
    progress: Progress | None = None,
) -> Anonymisation:
    """Return the release that meets a policy (without one, that of `audit`), or limits named one by one, at the least loss of information.

    Limits beside a policy ask for more than it. `exceptions` says which limits may be left, how far and why, as `audit` takes it: the
    release is then made although it does not meet the policy, and says so wherever it is shown.
    `method` is "global" (one level a column, the optimum proved), "subtree" (one label for every value of a column), "local" (every
    combination has levels of its own), "mondrian" (for very large tables) or "auto", the best of them. `hierarchies` are files or
    `Hierarchy` objects; columns without one get one made from the data.
    `suppression` is the largest share of records that may be suppressed; these stay with "*" in every quasi-identifier, or go
    (`suppressed="drop"`). `levels` fixes the level of a column or bounds it, `untouched` columns stay as they are, `weights` says
    what a column's loss counts. After `time_budget` seconds the best so far is taken, and with `keep_best` also when interrupted;
    `steps` is how many tuples a method may look at and `start` the method whose solution local recoding begins with, as a plan states
    them; `as_planned` are the steps of every plan. With `explain`, the search is repeated with each limit relaxed, to say what that
    would buy. `attacks` says with what the release is attacked (`AttackWith`): a policy that limits what attacks find is then searched by
    its other rules, and judged by all. Where there is no release, `ways_out` says what would work.
    Raises `ColumnsWithoutRole` before the search if a column has no role and nobody said a word about it, as `read` takes it.
    """
    wish = Interrupted(
        policy=policy,
        limits=limits,
        method=method,
        loss=loss,
        suppression=suppression,
        suppressed=suppressed,
        weights=weights,
        levels=levels,
        untouched=untouched,
        time_budget=time_budget,
        start=start,
        steps=steps,
        as_planned=as_planned,
        keep_best=keep_best,
        explain=explain,
    )
    asked = _Asked(
        wish,
        given=dict(hierarchies or {}),
        settings=SearchSettings(
            weights=dict(wish.weights or {}),
            suppression=wish.suppression,
            levels=bounds_of(wish.levels or {}, tuple(wish.untouched)),
            suppressed=wish.suppressed,
        ),
        attacks=attacks,
        progress=progress or silent,
    )
    return _Run(data, excepting(_policy(policy, limits), exceptions), asked).result()


@dataclass(frozen=True)
class _Asked:
    """What was asked for, in the form in which it is searched."""

    wish: Interrupted
    given: Mapping[str, str | Path | Hierarchy]
    settings: SearchSettings
    attacks: AttackWith | None
    progress: Progress


def _policy(policy: str | Path | Policy | None, limits: Mapping[str, float] | None) -> Policy:
    given = policy_or_limits(DEFAULT if policy is None and limits is None else policy, limits)
    if given.beyond_recoding is not None:
        raise PolicyError(given.beyond_recoding)
    return given


class _Run:
    """One anonymisation under way."""

    def __init__(self, data: Data, policy: Policy, asked: _Asked) -> None:
        check_opened(data, "an.anonymise(an.read(source, quasi_identifiers=[...]), policy)")
        self.data, self.policy, self.asked, self.roles = data, policy, asked, data.roles
        self.left_out: tuple[str, ...] = ()  # columns that only number the records
        # No search can promise what attacks find; it aims at the other rules, and the attacks show whether the release keeps these.
        aim = replace(policy, attack_rules=()) if asked.attacks is not None and policy.rules else policy
        self.people = data.population if asks_population(policy) else None
        source, columns = (self.people.source, self.people.columns) if self.people is not None else (None, {})
        self.searched = Searched(
            policy=policy, aim=aim, roles=data.roles, settings=asked.settings, population=source, population_columns=columns
        )
        self._check()

    def _check(self) -> None:
        """Say what is wrong with the wishes before any work is done."""
        asked, attributes = self.asked, self.roles.attributes
        bounds, weights = asked.settings.levels or {}, asked.settings.weights or {}
        self.roles.check(self.data.columns)
        check_unperturbed(self.data, self.roles)
        for column in (*asked.given, *bounds, *weights):
            if column not in self.data.columns:
                raise ColumnNotFound(column, self.data.columns)
            if column not in (*attributes, *(self.roles.sensitive if column in asked.given else ())):
                raise OptionError(f"Column {column!r} is no quasi-identifier, so it is not recoded.")
        if any(weight < 0 for weight in weights.values()) or (weights and not any(weights.get(a, 1) for a in attributes)):
            raise OptionError("Weights must not be negative, and not all of them 0.")
        check_engine(self.data.engine, (self.searched.step(),))

    def result(self) -> Anonymisation:
        data, progress = self.data, self.asked.progress
        progress("making hierarchies", 0, 5)
        start = table = Table.of(data.engine, data.relation, data.rows)
        # Where records have no order, which are the first ones is certain only of those that were stored.
        people = self.people
        everybody = population_of(people.source, self.roles.attributes, people.columns, data.engine) if people is not None else None
        ladders = hierarchies_for_roles(
            data.engine,
            data.relation if data.rows is None else start.relation(data.relation.name),
            self.roles,
            {**self.roles.hierarchies, **self.asked.given},
            further=values_of(everybody),
        )
        progress("auditing the table as it is", 1, 5)
        before = audit(data, self.policy)
        # Nobody searches for a release that may not be made.
        unassigned = tuple(c for c in before.verdict.unassigned if not c.needless)
        check_answered(unassigned)
        check_people_counted(before.verdict.repeated, before.verdict.look_alikes)
        check_given(before.verdict.telling)
        self.left_out = left_out(before.verdict.unassigned)
        drops = [DropColumn(column=column) for column in (*self.roles.direct_identifiers, *self.left_out)]
        for drop in drops:
            table = drop.apply(table)
        one_form = in_other_form(data.engine, data.relation, data.rows)
        progress("counting combinations", 2, 5)
        prepared = self.searched.step().prepared(table, ladders, everybody)
        problem = prepared.problem
        scenarios = [s.quasi_identifiers for s in self.roles.scenarios]
        limits = limits_of(self.searched.aim, problem, scenarios)
        stops = obstacles(limits, problem)
        within_reach = tuple(limit for limit in limits if limit not in {stop.limit for stop in stops})
        progress("searching", 3, 5)
        labels = labels_for(table, self.roles.attributes)
        solved = unsearched(problem, within_reach) if stops and prepared.parted is None else self._solved(prepared, within_reach, labels)
        if solved.proof == "interrupted" and not self.asked.wish.keep_best:
            raise KeyboardInterrupt
        recoding = solved.recoding
        reached = not stops and not recoding.broken and recoding.affordable
        release = after = None
        further: tuple[str, ...] = ()
        outside = Outside()
        if reached:
            progress("writing the release", 4, 5)
            made = written(table, prepared, recoding, labels)
            # An id says who somebody is to whoever has it too; records of one person stay together under another name.
            renamed = [Pseudonymise(column=column).seeded() for column in (self.roles.person, self.roles.household) if column is not None]
            for pseudonym in renamed:
                made = pseudonym.apply(made)
            folder = data.engine.scratch / f"hierarchies-{len(data.engine.statements)}"
            steps = [*drops, self.searched.step(solved), *renamed]
            recipe = self.searched.recipe(steps, ladders, folder, data.relation.name, self.left_out)
            changes = counted(start, made, one_form, self.roles.attributes)
            release = Release(recipe, changes, left_of(self.roles, made.names), made, data, unassigned)
            with release.read() as left:
                outside = left.outside = self._outside(left, recipe, ladders)
                after = audit(left, self.policy)
            # Parts were judged one by one, and rules that wait for another table by nobody: whether all limits are kept shows now.
            further = self._unmet(after)
            release, after = (None, None) if further else unlinked(release, after)
            if release is not None and after is not None and self.asked.attacks is not None:
                after = self._attacked(after, release, ladders)
                # What attacks found stays to be seen, also where it speaks against the release.
                further = tuple(f"{r.rule.label} ({r.reason or 'attacked'})" for r in after.verdict.attack_rules if r.status != "pass")
                release = None if further else release
        # What somebody stated to accept is released, and meets nothing.
        met = release is not None and after is not None and not after.verdict.excepted
        ways = self._ways_out(before) if release is None and prepared.parted is None else None
        return Anonymisation(
            **self._found(problem, solved, stops, met, ladders, further, release_notes(release, after)),
            before=before,
            after=after,
            release=release,
            # A column without any value has nothing to coarsen.
            hierarchies={column: ladder for column, ladder in ladders.items() if ladder.leaves},
            ways_out=ways,
            _outside=outside,
        )

    def _ways_out(self, before: Audit) -> "Plan":
        """Return what would work instead, told from the counts."""
        wish = self.asked.wish
        self.asked.progress("looking for what would work", 4, 5)
        return before.plan(suppression=wish.suppression, levels=wish.levels, untouched=wish.untouched, hierarchies=self.asked.given)

    def _outside(self, release: Data, recipe: Recipe, ladders: Mapping[str, Hierarchy]) -> Outside:
        """Return what is known of the world outside the release: the population, whose values its labels stand for."""
        people = self.data.population
        if people is None or self.data.engine.remote:
            return Outside()
        return Outside(matched=(matched_population(release, people, images_of(release.columns, recipe, ladders)),))

    def _attacked(self, found: Audit, release: Release, ladders: Mapping[str, Hierarchy]) -> Audit:
        """Return the audit of the release with what attacks found."""
        from anonscope.operations.attack import attacked_too  # late: who does not attack loads none of it

        assert self.asked.attacks is not None
        wish = replace(self.asked.attacks, hierarchies={**ladders, **self.asked.attacks.hierarchies})
        return attacked_too(found, release, wish, self.data, self.asked.progress)

    def _unmet(self, found: Audit) -> tuple[str, ...]:
        """Return the rules that the audit of the release does not find met; where records stay away, the search alone counts people."""
        counted = {rule.metric for rule in self.policy.rules if "population" in METRICS[rule.metric].needs}
        spared = counted if self.data.engine.remote else set()
        unmet = [
            r
            for r in found.verdict.rules
            if (r.status == "fail" and not r.excepted) or (r.status == "not measured" and r.rule.metric not in spared)
        ]
        return tuple(METRICS[r.rule.metric].title + (f" ({r.reason})" if r.reason else "") for r in unmet)

    def _solved(self, prepared: Prepared, limits: tuple[Limit, ...], labels: LabelTables) -> Solved:
        """Return what the method that was asked for makes of the problem; of a table in parts, part by part."""
        asked = self.asked
        if prepared.parted is None and (asked.wish.steps or asked.wish.as_planned or asked.wish.start is not None):
            return self._repeated(prepared.problem, limits)
        if prepared.parted is None:
            return solve(
                prepared.problem,
                limits,
                asked.wish.method,
                asked.wish.loss,
                time_budget=asked.wish.time_budget,
                progress=lambda text: asked.progress(f"searching ({text})", 3, 5),
            )
        if asked.wish.explain:
            raise too_many(prepared.parted.found, "searching again for an explanation", "Leave --alternatives (explain=True) out")
        return solve_in_parts(prepared.parted, limits, asked.wish.method, labels)

    def _repeated(self, problem: Problem, limits: tuple[Limit, ...]) -> Solved:
        """Return what a plan found, by the method, the start and the steps that it names."""
        wish = self.asked.wish
        if wish.method == "auto" or wish.time_budget is not None:
            what = "--as-planned (as_planned) belongs" if wish.as_planned else "Steps and a start belong"
            raise OptionError(f"{what} to one method: copy the --method that the plan names (such as local), and no time budget.")
        if wish.start is not None and wish.method != "local":
            raise OptionError(f"{wish.method} recoding begins with nothing else; a start goes with the method local.")
        steps = {**(in_a_plan(wish.method, wish.start) if wish.as_planned else {}), **(wish.steps or {})}
        return repeated(problem, limits, wish.method, wish.loss, wish.start, steps)

    def _found(
        self,
        problem: Problem,
        solved: Solved,
        stops: tuple[Obstacle, ...],
        met: bool,
        ladders: Mapping[str, Hierarchy],
        further: tuple[str, ...],
        forms: list[str],
    ) -> dict[str, Any]:
        """Return what is reported; `further` are limits that only the audit of the release found broken, `forms` is about values."""
        recoding, asked = solved.recoding, self.asked
        said = (
            f"suppression ≤ {asked.wish.suppression:g} (of {problem.records:,} records {recoding.records_suppressed:,} would say nothing)"
        )
        unaffordable = () if recoding.affordable else (said,)
        columns = columns_of(problem, solved, ladders, {**self.roles.hierarchies, **asked.given})
        return (
            solution_of(problem, solved, stops)
            | {
                "source": self.data.relation.name,
                "policy": self.policy,
                "met": met,
                "loss_name": asked.wish.loss if solved.method == "global" else "ncp",
                "columns": columns,
                # Where the counts rule a limit out nobody searched, and the others stop nothing.
                "remaining": tuple(stop.limit.name for stop in stops)
                or tuple(limit.name for limit in recoding.broken) + unaffordable + further,
                "notes": (*self._notes(columns), *forms, *left_out_note(self.left_out)),
            }
            | (self._road(problem, solved) if asked.wish.explain else {})
        )

    def _road(self, problem: Problem, solved: Solved) -> dict[str, Any]:
        asked, scenarios = self.asked, [s.quasi_identifiers for s in self.roles.scenarios]
        wish = asked.wish
        return road_of(problem, solved, self.policy, scenarios, loss=wish.loss, time_budget=wish.time_budget, progress=asked.progress)

    def _notes(self, columns: tuple[ColumnRecoding, ...]) -> Iterator[str]:
        made = [column.column for column in columns if column.automatic]
        if made:
            yield made_from_data(made, remote=self.data.engine.remote)
        if starred := [column.column for column in columns if len(column.shares) > 1 and column.shares[-1] == 1]:
            verb = "is" if len(starred) == 1 else "are"
            yield f'In the release {", ".join(starred)} {verb} "*" for everybody: generalised, not suppressed.'
        if asks_population(self.policy) and self.data.engine.remote:
            yield "The search counted the population in the groups of the release; the audit after it cannot, and says not measured."
        if self.roles.household is not None:
            yield pseudonym_note(self.roles.household, "household")
        data = self.data
        if self.roles.weight is not None and (own := own_weights(data.engine, data.relation, self.roles, data.rows)).alone:
            yield f"The weight is released as it is: {own.sentence}. Round it, or answer for that."

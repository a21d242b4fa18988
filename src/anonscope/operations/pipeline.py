"""Identify, de-identify, evaluate every dimension, choose: the stages of a published pipeline in one go.

H. Khan, L. Menten, L. M. Peeters, "An Algorithmic Pipeline for GDPR-Compliant Healthcare Data Anonymisation: Moving Toward
Standardisation". Their program returns the last dimension it was given; this one returns the smallest that meets the policy.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from anonscope.attacks.linkage.images import images_of
from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.hierarchy.for_columns import hierarchies_for, made_from_data
from anonscope.columns.roles import Roles, left_of
from anonscope.columns.suggestion.identification import NEITHER, IdentifiedColumn, identify
from anonscope.columns.suggestion.risk_rate import check_thresholds
from anonscope.errors import ColumnNotFound, OptionError, PolicyError, RecordsLinked, RoleError
from anonscope.io.progress import Progress, shown_in_notebooks, silent
from anonscope.io.rounding import rounded
from anonscope.operations.apply import Release, check_unperturbed
from anonscope.operations.audit import Audit, audit
from anonscope.operations.link import matched_population
from anonscope.operations.publishing.unlinking import person_notes, unlinked
from anonscope.operations.publishing.with_release import WithRelease
from anonscope.operations.read import Data, check_opened
from anonscope.risk.counting.columns import read_columns
from anonscope.risk.counting.population import Outside
from anonscope.risk.measuring.unmeasured import find_repeated, look_at_columns
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import Policy, RuleResult, UnassignedColumn, check_given, check_people_counted, load
from anonscope.risk.policy.exceptions import check_unexcepted
from anonscope.transform.carry_out import carry_out
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.beside import save_all
from anonscope.transform.search.dimensions import Dimensions, form_of
from anonscope.transform.search.forms import DeidentifiedForm, Dimension, dimension_of, form_in, labelled
from anonscope.transform.search.prepare import prepare
from anonscope.transform.search.targets import limits_of, obstacles
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.generalise_hierarchy import GeneraliseHierarchy
from anonscope.transform.steps.pseudonymise import Pseudonymise, pseudonym_note
from anonscope.transform.transformation import Transformation

DEFAULT_POLICY = "pipeline"


Searched = Literal["all sets", "prefixes"]

if TYPE_CHECKING:
    from anonscope.operations.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline(WithRelease):
    """What the stages came to: roles, de-identified forms, every dimension, the choice; and the release, if there is one."""

    _verb: ClassVar[str] = "pipeline"

    alpha: float
    beta: float
    records: int
    columns: tuple[IdentifiedColumn, ...]
    forms: tuple[DeidentifiedForm, ...]
    dimensions: tuple[Dimension, ...]
    chosen: Dimension | None
    searched: Searched
    evaluated: int
    unreachable: tuple[str, ...] = ()
    unassigned: tuple[UnassignedColumn, ...] = ()  # released without a role: somebody said why, or they need no word
    left_out: tuple[UnassignedColumn, ...] = ()  # of the release, because nobody said what they are
    notes: tuple[str, ...] = field(default=(), repr=False)
    ways_out: "Plan | None" = field(default=None, repr=False)  # what would work, where no set of columns does
    withheld: RecordsLinked | None = field(default=None, repr=False)  # why a preview has no release: what nobody said

    @property
    def met(self) -> bool:
        """Whether some set of de-identified quasi-identifiers keeps all limits."""
        return self.chosen is not None

    @property
    def closest(self) -> Dimension:
        """What was chosen or, where nothing meets the policy, the dimension that breaks fewest limits, at the largest k."""
        return self.chosen or min(self.dimensions, key=lambda d: (len(d.broken), -d.k, d.t or 0.0, -len(d.deidentified)))

    @property
    def privacy_gain(self) -> int:
        """How much larger the smallest class is than with no quasi-identifier de-identified."""
        return self.closest.k - self.dimensions[0].k


@shown_in_notebooks
def pipeline(
    data: Data,
    policy: str | Path | Policy = DEFAULT_POLICY,
    *,
    alpha: float | None = None,
    beta: float | None = None,
    levels: Mapping[str, int] | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    forbid: Iterable[str] = (),
    by_knowledge: bool = False,
    preview: bool = False,
    progress: Progress | None = None,
) -> Pipeline:
    """Return the smallest set of quasi-identifiers whose de-identified forms meet a policy, every step on the way, and the release.

    Columns whose risk rate is above `alpha` per cent are sensitive, those from `beta` on quasi-identifiers; where they are not given,
    gaps between the rates decide; `by_knowledge` weighs a rate by how easily others get the column. Roles that `read` was given stay,
    and columns in `forbid` have none. `levels` says which level of its hierarchy is the de-identified form of a column, by default the
    coarsest below the last. `hierarchies` are files or
    `Hierarchy` objects; columns without one get one made from the data. Where no set of columns does, `ways_out` says what would.
    A column that is left without a role is left out of the release unless somebody said a word about it, as `read` takes it, or it needs
    none. Raises `RecordsLinked` where what is released ties records together that find people; a `preview` goes through the stages all
    the same, makes no release then, and has what it would have raised as `withheld`.
    """
    check_opened(data, "an.pipeline(an.read(source))")
    if isinstance(forbid, str):
        raise OptionError(f"forbid takes a list of column names; write [{forbid!r}], not {forbid!r}.")
    check_thresholds(100.0 if alpha is None else alpha, 0.0 if beta is None else beta)
    judged_by = load(policy)
    check_unexcepted(judged_by, "pipeline")
    if judged_by.beyond_recoding is not None:
        raise PolicyError(judged_by.beyond_recoding)
    run = _Run(data, judged_by, alpha, beta, dict(levels or {}), dict(hierarchies or {}), tuple(forbid), progress)
    run.preview, run.by_knowledge = preview, by_knowledge
    return run.result()


class _Run:
    """One pipeline under way."""

    def __init__(
        self,
        data: Data,
        policy: Policy,
        alpha: float | None,
        beta: float | None,
        levels: Mapping[str, int],
        hierarchies: Mapping[str, str | Path | Hierarchy],
        forbid: tuple[str, ...],
        progress: Progress | None,
    ) -> None:
        self.data, self.policy, self.asked = data, policy, (alpha, beta)
        self.alpha = self.beta = 0.0  # known once the rates are
        self.levels, self.given, self.forbid = levels, {**data.roles.hierarchies, **hierarchies}, forbid
        self.progress: Progress = progress or silent
        self.by_knowledge = False
        self.preview, self.withheld = False, None  # type: bool, RecordsLinked | None
        for column in (*levels, *self.given, *forbid, *data.roles.assigned):
            if column not in data.columns:
                raise ColumnNotFound(column, data.columns)

    def result(self) -> Pipeline:
        data = self.data
        self.progress("identifying", 0, 4)
        alpha, beta = self.asked
        columns, self.alpha, self.beta = identify(
            data.engine,
            data.relation,
            data.roles,
            alpha=alpha,
            beta=beta,
            forbid=self.forbid,
            rows=data.rows,
            by_knowledge=self.by_knowledge,
        )
        roles = self._roles(columns)
        unassigned, left_out = self._unassigned(columns, roles)
        columns = _leaving_out(columns, left_out)
        self.progress("making hierarchies", 1, 4)
        check_unperturbed(data, roles)
        wanted = (*roles.quasi_identifiers, *roles.sensitive)
        ladders = hierarchies_for(data.engine, data.relation, wanted, self.given, data.rows, sensitive=roles.sensitive)
        levels = self._levels(roles, ladders)
        self.progress("counting combinations", 2, 4)
        held = [*wanted, *([roles.person] if roles.person is not None else [])]
        coded = read_columns(data.engine, data.relation, held, data.rows)
        forms = tuple(
            form_in(column, roles, ladders[column], levels[column], coded[column], automatic=column not in self.given) for column in wanted
        )
        for column in roles.sensitive:
            coded[column] = labelled(coded[column], ladders[column], levels[column])
        problem = prepare(coded, roles, {column: ladders[column] for column in roles.quasi_identifiers}).problem
        limits = limits_of(self.policy, problem, [scenario.quasi_identifiers for scenario in roles.scenarios])
        self.progress("evaluating dimensions", 3, 4)
        losses = [form_of(problem, a, levels[column]) for a, column in enumerate(roles.quasi_identifiers)]
        dimensions = Dimensions(problem, limits, losses)
        smallest = dimensions.smallest()
        chosen = None if smallest.chosen is None else dimension_of(dimensions, smallest.chosen, roles)
        release, used = self._released(columns, roles, ladders, levels, chosen) if chosen is not None else (None, {})
        after, outside = None, Outside()
        if release is not None:
            release = replace(release, unassigned=unassigned)
            with release.read() as opened:
                if data.population is not None and not data.engine.remote:
                    outside = Outside(
                        matched=(matched_population(opened, data.population, images_of(opened.columns, release.recipe, used)),)
                    )
                opened.outside = outside
                after = audit(opened, self.policy)
        unmet = [result for result in after.verdict.rules if result.status != "pass"] if after is not None else []
        if unmet:
            # What waits for another table is asked of the release only: it is not met, whatever the dimensions say.
            chosen, release, after = None, None, None
        elif release is not None and after is not None:
            release, after = self._unlinked(release, after, columns)
        ways = self._ways_out(columns, roles) if chosen is None else None
        return Pipeline(
            ways_out=ways,
            withheld=self.withheld,
            source=data.relation.name,
            policy=self.policy,
            alpha=self.alpha,
            beta=self.beta,
            records=problem.records,
            columns=columns,
            forms=forms,
            dimensions=tuple(dimension_of(dimensions, range(size), roles) for size in range(len(losses) + 1)),
            chosen=chosen,
            searched=smallest.searched,
            evaluated=smallest.evaluated,
            unreachable=tuple(f"{stop.limit.name}: {stop.reason}." for stop in obstacles(limits, problem)),
            unassigned=unassigned,
            left_out=left_out,
            notes=(
                *self._notes(columns, forms),
                *((*release.order_notes(), *person_notes(release, after)) if release is not None and after is not None else ()),
                *(f"The audit of the release does not find this met: {_unmet(result)}." for result in unmet),
            ),
            after=after,
            release=release,
            hierarchies=used,
            _outside=outside,
        )

    def _unlinked(self, release: Release, after: Audit, columns: tuple[IdentifiedColumn, ...]) -> tuple[Release | None, Audit | None]:
        """Return a release without ids that find people, and without one that nobody named; a preview has none where a word is missing."""
        try:
            return unlinked(release, after, [c.column for c in columns if c.role == "person" and c.dropped])
        except RecordsLinked as unsaid:
            if not self.preview:
                raise
            self.withheld = unsaid
            return None, None

    def _ways_out(self, columns: tuple[IdentifiedColumn, ...], roles: Roles) -> "Plan":
        """Return what would meet the policy where no set of de-identified columns does: any levels, or what would have to give."""
        dropped = tuple(c.column for c in columns if c.dropped and c.column not in roles.assigned)
        opened = copy(self.data)
        given = {column: ladder for column, ladder in self.given.items() if column in roles.quasi_identifiers}
        files = {column: str(ladder) for column, ladder in given.items() if not isinstance(ladder, Hierarchy)}
        opened.roles = replace(roles, direct_identifiers=(*roles.direct_identifiers, *dropped), hierarchies=files)
        opened.said, opened.named = {**self.data.said, "roles": None}, self.data.roles.direct_identifiers
        objects = {column: ladder for column, ladder in given.items() if column not in files}
        return audit(opened, self.policy).plan(**({"hierarchies": objects} if objects else {}))

    def _unassigned(
        self, columns: tuple[IdentifiedColumn, ...], roles: Roles
    ) -> tuple[tuple[UnassignedColumn, ...], tuple[UnassignedColumn, ...]]:
        """Return the columns that are released without a role, and those that are not, because nobody said what they are."""
        data = self.data
        dropped = tuple(c.column for c in columns if c.dropped and c.column not in roles.assigned)
        dropping = replace(roles, direct_identifiers=dropped)
        found, telling = look_at_columns(data.engine, data.relation, dropping, data.acknowledged, data.rows)
        left_out = tuple(c for c in found if c.unanswered)
        dropped = (*dropped, *(c.column for c in left_out))
        dropping = replace(dropping, direct_identifiers=dropped)
        given = look_at_columns(data.engine, data.relation, data.roles, data.acknowledged, data.rows)[1]
        known = {c.column for c in telling}
        check_given([*telling, *(c for c in given if c.column not in known and c.column not in dropped)])
        named = data.roles.direct_identifiers
        check_people_counted(find_repeated(data.engine, data.relation, dropping, data.acknowledged, data.rows, named=named))
        return tuple(c for c in found if not c.unanswered), left_out

    def _roles(self, columns: tuple[IdentifiedColumn, ...]) -> Roles:
        """Return the roles that the stages go by, riskiest columns first."""
        by_risk = sorted(columns, key=lambda c: -1.0 if c.risk_rate is None else c.risk_rate, reverse=True)
        quasi_identifiers = tuple(c.column for c in by_risk if c.role == "quasi-identifier")
        sensitive = tuple(c.column for c in by_risk if c.role == "sensitive")
        if not quasi_identifiers:
            raise RoleError(
                f"No column has a risk rate from {self.beta:g} % to {self.alpha:g} %, so there is no quasi-identifier to de-identify. "
                "Move these bounds (--alpha, --beta), or name the columns an outsider may know (-q COLUMN)."
            )
        asking = [rule.metric for rule in self.policy.rules if "sensitive" in METRICS[rule.metric].needs]
        if asking and not sensitive:
            raise RoleError(
                f"No column has a risk rate above {self.alpha:g} %, so none is sensitive, but the policy {self.policy.name} asks for "
                f"{', '.join(asking)}. Lower that bound (--alpha), or name what nobody may learn (-s COLUMN)."
            )
        return Roles(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            insensitive=self.data.roles.insensitive,
            person=next((c.column for c in columns if c.role == "person"), None),
            household=self.data.roles.household,
            weight=self.data.roles.weight,
            scenarios=self.data.roles.scenarios,
            # De-identified values are labels, whose order means nothing.
            distance=dict.fromkeys(sensitive, "equal"),
        )

    def _levels(self, roles: Roles, ladders: Mapping[str, Hierarchy]) -> dict[str, int]:
        """Return the level of every column's de-identified form: as asked, else the coarsest below the last."""
        for column, level in self.levels.items():
            if column not in ladders:
                raise OptionError(f"Column {column!r} is neither a quasi-identifier nor sensitive, so it has no de-identified form.")
            if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= ladders[column].height:
                raise OptionError(f"The hierarchy of column {column!r} has levels from 0 to {ladders[column].height}, not {level}.")
        found = {}
        for column, hierarchy in ladders.items():
            # A quasi-identifier that has nothing between its values and "*" can only become "*"; a sensitive attribute would say
            # nothing any more, and stays.
            coarsest = max(hierarchy.height - 1, int(column in roles.quasi_identifiers))
            found[column] = self.levels.get(column, coarsest) if hierarchy.leaves else 0
        return found

    def _released(
        self,
        columns: tuple[IdentifiedColumn, ...],
        roles: Roles,
        ladders: Mapping[str, Hierarchy],
        levels: Mapping[str, int],
        chosen: Dimension,
    ) -> tuple[Release, dict[str, Hierarchy]]:
        """Return the release that a dimension makes, and the hierarchies that its recipe uses."""
        data = self.data
        # The id of the person goes last: until then people are counted by it.
        dropped = [c for c in columns if c.dropped and c.column != roles.person]
        steps: list[Transformation] = [DropColumn(column=c.column) for c in dropped]
        comments = ["A direct identifier." if c.role == "direct identifier" else c.reason for c in dropped]
        changed = [c for c in (*roles.sensitive, *chosen.deidentified) if levels[c]]
        if not steps and not changed:
            # A recipe has at least one step: this one leaves its column as it is.
            changed = [next((c for c in roles.quasi_identifiers if ladders[c].leaves), roles.quasi_identifiers[0])]
        used = {column: ladders[column] for column in changed}
        folder = data.engine.scratch / f"hierarchies-{len(data.engine.statements)}"
        folder.mkdir()
        named = save_all(used, folder)
        for column in changed:
            level = levels[column] if column in roles.sensitive or column in chosen.deidentified else 0
            steps.append(GeneraliseHierarchy(column=column, file=named[column], level=level))
            comments.append(
                "A sensitive attribute." if column in roles.sensitive else "A quasi-identifier." if level else "Stays as it is."
            )
        if roles.person is not None:
            steps.append(Pseudonymise(column=roles.person).seeded())
            comments.append("Whose records they are, without who that is.")
        if roles.household is not None:
            steps.append(Pseudonymise(column=roles.household).seeded())
            comments.append("Whose records they are, without who that is.")
        recipe = Recipe(tuple(steps), tuple(comments), f"Made by anonscope pipeline from {data.relation.name}.", folder)
        table, changes = carry_out(data.engine, data.relation, recipe, rows=data.rows, quasi_identifiers=roles.attributes)
        return Release(recipe, changes, left_of(roles, table.names), table, data), used

    def _notes(self, columns: tuple[IdentifiedColumn, ...], forms: tuple[DeidentifiedForm, ...]) -> Iterator[str]:
        if self.by_knowledge:
            yield "Risk rates count by how easily others get a column: in full, by two thirds or by a third; in full where nobody knows."
        made = [form.column for form in forms if form.automatic]
        if made:
            yield made_from_data(made, remote=self.data.engine.remote)
        if known := [c.column for c in columns if c.role == NEITHER and not c.dropped and c.known_outside]:
            yield (
                f"By their risk rate {', '.join(known)} have no role, but others can know them. They are released as they are, and an "
                "attacker who uses them was not counted; name them with -q to be safe."
            )
        if unused := [column for column in self.given if column not in {form.column for form in forms}]:
            yield f"The hierarchies of {', '.join(unused)} were not used, because these columns have no de-identified form."
        if self.data.roles.distance:
            yield "t is measured with equal distance: de-identified values are labels, whose order means nothing."
        person = next((c for c in columns if c.role == "person"), None)
        if person is not None and person.dropped:
            yield f"Groups are counted in persons by {person.column!r}, which is dropped. Give it with -p to keep it."
        if self.data.roles.household is not None:
            yield pseudonym_note(self.data.roles.household, "household")


def _leaving_out(columns: tuple[IdentifiedColumn, ...], left_out: tuple[UnassignedColumn, ...]) -> tuple[IdentifiedColumn, ...]:
    """Return what columns were identified as, where those that nobody said a word about are dropped."""
    unsaid = {c.column for c in left_out}
    why = "Nobody said why it may be released."
    return tuple(replace(c, dropped=True, reason=f"{c.reason} {why}") if c.column in unsaid else c for c in columns)


def _unmet(result: RuleResult) -> str:
    """Return a rule that is not met, with what was measured and what it asks for."""
    found = f"{rounded(result.value):g}" if result.value is not None else result.reason or "not measured"
    return f"{METRICS[result.rule.metric].title} is {found}, asked for is {result.rule.limit_text}"

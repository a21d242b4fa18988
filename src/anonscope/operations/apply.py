"""Apply a recipe to a table, and hold what comes out: the public function and its result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonscope.columns.roles import Roles, left_of, without
from anonscope.engines import Engine
from anonscope.engines.spark.engine import Spark
from anonscope.errors import NotPublished, OptionError, shown
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.io.sources.frames import handed_back
from anonscope.operations.publishing.elsewhere import publish_elsewhere
from anonscope.operations.publishing.judging import Promise, excepted
from anonscope.operations.publishing.publish import Order, publish
from anonscope.operations.read import Data, engine_limits, read
from anonscope.operations.registering.registration import Registration
from anonscope.operations.result import Shown
from anonscope.risk.measuring.standing_in import standing_in
from anonscope.risk.measuring.unmeasured import find_repeated, look_at_columns, look_at_unassigned
from anonscope.risk.policy import Policy, UnassignedColumn, check_answered, check_given, check_people_counted, load
from anonscope.risk.policy.linked import StandingIn
from anonscope.risk.policy.unassigned import released_as_they_are
from anonscope.risk.policy.verdict import EXCEPTED
from anonscope.risk.privacy_loss import PrivacyLoss
from anonscope.transform.carry_out import Changes, carry_out, check_engine, counted
from anonscope.transform.recipe import Recipe, recipe_of
from anonscope.transform.release.left_over import GROUP, Left, left_over, told_by
from anonscope.transform.release.manifest import file_hash, read_manifest
from anonscope.transform.release.papers import Facts, for_archive, for_recipient
from anonscope.transform.release.remarks import forms_note, order_note
from anonscope.transform.release.writing import is_elsewhere
from anonscope.transform.steps.recode import Recode
from anonscope.transform.table import Table
from anonscope.transform.transformation import Transformation


@dataclass(frozen=True, slots=True)
class Release(Shown):
    """A table that a recipe made: look at it, audit it, write it. It needs the table it was made from to stay open."""

    recipe: Recipe
    changes: Changes
    roles: Roles
    _table: Table = field(repr=False)
    _data: Data = field(repr=False)
    # Columns in no measurement, and what was said of them; None until somebody looked.
    unassigned: tuple[UnassignedColumn, ...] | None = None
    # What its manifest says of policies, since it was saved.
    _verdicts: list[Mapping[str, Any]] = field(repr=False, compare=False, default_factory=list)

    @property
    def exceptions(self) -> tuple[str, ...]:
        """What the saved release breaks within stated exceptions, of its recipe or of the policy, each with its reason."""
        return tuple(dict.fromkeys(excepted(self._verdicts)))

    @property
    def exit_code(self) -> int:
        """0, or 4 where the saved release breaks what its recipe or the policy asks for, within stated exceptions."""
        return EXCEPTED if self.exceptions else 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are left."""
        return self._table.names

    @property
    def perturbed(self) -> tuple[str, ...]:
        """The columns whose values were made up: by this recipe, or by the one that made the table it was made from."""
        made_up = {*self._data.perturbed, *self.recipe.perturbed}
        return tuple(column for column in self.columns if column in made_up)

    @property
    def privacy_loss(self) -> PrivacyLoss:
        """What differentially private steps lose about a person: of this recipe, and of the one that made the table it was made from."""
        return self.recipe.privacy_loss(self._data.roles.person).with_earlier(self._data.privacy_loss)

    @property
    def engine(self) -> Engine:
        """The engine on which it stands."""
        return self._table.engine

    @property
    def table(self) -> Any:
        """The release as an Arrow table; on Spark, where its records stay, as a data frame of Spark."""
        engine, select = self._table.engine, self._table.select()
        return engine.frame(select) if isinstance(engine, Spark) else engine.batches(select).read_all()

    @property
    def frame(self) -> Any:
        """The release as what its table was given as: a frame of pandas or polars; else as `table`."""
        return handed_back(self.table, self._data.frame_kind)

    def manifest(self) -> dict[str, Any]:
        """Return what whoever receives the release may know of how it was made, as plain data."""
        return for_recipient(self._facts())

    def archive_manifest(self) -> dict[str, Any]:
        """Return what the archive keeps: the same, with the hashes of source and recipe, and the seeds."""
        return for_archive(self._facts())

    def save(
        self,
        path: str | Path,
        *,
        policy: str | Path | Policy | None = None,
        force: bool = False,
        formulas: str = "refuse",
        registration: Registration | None = None,
    ) -> Path | str:
        """Write the release (.csv, .tsv, .parquet or .arrow), read it back, and put it in place with its manifest and its archive.

        What is read back must have the records and columns that were written, must keep the limits of `recode` steps and, if there is
        one, must meet the `policy` as an audit says it. Existing files stay unless `force` says so. Spark writes .parquet, .csv and .tsv
        as a folder of parts, also to a storage that it reaches (s3a://bucket/release.parquet).
        What is left of a direct identifier, or of the id of the person or of the household, is refused unless it is a pseudonym, the same
        for all, or shared by a group of people as large as the policy asks for (`GROUP` without one): then a policy counts it as a
        quasi-identifier. Where quasi-identifiers were given, every column without a role needs a word
        first: raises `ColumnsWithoutRole`. With a `registration` it is held against the earlier releases of its population first.
        """
        judged_by = load(policy) if policy is not None else None
        self._check_identifiers(judged_by)
        if self.unassigned is None:
            return self.looked_at(judged_by).save(path, policy=judged_by, force=force, formulas=formulas, registration=registration)
        promises = [self._asked(judged_by)] if judged_by is not None else []
        promises += recoded(self.recipe, self._table.names)
        if is_elsewhere(path):
            if registration is not None:
                raise OptionError(f"A register holds files of this machine, and {shown(str(path))} is none. Write to a file here.")
            self._verdicts[:] = publish_elsewhere(
                str(path), self._facts(), self._table, self._data.relation.delimiter, promises, self._data.acknowledged, force=force
            )
            return path
        target = Path(path)
        publish([order_of(self, target, promises)], force=force, formulas=formulas, registration=registration)
        self._verdicts[:] = (read_manifest(target) or {}).get("verdicts", [])
        return target

    def _asked(self, policy: Policy) -> Promise:
        if policy.rules and not self.roles.attributes:
            raise OptionError(
                f"The policy {policy.name} is about what outsiders know, and no column that is left is a quasi-identifier. Name them "
                "(-q COLUMN or --roles FILE, quasi_identifiers=... or roles=... of read)."
            )
        return Promise(roles=self._judged(), policy=policy, asked=True)

    def _judged(self) -> Roles:
        """Return the roles of what is left: whoever knows an identifier knows the group that was made of it, so it is counted."""
        named = (*self.roles.direct_identifiers, *((self.roles.household,) if self.roles.household is not None else ()))
        groups = tuple(column for column in named if column in self._touched and self._left(column, GROUP).kind == "groups")
        if not groups or not self.roles.quasi_identifiers:
            return self.roles
        found = without(self.roles, groups)
        return replace(found, quasi_identifiers=(*found.quasi_identifiers, *groups))

    @property
    def _touched(self) -> frozenset[str]:
        """The columns that the recipe changed."""
        return frozenset(change.column for change in self.changes.columns if change.changed)

    def _left(self, column: str, least: int) -> Left:
        """Return what is left of a column that says who somebody is, or which household is theirs."""
        if column not in self._touched:
            return Left("refused", "it is as it was")
        return left_over(self._table, self._data.relation, column, self.recipe.steps, person=self._data.roles.person, least=least)

    def _check_identifiers(self, policy: Policy | None = None, *, counted: bool = False) -> None:
        """Raise if something of an identifier would go out that is no pseudonym and no group of people, or if people could not be counted.

        The ids of the person and of the household are identifiers as much as those that were named so.
        """
        roles, names = self._data.roles, self._table.names
        told = dict.fromkeys(roles.direct_identifiers, "direct identifier")
        told |= {column: title for column, title in ((roles.person, "person"), (roles.household, "household")) if column is not None}
        left = {column: self._left(column, _group(policy)) for column in told if column in names}
        if refused := {column: found.reason for column, found in left.items() if found.kind == "refused"}:
            listed = ", ".join(f"{shown(c)} ({told[c]}: {reason})" for c, reason in refused.items())
            raise NotPublished(
                f"The recipe leaves identifiers: {listed}. Nothing was written. Drop each (drop_column), replace it by a pseudonym "
                "(pseudonymise), make it the same for all (suppress_column, or mask with a length), or give it the role quasi-identifier "
                "instead (-q), so that it is measured."
            )
        if not counted and policy is not None and roles.person is not None and left.get(roles.person, Left("nothing")).kind != "pseudonym":
            self._check_one_record_each(roles.person)

    def _check_one_record_each(self, person: str) -> None:
        """Raise if the id of the person is gone and people have several records: what a policy says of people cannot be judged then."""
        data = self._data
        roles = replace(without(data.roles, (person,)), direct_identifiers=(person,))
        found = find_repeated(data.engine, data.relation, roles, data.acknowledged, data.rows)
        if unanswered := [c for c in found if c.said is None]:
            count = unanswered[0]
            raise NotPublished(
                f"Nothing was written: the recipe leaves no id of the person, {shown(person)}, and one person has several records "
                f"({count.values:,} values in {count.records:,} records), so nobody can count people in the release. Replace it by a "
                "pseudonym (pseudonymise), or say why each record may be counted as a person (--acknowledge COLUMN=REASON, acknowledge)."
            )

    def _facts(self) -> Facts:
        path = self._data.path
        return Facts(
            recipe=self.recipe,
            changes=self.changes,
            engine=self._data.engine,
            source=self._data.relation.name,
            source_hash=file_hash(path) if path is not None else None,
            perturbed=self.perturbed,
            privacy_loss=self.privacy_loss,
            unassigned=self.unassigned or (),
        )

    def then(self, *steps: Transformation) -> "Release":
        """Return the release with further steps carried out; its recipe has them too."""
        table = self._table
        check_engine(table.engine, steps)
        steps = tuple(step.seeded() for step in steps)
        for step in steps:
            table = step.apply(table)
        recipe, start = self.recipe, Table.of(self._data.engine, self._data.relation, self._data.rows)
        comments = (*recipe.comments, *("" for _ in steps)) if recipe.comments else ()
        recipe = replace(recipe, steps=(*recipe.steps, *steps), comments=comments)
        left = None if self.unassigned is None else tuple(c for c in self.unassigned if c.column in table.names)
        changes = counted(start, table, self.changes.one_form, self._data.roles.attributes)
        return Release(recipe, changes, left_of(self.roles, table.names), table, self._data, left)

    @property
    def label_notes(self) -> tuple[str, ...]:
        """What to say of labels of the table's file that no release carries, because they tell who somebody is."""
        if (labels := self._data.relation.labels) is None:
            return ()
        from anonscope.columns.suggestion.labels import publishable  # late: the lexicon takes a moment to read

        return publishable(labels).notes

    def order_notes(self) -> tuple[str, ...]:
        """Return what to say where the order of the records tells what a column told that is gone, or changed."""
        data, gone = self._data, [c for c in self._data.columns if c not in self.columns or c in self._touched]
        return order_note(self.recipe, data.engine, data.relation, data.rows, gone, data.in_order)

    def to_text(self) -> str:
        """Return what the recipe did, in counts."""
        return "\n".join((*self.exceptions, *self.changes.sentences(), *self.remarks)) + "\n"

    @property
    def source(self) -> str:
        """The name of the table that it was made from."""
        return self._data.relation.name

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said of it beside counts."""
        lines = [*forms_note(self.changes), *self.label_notes, *self.order_notes()]
        if listed := ", ".join(map(repr, self.perturbed)):
            lines.append(f"Perturbed: {listed}. An audit will not measure what rests on groups of equal values there.")
        lines += self.privacy_loss.sentences()
        if not self._data.roles.attributes:
            lines += released_as_they_are(self.unassigned or ())
        return tuple(lines)

    def read(self, **options: Any) -> Data:
        """Open the release as a table of its own, with the roles of the columns that are left; close it after use."""
        given: dict[str, Any] = {"roles": self._judged(), "recipe": self.recipe, **engine_limits(self._data)} | options
        data = read(self.table, **given)
        data.acknowledged = self._data.acknowledged.left_of(self.columns)
        data.perturbed, data.privacy_loss = self.perturbed, self.privacy_loss
        return data

    def standing_in(self, person: str, size: int) -> tuple[StandingIn, ...]:
        """Return the columns that would say which records are one person's if its id were left out."""
        return tuple(standing_in(self.engine, self._table.relation("the release"), person, size, self._data.acknowledged))

    def looked_at(self, policy: Policy | None = None) -> "Release":
        """Return the release with what its columns without a role look like; raise if a word is missing.

        What looks like a direct identifier needs one unless nothing of it is left (`save`), the rest only where outsiders' knowledge is.
        """
        self._check_identifiers(policy)
        data, found = self._data, self.unassigned
        data.check_ids(data.roles.person)
        if found is None and data.roles.attributes:
            check_people_counted(find_repeated(data.engine, data.relation, data.roles, data.acknowledged, data.rows))
            found = self._looks(_group(policy))
        elif found is None:
            found = self._left_as_they_were(_group(policy))
            if data.roles.sensitive or data.roles.weight is not None:
                self._looks(_group(policy))
        # Where nobody said what outsiders may know nothing is measured, and nothing is claimed: the rest is named, not asked for.
        check_answered(found if data.roles.attributes else [c for c in found if c.identifies or c.unseen], steps=True)
        return replace(self, unassigned=found)

    def _looks(self, least: int) -> tuple[UnassignedColumn, ...]:
        """Return what the columns without a role look like; raise if one that is sensitive or the weight tells who somebody is."""
        data = self._data
        with self.read() as left:
            looks, telling = look_at_columns(left.engine, left.relation, left.roles, left.acknowledged)
        before, told = look_at_columns(data.engine, data.relation, data.roles, data.acknowledged, data.rows)
        known = {c.column for c in telling}
        disguised = [c for c in told if c.role == "sensitive" and c.column in self.columns and c.column not in known]
        check_given([*telling, *(c for c in disguised if self._left(c.column, least).kind == "refused")])
        return tuple(self._with_disguised(looks, before, least))

    def _with_disguised(
        self, looks: Sequence[UnassignedColumn], source: Sequence[UnassignedColumn], least: int
    ) -> Iterator[UnassignedColumn]:
        """Return columns as they look in the release; as they looked in the source, where a direct identifier is left in disguise."""
        before = {c.column: c for c in source}
        for look in looks:
            was = before.get(look.column)
            identifier = look if look.identifies else was if was is not None and was.identifies else None
            if identifier is None:
                yield look
            elif self._left(look.column, least).kind == "refused":
                yield identifier
            elif not look.identifies:
                yield look

    def _left_as_they_were(self, least: int) -> tuple[UnassignedColumn, ...]:
        """Return what the columns look like that are left and have no role, as they are in the source.

        What a step changed is among them only if it looks like a direct identifier of which something is left.
        """
        data, names = self._data, self._data.relation.names
        known = data.roles.assigned - set(data.roles.insensitive)
        measured = frozenset[str]().union(*(step.roles.assigned for step in self.recipe.steps if isinstance(step, Recode)))
        asked = {column for column in names if column in self.columns and column not in known}
        insensitive = tuple(column for column in data.roles.insensitive if column in asked)
        roles = Roles(direct_identifiers=tuple(column for column in names if column not in asked), insensitive=insensitive)
        looks = look_at_unassigned(data.engine, data.relation, roles, data.acknowledged, data.rows)
        return tuple(c for c in looks if self._stays(c, least, measured=c.column in measured))

    def _stays(self, look: UnassignedColumn, least: int, *, measured: bool) -> bool:
        """Whether a column is left as it looked: what a step took the identifier out of is not, nor what classes were made of.

        That a step names a column as a quasi-identifier is no treatment: the values that are left are looked at.
        """
        if measured:
            return look.identifies and (look.column not in self._touched or told_by(self._table, look.column) is not None)
        return look.column not in self._touched or (look.identifies and self._left(look.column, least).kind == "refused")


@shown_in_notebooks
def apply(
    recipe: Recipe | Transformation | Sequence[Transformation] | str | Path, data: Data, *, progress: Progress | None = None
) -> Release:
    """Return the release that a recipe makes of a table: a recipe, a file, one transformation or several in order.

    Everything is checked and counted; nothing is written before `Release.save`.
    """
    if not isinstance(data, Data):
        raise OptionError("apply() takes what read() returns: an.apply(recipe, an.read(source))")
    steps, known = recipe_of(recipe).seeded(), data.roles.attributes
    table, changes = carry_out(data.engine, data.relation, steps, rows=data.rows, quasi_identifiers=known, progress=progress)
    release = Release(steps, changes, left_of(data.roles, table.names), table, data)
    release.order_notes()  # what is told of it is told after the table is closed too
    return release


def check_unperturbed(data: Data, roles: Roles) -> None:
    """Raise if a recipe made up values that groups are made of: then no search for larger groups protects anybody."""
    judged = (*roles.attributes, *roles.sensitive, roles.person)
    if made_up := [column for column in data.perturbed if column in judged]:
        raise OptionError(
            f"A recipe made up values of {', '.join(map(shown, made_up))}, so groups of equal values do not mean what they say, and no "
            "recoding of them meets a policy. Use the table as it was before that, or leave these columns out of the roles."
        )


def _group(policy: Policy | None) -> int:
    """Return how many people are a group; one is none, whatever a policy says."""
    return policy.class_size if policy is not None and policy.class_size > 1 else GROUP


def order_of(release: Release, target: Path, promises: Sequence[Promise], made_by: str = "apply") -> Order:
    """Return what publishes a release; raise if something of a direct identifier would go out, whoever made the recipe."""
    # Who counted people before what told them apart was left out has counted them.
    counted = bool(promises) and all(promise.counted for promise in promises)
    release._check_identifiers(max((promise.policy for promise in promises), key=_group, default=None), counted=counted)
    return Order(
        target=target,
        table=release._table,
        recipe=release.recipe,
        changes=release.changes,
        data=release._data,
        perturbed=release.perturbed,
        privacy_loss=release.privacy_loss,
        promises=tuple(promises),
        unassigned=release.unassigned or (),
        made_by=made_by,
    )


def recoded(recipe: Recipe, columns: Sequence[str]) -> list[Promise]:
    """Return what the `recode` steps of a recipe ask of the release."""
    steps = [step for step in recipe.steps if isinstance(step, Recode)]
    promises = [Promise(roles=left_of(step.roles, columns), policy=step.judged_by, binding=False) for step in steps]
    return [promise for promise in promises if promise.roles.attributes]

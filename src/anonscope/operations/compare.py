"""Versions of a table side by side: what each still risks, what it still tells, and which one balances the two best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anonscope.attacks.linkage import Linkage, link_tables
from anonscope.attacks.linkage.images import images_of
from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
from anonscope.columns.readings import Unknown, check_unknown
from anonscope.columns.roles import left_of
from anonscope.errors import OptionError
from anonscope.io.progress import Progress, shown_in_notebooks, silent
from anonscope.operations.attacking.attack_with import AttackWith
from anonscope.operations.audit import Audit, audit
from anonscope.operations.comparing.comparison import Comparison
from anonscope.operations.comparing.excepted import as_published
from anonscope.operations.comparing.sorted_again import in_original_order, seems_sorted, was_sorted
from anonscope.operations.comparing.unweighed import changed_too, unweighed
from anonscope.operations.comparing.versions import (
    ORIGINAL,
    Compared,
    KnownLabels,
    Opened,
    names_of,
    opened,
    recipes_of,
    told_beside,
    versions_of,
)
from anonscope.operations.comparing.weighing import ComparedVersion, Weighing
from anonscope.operations.comparing.wholes import as_whole, tables_of
from anonscope.operations.link import beside, matched_external, matched_population
from anonscope.operations.read import Data, check_opened, opening
from anonscope.operations.wishes.balancing import Balancing
from anonscope.operations.wishes.versions import Comparing
from anonscope.operations.wishes.words import said
from anonscope.risk.counting.population import Outside
from anonscope.risk.policy import DEFAULT, Policy
from anonscope.risk.policy import load as load_policy
from anonscope.risk.policy.unassigned import sentences
from anonscope.transform.ready.levels import kinds_of
from anonscope.transform.recipe import Recipe
from anonscope.utility import BINS, Aligned, align
from anonscope.utility.alignment.notes import notes_on
from anonscope.utility.balance import (
    Balance,
    BalanceForm,
    WeighedVersion,
    WeightChoice,
    sweep,
    weights_within,
)
from anonscope.utility.unpaired import Unpaired, follows

if TYPE_CHECKING:
    from anonscope.utility.model.model import ModelUtility


@shown_in_notebooks
@opening
def compare(
    original: Data,
    *releases: Compared,
    names: Sequence[str] | None = None,
    policy: str | Path | Policy = DEFAULT,
    columns: Sequence[str] | None = None,
    key: str | None = None,
    synthetic: bool = False,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    recipe: Recipe | str | Path | Sequence[Recipe | str | Path | None] | None = None,
    unknown: Unknown | Mapping[str, Unknown] = "anything",
    external: Any = None,
    external_columns: Mapping[str, str] | None = None,
    like: Mapping[str, str] | None = None,
    utility_weight: float | None = None,
    weights: Mapping[str, float] | None = None,
    total: Literal["mean", "maximum"] = "mean",
    similarity_weight: float = 0.5,
    distance: Literal["manhattan", "euclidean"] = "manhattan",
    normalisation: Literal["range", "step", "min-max"] = "range",
    combination: Literal["maximum", "mean", "sum"] = "maximum",
    internal_weight: float = 0.5,
    sensitivities: Mapping[str, float] | None = None,
    external_score: Literal["matches", "probability", "correlation", "unique", "mean"] = "matches",
    coefficient: Literal["pearson", "spearman"] = "pearson",
    bins: int = BINS,
    most_risk: float | None = None,
    least_utility: float | None = None,
    condensation: bool = False,
    model: str | None = None,
    seed: int = 1,
    attacks: AttackWith | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Return an original and any number of releases of the same people side by side.

    A release is `Data`, what `apply` or `anonymise` returns, or a path. Records are matched by their order, or by a `key` that all
    versions have; on Spark, where records have no order, by a key only. Without a key, a release with another number of records, or whose
    records have no more in common with the original's than chance gives, is compared as a whole; with `synthetic`, every one. `columns`
    are compared: by default the quasi-identifiers and sensitive attributes of the original. `hierarchies` explain labels that no notation
    does, and so does the `recipe` that made a release (one for all, or one a release); the one in its archive is read by itself. A label
    that nothing explains may be anything, and counts as lost; with unknown="observed" it is what it stands for in the original, record by
    record. With an `external` table, what an attacker learns from it is measured for every version; `external_columns` maps released
    columns to its columns, the others are paired by name. `like` says which column is like an age, zip, income or diagnosis. How the
    balance is struck is said by `utility_weight` (alpha) to `bins`, as docs/utility/balance.md has it; `most_risk` and `least_utility`
    choose its weights by what must be kept. `condensation` measures the relative condensation loss, which takes long. With `model`, five
    kinds of models learn to predict that column from each release and are tested on the original, drawn by `seed`; this needs the extra
    `ml`. `attacks` says with what every release is attacked (`AttackWith`); rules about attacks are then part of each verdict.
    """
    check_opened(original, "an.compare(an.read(original, ...), release)")
    if not releases:
        raise OptionError("There is nothing to compare the original with. Give at least one release.")
    balancing = Balancing(
        utility_weight=utility_weight,
        weights=weights,
        total=total,
        similarity_weight=similarity_weight,
        distance=distance,
        normalisation=normalisation,
        combination=combination,
        internal_weight=internal_weight,
        sensitivities=sensitivities,
        external_score=external_score,
        coefficient=coefficient,
        bins=bins,
    )
    form = BalanceForm(**said(balancing, without=("coefficient", "most_risk", "least_utility")))
    Comparing(names=names, key=key, like=like, external_columns=external_columns, seed=seed)
    wish = _Wish(
        load_policy(policy),
        columns,
        key,
        synthetic,
        {c: h if isinstance(h, Hierarchy) else read_hierarchy(Path(h), c) for c, h in (hierarchies or {}).items()},
        recipes_of(recipe, len(releases)),
        unknown,
        external,
        external_columns,
        like or {},
        form,
        coefficient,
        condensation,
        model,
        seed,
        attacks,
    )
    return _Run(original, releases, names, wish, progress or silent).result(most_risk, least_utility)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What was asked for."""

    policy: Policy
    columns: Sequence[str] | None
    key: str | None
    synthetic: bool
    hierarchies: Mapping[str, Hierarchy]
    recipes: Sequence[Recipe | None]
    unknown: Unknown | Mapping[str, Unknown]
    external: Any
    external_columns: Mapping[str, str] | None
    like: Mapping[str, str]
    form: BalanceForm
    coefficient: Literal["pearson", "spearman"]
    condensation: bool
    model: str | None
    seed: int
    attacks: AttackWith | None


class _Run:
    """One comparison under way."""

    def __init__(self, original: Data, releases: Sequence[Compared], names: Sequence[str] | None, wish: _Wish, progress: Progress) -> None:
        self.original, self.releases, self.wish, self.progress = original, releases, wish, progress
        self.names = names_of(releases, names)
        roles = original.roles
        roles.check(original.columns)
        # What was lost is about the quasi-identifiers, as classes are; the balance looks at sensitive attributes too.
        self.columns = tuple(wish.columns or roles.attributes)
        self.others = tuple(column for column in roles.sensitive if column not in self.columns) if wish.columns is None else ()
        self.sides = versions_of(original, releases, wish.key)
        check_unknown(wish.unknown, original.columns)
        self.audits: dict[str, Audit] = {}
        self.unweighed = unweighed(roles, original.columns, (*self.columns, wish.key, wish.model))
        self.kinds = kinds_of((*self.columns, *self.others), dict(wish.like))
        self.weighing = Weighing(self.kinds, wish.policy.class_size, wish.form, condensation=wish.condensation)

    def result(self, most_risk: float | None, least_utility: float | None) -> Comparison:
        steps = 1 + 2 * len(self.releases)
        self.progress("auditing the original", 0, steps)
        audits = self.audits
        table = self.sides.original([*self.columns, *self.others, *self._aside()])
        own = self._aligned(ORIGINAL, table, table, KnownLabels({}, {}))
        linkage, outside = self._linked(ORIGINAL, table, KnownLabels({}, {}), own), self.original.outside
        self.original.outside = self._outside(self.original, linkage)
        try:
            audits[ORIGINAL] = audit(self.original, self.wish.policy)
        finally:
            self.original.outside = outside
        versions = [self.weighing.version(ORIGINAL, audits[ORIGINAL], own, linkage)]
        notes = [f"{ORIGINAL}: {told}" for told in sentences(audits[ORIGINAL].verdict.unassigned)]
        for i, (name, release) in enumerate(zip(self.names, self.releases, strict=True)):
            version_of = opened(release, self.wish.recipes[i])
            self.progress(f"auditing {name}", 1 + 2 * i, steps)
            with self.sides.read(version_of) as data:
                data.roles = left_of(self.original.roles, data.columns)
                data.acknowledged = self.original.acknowledged.left_of(data.columns)
                released = self.sides.released(data)
                written, sorted_away = released, False
                if version_of.recipe is not None and was_sorted(version_of.recipe) and self._by_order:
                    again = in_original_order(self.original, version_of.recipe, written)
                    released, sorted_away = (written, True) if again is None else (again, False)
                elif version_of.recipe is None and self._by_order:
                    sorted_away = seems_sorted(table, written)
                self.unweighed = changed_too(self.unweighed, table, released, ordered=self.wish.key is None and not sorted_away)
                ladders = {**version_of.hierarchies, **self.wish.hierarchies}
                known = KnownLabels(images_of(data.columns, version_of.recipe, ladders, data.perturbed), ladders)
                whole = self._whole(name, table, released, version_of, sorted_away=sorted_away)
                aligned = self._aligned(name, table, released, known) if whole is None else ()
                linkage = self._linked(name, written, known, aligned)
                data.outside = self._outside(data, linkage, known)
                judged_by = as_published(self.wish.policy, release, data.roles.sensitive)
                audits[name] = self._attacked(audit(data, judged_by), release, version_of.recipe)
                notes += [f"{name}: {told}" for told in sentences(audits[name].verdict.unassigned)]
            self.progress(f"measuring what {name} still tells", 2 + 2 * i, steps)
            if whole is not None:
                notes.append(f"{name}: {as_whole(whole, synthetic=self.wish.synthetic, sorted_away=sorted_away)}")
                versions.append(self.weighing.whole(name, audits[name], whole, linkage))
                continue
            notes += [f"{name}: {note}" for part in aligned for note in notes_on(part)]
            notes += [f"{name}: {note}" for note in _made_up(audits[name])]
            version = self.weighing.version(name, audits[name], aligned, linkage)
            at_most = self._at_most(version, table, released, known)
            versions.append(replace(version, model=self._model(name, table, released, known), balance_at_most=at_most))
        # The original is there to be compared with; nobody is told to publish it.
        points = [WeighedVersion(v.name, v.balance.utility, v.balance.risk) for v in versions[1:] if v.balance is not None]
        wanted = most_risk is not None or least_utility is not None
        return Comparison(
            source=self.original.relation.name,
            policy=self.wish.policy,
            columns=self.columns,
            versions=tuple(versions),
            sweep=sweep(points) if points else None,
            choice=self._choice(points, most_risk, least_utility) if wanted else None,
            notes=tuple(notes),
            form=self.wish.form,
            unweighed=self.unweighed,
            audits=audits,
        )

    def _choice(self, points: Sequence[WeighedVersion], most_risk: float | None, least_utility: float | None) -> WeightChoice:
        if not points:
            return WeightChoice(None, None, "No release has a balance, so none can be chosen.")
        return weights_within(points, most_risk=most_risk, least_utility=least_utility)

    def _outside(self, version: Data, linkage: Linkage | None, known: KnownLabels | None = None) -> Outside:
        """Return what is known of the world outside a version: of a release also how its labels match the population."""
        matched = [matched_external(linkage)] if linkage is not None else []
        people = self.original.population
        if known is not None and people is not None and not self.original.engine.remote:
            matched.append(matched_population(version, people, known.images))
        return replace(version.outside, matched=tuple(matched))

    def _aside(self) -> list[str]:
        """Columns that serve the comparison and are not compared."""
        known = (*self.columns, *self.others)
        # On one machine also what nobody gave a role, to say whether a release changed it.
        also = () if self.original.engine.remote else tuple(self.unweighed)
        aside = dict.fromkeys((self.wish.key, self.original.roles.weight, self.wish.model, *also))
        return [column for column in aside if column is not None and column not in known]

    def _attacked(self, found: Audit, release: Compared, recipe: Recipe | None) -> Audit:
        """Return the audit of a release with what attacks found, if they were asked for."""
        wish = self.wish.attacks
        if wish is None:
            return found
        from anonscope.operations.attack import attacked_too  # late: who does not attack loads none of it

        wish = replace(wish, key=wish.key or self.wish.key, hierarchies={**self.wish.hierarchies, **wish.hierarchies})
        return attacked_too(found, release, wish, self.original, recipe=recipe)

    def _aligned(
        self,
        name: str,
        table: Any,
        released: Any,
        known: KnownLabels,
        parts: Sequence[Sequence[str]] | None = None,
        unknown: Unknown | None = None,
    ) -> tuple[Aligned, ...]:
        """Return original and release side by side: the columns compared, and those that only the balance looks at."""
        parts = parts or (self.columns, self.others)
        with self.sides.side_by_side(table, released, name) as (engine, before, after):
            return tuple(
                align(
                    engine,
                    before,
                    after,
                    columns,
                    key=self.wish.key,
                    weight=self.original.roles.weight,
                    image=known.image,
                    explained=[column for column, told in known.images.items() if told.whole],
                    hierarchies=known.ladders,
                    unknown=unknown or self.wish.unknown,
                    categories=[column for column, kind in self.kinds.items() if kind == "zip" and column in columns],
                )
                for columns in parts
                if columns
            )

    @property
    def _by_order(self) -> bool:
        """Whether records are matched by their order."""
        return self.wish.key is None and not self.original.engine.remote and not self.wish.synthetic

    def _whole(self, name: str, table: Any, released: Any, version: Opened, *, sorted_away: bool) -> "Unpaired | None":
        """Return both tables as wholes, where the records of a release do not correspond to those of the original; else None."""
        if self.wish.key is not None or self.original.engine.remote:
            return None
        same = len(table) == len(released)
        if not self.wish.synthetic and same and version.recipe is not None and not sorted_away:
            return None  # a recipe keeps records in their order, or they were put back
        if not any(column in released.column_names for column in (*self.columns, *self.others)):
            return None
        held_out = self.wish.attacks.control if self.wish.attacks is not None else None
        tables = tables_of(
            self.sides.side_by_side(table, released, name),
            (*self.columns, *self.others),
            self.original.roles,
            target=self.wish.model,
            seed=self.wish.seed,
            held_out=held_out if isinstance(held_out, str | Path) else None,
        )
        if self.wish.synthetic or sorted_away or (same and follows(tables) is False):
            return tables
        # Recoded values would all seem new; of other numbers of records it is then said that a key is needed.
        return tables if not same and not tables.recoded else None

    def _model(self, name: str, table: Any, released: Any, known: KnownLabels) -> "ModelUtility | None":
        target = self.wish.model
        if target is None:
            return None
        from anonscope.utility.model.model import measure_model  # late: learning is for those who ask

        features = [column for column in self.columns if column != target]
        (aligned,) = self._aligned(name, table, released, known, [[*features, target]])
        return measure_model(aligned, target, seed=self.wish.seed)

    def _linked(self, name: str, released: Any, known: KnownLabels, aligned: tuple[Aligned, ...]) -> Linkage | None:
        if self.wish.external is None:
            return None
        # Beside the original it is known which labels are its values, whether the external table has them or not.
        images = {column.name: told_beside(column, known.images.get(column.name)) for part in aligned for column in part.columns}
        given = self.wish.unknown if isinstance(self.wish.unknown, Mapping) else dict.fromkeys(self.columns, self.wish.unknown)
        with self.sides.opened(released) as (here, relation), beside(here, self.wish.external) as (there, other):
            left = [column for column in self.original.roles.attributes if column in relation.names]
            return link_tables(
                here,
                replace(relation, name=name),
                other,
                self.wish.external_columns,
                among=left,
                images=images,
                unknown={column: how for column, how in given.items() if column in left and how != "observed"},
                coefficient=self.wish.coefficient,
                external_engine=there,
            )

    def _at_most(self, version: ComparedVersion, table: Any, released: Any, known: KnownLabels) -> Balance | None:
        """Return the balance that a version has if labels that were not read stand for no more than the values that they replaced."""
        if version.balance is None or all(line.read for line in version.readings):
            return None
        aligned = self._aligned(version.name, table, released, known, unknown="observed")
        return self.weighing.at_most(version, self.audits[version.name], aligned)


def _made_up(found: Audit) -> list[str]:
    """Say why a version whose groups of equal values mean nothing has no risk, and so no balance."""
    columns = found.made_up(found.scenarios[0])
    return [f"a recipe made up values of {', '.join(columns)}, so its risk is not measured, and nothing balances it."] if columns else []

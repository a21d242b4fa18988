"""Vertical fragmentation carried out: quasi-identifiers in groups that are anonymised apart, and released apart or assembled.

R. Aufschläger et al. (2023), "Anonymization Procedures for Tabular Data", Information 14, 487, section 5.5. The fewer
quasi-identifiers have to be alike at a time, the less detail is lost. The price is that every fragment keeps the policy by itself
only: whoever can put rows of two fragments together knows more. So fragments are released side by side by default, each sorted by its
own values and, if they share columns, only where a join by these breaks nothing; what all tell together is reported either way.
Assembled they are one table, whose rows say everything together: that is what people get, so it must keep the policy as a whole.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from anonscope.attacks.together import FragmentsTogether, told_apart
from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
from anonscope.columns.roles import left_of
from anonscope.errors import OptionError, OutputError, shown
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.operations.anonymise import Anonymisation, anonymise
from anonscope.operations.apply import Release, apply, order_of
from anonscope.operations.audit import Audit, audit
from anonscope.operations.fragmentation import fragmentation
from anonscope.operations.publishing.joining import JoinedFragments, joined_by_what_they_share, put_together
from anonscope.operations.publishing.judging import Promise, reasons
from anonscope.operations.publishing.publish import publish
from anonscope.operations.publishing.unlinking import counted_before, person_notes, unlinked
from anonscope.operations.read import Data, check_opened
from anonscope.operations.registering.registration import Registration
from anonscope.operations.result import Result
from anonscope.operations.split import Split
from anonscope.operations.wishes.search import Loss, Method, Search
from anonscope.risk.counting.columns import read_columns
from anonscope.risk.measuring.unmeasured import find_repeated, look_at_columns
from anonscope.risk.policy import Policy, UnassignedColumn, check_answered, check_given, check_people_counted, policy_or_limits
from anonscope.risk.policy.exceptions import check_unexcepted
from anonscope.transform.fragmentation import FragmentationFindings
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.beside import printed, save_all, with_files, without_seeds
from anonscope.transform.release.writing import RELEASE_FORMATS
from anonscope.transform.search.prepare import DEFAULT_SUPPRESSION
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.pseudonymise import Pseudonymise
from anonscope.transform.steps.recode import Recode
from anonscope.transform.steps.sort_records import SortRecords
from anonscope.transform.transformation import Transformation


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedFragment:
    """One fragment: its columns, what was asked of it, its smallest class before and after, and what that lost."""

    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    met: bool
    method: str
    k_before: int | None
    k: int | None  # None: nothing is released
    loss: float | None  # normalised certainty penalty of its quasi-identifiers
    suppressed: int
    rules_left_out: tuple[str, ...]  # about sensitive attributes that it does not have
    remaining: tuple[str, ...]  # limits that stay broken


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentRelease(Result):
    """What came of it: every fragment with its anonymisation, what they give away together, and the release, if there is one."""

    source: str
    policy: Policy
    records: int
    proposal: FragmentationFindings
    fragments: tuple[ReleasedFragment, ...]
    assembled: bool
    together: FragmentsTogether | None  # over all fragments at once; None: nothing is released
    shared: FragmentsTogether | None  # over the columns that several fragments have
    joined: JoinedFragments | None = None  # by these, where the fragments are released apart
    assembled_outcome: str | None = None  # of an audit of the assembled table
    assembled_remaining: tuple[str, ...] = ()  # limits that the assembled table breaks, and what it has instead
    unassigned: tuple[UnassignedColumn, ...] = ()
    notes: tuple[str, ...] = field(default=(), repr=False)

    @property
    def met(self) -> bool:
        """Whether every fragment keeps what is asked of it, and so do all of them assembled, or joined by what they share."""
        joined = self.joined is not None and self.joined.refused
        return self.fragments_met and not joined and (not self.assembled or self.release is not None)

    @property
    def fragments_met(self) -> bool:
        """Whether every fragment keeps what is asked of it."""
        return all(fragment.met for fragment in self.fragments)

    anonymisations: tuple[Anonymisation, ...] = field(repr=False)
    release: Release | None = field(repr=False, default=None)  # the assembled table, if it meets the policy
    whole: Audit | None = field(repr=False, default=None)  # the audit of the assembled table
    hierarchies: Mapping[str, Hierarchy] = field(repr=False, default_factory=dict)  # of the assembled table's recipe
    _written: list[Path] = field(repr=False, compare=False, default_factory=list)  # where the files were published

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The recipes that reproduce the files: one, or one a fragment."""
        releases = [self.release] if self.assembled else [part.release for part in self.anonymisations]
        return tuple(release.recipe for release in releases if release is not None) if self.met else ()

    def write(
        self,
        target: str | Path,
        *,
        ending: str = ".csv",
        force: bool = False,
        formulas: str = "refuse",
        registration: Registration | None = None,
    ) -> tuple[Path, ...]:
        """Write the assembled table to a file or, side by side, a file a fragment to a folder; with manifests, recipes, hierarchies.

        With a `registration` all are held against the earlier releases of their population first, and against each other.
        """
        if not self.met:
            raise OptionError("The policy is not met, so there is no release to write.")
        if self.release is not None:
            # People get all columns side by side, so the first verdict is about all of them together.
            kept, counted = self.whole.verdict if self.whole is not None else None, counted_before(self.release, self.whole)
            whole = Promise(roles=self.release.roles, policy=self.policy, kept=kept, counted=counted)
            promises = [replace(whole, asked=True), *(_promise(part, self.release) for part in self.anonymisations)]
            order = order_of(self.release, Path(target), promises, "fragment")
            publish([order], force=force, formulas=formulas, registration=registration)
            self._written.append(Path(target))
            return (Path(target),)
        if ending not in RELEASE_FORMATS:
            raise OptionError(f"A fragment is written as {', '.join(RELEASE_FORMATS)}, not as {ending!r}.")
        folder = Path(target)
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{shown(folder)} is a file; fragments go to a folder.")
        paths = [folder / f"fragment-{i}{ending}" for i in range(1, len(self.anonymisations) + 1)]
        if not force and (existing := sum(path.exists() for path in paths)):
            raise OutputError(f"{existing} of the files exist already in {shown(folder)}. Choose another folder, or say --force.")
        made = not folder.exists()
        folder.mkdir(exist_ok=True)
        try:
            publish(
                [
                    order_of(part.release, path, [_promise(part, part.release)], "fragment")
                    for part, path in zip(self.anonymisations, paths, strict=True)
                    if part.release is not None
                ],
                force=force,
                formulas=formulas,
                registration=registration,
            )
        except BaseException:
            if made:
                with suppress(OSError):
                    folder.rmdir()
            raise
        self._written.extend(paths)
        return tuple(paths)

    @property
    def printed_recipes(self) -> tuple[str, ...]:
        """The recipes as they are printed, with their files where they were written, if they were."""
        places = self._written[-len(self.recipes) :] if self._written else []
        recipes = (
            [printed(recipe, place) for recipe, place in zip(self.recipes, places, strict=True)]
            if places
            else map(without_seeds, self.recipes)
        )
        return tuple(recipe.to_toml() for recipe in recipes)


def _promise(part: Anonymisation, release: Release) -> Promise:
    """Return what a fragment promises in a release that has it: its policy, over what it knows of people."""
    assert part.release is not None, "what is met is released"
    roles = left_of(part.release.roles, release.columns)
    kept = part.after.verdict if part.after is not None else None
    return Promise(roles=roles, policy=part.policy, kept=kept, counted=counted_before(release, part.after))


@shown_in_notebooks
def fragment(
    data: Data,
    policy: str | Path | Policy | None = None,
    *,
    limits: Mapping[str, float] | None = None,
    fragments: Sequence[Sequence[str]] | None = None,
    number: int = 2,
    target: str | None = None,
    common: Sequence[str] = (),
    sensitive_in: int | Literal["all"] = 1,
    assemble: bool = False,
    method: Method = "auto",
    loss: Loss = "ncp",
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    suppression: float = DEFAULT_SUPPRESSION,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, int | tuple[int, int]] | None = None,
    untouched: Iterable[str] = (),
    time_budget: float | None = None,
    progress: Progress | None = None,
) -> FragmentRelease:
    """Return a release in vertical fragments, each of which meets a policy, or limits named one by one, by itself.

    Quasi-identifiers are split as `fragments` says, or into the `number` of fragments that scores best (FMRMR with a `target`, else
    uFMRMR with `common` columns in every fragment). `sensitive_in` is the number of the fragment that has the sensitive attributes,
    or "all". With `assemble` the fragments are one table again, row by row: all of them answer for the sensitive attributes, and the
    table must meet the policy over all quasi-identifiers together, or there is no release.
    The rest is as in `anonymise`, for every fragment; columns without a role are in the first one, and need a word as there.
    """
    check_opened(data, "an.fragment(an.read(source, quasi_identifiers=[...]), policy)")
    wish = Search(
        method=method,
        loss=loss,
        suppression=suppression,
        weights=weights,
        levels=levels,
        untouched=untouched,
        time_budget=time_budget,
    )
    judged_by = policy_or_limits(policy, limits)
    check_unexcepted(judged_by, "fragment")
    per_column: dict[str, dict[str, Any]] = {
        "hierarchies": dict(hierarchies or {}),
        "weights": dict(weights or {}),
        "levels": dict(levels or {}),
        "untouched": dict.fromkeys(wish.untouched),
    }
    split = Split(data, tuple(common), target, "all" if assemble else sensitive_in)
    split.check(fragments, number, per_column, assemble=assemble)
    unassigned, telling = look_at_columns(data.engine, data.relation, data.roles, data.acknowledged, data.rows)
    check_answered(unassigned)
    check_given(telling)
    check_people_counted(find_repeated(data.engine, data.relation, data.roles, data.acknowledged, data.rows))
    inside = [c for c in data.roles.attributes if c not in common]
    proposal = fragmentation(data, fragments, number=number, target=target, common=common, columns=inside, progress=progress)
    parts = [
        _anonymised(
            split.view(f.columns, i),
            split.policy(judged_by, i),
            {name: {c: v for c, v in given.items() if c in split.recoded(f.columns, i)} for name, given in per_column.items()},
            {"method": method, "loss": loss, "suppression": suppression, "time_budget": time_budget, "progress": progress},
        )
        for i, f in enumerate(proposal.fragments, start=1)
    ]
    found = _Result(data, judged_by, split, proposal, parts, assemble).result()
    whole = replace(found.release, unassigned=unassigned) if found.release is not None else None
    return replace(found, release=whole, unassigned=unassigned)


def _anonymised(view: Data, policy: Policy, per_column: Mapping[str, Any], wishes: Mapping[str, Any]) -> Anonymisation:
    given = dict(per_column) | {"untouched": tuple(per_column["untouched"])}
    # Suppressed records stay, so that all fragments have the same records.
    return anonymise(view, policy, suppressed="keep", **given, **wishes)


class _Result:
    """Fragments that are anonymised, about to become a release."""

    def __init__(
        self, data: Data, policy: Policy, split: Split, proposal: FragmentationFindings, parts: list[Anonymisation], assemble: bool
    ) -> None:
        self.data, self.policy, self.split, self.proposal, self.parts, self.assemble = data, policy, split, proposal, parts, assemble

    def result(self) -> FragmentRelease:
        met = all(part.met for part in self.parts)
        together = shared = joined = release = whole = None
        hierarchies: dict[str, Hierarchy] = {}
        parts = tuple(self.parts)
        if met:
            together = put_together(self.data, parts)
            joined = None if self.assemble else joined_by_what_they_share(self.data, self.policy, self.split, parts)
            if names := self.split.shared(len(parts)):
                shared = told_apart(
                    names, read_columns(self.data.engine, self.data.relation, [*names, *self._person], self.data.rows), self._person
                )
            if self.assemble:
                release, hierarchies = self._assembled()
                with release.read() as left:
                    whole = audit(left, self.policy)
                release, whole = unlinked(release, whole) if whole.verdict.met else (None, whole)
            else:
                parts = tuple(map(self._apart, parts))
        known = {f.name: getattr(self.proposal, f.name) for f in fields(FragmentationFindings)}
        return FragmentRelease(
            source=self.data.relation.name,
            policy=self.policy,
            records=self.proposal.rows,
            proposal=FragmentationFindings(**known),
            fragments=tuple(
                self._described(part, f.columns, i) for i, (part, f) in enumerate(zip(parts, self.proposal.fragments, strict=True), 1)
            ),
            assembled=self.assemble,
            together=together,
            shared=shared,
            joined=joined,
            assembled_outcome=whole.verdict.outcome if whole is not None else None,
            assembled_remaining=tuple(reasons(whole.verdict)) if whole is not None and not whole.verdict.met else (),
            notes=tuple(self._notes(release, whole)),
            anonymisations=parts,
            release=release,
            whole=whole,
            hierarchies=hierarchies,
        )

    @property
    def _person(self) -> tuple[str, ...]:
        person = self.data.roles.person
        return () if person is None else (person,)

    @property
    def _title(self) -> str:
        return f"Made by anonscope fragment from {self.data.relation.name}."

    def _apart(self, part: Anonymisation) -> Anonymisation:
        """Return a fragment without the person, sorted by what it says."""
        assert part.release is not None, "what is met is released"
        person = [DropColumn(column=c) for c in self._person if c in part.release.columns]
        release = part.release.then(*person, SortRecords())
        comments = [*self._reasons(part.release.recipe.steps), *("It would tie fragments together." for _ in person)]
        comments.append("The order of the table would tie fragments together.")
        recipe = replace(release.recipe, comments=tuple(comments), title=self._title)
        return replace(part, release=replace(release, recipe=recipe))

    def _assembled(self) -> tuple[Release, dict[str, Hierarchy]]:
        """Return the table in which every fragment is recoded by itself, and the hierarchies that its recipe names."""
        engine = self.data.engine
        steps: list[Transformation] = [DropColumn(column=column) for column in self.data.roles.direct_identifiers]
        hierarchies: dict[str, Hierarchy] = {}
        for part in self.parts:
            assert part.recipe is not None and part.recipe.folder is not None, "what is met has a recipe, whose files wait in a folder"
            recode = next(step for step in part.recipe.steps if isinstance(step, Recode))
            hierarchies |= {column: read_hierarchy(part.recipe.folder / name, column) for column, name in recode.hierarchies.items()}
            steps.append(recode)
        folder = engine.scratch / f"hierarchies-{len(engine.statements)}"
        folder.mkdir()
        comments = (*self._reasons(steps[: -len(self.parts)]), *(f"Fragment {i}." for i in range(1, len(self.parts) + 1)))
        # An id says who somebody is to whoever has it too; records of one person stay together under another name.
        ids = [column for column in (self.data.roles.person, self.data.roles.household) if column is not None]
        steps += [Pseudonymise(column=column) for column in ids]
        recipe = Recipe(tuple(steps), (*comments, *("Records that belong together stay so." for _ in ids)), self._title, folder)
        return apply(with_files(recipe, save_all(hierarchies, folder)), self.data), hierarchies

    def _reasons(self, steps: Sequence[Transformation]) -> Iterator[str]:
        for step in steps:
            if isinstance(step, DropColumn):
                yield "A direct identifier." if step.column in self.data.roles.direct_identifiers else "It is in another fragment."
            else:
                yield f"What meets {self.policy.title}."

    def _described(self, part: Anonymisation, fragment: tuple[str, ...], number: int) -> ReleasedFragment:
        asked = {rule.metric for rule in part.policy.rules}
        quasi_identifiers = tuple(
            c for c in self.data.columns if c in self.split.recoded(fragment, number) and c in self.data.roles.attributes
        )
        sensitive = self.data.roles.sensitive if self.split.has_sensitive(number) else ()
        # In the assembled table there is one of each column.
        columns = (*quasi_identifiers, *sensitive) if self.assemble or part.release is None else part.release.columns
        return ReleasedFragment(
            columns=columns,
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            met=part.met,
            method=part.method,
            k_before=_k(part.before),
            k=_k(part.after),
            loss=part.losses.get("ncp") if part.met else None,
            suppressed=part.suppressed,
            rules_left_out=tuple(dict.fromkeys(rule.metric for rule in self.policy.rules if rule.metric not in asked)),
            remaining=part.remaining,
        )

    def _notes(self, release: Release | None, whole: Audit | None) -> Iterator[str]:
        roles = self.data.roles
        if self.assemble:
            yield "The rows of an assembled table say everything together, so it is released only if it keeps the policy as a whole."
        elif len(self.parts) > 1:
            yield "Fragments keep apart only what nobody can match: values that go together in life may tell which rows do."
        if roles.person is not None:
            dropped = "" if self.assemble else " It is dropped, because it would tie fragments together."
            yield f"Groups are counted in persons by {roles.person!r}.{dropped}"
        if release is not None and whole is not None:
            yield from (*release.label_notes, *person_notes(release, whole))
        if self.split.sensitive_in == "all" and roles.sensitive and len(self.parts) > 1 and not self.assemble:
            yield "Every fragment has the sensitive attributes: who finds a person's group in each knows that the truth is in all of them."
        yield from dict.fromkeys(note for part in self.parts for note in part.notes if "No hierarchy was given" in note)


def _k(found: Audit | None) -> int | None:
    """Return the smallest class that an audit found, in persons where there are any."""
    values = [] if found is None else [m.value for m in found.measurements if m.metric == "k_anonymity" and m.value is not None]
    return int(min(values)) if values else None

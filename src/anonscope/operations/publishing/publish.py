"""The one way in which releases are published: made in private, read back, judged, and only then put in place with their papers."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from anonscope.engines import DuckDB
from anonscope.errors import Defect, OptionError, OutputError, SourceError, shown
from anonscope.io.placing import Move, Staging, recover
from anonscope.io.read_back import read_back
from anonscope.io.sources.parts import would_be_part
from anonscope.io.sources.relation import FileLabels
from anonscope.io.statistical_writing import PROGRAMS
from anonscope.io.writing import check_absent, open_mode
from anonscope.operations.publishing import judging
from anonscope.operations.publishing.judging import Promise
from anonscope.operations.read import Data
from anonscope.operations.registering.composing import NewRelease
from anonscope.operations.registering.registration import Registering, Registration, seen_from
from anonscope.risk.policy import UnassignedColumn, check_answered, check_look_alikes
from anonscope.risk.privacy_loss import PrivacyLoss
from anonscope.synthesis.ledger import Loss
from anonscope.transform.carry_out import Changes
from anonscope.transform.recipe import Recipe
from anonscope.transform.release import papers
from anonscope.transform.release.beside import archived, copy_hierarchies, hierarchy_files, write_private_bytes
from anonscope.transform.release.formulas import FORMULAS
from anonscope.transform.release.manifest import (
    DOMAIN,
    HIERARCHIES,
    MANIFEST,
    RECIPE,
    archive_path,
    delta_in,
    digest,
    epsilon_in,
    file_hash,
    files_of,
    manifest_path,
    unit_in,
)
from anonscope.transform.release.writing import check_release, release_format, write_private, write_release
from anonscope.transform.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A release to publish: where to, the table and how it was made, and what it promises to keep."""

    target: Path
    table: Table
    recipe: Recipe | None  # None: no steps made it, a synthesis did
    changes: Changes
    data: Data  # what it was made from
    perturbed: tuple[str, ...] = ()  # columns whose values some recipe made up
    privacy_loss: PrivacyLoss | None = None  # of differentially private steps of some recipe
    promises: tuple[Promise, ...] = ()
    unassigned: tuple[UnassignedColumn, ...] = ()  # columns in no measurement, and what was said of them
    synthesis: Mapping[str, Any] | None = None  # how a table was made that is not a changed one
    domain: str | None = None  # that was declared for it, as a file
    made_by: str = "apply"  # the verb, for a register


def publish(
    orders: Sequence[Order], *, force: bool = False, formulas: str = "refuse", registration: Registration | None = None
) -> tuple[str, ...]:
    """Publish releases as one set, each with its manifest and its archive, or nothing; say what was found amiss from earlier runs.

    `formulas` says what becomes of cells of delimited text that office programs would take for formulas. With a `registration`, a
    release is held against the earlier ones of its population, and added to the register, before it is placed.
    """
    if formulas not in FORMULAS:
        raise OptionError(f"What becomes of formulas is one of {', '.join(FORMULAS)}, not {formulas!r}.")
    said = recover([order.target.parent for order in orders])
    for order in orders:
        _check(order, force=force)
    with Staging(orders[0].target.parent) as staging, _register(registration) as registering:
        try:
            sets = [_Made(order, staging, i, formulas, registering) for i, order in enumerate(orders)]
            made = [one.moves(force=force) for one in sets]
        except OSError as error:
            raise OutputError(f"{shown(orders[0].target)} cannot be written: {error.strerror}.") from None
        moves = [move for moves in made for move in moves]
        # All manifests at the end: until the last is there, the whole set is unfinished.
        staging.place(sorted(moves, key=lambda move: move.last), before=lambda: _add(sets))
    return said


def _add(sets: "Sequence[_Made]") -> None:
    for one in sets:
        one.register()


def _register(registration: Registration | None) -> "AbstractContextManager[Registering | None]":
    return registration.under_way() if registration is not None else nullcontext()


def _check(order: Order, *, force: bool) -> None:
    target, data = order.target, order.data
    check_release(target, force=force, parts=order.table.engine.remote)
    if data.path is not None and would_be_part(target, data.path):
        raise OptionError("A release must not replace the table it was made from, or become a part of it. Give another name.")
    own = {target.resolve(), manifest_path(target).resolve(), archive_path(target).resolve()}
    for file in order.table.files:
        check_absent(file.path)
        if file.path.resolve() in own or archive_path(target).resolve() in file.path.resolve().parents:
            raise OutputError(f"{shown(target)} is the name of the release and of a file that must be kept apart from it. Rename one.")
    recover([file.path.parent for file in order.table.files])


def _publishable(labels: FileLabels | None) -> FileLabels | None:
    if labels is None:
        return None
    from anonscope.columns.suggestion.labels import publishable  # late: the lexicon takes a moment to read

    return publishable(labels).labels


class _Made:
    """A release that was made in private."""

    def __init__(self, order: Order, staging: Staging, number: int, formulas: str, registering: Registering | None = None) -> None:
        self.order, self.staging, self.formulas, self.registering = order, staging, formulas, registering
        self.told: dict[str, Any] = {}  # what a register keeps of it
        self.folder = staging.path / f"set-{number}"
        self.folder.mkdir(mode=0o700)
        # Called as it will be, so that parts and messages have the right name.
        self.release = self.folder / order.target.name
        self.kept = [(staging.beside(file.path), file) for file in order.table.files]

    def moves(self, *, force: bool) -> list[Move]:
        """Write everything, judge it, and return what goes where."""
        order, target = self.order, self.order.target
        form, delimiter = release_format(target, parts=order.table.engine.remote), order.data.relation.delimiter
        for path, file in self.kept:
            write_private(file, order.table, path)
        labels = _publishable(order.data.relation.labels) if form in PROGRAMS else None
        write_release(order.table, self.release, delimiter=delimiter, form=form, mark=self.formulas == "mark", labels=labels)
        described, verdicts = self._judged(form, delimiter)
        archive, manifest = self._papers(described, verdicts, self._composed())
        open_mode(self.release)
        open_mode(manifest)
        return [
            *(Move(path, file.path, replaces=False) for path, file in self.kept),
            Move(archive, archive_path(target), replaces=force),
            Move(self.release, target, replaces=force),
            Move(manifest, manifest_path(target), replaces=force, last=True),
        ]

    def _judged(self, form: str, delimiter: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return what a stranger reads in the release, and the verdicts on that; raise if it must not be published."""
        order = self.order
        verdicts: list[dict[str, Any]] = []
        engine = DuckDB.like(order.data.engine)
        try:
            try:
                reading = read_back(self.release, form, engine, delimiter=delimiter)
            except SourceError as error:
                raise Defect(f"What was written cannot be read: {error}") from None
            judging.check_reading(reading, order.table.names, order.changes.records_after, order.target.name)
            if form in ("csv", "tsv") and self.formulas != "keep":
                judging.check_formulas(reading, engine, order.target.name)
            for promise in order.promises:
                found = judging.measured(reading, engine, promise, order.perturbed, order.data.acknowledged)
                judging.check_forms(found.verdict, order.target.name)
                judging.check_counted(found, promise, order.target.name)
                check_answered(self._said_of(found.verdict.unassigned))
                check_look_alikes(found.verdict.look_alikes, order.target.name)
                if not promise.binding and not found.verdict.released:
                    # Whether the writing broke it, or the steps never kept it.
                    promise = replace(promise, kept=judging.measured_before(order.table, promise, order.perturbed).verdict)
                judging.check_asked(found.verdict, promise, order.target.name)
                if broken := judging.broken(found.verdict, promise):
                    raise judging.refusal(order.target.name, broken)
                verdicts.append(judging.verdict_to_dict(found, promise.kept if promise.counted else None))
        finally:
            engine.close()
        described: dict[str, Any] = {"name": order.target.name, "format": form, "sha256": file_hash(self.release)}
        if form in ("csv", "tsv"):
            described["delimiter"] = "\t" if form == "tsv" else delimiter
            described |= {"formulas": "marked"} if self.formulas == "mark" else {}
        return described | {"records": reading.records, "columns": list(reading.columns)}, verdicts

    def _said_of(self, columns: Sequence[UnassignedColumn]) -> list[UnassignedColumn]:
        """Return columns as they look in the written file, with what was said of them; a promise may be about some of the roles only.

        Of what needed no word before it was written none is asked now, unless it looks like a direct identifier.
        """
        said = {column.column: column for column in self.order.unassigned}
        known = [replace(c, word=said[c.column].word, said=said[c.column].said) for c in columns if c.column in said]
        return [c for c in known if c.identifies or not said[c.column].unanswered]

    def _composed(self) -> dict[str, Any] | None:
        """Return what the release tells together with earlier ones, if there is a register; raise where that is too much."""
        if self.registering is None:
            return None
        order = self.order
        promise = order.promises[0] if order.promises else None
        told = {"privacy_loss": order.privacy_loss.to_dict() if order.privacy_loss else None, "synthesis": order.synthesis}
        epsilon, unit = epsilon_in(told), unit_in(told)
        lost = Loss(epsilon, Fraction(delta_in(told) or 0)) if epsilon is not None else None
        self.registering.check_budget(lost, unit)
        new = NewRelease(
            path=self.release,
            name=order.target.name,
            roles=promise.roles if promise is not None else order.data.roles,
            recipe=order.recipe,
            k=promise.policy.class_size if promise is not None else None,
            drawn=order.synthesis is not None,
            guaranteed=order.synthesis is not None and lost is not None,
            lost=lost,
            unit=unit,
            columns=tuple(order.table.names),
            policy=promise.policy if promise is not None else None,
            said=order.data.acknowledged.columns,
        )
        found = self.registering.check(new, order.data, order.target.name).to_dict()
        self.told = {"composition": found, "k": new.k, "epsilon": str(epsilon) if epsilon is not None else None, "delta": delta_in(told)}
        self.told |= {"unit": unit, "quasi_identifiers": list(new.roles.attributes)}
        return found

    def register(self) -> None:
        """Add the release to the register, if there is one: it is made, and about to be put in place."""
        if self.registering is None:
            return
        order = self.order
        self.registering.add(
            release=order.target.name,
            path=seen_from(self.registering.asked.folder, order.target),
            made_by=order.made_by,
            policy=order.promises[0].policy.name if order.promises else None,
            recipe=order.recipe.hash if order.recipe is not None else None,
            **self.told,
        )

    def _papers(self, described: dict[str, Any], verdicts: list[dict[str, Any]], composition: dict[str, Any] | None) -> tuple[Path, Path]:
        """Write the archive and the manifest for the recipient, and return where they are."""
        order, target = self.order, self.order.target
        further = {column: path for promise in order.promises for column, path in promise.roles.hierarchies.items()}
        files = hierarchy_files(order.recipe, further) if order.recipe is not None else {}
        recipe = archived(order.recipe, target) if order.recipe is not None else None
        archive, manifest = self.folder / "archive", self.folder / "manifest"
        archive.mkdir(mode=0o700)
        if recipe is not None:
            write_private_bytes(archive / RECIPE, recipe.to_toml().encode())
        if order.domain is not None:
            write_private_bytes(archive / DOMAIN, order.domain.encode())
        if files:
            copy_hierarchies(files, archive / HIERARCHIES)
        path = order.data.path
        facts = papers.Facts(
            recipe=recipe,
            changes=order.changes,
            engine=order.data.engine,
            source=order.data.relation.name,
            source_hash=file_hash(path) if path is not None else None,
            release=described,
            files=files_of(self.release),
            composition=composition,
            verdicts=tuple(verdicts),
            perturbed=order.perturbed,
            privacy_loss=order.privacy_loss,
            unassigned=order.unassigned,
            synthesis=order.synthesis,
            decided_by=order.data.decided_by,
            hierarchies={column: f"{HIERARCHIES}/{files[Path(path)]}" for column, path in further.items()},
        )
        self.told |= {"sha256": described["sha256"], "records": described["records"], "source": facts.source_hash}
        self.told |= {"outcome": verdicts[0]["outcome"] if verdicts else None}
        write_private_bytes(manifest, papers.text_of(papers.for_recipient(facts)).encode())
        hashes = {target.name: described["sha256"], manifest_path(target).name: digest(manifest)}
        hashes |= {
            f"{archive_path(target).name}/{file.relative_to(archive).as_posix()}": digest(file)
            for file in sorted(archive.rglob("*"))
            if file.is_file()
        }
        hashes |= {os.path.relpath(file.path.absolute(), target.absolute().parent): digest(made) for made, file in self.kept}
        write_private_bytes(archive / MANIFEST, papers.text_of(papers.for_archive(facts, hashes)).encode())
        return archive, manifest

"""Whether a release is what was published: its hashes, and its verdict measured again from the file."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any, Literal

from anonscope.columns.roles import Acknowledgements, Roles, Scenario
from anonscope.engines import DuckDB
from anonscope.errors import AnonscopeError, SealError, SourceError, shown
from anonscope.io.placing import recover, unfinished
from anonscope.io.read_back import ReadBack, read_back
from anonscope.io.rounding import LEFT_OVER
from anonscope.io.sources import ReadOptions, look_apart
from anonscope.operations.publishing import judging
from anonscope.operations.publishing.judging import Promise, policy_from_dict
from anonscope.operations.result import Result
from anonscope.operations.signing.seal_file import differing, read_public_key, read_seal, seal_path
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.words import said
from anonscope.risk.rounding import ROUNDING
from anonscope.synthesis.recount import fault
from anonscope.transform.recipe import load_recipe
from anonscope.transform.release.manifest import (
    MANIFEST,
    READABLE,
    READABLE_ARCHIVES,
    RECIPE,
    archive_path,
    digest,
    epsilon_in,
    file_hash,
    files_of,
    is_sealed,
    manifest_path,
)

DOCUMENT = "anonscope/verification/1"
_PRIVACY, _SEAL = "privacy of the archive", "seal"
_OTHERS = 0o077  # what group and everybody else may do
Status = Literal["holds", "differs", "not checked"]


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was compared with what a manifest says."""

    what: str
    status: Status
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(Result):
    """What came of verifying a release: every check, and one sentence."""

    release: str
    checks: tuple[Checked, ...]
    outcomes: tuple[str, ...]  # the verdicts, measured again
    recovered: tuple[str, ...] = ()  # what an interrupted run had left to do

    @property
    def holds(self) -> bool:
        """Whether nothing differs from what the manifest says."""
        return all(check.status != "differs" for check in self.checks)

    @property
    def sentence(self) -> str:
        """Say whether the release is what was published."""
        name = shown(self.release)
        seal = next((f" It is {check.detail}." for check in self.checks if check.what == _SEAL and check.status == "holds"), "")
        if self.holds and all(check.what.startswith(_SEAL) for check in self.checks):
            absent = [check.what.removeprefix("sealed ") for check in self.checks if check.status == "not checked"]
            if absent:
                return (
                    f"{name} is what was sealed, but not everything that was sealed with it is here: {', '.join(map(shown, absent))}.{seal}"
                )
            return f"{name} is what was sealed.{seal}"
        if not self.holds:
            differs = [check for check in self.checks if check.status == "differs"]
            wrong = "; ".join(f"{check.what}: {check.detail}" for check in differs)
            if all(check.what == _PRIVACY for check in differs):
                return f"{name} is what was published, but not all of it is kept as it was. {wrong}."
            return f"{name} is not what was published. {wrong}."
        judged = f"measured again, its verdict is the same: {', '.join(self.outcomes)}" if self.outcomes else "no policy was to be met"
        missing = any(check.status == "not checked" for check in self.checks)
        return f"{name} is what was published, and {judged}.{' Not everything could be checked; see below.' if missing else ''}{seal}"

    def to_text(self) -> str:
        """Return everything as text."""
        return self.render("text")


def verify(
    release: str | Path,
    *,
    archive: str | Path | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
    temp_folder: str | Path | None = None,
    isolate: bool = False,
    signer: str | Path | None = None,
) -> Verification:
    """Return whether a release is what its manifest says: hashes, records, columns, and the verdict, measured again from the file.

    Where the `archive` is there, by default beside the release, what it holds is compared too. A set that an interrupted run left
    unfinished is finished first, or the one before it put back. A seal beside the manifest is checked, and says by whom it is; `signer`
    is the public key that it must be by. A dossier has no manifest: of it the seal is all that is checked.
    """
    limits = said(Resources(memory_limit=memory_limit, threads=threads, temp_folder=temp_folder, isolate=isolate))
    path = Path(release)
    recovered = recover([path.parent])
    if unfinished(path) is not None:
        raise SourceError(f"{shown(path)} is being put in place at this moment. Try again.")
    if not path.exists():
        raise SourceError(f"No such file: {shown(path)}.{''.join(f' {said}' for said in recovered)}")
    wanted = read_public_key(Path(signer)) if signer is not None else None
    if not manifest_path(path).exists() and seal_path(path).exists():
        return Verification(release=path.name, checks=tuple(_seal(path, wanted)), outcomes=(), recovered=recovered)
    content = _read(manifest_path(path), READABLE)
    folder = Path(archive) if archive is not None else archive_path(path)
    kept = _read(folder / MANIFEST, READABLE_ARCHIVES) if archive is not None or folder.is_dir() else None
    try:
        run = _Run(path, content.document, folder if kept is not None else None, kept.document if kept is not None else None, limits)
        checks = [
            _compared("manifest", content.sealed, "as it was written", "its text was changed"),
            *run.file(),
            *run.verdicts(),
            *(run.archive(kept.sealed) if kept is not None else _without_archive()),
            *(_seal(manifest_path(path), wanted) if wanted is not None or seal_path(manifest_path(path)).exists() else ()),
        ]
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError):
        raise SourceError(f"The manifest of {shown(path.name)} does not have the fields of one.") from None
    return Verification(release=path.name, checks=tuple(checks), outcomes=tuple(run.outcomes), recovered=recovered)


@dataclass(frozen=True, slots=True)
class _Content:
    document: dict[str, Any]
    sealed: bool


def _read(path: Path, schemas: Sequence[str]) -> _Content:
    try:
        text = path.read_bytes()
        document = json.loads(text)
    except FileNotFoundError:
        raise SourceError(f"There is no {shown(path.name)}, so the release is unfinished, or was not published by anonscope.") from None
    except (OSError, ValueError, RecursionError):
        raise SourceError(f"{shown(path)} cannot be read as a manifest.") from None
    if not isinstance(document, dict) or document.get("schema") not in schemas:
        raise SourceError(f"{shown(path)} is not a manifest that this version reads ({', '.join(schemas)}).")
    return _Content(document, is_sealed(text))


def _compared(what: str, same: bool, fine: str, wrong: str) -> Checked:
    return Checked(what, "holds", fine) if same else Checked(what, "differs", wrong)


def _seal(target: Path, wanted: str | None) -> Iterator[Checked]:
    """Check who sealed a file, and that no byte of what was sealed has changed."""
    try:
        seal = read_seal(target)
    except SealError as error:
        yield Checked(_SEAL, "differs", str(error).rstrip("."))
        return
    if not seal.genuine:
        yield Checked(_SEAL, "differs", "the signature does not fit: the seal was changed, or made by another key")
        return
    whose = f"sealed by {seal.by} on {seal.sealed[:10]}, key {seal.fingerprint}"
    if wanted is not None:
        yield _compared(_SEAL, seal.key == wanted, f"{whose}, the key that was given", f"{whose}, which is not the key that was given")
    else:
        yield Checked(_SEAL, "holds", f"{whose}; whose key that is, only a comparison with one from elsewhere tells")
    if target.name not in seal.files:
        yield Checked(_SEAL, "differs", f"it does not name {shown(target.name)}")
    for name, same in differing(target, seal):
        if same is None and name != target.name:
            yield Checked(f"sealed {name}", "not checked", "it is not here")
        else:
            yield _compared(f"sealed {name}", bool(same), "the bytes that were sealed", "its bytes were changed since it was sealed")


def _without_archive() -> Iterator[Checked]:
    yield Checked("archive", "not checked", "recipe, hierarchies, seeds and source need the archive, which is not beside the release")


class _Run:
    """One verification under way."""

    def __init__(
        self, path: Path, document: Mapping[str, Any], folder: Path | None, kept: Mapping[str, Any] | None, limits: Mapping[str, Any]
    ) -> None:
        self.path, self.document, self.folder, self.kept, self.limits = path, document, folder, kept, limits
        self.outcomes: list[str] = []

    def file(self) -> Iterator[Checked]:
        """Compare the bytes of the release."""
        known = self.document["release"]["sha256"]
        if known is None:
            yield Checked("release", "not checked", "its hash was not taken where it was written")
            return
        same = _hash(self.path) == known
        yield _compared("release", same, "the same bytes", "its bytes were changed")
        if self.document["schema"] == READABLE[0]:
            return  # it lists no files, and no epsilon of its own
        # It may have been renamed: parts keep their names within it.
        listed, found = (
            {name.partition("/")[2]: known for name, known in files.items()} for files in (self.document["files"], files_of(self.path))
        )
        yield _compared("files", listed == found, f"{len(found):,} as listed", "they are not those that are listed")
        told = epsilon_in(self.document)
        stated = "as its parts say" if told is not None else "none is stated, and none of its parts has one"
        yield _compared("epsilon", self.document["epsilon"] == (str(told) if told is not None else None), stated, "its parts say another")

        if told_of := self.document.get("synthesis"):
            wrong = fault(told_of)
            yield _compared("budget", wrong is None, "counted again, it adds up", str(wrong))

    def verdicts(self) -> Iterator[Checked]:
        """Read the release as a stranger does, and measure its verdicts again."""
        told = self.document["release"]
        engine = DuckDB(**self.limits)
        try:
            try:
                look_apart(self.path, engine, ReadOptions(), self.path.name)
                reading = read_back(self.path, told["format"], engine, delimiter=told.get("delimiter", ","))
            except AnonscopeError:
                yield Checked("records and columns", "differs", f"it cannot be read as {told['format']}")
                return
            same = (reading.records, list(reading.columns)) == (told["records"], told["columns"])
            found = f"{reading.records:,} records, {len(reading.columns)} columns"
            yield _compared("records and columns", same, found, f"{found}, and not what was published")
            for verdict in self.document["verdicts"]:
                yield from self._verdict(verdict, reading, engine)
        finally:
            engine.close()

    def _verdict(self, told: Mapping[str, Any], reading: ReadBack, engine: DuckDB) -> Iterator[Checked]:
        name = f"verdict by {told['policy']['name']}"
        roles, missing = self._roles(told["roles"])
        try:
            promise = Promise(roles=roles, policy=policy_from_dict(told["policy"]))
            words = Acknowledgements(columns=told.get("acknowledged", {}))
            found = judging.verdict_to_dict(judging.measured(reading, engine, promise, tuple(self.document["perturbed"]), words))
        except AnonscopeError as error:
            yield Checked(name, "differs", f"it cannot be measured: {error}")
            return
        found["outcome"] = judging.outcome_with(found["outcome"], told.get("linked_records", []))
        if told.get("counted_before"):
            counted = ", ".join(was["metric"] for was in told["counted_before"])
            yield Checked(
                name, "not checked", f"{counted} in persons, who were counted before their id was left out; that needs the source"
            )
        outside = [was["metric"] for was in told["rules"] if was.get("needs")]
        again = ([was for was in told["rules"] if not was.get("needs")], [now for now in found["rules"] if not now["needs"]])
        wrong = [now["metric"] for was, now in zip(*again, strict=True) if not _same(was, now)]
        if outside:
            yield Checked(name, "not checked", f"{', '.join(outside)} need the table that the release was linked with")
        if missing and wrong:
            yield Checked(name, "not checked", f"{', '.join(wrong)} of {', '.join(map(shown, missing))} need hierarchies from the archive")
            return
        # Without that table such rules withhold the release, or are not asked: the outcome as a whole cannot be found again.
        same = not wrong and (bool(outside) or found["outcome"] == told["outcome"])
        if same and not outside:
            said = found["says"]
            self.outcomes.append(f"{found['outcome']} by {told['policy']['name']}" + (f" (it {said})" if said else ""))
        yield _compared(
            name,
            same,
            "all other rules, measured again" if outside else f"{found['outcome']}, measured again",
            f"measured again, {', '.join(wrong) or 'the outcome'} differ",
        )

    def _roles(self, content: Mapping[str, Any]) -> tuple[Roles, list[str]]:
        """Return the roles that a verdict was measured with, and the columns whose hierarchy is not here."""
        fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
        fields["scenarios"] = tuple(Scenario(name, tuple(columns)) for name, columns in content.get("scenarios", {}).items())
        fields.pop("hierarchies", None)
        roles = Roles(**fields)
        files = self.kept["hierarchies"] if self.kept is not None and self.folder is not None else {}
        # What the archive names and does not hold, such as a device, is not opened.
        held = {column: self.folder / name for column, name in files.items() if self.folder is not None}
        here = {column: str(path) for column, path in held.items() if path.is_file() and ".." not in path.parts}
        wanted = list(content.get("hierarchies", {}))
        missing = [column for column in wanted if column not in here]
        distance = {column: kind for column, kind in roles.distance.items() if column not in missing}
        return replace(roles, hierarchies={c: here[c] for c in wanted if c in here}, distance=distance), missing

    def archive(self, sealed: bool) -> Iterator[Checked]:
        """Compare everything that the archive has a hash of."""
        assert self.kept is not None and self.folder is not None, "asked for where there is one"
        yield _compared("archive", sealed, "its manifest is as it was written", "its manifest was changed")
        yield from self._private()
        name = str(self.document["release"]["name"])
        for file, known in self.kept["files"].items():
            place = self._place(file, name)
            if not place.exists():
                inside = file.startswith(f"{name}.")
                yield Checked(file, "differs" if inside else "not checked", "it is not there" if inside else "it is kept elsewhere")
            else:
                yield _compared(file, _hash(place) == known, "the same bytes", "its bytes were changed")
        listed = {self._place(file, name) for file in self.kept["files"]} | {self.folder / MANIFEST}
        if further := [file for file in self.folder.rglob("*") if file.is_file() and file not in listed]:
            yield Checked("archive", "differs", f"{len(further)} files in it are not of the release")
        if self.kept["recipe"]["sha256"] is None:
            return  # drawn, not recoded: no steps could make it again
        try:
            known = load_recipe(self.folder / RECIPE).hash
        except AnonscopeError:
            known = ""
        yield _compared("recipe", known == self.kept["recipe"]["sha256"], "the steps that made the release", "its steps are others")

    def _private(self) -> Iterator[Checked]:
        """Say whether only its owner may read the archive, which holds original values and seeds."""
        assert self.folder is not None, "asked for where there is one"
        if os.name != "posix":
            yield Checked(_PRIVACY, "not checked", "who may read it cannot be told on this system")
            return
        # Nobody else enters a folder that is closed, whatever the modes of the files in it.
        if not self.folder.stat().st_mode & _OTHERS:
            yield Checked(_PRIVACY, "holds", "only its owner may read it")
            return
        found = f"others than its owner may open it (mode {self.folder.stat().st_mode & 0o777:04o})"
        yield Checked(_PRIVACY, "differs", f"{found}; it holds original values: chmod -R go= {shown(self.folder.name)}")

    def _place(self, file: str, name: str) -> Path:
        """Return where a file of the set is now: release and archive may have been moved apart, or have another name."""
        assert self.folder is not None, "asked for where there is one"
        inside = f"{name}.archive/"
        if file == name:
            return self.path
        if file == f"{name}.manifest.json":
            return manifest_path(self.path)
        return self.folder / file.removeprefix(inside) if file.startswith(inside) else self.path.parent / file


def _hash(path: Path) -> str:
    return file_hash(path) if path.is_dir() else digest(path)


def _same(was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    if was["status"] != now["status"] or (was["value"] is None) != (now["value"] is None):
        return False
    # Threads add in any order, so the last digits mean nothing.
    return was["value"] is None or isclose(was["value"], now["value"], rel_tol=LEFT_OVER, abs_tol=ROUNDING)

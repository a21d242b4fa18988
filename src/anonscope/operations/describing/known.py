"""What is known of a release that is to be described: its manifest, its columns, and what its publisher says."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonscope.errors import SourceError, shown
from anonscope.operations.read import read
from anonscope.operations.wishes.describing import Publisher
from anonscope.transform.release.manifest import digest, file_hash, read_manifest

MEDIA = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.file",
    "spss": "application/x-spss-sav",
    "stata": "application/x-stata-dta",
}
_ROLES = (("quasi_identifiers", "quasi-identifier"), ("sensitive", "sensitive attribute"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedColumn:
    """A column of a release: its name, the type of its values, what was done with it and its role when it was judged."""

    name: str
    type: str  # as the engine calls it
    role: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedRelease:
    """A release as its manifest says it, and what its publisher adds."""

    name: str
    form: str
    sha256: str | None
    size: int
    records: int
    columns: tuple[DescribedColumn, ...]
    verdicts: tuple[str, ...]  # a sentence each
    steps: tuple[str, ...]  # what was done, by the names of techniques and columns
    epsilon: str | None
    publisher: Publisher
    manifest: Mapping[str, Any]

    @property
    def media(self) -> str:
        """The media type of the file."""
        return MEDIA[self.form]

    @property
    def title(self) -> str:
        return self.publisher.title or self.name

    @property
    def about(self) -> str:
        """What the publisher says of it, and what was found: never that it is anonymous."""
        found = " ".join(self.verdicts) or "No policy was to be met."
        said = f"{self.publisher.description.strip()} " if self.publisher.description else ""
        return f"{said}{self.records:,} records, {len(self.columns)} columns. {found}"

    @property
    def sensitive(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role == "sensitive attribute")


def known_of(release: Path, publisher: Publisher) -> DescribedRelease:
    """Return what is known of a release; raise if it is none, or not the one that was published."""
    if not release.exists():
        raise SourceError(f"No such file: {shown(release)}.")
    manifest = read_manifest(release)
    if manifest is None:
        raise SourceError(f"There is no manifest of {shown(release.name)} that can be read, so nothing is known of how it was made.")
    try:
        told = manifest["release"]
        if told["sha256"] is not None and (file_hash(release) if release.is_dir() else digest(release)) != told["sha256"]:
            raise SourceError(f"{shown(release.name)} is not what was published: its bytes were changed. See: anonscope verify.")
        roles = {column: role for verdict in manifest["verdicts"] for key, role in _ROLES for column in verdict["roles"].get(key, ())}
        with read(release) as data:
            columns = tuple(DescribedColumn(name=c.name, type=c.type, role=roles.get(c.name)) for c in data.relation.columns)
        return DescribedRelease(
            name=release.name,
            form=told["format"],
            sha256=told["sha256"],
            size=sum(file.stat().st_size for file in (release.rglob("*") if release.is_dir() else [release]) if file.is_file()),
            records=told["records"],
            columns=columns,
            verdicts=tuple(_sentence(verdict) for verdict in manifest["verdicts"]),
            steps=tuple(dict.fromkeys(_step(step) for step in manifest["steps"])),
            epsilon=manifest.get("epsilon"),
            publisher=publisher,
            manifest=manifest,
        )
    except (LookupError, TypeError, AttributeError, ValueError):
        raise SourceError(f"The manifest of {shown(release.name)} does not have the fields of one.") from None


def _sentence(verdict: Mapping[str, Any]) -> str:
    policy = verdict["policy"]
    return f"Judged by the policy {policy['name']} (version {policy['version']}): {verdict['outcome']}."


def _step(step: Any) -> str:
    """Return which technique was used on which column; parameters are for the manifest."""
    if not isinstance(step, Mapping):
        return str(step)
    where = step.get("column") or ", ".join(step.get("columns") or ())
    return f"{step['apply']} ({where})" if where else str(step["apply"])

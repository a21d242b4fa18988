"""What is kept of a table and of its versions as plain data, and how it becomes a desk again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from anonscope.columns.hierarchy import parse_hierarchy
from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.words import said
from anonscope.web.desk import Desk, Searched, Signed, Version, Wished
from anonscope.web.project.folder import read_json
from anonscope.web.schemas import ReadingSent, RolesGiven
from anonscope.web.stored import StoredTable

HIERARCHIES, VERSIONS, SIGNED, RESULTS = "hierarchies", "versions", "sign-off", "results"
FORMATS = {"json": "json", "html": "html", "md": "markdown"}
_PLAIN = (
    "row",
    "policy",
    "notes",
    "reason",
    "answers",
    "shown",
    "population",
    "population_columns",
    "outside",
    "outside_columns",
    "control",
)
_LISTS = ("added", "left_out")


@dataclass(frozen=True)
class Kept:
    """A report as it was written, by format."""

    texts: Mapping[str, str]

    def render(self, format: str = "text") -> str:
        """Return the text in a format; one that was not kept is told by the one for programs."""
        return self.texts.get(format) or self.texts["json"]

    @classmethod
    def at(cls, folder: Path, name: str) -> "Kept | None":
        """Return a report that lies in a folder."""
        paths = {format: folder / f"{name}.{ending}" for ending, format in FORMATS.items()}
        texts = {format: path.read_text(encoding="utf-8") for format, path in paths.items() if path.is_file()}
        return cls(texts) if "json" in texts else None


def table_record(table: StoredTable) -> dict[str, Any]:
    """Return what is kept of a table; the caller holds the lock of its desk."""
    desk = table.desk
    measured = None
    if table.audit is not None and table.roles is not None:
        outcome = table.audit.verdict.outcome
        measured = {"roles": table.roles.to_dict(), "policy": table.policy, "asked": dict(table.audited_as), "outcome": outcome}
    return {
        "id": table.id,
        "name": table.name,
        "data": {"path": table.origin, "sha256": table.sha256, "bytes": table.size, "columns": [c.name for c in table.columns]},
        "reading": {name: value for name, value in said(table.reading, only=(Reading,)).items() if value is not None},
        "roles": desk.roles.to_dict() if desk.roles is not None else None,
        "undoable": [roles.to_dict() for roles in desk.undoable],
        "wished": asdict(desk.wished),
        "hierarchies": {column: f"{at}.csv" for at, column in enumerate(sorted(desk.hierarchies))},
        "measured": measured if measured is not None else table.unmeasured,
        RESULTS: {kind: {"place": shown.place, "version": shown.version} for kind, shown in desk.results.items()},
        **{name: getattr(desk, name) for name in _PLAIN},
        **{name: list(getattr(desk, name)) for name in _LISTS},
    }


def version_record(version: Version) -> dict[str, Any]:
    """Return what is kept of a version beside its papers."""
    return {
        "number": version.number,
        "how": version.how,
        "asked": dict(version.asked),
        "roles": version.roles.to_dict(),
        "judged_with": version.judged_with.to_dict() if version.judged_with is not None else None,
        "columns": list(version.columns),
        "policy": version.policy,
        "acknowledged": {"columns": dict(version.acknowledged.columns), "rest": version.acknowledged.rest},
        "searched": asdict(version.searched) if version.searched is not None else None,
        "verdicts": {**version.recorded, **{name: verdict.outcome for name, verdict in version.verdicts.items()}},
        "unjudged": dict(version.unjudged),
        "data": version.data,
        "removed": version.removed,
    }


def desk_of(record: Mapping[str, Any], folder: Path) -> Desk:
    """Return the desk that a record tells of, without its versions."""
    wished = dict(record["wished"])
    texts = {column: (folder / HIERARCHIES / Path(file).name).read_text(encoding="utf-8") for column, file in record["hierarchies"].items()}
    # What is a list in the file and never changes on the desk.
    lists: dict[str, Any] = {name: tuple(record[name]) for name in _LISTS if name in record}
    return Desk(
        roles=roles_of(record["roles"]) if record["roles"] is not None else None,
        undoable=[roles_of(roles) for roles in record.get("undoable", ())],
        wished=Wished(**wished | {"untouched": tuple(wished["untouched"])}),
        hierarchies={column: parse_hierarchy(text, column) for column, text in texts.items()},
        signed=[_signed(path) for path in _numbered(folder / SIGNED)],
        **{name: record[name] for name in _PLAIN if name in record},
        **lists,
    )


def versions_in(folder: Path) -> list[tuple[dict[str, Any], Path]]:
    """Return what is kept of the versions of a table, each with its folder."""
    return [(read_json(path / "version.json"), path) for path in _numbered(folder / VERSIONS) if (path / "version.json").is_file()]


def version_of(record: Mapping[str, Any], folder: Path, release: Path, absent: str) -> Version:
    """Return a version whose files are not here yet, and will be in the place that is given."""
    searched = record["searched"]
    return Version(
        number=int(record["number"]),
        how=record["how"],
        asked=record["asked"],
        roles=roles_of(record["roles"]),
        policy=record["policy"],
        release=release,
        acknowledged=Acknowledgements(**record["acknowledged"]),
        searched=Searched(**searched | {"frontier": tuple(searched["frontier"])}) if searched is not None else None,
        report=Kept.at(folder, "report"),
        unjudged=dict(record["unjudged"]),
        removed=bool(record["removed"]),
        absent=absent,
        data=record["data"],
        recorded=dict(record["verdicts"]),
        columns=tuple(record.get("columns", ())),
        judged_with=roles_of(record["judged_with"]) if record.get("judged_with") is not None else None,
    )


def reading_of(record: Mapping[str, Any]) -> Reading:
    """Return how a table is to be read."""
    return TypeAdapter(ReadingSent).validate_python(record["reading"])


def roles_of(told: Mapping[str, Any]) -> Roles:
    """Return roles as they were written down."""
    return TypeAdapter(RolesGiven).validate_python({name: value for name, value in told.items() if name != "hierarchies"}).given()


def _signed(folder: Path) -> Signed:
    told, dossier = read_json(folder / "signed.json"), Kept.at(folder, "dossier")
    if dossier is None:
        raise ValueError("no dossier")
    return Signed(told["version"], told["answers"], dossier)


def _numbered(folder: Path) -> list[Path]:
    """Return the folders that are called by a number, in its order."""
    found = [path for path in folder.glob("*") if path.name.isdigit() and path.is_dir() and not path.is_symlink()]
    return sorted(found, key=lambda path: int(path.name))

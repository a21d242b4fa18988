"""What rooms showed last, as documents: a comparison, a linkage, attacks, noisy answers. They are read again, never worked out again."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.web.desk import Desk, Shown
from anonscope.web.project.record import FORMATS, RESULTS, Kept
from anonscope.web.storage import PLACES, Workspace

if TYPE_CHECKING:
    from anonscope.web.project.folder import ProjectFolder


def keep_results(folder: "ProjectFolder", at: str, results: Mapping[str, Shown], written: dict[str, str]) -> None:
    """Write what rooms show into the folder of a table; `written` knows what is there, by its kind, from one time to the next."""
    for kind, shown in results.items():
        if shown.result is not None and written.get(kind) != shown.location:
            for ending, format in FORMATS.items():
                folder.write(f"{at}/{RESULTS}/{kind}.{ending}", shown.result.render(format).encode())
            written[kind] = shown.location


def forget_results(place: Path, results: Mapping[str, Shown], written: dict[str, str]) -> None:
    """Delete what no room shows any more."""
    for path in (place / RESULTS).glob("*"):
        if path.stem not in results:
            path.unlink()
            written.pop(path.stem, None)


def check_results(record: Mapping[str, Any]) -> None:
    """Raise ValueError, KeyError or TypeError if what is told of results cannot be understood."""
    for told in record.get(RESULTS, {}).values():
        if told["place"] not in PLACES or not isinstance(told["version"], int | None):
            raise ValueError("no place of a result")


def show_again(workspace: Workspace, desk: Desk, record: Mapping[str, Any], folder: Path) -> None:
    """Have rooms show what a project kept of them."""
    for kind, told in record.get(RESULTS, {}).items():
        kept = Kept.at(folder / RESULTS, Path(kind).name)
        if kept is not None:
            desk.results[kind] = Shown(workspace.keep_as(told["place"], kept), told["version"], kept)

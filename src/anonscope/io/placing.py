"""Files that are put in place together: readers find the old set or the new one, and one that was interrupted reads as unfinished.

Everything is made in a private folder beside the target. A journal there then says which file goes where; what it replaces is kept in
the same folder until all are in place, and the paper that a reader looks for comes last. Whoever finds a journal without a run that is
alive does the rest, or takes all back.
"""

import json
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from anonscope.engines.scratch import abandoned, is_in_use, private_folder, remove
from anonscope.errors import OutputError, shown

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two runs apart there.
    fcntl = None  # type: ignore[assignment]  # a module that is not there; whoever uses it asks first

PREFIX = ".anonscope-staging-"
JOURNAL = "journal.json"


@dataclass(frozen=True, slots=True)
class Move:
    """A file or folder that was made in private, and where it belongs; `last` is the paper without which a set is unfinished."""

    made: Path
    target: Path
    replaces: bool = True
    last: bool = False


class Staging:
    """A private folder beside a target, in which a set of files is made and from which it is put in place."""

    def __init__(self, parent: Path) -> None:
        # Absolute, so that a change of the working folder moves nothing.
        self.parent = parent.resolve()
        self._further: dict[Path, Staging] = {}
        try:
            self.path, self._lock = private_folder(self.parent, PREFIX)
        except OSError as error:
            raise OutputError(f"Nothing can be written to {shown(parent)}: {error.strerror}.") from None

    def beside(self, target: Path) -> Path:
        """Return a name for a file in the private folder that is on the same disk as its target."""
        parent = target.parent.resolve()
        if parent == self.parent:
            return self.path / secrets.token_hex(8)
        if parent not in self._further:
            self._further[parent] = Staging(parent)
        return self._further[parent].beside(target)

    def place(self, moves: Sequence[Move], before: Callable[[], object] = lambda: None) -> None:
        """Put everything in place, or nothing; `before` is what must be noted first, once nothing is left to do but to move files."""
        moves = [Move(m.made, m.target.parent.resolve() / m.target.name, m.replaces, m.last) for m in moves]
        folders = {self.parent, *(move.target.parent for move in moves)}
        with _alone(folders):
            # A run may have died since we looked; to finish it after us would mix its files with ours.
            _recover(folders)
            for move in moves:
                if move.target.exists() and not move.replaces:
                    raise OutputError(f"{shown(move.target)} exists by now. Say --force (force=True) to replace it, or give another name.")
            try:
                for move in moves:
                    _flush(move.made)
                steps = [_Step(m.made, m.target, self.path / f"before-{i}", m.last) for i, m in enumerate(moves)]
                journal = _write_journal(self.path / JOURNAL, steps)
                before()
                journal.rename(self.path / JOURNAL)
                _flush_folder(self.path)
            except OSError as error:
                raise OutputError(f"{shown(moves[0].target)} cannot be written: {error.strerror}.") from None
            try:
                _finish(steps)
            except BaseException as error:
                back = _undo(steps)
                if back:
                    (self.path / JOURNAL).unlink()
                if not isinstance(error, OSError):
                    raise
                kept = "" if back else " What stood there is kept, and comes back with the next run or `anonscope verify`."
                raise OutputError(f"{shown(moves[0].target)} cannot be written: {error.strerror}.{kept}") from None
            (self.path / JOURNAL).unlink()

    def close(self) -> None:
        """Delete the private folder; one with a journal holds what others need to finish, and is left to them."""
        for further in self._further.values():
            further.close()
        if (self.path / JOURNAL).exists():
            self._lock.close()
        else:
            remove(self.path, self._lock)

    def __enter__(self) -> "Staging":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()


def recover(folders: Sequence[Path]) -> tuple[str, ...]:
    """Finish, or take back, what killed runs left in some folders, delete the rest of theirs, and say what was done."""
    found = {folder.resolve() for folder in folders if folder.is_dir()}
    if not any(private for folder in found for private in folder.glob(PREFIX + "*")):
        return ()
    with _alone(found):
        return tuple(_recover(found))


def unfinished(target: Path) -> Literal["being written", "interrupted"] | None:
    """Return whether a file belongs to a set that is not in place as a whole yet."""
    with suppress(OSError):
        wanted = target.parent.resolve() / target.name
        for private in wanted.parent.glob(PREFIX + "*"):
            steps = _read_journal(private) if os.access(private, os.R_OK | os.X_OK) else None
            if steps is None or not any(step.target == wanted for step in steps):
                continue
            if any(step.last and step.made.exists() for step in steps):
                return "being written" if is_in_use(private) else "interrupted"
    return None


@dataclass(frozen=True, slots=True)
class _Step:
    made: Path
    target: Path
    before: Path  # what stood there
    last: bool


def _recover(folders: set[Path]) -> list[str]:
    return [said for folder in sorted(folders) for private, lock in abandoned(folder, PREFIX) for said in _recovered(private, lock)]


def _recovered(private: Path, lock: IO[bytes] | None) -> Iterator[str]:
    steps = _read_journal(private)
    if steps is None and (private / JOURNAL).exists():
        yield f"{shown(private.name)} looks like what an interrupted run left, but names files that are none of its own; it is left alone."
        if lock is not None:
            lock.close()
        return
    if steps:
        named = ", ".join(shown(step.target.name) for step in steps if step.last)
        try:
            if any(not step.made.exists() and not step.target.exists() for step in steps):
                raise FileNotFoundError
            _finish(steps)
            yield f"An interrupted run had not put all files of {named} in place; that was finished now."
        except OSError:
            if not _undo(steps):
                # Nothing is thrown away that nobody could put back: whoever comes next tries again.
                yield f"An interrupted run had not put all files of {named} in place, and they can be neither finished nor taken back now."
                if lock is not None:
                    lock.close()
                return
            yield f"An interrupted run had not put all files of {named} in place; what stood there before is back."
    remove(private, lock)


def _finish(steps: Sequence[_Step]) -> None:
    """Put in place what is not yet. The old paper goes first, so that a set is unfinished until the new one is there."""
    for step in steps:
        if step.last and step.made.exists() and step.target.exists() and not step.before.exists():
            step.target.rename(step.before)
    for step in steps:
        if not step.made.exists():
            continue
        if step.target.exists() and not step.before.exists():
            step.target.rename(step.before)
        if step.last:
            _flush_folders(steps)
        step.made.rename(step.target)
    _flush_folders(steps)


def _undo(steps: Sequence[_Step]) -> bool:
    """Put back what stood there before, and return whether all of it is back."""
    for step in reversed(steps):
        with suppress(OSError):
            if not step.made.exists() and step.target.exists():
                step.target.rename(step.made)
            if step.before.exists():
                step.before.rename(step.target)
    _flush_folders(steps)
    return not any(step.before.exists() for step in steps)


def _write_journal(path: Path, steps: Sequence[_Step]) -> Path:
    """Write a journal that nobody knows yet, and return the file, which counts once it has its name."""
    content = [{"made": str(s.made), "target": str(s.target), "before": str(s.before), "last": s.last} for s in steps]
    temporary = path.with_name(path.name + ".new")
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    return temporary


def _read_journal(private: Path) -> list[_Step] | None:
    """Return what the journal of a private folder says, if there is one that can be believed."""
    try:
        content = json.loads((private / JOURNAL).read_text(encoding="utf-8", errors="surrogateescape"))
        steps = [_Step(Path(s["made"]), Path(s["target"]), Path(s["before"]), bool(s["last"])) for s in content]
        return steps if all(_is_ours(step, private) for step in steps) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _is_ours(step: _Step, private: Path) -> bool:
    """Return whether a step moves files between private folders and what they stand beside, and nothing else.

    Somebody else may have packed a journal with the files they sent, and what it says is done by whoever verifies them.
    """
    if any(".." in path.parts or not path.is_absolute() for path in (step.made, step.target, step.before)):
        return False
    beside = next((parent for parent in step.made.parents if parent.parent == step.target.parent and parent.name.startswith(PREFIX)), None)
    return (
        beside is not None
        and not beside.is_symlink()
        and beside.is_dir()
        and (os.name != "posix" or beside.stat().st_uid == os.getuid())
        and step.made.parent.resolve().is_relative_to(beside.resolve())
        and step.before.parent == private
        and not step.target.name.startswith(PREFIX)
    )


@contextmanager
def _alone(folders: set[Path]) -> Iterator[None]:
    """Keep other runs from putting files in place in the same folders meanwhile."""
    with ExitStack() as stack:
        for folder in sorted(folders):
            if fcntl is None:
                break
            handle = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, handle)
            # Some network storages lock no folders; the check for existing files is all that is left there.
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _flush(path: Path) -> None:
    """Have a file, or all files of a folder, on the disk before anything says so."""
    if path.is_dir():
        for entry in path.iterdir():
            _flush(entry)
        _flush_folder(path)
        return
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _flush_folders(steps: Sequence[_Step]) -> None:
    for folder in {step.target.parent for step in steps}:
        _flush_folder(folder)


def _flush_folder(folder: Path) -> None:
    # Not every system lets folders be opened.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

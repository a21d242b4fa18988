"""Files are put in place together: whoever interrupts it, readers find the old set or the new one."""

import contextlib
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import anonscope as an
from anonscope.engines.scratch import LOCK, Scratch, sweep
from anonscope.errors import OutputError, SourceError
from anonscope.io.placing import JOURNAL, PREFIX, Move, Staging, recover, unfinished

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither SIGKILL nor the lock that the sweep goes by")
NAMES = ("data", "notes", "paper")


class Killed(BaseException):
    """Stands for a kill: nothing that handles errors may handle it."""


def staged(folder: Path, text: str) -> tuple[Staging, list[Move]]:
    staging = Staging(folder)
    moves = []
    for name in NAMES:
        made = staging.path / name
        made.write_text(f"{text} {name}")
        moves.append(Move(made, folder / name, last=name == "paper"))
    return staging, moves


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def whole(text: str) -> dict[str, str]:
    return {name: f"{text} {name}" for name in NAMES}


@POSIX
@pytest.mark.parametrize("replacing", [False, True])
@pytest.mark.parametrize("point", range(12))
def test_a_kill_between_any_two_renames_leaves_the_old_set_or_the_new(tmp_path, monkeypatch, point, replacing):
    """Until somebody has looked after it, the set reads as unfinished; a second run that looks finds nothing to do."""
    if replacing:
        with staged(tmp_path, "old")[0] as staging:
            staging.place([Move(staging.path / name, tmp_path / name, last=name == "paper") for name in NAMES])
    staging, moves = staged(tmp_path, "new")
    renamed = []
    rename = Path.rename

    def counted(path: Path, target: Path) -> Path:
        if len(renamed) == point:
            raise Killed
        renamed.append(path)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", counted)
    monkeypatch.setattr("anonscope.io.placing._undo", lambda steps: (_ for _ in ()).throw(Killed))
    with contextlib.suppress(Killed):
        staging.place(moves)
    monkeypatch.undo()
    interrupted = (staging.path / JOURNAL).exists()
    if interrupted:
        assert unfinished(tmp_path / "data") == "being written"
        staging._lock.close()
        assert unfinished(tmp_path / "data") == "interrupted"
        with pytest.raises(SourceError, match=r"unfinished: a run was interrupted.*anonscope verify"):
            an.read(tmp_path / "data")
    else:
        staging.close()
    said = recover([tmp_path])

    assert len(said) == interrupted
    assert content(tmp_path) == (whole("new") if interrupted or len(renamed) > 3 else whole("old") if replacing else {})
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert recover([tmp_path]) == () and unfinished(tmp_path / "data") is None


@POSIX
def test_what_cannot_be_finished_is_taken_back(tmp_path):
    """A file of the new set is gone, so the old set comes back whole."""
    with staged(tmp_path, "old")[0] as staging:
        staging.place([Move(staging.path / name, tmp_path / name, last=name == "paper") for name in NAMES])
    staging, moves = staged(tmp_path, "new")
    steps = [
        {"made": str(m.made), "target": str(m.target), "before": str(staging.path / f"b{i}"), "last": m.last} for i, m in enumerate(moves)
    ]
    (staging.path / JOURNAL).write_text(json.dumps(steps))
    (tmp_path / "notes").rename(staging.path / "b1")
    moves[1].made.unlink()
    staging._lock.close()
    (said,) = recover([tmp_path])

    assert "what stood there before is back" in said
    assert content(tmp_path) == whole("old")


def test_an_error_while_files_are_put_in_place_takes_all_back(tmp_path, monkeypatch):
    """Also Ctrl-C: the old set is there, and nothing else."""
    (tmp_path / "data").write_text("precious")
    for error, raised in ((OSError(28, "No space left on device"), OutputError), (KeyboardInterrupt(), KeyboardInterrupt)):
        staging, moves = staged(tmp_path, "new")
        rename = Path.rename

        def broken(path: Path, target: Path, error: BaseException = error, rename: object = rename) -> Path:
            if Path(target).name == "notes":
                raise error
            return rename(path, target)  # type: ignore[operator]

        with monkeypatch.context() as patch, staging:
            patch.setattr(Path, "rename", broken)
            with pytest.raises(raised):
                staging.place(moves)
        assert content(tmp_path) == {"data": "precious"}
        assert [path.name for path in tmp_path.iterdir()] == ["data"]


@POSIX
def test_what_cannot_be_put_back_is_kept_for_the_next_run(tmp_path, monkeypatch):
    """The disk refuses every rename from the second on: nothing is thrown away, and the next look makes one whole set of it."""
    with staged(tmp_path, "old")[0] as staging:
        staging.place([Move(staging.path / name, tmp_path / name, last=name == "paper") for name in NAMES])
    staging, moves = staged(tmp_path, "new")
    rename, renamed = Path.rename, []

    def full(path: Path, target: Path) -> Path:
        renamed.append(path)
        if len(renamed) > 3:
            raise OSError(28, "No space left on device")
        return rename(path, target)

    with monkeypatch.context() as patch, staging:
        patch.setattr(Path, "rename", full)
        with pytest.raises(OutputError, match="comes back with the next run"):
            staging.place(moves)
        assert recover([tmp_path]) == ()  # still in use
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", full)
        (said,) = recover([tmp_path])
        assert "neither finished nor taken back" in said
    recover([tmp_path])

    assert content(tmp_path) in (whole("old"), whole("new"))
    assert {path.name for path in tmp_path.iterdir()} == set(NAMES)


def test_two_runs_to_one_target_do_not_mix(tmp_path):
    """The second finds that the target exists by now, unless it is to replace it; then all of it is its own."""
    first, moves = staged(tmp_path, "first")
    second, others = staged(tmp_path, "second")
    with first, second:
        first.place([Move(m.made, m.target, replaces=False, last=m.last) for m in moves])
        with pytest.raises(OutputError, match="exists by now"):
            second.place([Move(m.made, m.target, replaces=False, last=m.last) for m in others])
        assert content(tmp_path) == whole("first")
        second.place(others)
        assert content(tmp_path) == whole("second")


@POSIX
def test_a_private_folder_without_a_lock_is_swept_too(tmp_path):
    """One that is empty at once; one with files when it is old enough to be nobody's. One in use never is."""
    for prefix in ("anonscope-", PREFIX):
        (tmp_path / f"{prefix}empty").mkdir(mode=0o700)
        (tmp_path / f"{prefix}old").mkdir(mode=0o700)
        (tmp_path / f"{prefix}old" / "data").write_text("x")
        os.utime(tmp_path / f"{prefix}old", (0, 0))
        (tmp_path / f"{prefix}young").mkdir(mode=0o700)
        (tmp_path / f"{prefix}young" / "data").write_text("x")
        (tmp_path / f"{prefix}dead").mkdir(mode=0o700)
        (tmp_path / f"{prefix}dead" / LOCK).touch()
    scratch, staging = Scratch(tmp_path), Staging(tmp_path)
    sweep(tmp_path)
    recover([tmp_path])

    assert set(tmp_path.iterdir()) == {
        *(scratch.path, staging.path),
        *(tmp_path / f"{prefix}young" for prefix in ("anonscope-", PREFIX)),
    }
    staging.close()
    scratch.close()


@POSIX
@pytest.mark.parametrize(("kind", "signal"), [("new", "SIGKILL"), ("replacing", "SIGKILL"), ("new", "SIGTERM"), ("replacing", "SIGTERM")])
def test_a_killed_run_leaves_nothing_that_others_may_see(tmp_path, kind, signal):
    """Killed at several accesses to files, without any handler: the old set or the new one, and a private folder that is swept."""
    folder = tmp_path / "out"
    folder.mkdir()
    told = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("killed_runs.py")), str(folder), kind, "6", signal],
        *(),
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)

    assert found["killed"] == 8 and found["points"] > 30
    assert found["wrong"] == {}


@POSIX
def test_a_command_that_is_terminated_while_it_writes_leaves_nothing(tmp_path):
    """SIGTERM from outside, at once when the private folder appears and a little later: no file of the release, and the next run sweeps."""
    folder = tmp_path / "out"
    folder.mkdir()
    people, recipe = tmp_path / "people.csv", tmp_path / "recipe.toml"
    people.write_text("age,ill\n" + "".join(f"{i % 90},{'abc'[i % 3]}\n" for i in range(400_000)))
    recipe.write_text('schema = "anonscope/recipe/1"\n\n[[steps]]\napply = "round"\ncolumn = "age"\nto = 10\n')
    command = [sys.executable, "-m", "anonscope", "apply", str(recipe), str(people), "-o", str(folder / "release.csv"), "--quiet"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = set()
    for wait in (0.0, 0.02, 0.1):
        run = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while run.poll() is None and not any(folder.iterdir()) and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(wait)
        for path in folder.glob(f"{PREFIX}*"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        run.terminate()
        ended.add(run.wait(60))
        if run.returncode:
            assert not [path.name for path in folder.iterdir() if not path.name.startswith(PREFIX)]
    assert -15 in ended, "every run was quicker than its signal"
    assert subprocess.run([*command, "--force"], env=environment, capture_output=True, check=False).returncode == 0
    assert {path.name for path in folder.iterdir()} == {"release.csv", "release.csv.manifest.json", "release.csv.archive"}
    assert stat.S_IMODE((folder / "release.csv.archive").stat().st_mode) == 0o700

"""The private folder for temporary files: many runs at once must not take each other's away."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anonscope.engines import DuckDB
from anonscope.engines.scratch import LOCK, Scratch, sweep
from anonscope.errors import OptionError
from anonscope.io.writing import WRITING, replacing

_CHURN = """
import sys
from pathlib import Path
from anonscope.engines.scratch import Scratch
parent = Path(sys.argv[1])
for _ in range(150):
    scratch = Scratch(parent)
    (scratch.path / "data").write_text("mine")
    assert (scratch.path / "data").read_text() == "mine"
    scratch.close()
"""


def test_runs_side_by_side_keep_their_folders(tmp_path: Path) -> None:
    """Each run sweeps what looks dead while the others open and close theirs."""
    runs = [subprocess.Popen([sys.executable, "-c", _CHURN, str(tmp_path)], stderr=subprocess.PIPE, text=True) for _ in range(4)]

    assert [(run.communicate(timeout=120)[1], run.returncode) for run in runs] == [("", 0)] * 4
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use_is_not_swept(tmp_path: Path) -> None:
    """Its lock is held as long as it is open."""
    scratch = Scratch(tmp_path)
    sweep(tmp_path)

    assert scratch.path.exists()
    scratch.close()
    assert list(tmp_path.iterdir()) == []


_SPILL = """
import sys
from anonscope.engines import DuckDB
engine = DuckDB(memory_limit="128MB", threads=1, temp_folder=sys.argv[1])
engine.materialise("t", "SELECT range AS a, HASH(range) AS b FROM RANGE(200000000)")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither SIGKILL nor the lock that the sweep goes by")
def test_what_a_killed_run_spilled_is_deleted_by_the_next(tmp_path: Path) -> None:
    """No handler runs on SIGKILL, so megabytes stay behind until another run uses the same folder."""

    def spilled() -> int:
        return sum(file.stat().st_size for file in tmp_path.glob("anonscope-*/*"))

    run = subprocess.Popen([sys.executable, "-c", _SPILL, str(tmp_path)])
    try:
        until = time.monotonic() + 60
        while spilled() < 10**6:
            assert run.poll() is None and time.monotonic() < until, "the run ended, or nothing was spilled"
            time.sleep(0.02)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert spilled() >= 10**6
    engine = DuckDB(threads=1, temp_folder=tmp_path)
    try:
        assert list(tmp_path.iterdir()) == [engine.scratch]
    finally:
        engine.close()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """It is not there, is a file, or may not be written; one sentence says what to do."""
    (tmp_path / "file").touch()
    for name, reason in (("nowhere", "No such file or directory"), ("file", "Not a directory")):
        with pytest.raises(OptionError, match=rf"{name}': {reason}. Name another folder \(--temp-folder"):
            DuckDB(temp_folder=tmp_path / name)
    if os.geteuid() != 0:  # root may write anywhere
        (tmp_path / "closed").mkdir(mode=0o500)
        with pytest.raises(OptionError, match="Permission denied"):
            DuckDB(temp_folder=tmp_path / "closed")


def test_a_folder_given_in_relation_to_the_working_one_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The private folder is found and deleted after the working folder has changed."""
    (tmp_path / "temp").mkdir()
    monkeypatch.chdir(tmp_path)
    scratch = Scratch(Path("temp"))
    monkeypatch.chdir("/")
    assert scratch.path.is_dir()
    scratch.close()

    assert list((tmp_path / "temp").iterdir()) == []


def test_a_file_is_written_in_private_and_what_a_killed_run_left_goes(tmp_path: Path) -> None:
    """Nobody else sees it before it is whole; the next that writes there sweeps."""
    left = tmp_path / f"{WRITING}dead"
    left.mkdir(mode=0o700)
    (left / LOCK).touch()
    (left / "records.csv").write_text("secret")
    with replacing(tmp_path / "report.txt") as temporary:
        temporary.write_text("half")
        assert temporary.parent.stat().st_mode & 0o077 == 0 and not (tmp_path / "report.txt").exists()
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "report.txt") as temporary:
        temporary.write_text("more")
        raise KeyboardInterrupt

    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"report.txt": "half"}

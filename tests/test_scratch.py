"""The private folder for temporary files: many runs at once must not take each other's away."""

import subprocess
import sys
from pathlib import Path

from anonscope.engines.scratch import Scratch, sweep

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

"""Environments for other tools, which pin versions that do not go with ours."""

import subprocess
import sys
from pathlib import Path

from benchmarks.job import ROOT, NotMeasured


def python_with(package: str, folder: Path) -> Path:
    """Return the Python of an environment that has a package; made the first time."""
    python, installed = folder / "bin" / "python", folder / f"installed-{package}"
    if installed.exists():
        return python
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q", package],
    ):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise NotMeasured(f"{package} cannot be installed ({(done.stderr.strip() or 'no message').splitlines()[-1]})")
    installed.touch()
    return python

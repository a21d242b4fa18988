"""What installs and surrounds the command: the doctor, completion, the image for containers, and what is packed."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.cli.doctor import EXTRAS
from benchmarks.install import TRIED, extras

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()


def instructions(name: str) -> list[str]:
    return [line.removeprefix(f"{name} ") for line in LINES if line.startswith(f"{name} ")]


def test_the_doctor_names_every_extra_and_where_files_go(tmp_path, monkeypatch):
    """As text and as data; what is installed here is found, and where files go is where they do."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    requires = "\n".join(f"{one}; extra == '{extra}'" for extra in extras() for one in ("duckdb", "no-such-package"))
    monkeypatch.setattr("importlib.metadata.requires", lambda _: ["duckdb>=2", *requires.splitlines()])
    done = CliRunner().invoke(app, ["doctor", "--format", "json"])
    found = json.loads(done.stdout)
    assert done.exit_code == 0 and found["temporary_folder"] == str(tmp_path) and found["free_megabytes"] > 0
    assert set(found["extras"]) == set(extras()) == set(EXTRAS) == set(TRIED) - {""}
    assert found["extras"]["web"] == [
        {"package": "duckdb", "version": pytest.importorskip("duckdb").__version__},
        {"package": "no-such-package", "version": None},
    ]
    text = CliRunner().invoke(app, ["doctor"]).stdout
    assert "pip install 'anonscope[stats]'" in text and str(tmp_path) in text


def test_the_doctor_says_when_nothing_can_be_audited(monkeypatch):
    """A package that lacks, or a temporary folder that cannot be written to: exit 1."""
    monkeypatch.setattr("importlib.metadata.requires", lambda _: ["no-such-package"])
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 1 and "lacking: no-such-package" in done.stdout
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    assert "cannot be written to" in CliRunner().invoke(app, ["doctor"]).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(shell):
    """The script is printed, and what it calls answers with commands."""
    environment = os.environ | {"_ANONSCOPE_COMPLETE": f"source_{shell}"}
    run = [sys.executable, "-c", "import sys; sys.argv[0] = 'anonscope'; from anonscope.cli import app; app(prog_name='anonscope')"]
    script = subprocess.run(run, env=environment, capture_output=True, text=True, timeout=60).stdout
    assert "anonscope" in script and "_ANONSCOPE_COMPLETE" in script
    if shell == "bash":
        asked = os.environ | {"_ANONSCOPE_COMPLETE": "complete_bash", "COMP_WORDS": "anonscope an", "COMP_CWORD": "1"}
        told = subprocess.run(run, env=asked, capture_output=True, text=True, timeout=60).stdout
        assert {"anonymise", "answer"} <= set(told.split())


def test_the_image_is_slim_and_its_user_is_nobody():
    """Two stages, no root, nothing fetched when it runs; what is copied is there, and the extras exist."""
    assert [line.split()[0] for line in instructions("FROM")] == ["python:3.11-slim"] * 2
    assert int(instructions("USER")[-1]) > 0 and json.loads(instructions("ENTRYPOINT")[0]) == ["anonscope"]
    copied = [name for line in instructions("COPY") if not line.startswith("--from") for name in line.split()[:-1]]
    assert copied and all((ROOT / name).exists() for name in copied)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not set(copied) & set(ignored) and "tests" in ignored
    (arguments,) = instructions("ARG")
    assert arguments.split("=")[1] in extras()
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"][
        "force-include"
    ]
    assert all((ROOT / place).exists() for place in packed)


def test_what_the_image_runs_writes_nowhere_but_to_its_folders(tmp_path):
    """The steps of its last stage on this machine: no home, a folder for temporary files, and a table that is only read."""
    data, temporary = tmp_path / "data", tmp_path / "tmp"
    data.mkdir()
    temporary.mkdir()
    (data / "people.csv").write_text("age,ill\n" + "30,flu\n31,gout\n" * 20, encoding="utf-8")
    said = dict(re.findall(r"(\w+)=(\S+)", instructions("ENV")[0]))
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "PYTHONDONTWRITEBYTECODE": said["PYTHONDONTWRITEBYTECODE"],
        "HOME": str(temporary),
        "TMPDIR": str(temporary),
    }
    assert said["HOME"] == said["TMPDIR"] == "/tmp"
    run = [sys.executable, "-m", "anonscope", "audit", "people.csv", "-q", "age", "-s", "ill", "--quiet"]
    done = subprocess.run(run, cwd=data, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    assert [path.name for path in data.iterdir()] == ["people.csv"] and list(temporary.iterdir()) == []

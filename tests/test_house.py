"""The house: what lies in the root, which rooms an audit enters, and that every verb has all its faces."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer

import anonscope as an
from anonscope.cli import app

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "anonscope"
ROOMS = {"cli", "web", "report", "operations", "attacks", "transform", "utility", "risk", "columns", "engines", "io"}
COMMANDS = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
# Commands about no table of the user's, and verbs that are options of another command.
WITHOUT_OPERATION = {"demo", "serve"}
WITHOUT_COMMAND = {"compose": "link --also", "read": "every command"}
NO_VERBS = {"__init__", "attacked", "result", "split", "versions"}
MEANINGLESS = {"util", "utils", "helpers", "common", "core", "shared", "misc", "types"}

LOADED = """
import sys
import pyarrow as pa
import anonscope as an

with an.read(pa.table({"a": [1, 1, 2, 2], "b": ["x", "y", "x", "y"]}), quasi_identifiers=["a"], sensitive=["b"]) as data:
    an.audit(data)
print(*sorted(m for m in sys.modules if m.startswith("anonscope.")))
"""


def test_only_rooms_lie_in_the_root():
    """Whoever opens the package sees eleven rooms, and nothing that is called like a public function."""
    entries = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}

    assert entries == ROOMS | {"__init__.py", "__main__.py", "errors.py", "version.py", "py.typed"}
    assert not {Path(name).stem for name in entries} & {name for name in dir(an) if name != "__version__"}


def test_no_file_has_a_name_that_says_nothing():
    """A thing without a name has no place yet."""
    assert [path for path in PACKAGE.rglob("*") if path.stem in MEANINGLESS and path.stem != "types"] == []


def test_an_audit_enters_no_search_and_no_reasons_unasked():
    """What nobody asks for is not loaded."""
    loaded = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout.split()

    assert [m for m in loaded if m.startswith(("anonscope.transform.search", "anonscope.risk.explain.", "anonscope.report"))] == []
    assert len(loaded) <= 130


def test_comparing_loads_no_search():
    """Files are compared without what could have made them."""
    code = "import sys, anonscope as an; an.compare; print(*[m for m in sys.modules if m.startswith('anonscope.transform.search')])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []


@pytest.mark.parametrize("verb", sorted(path.stem for path in (PACKAGE / "operations").glob("*.py") if path.stem not in NO_VERBS))
def test_every_verb_has_a_command_or_says_where_it_is(verb):
    """A verb that takes a table can be had at the prompt."""
    assert verb in COMMANDS or verb in WITHOUT_COMMAND


@pytest.mark.parametrize("command", sorted(COMMANDS - WITHOUT_OPERATION))
def test_every_command_has_an_operation(command):
    """What the prompt offers, Python offers too."""
    assert (PACKAGE / "operations" / f"{command}.py").is_file()
    assert (PACKAGE / "cli" / f"{command}.py").is_file()

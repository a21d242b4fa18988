"""What the package is made of, and what loading it does to the outside: nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.parts_list import dependencies, licence, parts_list
from benchmarks.pins import normal, pins

ROOT = Path(__file__).parents[1]
PERMISSIVE = re.compile(r"MIT|BSD|Apache|ISC|PSF|Zlib|CC0|0BSD|Unlicense", re.IGNORECASE)
# Used as they are installed, and named in docs/security.md.
WEAK_COPYLEFT = {"python-stdnum", "psycopg", "psycopg-binary", "pyphen"}
PROMISES = re.findall(r"`(tests/[a-z_/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "security.md").read_text(encoding="utf-8"))

HOOKED = """
import sys

seen = []
WATCHED = ("socket.connect", "socket.bind", "socket.sendto", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")

def hook(event, arguments):
    if event in WATCHED:
        seen.append(event)
    elif event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        seen.append(f"open {arguments[0]}")
    elif event in ("os.mkdir", "os.remove", "os.rename", "os.rmdir"):
        seen.append(f"{event} {arguments[0]}")

sys.dont_write_bytecode = True
sys.addaudithook(hook)
import anonscope, pkgutil, importlib
for name in ("cli", "web.app", "operations.audit", "operations.anonymise", "io.sources", "io.sources.apart", "report"):
    importlib.import_module(f"anonscope.{name}")
for name in anonscope.__all__:
    getattr(anonscope, name)
print("\\n".join(seen))
"""


def test_importing_does_nothing_to_the_outside():
    """No socket is opened, no process started, no file written: Python itself watches."""
    done = subprocess.run([sys.executable, "-c", HOOKED], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", dependencies())
def test_every_dependency_has_a_licence_that_is_known(name):
    """Permissive, or one of the three that are named as weak copyleft."""
    told = licence(dependencies()[name])
    assert ("LGPL" in told or "Lesser" in told) if name in WEAK_COPYLEFT else PERMISSIVE.search(told) and "GPL" not in told


def test_the_list_of_parts_names_every_dependency():
    """Direct ones from pyproject and what they need in turn, each with its version."""
    made = parts_list()
    named = {part["name"].lower().replace("_", "-"): part["version"] for part in made["components"]}
    assert made["bomFormat"] == "CycloneDX" and len(named) > 30
    assert {"duckdb", "numpy", "pyarrow", "python-calamine", "jinja2", "typer", "click", "pydantic-core"} <= set(named)
    assert all(named.values()) and "pytest" not in named


def test_the_threat_model_names_a_test_for_every_promise():
    """And each of them is there."""
    assert len(PROMISES) > 20
    assert [
        promise for promise in PROMISES if f"def {promise[1]}(" not in (ROOT / promise[0]).read_text(encoding="utf-8") or not promise[1]
    ] == []


def test_what_ci_installs_is_held_to_its_hash():
    """The list with hashes has the packages and versions of constraints.txt, all of them, and no address."""
    hashed = (ROOT / "requirements-ci.txt").read_text(encoding="utf-8").splitlines()[1:]
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    versions = {normal(name): version for name, _, version in (line.partition("==") for line in constraints if "==" in line)}
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line) for line in hashed)
    assert dict(line.split(" ")[0].split("==") for line in hashed) == versions


def test_a_pin_is_the_version_and_the_hash_and_never_an_address():
    """The project itself is not pinned, and names are written in one way."""
    told = {"url": "https://example.org/a_b.whl", "archive_info": {"hashes": {"sha256": "0" * 64}}}
    installed = [
        {"metadata": {"name": "A_b.c", "version": "1.0"}, "download_info": told},
        {"metadata": {"name": "anonscope", "version": "0"}, "download_info": {"url": "file:", "dir_info": {}}},
    ]
    assert list(pins(installed)) == [f"a-b-c==1.0 --hash=sha256:{'0' * 64}"]

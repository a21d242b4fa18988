"""The house: what lies in the root, which rooms an audit enters, and that every verb has all its faces."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import anonscope as an
from anonscope.cli import app

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "anonscope"
ROOMS = {"cli", "web", "report", "operations", "synthesis", "attacks", "transform", "utility", "risk", "columns", "engines", "io"}
# At the prompt and in addresses words are joined by hyphens, in Python by underscores.
COMMANDS = {name.replace("-", "_") for name in typer.main.get_command(app).commands}  # type: ignore[attr-defined]
NO_VERBS = {"__init__", "result", "split"}
VERBS = sorted(path.stem for path in (PACKAGE / "operations").glob("*.py") if path.stem not in NO_VERBS)
# Commands about no table of the user's.
WITHOUT_OPERATION = {"demo", "doctor", "mcp", "serve"}
# What a verb has not, and where it is instead.
WITHOUT_COMMAND = {"compose": "link --also", "read": "every command"}
WITHOUT_ROUTE = {
    "compose": "a second release is attacked with `also`",
    "read": "POST /tables",
}
WITHOUT_PAGE = {"compose": "commands/link.md", "read": "io/sources.md"}
TESTED_BY = {"read": "io/sources", "compose": "attacks/linkage/test_composition.py", "unicity": "attacks/test_unicity.py"}
MOST_LINES = 400
APART = {"docs", "published", "reference", "support"}
MEANINGLESS = {"util", "utils", "helpers", "common", "core", "shared", "misc", "types"}

# What chooses the digits of a number itself: figures for people; and what no person reads as a figure, or what is rounded up on purpose.
CHOOSING_DIGITS = {
    "io/figures.py": "for people",
    "io/rounding.py": "for JSON",
    "report/charts/": "where a mark stands in a drawing",
    "columns/hierarchy/numbers.py": "bounds as they are released",
    "columns/looks.py": "steps of released values",
    "columns/notations.py": "released values as they are written",
    "risk/policy/guarantee.py": "a privacy loss, exactly",
    "risk/privacy_loss.py": "a privacy loss, rounded up",
    "synthesis/guarantee.py": "a privacy loss, rounded up",
}

LOADED = """
import sys
import pyarrow as pa
import anonscope as an

with an.read(pa.table({"a": [1, 1, 2, 2], "b": ["x", "y", "x", "y"]}), quasi_identifiers=["a"], sensitive=["b"]) as data:
    an.audit(data)
print(*sorted(m for m in sys.modules if m.startswith("anonscope.")))
"""


def test_only_rooms_lie_in_the_root():
    """Whoever opens the package sees twelve rooms, and nothing that is called like a public function."""
    entries = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}

    assert entries == ROOMS | {"__init__.py", "__main__.py", "errors.py", "version.py", "py.typed"}
    assert not {Path(name).stem for name in entries} & {name for name in dir(an) if name != "__version__"}


def test_no_file_has_a_name_that_says_nothing():
    """A thing without a name has no place yet."""
    assert [path for path in PACKAGE.rglob("*") if path.stem in MEANINGLESS] == []


def test_no_name_stands_for_three_things():
    """Whoever reads a name should know which one is meant; two rooms may share a word."""
    homes: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: places for name, places in homes.items() if len(places) > 2} == {}


def test_tests_lie_where_the_code_does():
    """Every room has its tests; what is about all of them, or is no test, lies apart."""
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("*.py")} - {Path()}
    assert {folder for folder in folders if not (PACKAGE / folder).is_dir()} == {Path(name) for name in APART}
    assert {folder.parts[0] for folder in folders} == ROOMS | APART


def test_no_file_is_longer_than_one_idea():
    """What grows beyond that is two ideas: each gets a file, named after what it is about."""
    files = [path for folder in (PACKAGE, ROOT / "tests", ROOT / "benchmarks") for path in folder.rglob("*.py")]
    lines = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert len(lines) > 500
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_the_digits_of_a_number_are_chosen_in_one_place():
    """A share is "35.4 %" wherever it stands. A count (`:,`) and a limit as it was given (`:g`) leave nothing to choose."""
    chosen = re.compile(r"%|\.|e|E|f")
    found = {}
    for path in PACKAGE.rglob("*.py"):
        place = str(path.relative_to(PACKAGE))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            spec = node.format_spec if isinstance(node, ast.FormattedValue) else None
            parts = spec.values if isinstance(spec, ast.JoinedStr) else []
            if any(chosen.search(str(part.value)) for part in parts if isinstance(part, ast.Constant)):
                found.setdefault(next((known for known in CHOOSING_DIGITS if place.startswith(known)), place), []).append(node.lineno)
    assert set(found) == set(CHOOSING_DIGITS), found
    # Days are written as ISO 8601 has them, which needs no format either.
    written = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if ".strftime(" in path.read_text(encoding="utf-8")}
    assert written == set()


def test_no_file_keeps_both_sides_of_a_merge():
    """A style sheet or a page with the marks of a conflict in it is read up to there, and nobody is told."""
    endings = {".py", ".js", ".css", ".jinja", ".md", ".toml"}
    files = (path for room in ("src", "tests", "docs", "benchmarks") for path in (ROOT / room).rglob("*") if path.suffix in endings)
    assert [path.name for path in files if re.search(r"(?m)^(<{7}|>{7}) ", path.read_text(encoding="utf-8"))] == []


def test_an_audit_enters_no_search_and_no_reasons_unasked():
    """What nobody asks for is not loaded."""
    loaded = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout.split()

    assert [m for m in loaded if m.startswith(("anonscope.transform.search", "anonscope.risk.explain.", "anonscope.report"))] == []
    # Secrets are looked at for direct identifiers, so what reads names and values is loaded; what concludes roles from them is not.
    assert [m for m in loaded if m in ("anonscope.columns.suggestion.combine", "anonscope.columns.suggestion.propose")] == []
    assert len(loaded) <= 127


def test_comparing_loads_no_search():
    """Files are compared without what could have made them."""
    code = "import sys, anonscope as an; an.compare; print(*[m for m in sys.modules if m.startswith('anonscope.transform.search')])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_all_its_faces(verb):
    """What takes a table is a function, a command, a route, a page and a test; where one is missing, it is stated why."""
    from anonscope.web.app import create_app

    server = create_app()
    try:
        posted = {path.rpartition("/")[2].replace("-", "_") for path, methods in server.openapi()["paths"].items() if "post" in methods}
    finally:
        server.state.jobs.close()
        server.state.storage.close()
    tests = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    for exceptions, there in (
        (WITHOUT_COMMAND, verb in COMMANDS),
        (WITHOUT_ROUTE, verb in posted),
        (WITHOUT_PAGE, (ROOT / "docs" / "commands" / f"{verb}.md").is_file()),
        (TESTED_BY, any(name.startswith(f"test_{verb}") for name in tests) and verb not in TESTED_BY),
    ):
        assert there != (verb in exceptions), exceptions
    assert all((ROOT / "tests" / place).exists() for place in TESTED_BY.values())
    assert all((ROOT / "docs" / page).exists() for page in WITHOUT_PAGE.values())


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_an_operation_and_a_page(command):
    """What the prompt offers, Python offers too, and a page explains it, which the navigation has."""
    assert (PACKAGE / "operations" / f"{command}.py").is_file() == (command not in WITHOUT_OPERATION)
    assert (PACKAGE / "cli" / f"{command}.py").is_file()
    assert f"commands/{command}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_the_architecture_page_tells_the_truth():
    """Every room, and every path in its tables and in its drawing, is there; and so are at least twelve wishes."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms, _, wishes = page.partition("## Where do I change")
    named = {room for line in rooms.splitlines() if line.startswith("| `") for room in re.findall(r"`(\w+)/`", line.split("|")[1])}
    assert named == ROOMS
    inside = {
        f"{room}/{part}"
        for line in rooms.splitlines()
        if line.startswith("| `") and len(found := re.findall(r"`(\w+)/`", line.split("|")[1])) == 1
        for room in found
        for part in re.findall(r"`(\w+/)`", line.split("|")[2])
    }
    lines = [line for line in wishes.splitlines() if line.startswith("| ") and "`" in line]
    assert len(lines) >= 12
    drawn = re.findall(r'class="path [a-z]+"[^>]*>([^<]+)<', (ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8"))
    paths = {path for line in lines for path in re.findall(r"`([\w/.]+)`", line)} | inside | set(drawn)
    assert len(drawn) > 15 and [path for path in sorted(paths) if not (PACKAGE / path).exists()] == []

"""What a terminal shows of every verb: a first screen of 24 lines, and with --full all of it, within the width."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.report import on_terminal
from anonscope.report.layout import Grid
from anonscope.report.screen import sheet_screen
from anonscope.report.sheet import Section, Sheet, row
from benchmarks.pages import LONG, VERBS

SNAPSHOTS = Path(__file__).parent / "snapshots"
PEOPLE = pa.table(
    {
        "age": [30 + i % 7 for i in range(84)],
        "zip": [f"0{1000 + i % 3}" for i in range(84)],
        "sex": ["F", "M"] * 42,
        "ill": ["flu", "gout", "flu", "cold"] * 21,
    }
)
WRITING = ("anonymise", "fragment", "pipeline")  # of their releases is told below
WHOLE = ("answer", "synthesise")  # what cannot be had again is printed at once: see test_shown_whole.py
ROLES = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["ill"]}


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in WHOLE])
def test_every_verb_fits_a_screen(results, verb):
    """At most 24 lines, and 20 where a release is told of below; no line wider than the terminal; nothing cut, and the way to the rest."""
    for width, below in ((80, 4 if verb in WRITING else 0), (60, 0)):
        lines = on_terminal(results[verb], width=width, colour=False, whole=False, below=below).splitlines()

        # The path of a file in a command is not broken.
        assert len(lines) <= 24 - below and all(len(line) <= width or max(map(len, line.split())) > width // 2 for line in lines)
        assert "…" not in "".join(lines) and "--full" in " ".join(lines[-2:])


@pytest.mark.parametrize("verb", VERBS)
def test_the_whole_respects_the_width(results, verb):
    """Tables go on below themselves or become cards, commands in the next line; only comments and lines of a recipe stay as they are."""
    result = results[verb]
    lines = on_terminal(result, width=80, colour=False, whole=True).splitlines()
    recipe = re.compile(r'\s+(#|[\w".-]+ = |\[)')

    assert [line for line in lines if len(line) > 80 and not recipe.match(line)] == []
    # Nothing that a pipe gets is missing.
    words = re.findall(r"\w+", result.render("text"))
    assert set(words) <= set(re.findall(r"\w+", " ".join(lines)))


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in WHOLE])
def test_colour_only_repeats_words(results, verb):
    """Without its codes, a coloured screen is the plain one."""
    coloured, plain = (on_terminal(results[verb], width=80, colour=on, whole=False) for on in (True, False))

    assert "\x1b[1" in coloured and re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def _made():
    """Return results that are the same on every machine."""
    with an.read(PEOPLE, **ROLES) as data:
        release = an.anonymise(data, limits={"k_anonymity": 6}, method="mondrian")
        yield "anonymise", release
        yield "compare", an.compare(data, release.release, names=["release"], policy="trusted-internal")
        yield "explore", an.explore(data, "trusted-internal", levels={"age": 1})
        yield "link", an.link(data, PEOPLE)
        yield "plan", an.plan(data, "trusted-internal")
        yield "precheck", an.precheck(data)
    yield "suggest", an.suggest(PEOPLE)


def test_they_read_as_they_did():
    """The screens as they are printed; set ANONSCOPE_UPDATE_SNAPSHOTS=1 to accept a change after reading it."""
    for verb, result in _made():
        screen = on_terminal(result, width=80, colour=False, whole=False)
        snapshot = SNAPSHOTS / f"screen.{verb}.txt"
        if os.environ.get("ANONSCOPE_UPDATE_SNAPSHOTS"):
            snapshot.parent.mkdir(exist_ok=True)
            snapshot.write_text(screen, encoding="utf-8")

        assert screen == snapshot.read_text(encoding="utf-8"), verb


def test_names_without_end_leave_room_for_the_rest():
    """A screen of names of 500 letters is a screen all the same."""
    sheet = Sheet(
        title="Title",
        source=LONG[0],
        lead=f"The columns {', '.join(LONG)} are here. " * 3,
        sections=tuple(Section(name, ("column", "what"), (row(name, "as it is"),) * 30) for name in LONG),
        notes=(LONG[1],) * 3,
    )
    for width in (80, 44):
        lines = sheet_screen(sheet, width=width).splitlines()
        assert len(lines) <= 24 and max(map(len, lines)) <= width


def test_a_table_becomes_cards_where_no_column_can_give_way():
    """No word is broken and no cell is lost."""
    grid = Grid(("column", "first", "second"), (("age", "a" * 18, "b" * 18),))

    assert list(grid.lines(60)) == list(grid.lines())
    assert list(grid.lines(30)) == ["  column: age", f"    first: {'a' * 18}", f"    second: {'b' * 18}"]


def test_a_terminal_gets_a_screen_and_a_pipe_everything(tmp_path, monkeypatch):
    """With NO_COLOR there is no colour; what goes into a pipe has none either, and is whole."""
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_pandas().to_csv("people.csv", index=False)
    asked = ["explore", "people.csv", "-q", "age", "-q", "zip", "-q", "sex", "-s", "ill"]
    piped = CliRunner().invoke(app, asked).stdout
    assert piped == CliRunner().invoke(app, [*asked, "--full"]).stdout == CliRunner().invoke(app, [*asked, "--format", "text"]).stdout

    reader, writer = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | {"NO_COLOR": "1", "COLUMNS": "80"}
    with subprocess.Popen([sys.executable, "-m", "anonscope", *asked], stdout=writer, stderr=subprocess.DEVNULL, env=environment) as run:
        os.close(writer)
        seen = b""
        try:
            while piece := os.read(reader, 4096):
                seen += piece
        except OSError:  # how a terminal says that it is closed
            pass
        run.wait(60)
    os.close(reader)
    lines = seen.decode().splitlines()
    assert len(lines) <= 24 < len(piped.splitlines()) and max(map(len, lines)) <= 80 and "\x1b" not in seen.decode()

"""The first screen of an audit at 80 columns, as a terminal shows it."""

import os
import pickle
import shlex
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.cli.grouped import GROUPS
from anonscope.report.audit.render import render_first_screen
from anonscope.report.layout import folded

SNAPSHOTS = Path(__file__).parent / "snapshots"
LONG = ["x" * 500, "a name of " + "many words " * 45]


@pytest.fixture(scope="module")
def tables():
    """Tables that pass, that fail, that have much to say, and that have names without end."""
    people = {
        "age": [30 + i % 3 for i in range(60)],
        "zip": [f"0{1000 + i % 2}" for i in range(60)],
        "ill": ["flu", "gout", "flu", "cold"] * 15,
    }
    sixty = {f"q{i:02}": [(row * (i + 3)) % 4 for row in range(60)] for i in range(60)}
    return {
        "fails": (people, {"quasi_identifiers": ["age", "zip"], "sensitive": ["ill"]}, "scorr"),
        "passes": (people, {"quasi_identifiers": ["age"], "insensitive": ["zip", "ill"]}, "trusted-internal"),
        "unassigned": (people | {"name": [f"Ada {i}" for i in range(60)]}, {"quasi_identifiers": ["age"], "sensitive": ["ill"]}, "scorr"),
        "sixty": (sixty, {"quasi_identifiers": list(sixty)}, "ema-0070"),
        "long": (dict.fromkeys(LONG, people["age"]), {"quasi_identifiers": LONG}, "scorr"),
    }


@pytest.mark.parametrize("name", ["fails", "passes", "unassigned", "sixty", "long"])
@pytest.mark.parametrize("width", [80, 60])
def test_it_fits_a_screen(tables, name, width):
    """At most 24 lines of at most 80 columns, whatever the table; the verdict and the way to the rest are always there."""
    columns, roles, policy = tables[name]
    found = an.audit(pa.table(columns), policy, **roles)
    lines = render_first_screen(found, width=width, colour=False).splitlines()

    assert len(lines) <= 24 and max(map(len, lines)) <= width
    assert any(line.startswith("VERDICT: ") for line in lines) and "--full" in " ".join(lines[-2:])


@pytest.mark.parametrize("name", ["fails", "unassigned", "sixty", "long", "planned"])
@pytest.mark.parametrize("width", [80, 60, 44])
def test_no_sentence_is_cut(tables, name, width):
    """What does not fit is said in fewer words or left to --full; only endless names are shortened, and every sentence ends."""
    columns, roles, policy = tables["sixty" if name == "planned" else name]
    found = an.audit(pa.table(columns), policy, **roles)
    if name == "planned":
        found = replace(found, planned=an.plan(pa.table(columns), policy, seconds=1, **roles))
    screen = render_first_screen(found, width=width, colour=False)

    assert len(screen.splitlines()) <= 24
    cut = [word for word in screen.split() if "…" in word]
    assert all(word.startswith(("xxx", "w…", "wo…", "wor…", "word…", "many")) or word.strip(".,:;'…") == "" for word in cut), cut
    for line in ("every group of look-alikes has more than 10 members", "nobody stands out by the whole combination"):
        assert f"{line[:30]}…" not in screen


@pytest.mark.parametrize("name", ["fails", "passes", "unassigned"])
def test_it_reads_as_it_did(tables, name):
    """The screen as it is printed; set ANONSCOPE_UPDATE_SNAPSHOTS=1 to accept a change after reading it."""
    columns, roles, policy = tables[name]
    screen = render_first_screen(an.audit(pa.table(columns), policy, **roles), width=80, colour=False)
    snapshot = SNAPSHOTS / f"first_screen.{name}.txt"
    if os.environ.get("ANONSCOPE_UPDATE_SNAPSHOTS"):
        snapshot.write_text(screen, encoding="utf-8")

    assert screen == snapshot.read_text(encoding="utf-8")


def test_a_list_of_columns_gives_way_before_sentences_do():
    """Nineteen secrets that nobody can keep: the first two and how many more, beside whole sentences about who stands alone."""
    names = [f"secret of the {i:02}th kind" for i in range(19)]
    columns = {"age": list(range(60))} | {name: ["no"] * 57 + ["yes"] * 3 for name in names}
    roles = {"quasi_identifiers": ["age"], "sensitive": names}
    found = an.audit(pa.table(columns), "scorr", **roles)
    found = replace(found, planned=an.plan(pa.table(columns), "scorr", **roles))
    text = render_first_screen(found, width=80, colour=False)
    assert len(text.splitlines()) <= 24
    said = " ".join(text.split())
    assert "secret of the 00th kind, secret of the 01th kind and 17 more" in said and "Anyone who knows their age finds" in said


def test_colour_only_repeats_words(tables):
    """Without its codes, a coloured screen is the plain one; the verdict has the colour of its word."""
    import re

    columns, roles, policy = tables["fails"]
    found = an.audit(pa.table(columns), policy, **roles)
    coloured, plain = (render_first_screen(found, width=80, colour=on) for on in (True, False))

    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "\x1b[1;31mVERDICT: do not release\x1b[0m" in coloured


def test_a_pipe_gets_no_colour_and_full_prints_all(tables, tmp_path, monkeypatch):
    """`--full` is the text report."""
    monkeypatch.chdir(tmp_path)
    columns, _, _ = tables["fails"]
    pa.table(columns).to_pandas().to_csv("people.csv", index=False)
    asked = ["audit", "people.csv", "-q", "age", "-q", "zip", "-s", "ill", "--no-plan"]
    first, full, text = (CliRunner().invoke(app, [*asked, *more]).stdout for more in ((), ("--full",), ("--format", "text")))

    assert "\x1b" not in first and len(first.splitlines()) <= 24
    assert full == text and len(full.splitlines()) > 24


def test_help_groups_every_command_and_cuts_none():
    """Every command is under one heading, with its whole first sentence."""
    printed = CliRunner().invoke(app, ["--help"]).stdout

    assert "..." not in printed.replace("[ARGS]...", "").replace("1, 2, ...", "")
    for title in GROUPS:
        assert f"\n{title}:\n" in printed
    assert "\nFurther:\n" not in printed


def test_an_audit_survives_a_file(tables):
    """What a first screen needs is part of the result."""
    columns, roles, policy = tables["fails"]
    found = an.audit(pa.table(columns), policy, **roles)

    assert render_first_screen(pickle.loads(pickle.dumps(found)), width=80, colour=False) == render_first_screen(
        found, width=80, colour=False
    )


def test_sentences_fit_the_terminal_and_commands_can_be_copied():
    """A long sentence is folded under its own beginning, a command as a shell reads it; what is set out in columns is as it was."""
    sentence, row = "  - " + "word " * 40, "  age   quasi-identifier   " + "x" * 90
    command = "  anonscope anonymise people.csv " + "-q age " * 20

    lines = folded(sentence, 60)
    assert max(map(len, lines)) <= 60 and lines[1].startswith("    word") and folded(row, 60) == [row]
    told = folded(command, 60)
    assert max(map(len, told)) <= 60 and shlex.split("\n".join(told).replace("\\\n", " ")) == shlex.split(command)
    assert folded("about 12 % " * 9, 20)[0] == "about 12 % about"

"""What a terminal may not cut: the answer to what was asked, what cannot be had again, and what a sentence points at."""

import shlex
from dataclasses import replace
from datetime import date

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.operations.check import CheckedTable, Checks
from anonscope.operations.checking.findings import Finding
from anonscope.operations.register import Register
from anonscope.report import on_terminal
from anonscope.report.screen import sheet_screen
from anonscope.report.sheet import Section, Sheet, row

RARE = {name: ["no" if i % each else "yes" for i in range(300)] for name, each in (("gain", 50), ("loss", 60), ("income", 70))}
PEOPLE = pa.table({"age": [20 + i % 60 for i in range(300)], "zip": [1000 + i % 40 for i in range(300)]} | RARE)
ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": list(RARE)}
REPLACED = "Write your own words in the place of REASON"


def _screen(result, width=80):
    return on_terminal(result, width=width, colour=False, whole=False)


def _commands(screen):
    """Return the commands of a screen as a shell reads them."""
    return [shlex.split(line) for line in screen.replace("\\\n", " ").splitlines() if line.startswith("  anonscope ")]


@pytest.fixture(scope="module")
def blocked():
    """A plan of a table whose secrets no recoding can keep."""
    return an.plan(PEOPLE, "scorr", seconds=2, **ROLES)


def test_names_are_joined_as_people_say_them(blocked):
    """Three names are "a, b and c"."""
    text = blocked.render("text")

    assert "about gain, loss and income" in text and "gain and loss and income" not in text


def test_a_plan_shows_every_way_with_its_command(blocked):
    """However many they are and however long: nothing that would work is left to --full, and REASON is explained once."""
    way = blocked.relaxations[0]
    long = replace(way.release, command=way.release.command + "".join(f" --except all:column{i:03}=REASON" for i in range(40)))
    found = replace(blocked, relaxations=(way, *(replace(way, change=f"change {i}", release=long) for i in range(6))))
    screen = _screen(found)

    assert _commands(screen) == [shlex.split(one.command) for one in found.relaxations]
    assert all(one.change in " ".join(screen.split()) for one in found.relaxations)
    assert screen.count(REPLACED) == 1 and "Its command is long" not in screen
    assert max(map(len, screen.splitlines())) <= 80


def test_a_plan_shows_the_command_of_its_best_release(blocked):
    """Also one of very many words."""
    way = blocked.relaxations[0].release
    best = replace(way, command="anonscope anonymise people.csv " + " ".join(f"-q column{i:03}" for i in range(90)))
    screen = _screen(replace(blocked, releases=(best,), relaxations=(), reasons=(), feasible=True))

    assert _commands(screen) == [shlex.split(best.command)] and REPLACED not in screen


def test_a_table_that_needs_its_last_column_is_shown_with_it_or_not_at_all():
    """Of a column that becomes many things, a screen does not say its role alone."""
    long = "in bands of 5 years (40 %); in bands of 10 years (30 %); " * 12
    section = Section("What becomes", ("column", "role", "in the release"), (row("age", "known", long),) * 3, every_column=True)
    sheet = Sheet("Title", "source", "Lead.", (section,), ())

    assert "known" not in sheet_screen(sheet) and "Not shown here: What becomes." in sheet_screen(sheet)
    assert "known" in sheet_screen(replace(sheet, sections=(replace(section, every_column=False),)))


def test_what_must_be_shown_takes_its_room_before_others():
    """A long table above gives way to what stands below."""
    sections = (Section("First", ("a", "b"), (row("x", "y"),) * 40), Section("Second", must=tuple(f"line {i}" for i in range(9))))
    lines = sheet_screen(Sheet("Title", "source", "Lead.", sections, ())).splitlines()

    assert len(lines) <= 24 and "  line 8" in lines and "First" in lines


def test_noisy_results_are_printed_whole(results):
    """Asked again they would be others, and cost again: no row is left out, and nobody is told to run it once more."""
    for verb in ("answer", "synthesise"):
        screen = _screen(results[verb])
        assert screen == on_terminal(results[verb], width=80, colour=False, whole=True)
        assert "--full" not in screen and "Not shown here" not in screen


@pytest.fixture(scope="module")
def compared():
    """Two versions of a table, of which none meets the policy."""
    release = PEOPLE.set_column(0, "age", pa.array([i % 30 for i in range(300)]))
    with an.read(PEOPLE, **ROLES) as data:
        return an.compare(data, release, release, names=["one", "two"], policy="scorr")


def test_a_comparison_shows_what_each_release_breaks(compared):
    """With value and limit, where the first sentence says that it stands below."""
    assert not compared.met
    said = " ".join(_screen(compared).split())

    assert "What each of them breaks stands below" in said
    for version in ("original", "one", "two"):
        told = said.partition(f"- {version}: ")[2]
        assert "k = " in told and "limit ≥ 11" in told


def test_only_pages_speak_of_charts(compared):
    """Text and Markdown have none."""
    for words in ("The chart above", "The dashed line"):
        assert words in compared.render("html")
        assert words not in compared.render("text") and words not in compared.render("markdown")


def test_the_hash_of_a_register_can_be_noted():
    """All of its 64 digits, also where there is much else."""
    head = "0123456789abcdef" * 4
    found = Register(folder="releases", today=date(2026, 1, 2), entries=(), populations=(), problems=("Something is due. " * 9,), head=head)

    assert head in _screen(found) and head in _screen(found, 60) and head in found.render("text")


def test_a_check_that_is_met_has_no_empty_table():
    """Only the count of the rules that are kept."""
    kept = Finding(rule="k", title="k-anonymity", level="pass", message="kept")
    table = CheckedTable(source="people.csv", policy="scorr", outcome="met", findings=(kept,))
    text = Checks(repository=None, tables=(table,)).render("text")

    assert "1 rule is kept." in text and "result" not in text


def test_an_audit_says_what_to_write_for_a_reason(blocked):
    """On its first screen, which stays one, in its text and on its page."""
    found = replace(an.audit(PEOPLE, "scorr", **ROLES), planned=blocked)
    screen = _screen(found)

    assert len(screen.splitlines()) <= 24 and "=REASON" in screen
    for told in (screen, found.render("text"), found.render("markdown"), found.render("html")):
        assert REPLACED in told

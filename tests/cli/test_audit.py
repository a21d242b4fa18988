"""The command line, run as a newcomer would: in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from anonscope.cli import COMMANDS

PEOPLE = "age,zip,sex,diagnosis\n" + "".join(
    f"{30 + i % 3},0{1000 + i % 2},{'MF'[i % 2]},{'flu' if i % 5 else 'gout'}\n" for i in range(60)
)
SNAPSHOTS = Path(__file__).parent / "snapshots"


def anonscope(*arguments, **options):
    """Run the command and return the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "anonscope", *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", check=False, **options
    )


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


ROLES = ("-q", "age", "-q", "zip", "-q", "sex", "-s", "diagnosis")


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_the_report_reads_as_it_did(people, format):
    """The whole printed report; set ANONSCOPE_UPDATE_SNAPSHOTS=1 to accept a change after reading it."""
    run = anonscope("audit", people, *ROLES, "--format", format, "--no-plan")
    snapshot = SNAPSHOTS / f"audit.{format}.txt"
    if os.environ.get("ANONSCOPE_UPDATE_SNAPSHOTS"):
        snapshot.parent.mkdir(exist_ok=True)
        snapshot.write_text(run.stdout, encoding="utf-8")

    assert run.stdout == snapshot.read_text(encoding="utf-8")
    assert (run.returncode, run.stderr) == (1, "")


def test_json_is_one_object_of_the_contract(people):
    """Fields that other programs rely on."""
    run = anonscope("audit", people, *ROLES, "--format", "json")
    document = json.loads(run.stdout)

    assert document["schema"] == "anonscope/audit/1"
    assert document["data"]["rows"] == 60
    assert document["roles"]["quasi_identifiers"] == ["age", "zip", "sex"]
    assert document["verdict"]["outcome"] == "withhold"
    k = next(m for m in document["measurements"] if m["metric"] == "k_anonymity")
    assert k == {
        "metric": "k_anonymity",
        "scenario": "default",
        "attributes": None,
        "sensitive": None,
        "variant": None,
        "level": "record",
        "status": "measured",
        "value": 10,
    }


def test_the_example_of_the_paper(data_folder):
    """OULAD's first 5,000 records: k 1, l 1, t 0.918, as in table 3 of Folz et al."""
    columns = ["gender", "region", "highest_education", "age_band", "disability"]
    options = [option for column in columns for option in ("-q", column)]
    run = anonscope(
        "audit",
        data_folder / "oulad/studentInfo.csv",
        "--rows",
        5000,
        *options,
        "-s",
        "final_result",
        "-p",
        "id_student",
        "--format",
        "json",
    )
    values = {(m["metric"], m["level"]): m["value"] for m in json.loads(run.stdout)["measurements"] if "value" in m}

    assert values["k_anonymity", "record"] == 1
    assert values["l_diversity", "record"] == 1
    assert values["t_closeness", "record"] == 0.918


def test_exit_codes_tell_the_verdict(people):
    """0 policy met, 1 not met, 2 unusable input."""
    assert anonscope("audit", people, *ROLES, "--policy", "output-10").returncode == 0
    assert anonscope("audit", people, *ROLES, "--policy", "ema-0070").returncode == 1
    assert anonscope("audit", people, "-q", "agee").returncode == 2


def test_a_report_is_written_in_the_format_of_its_name(people, tmp_path):
    """HTML, JSON, Markdown, text and PDF."""
    beginnings = {".html": b"<!doctype html>", ".json": b"{", ".md": b"# Verdict", ".txt": b"anonscope ", ".pdf": b"%PDF-"}
    for ending, beginning in beginnings.items():
        target = tmp_path / f"report{ending}"
        run = anonscope("audit", people, *ROLES, "--no-plan", "-o", target)
        assert target.read_bytes().lstrip().startswith(beginning)
        assert "do not release" in run.stderr
        assert run.stdout == ""


def test_roles_make_a_round_trip(people, tmp_path):
    """What --save-roles writes, --roles reads, scenarios and distances included."""
    saved = tmp_path / "roles.toml"
    first = anonscope(
        "audit",
        people,
        *ROLES,
        "--scenario",
        "neighbour=age,sex",
        "--ordered",
        "diagnosis",
        "--save-roles",
        saved,
        "--format",
        "json",
        "--no-plan",
    )
    second = anonscope("audit", people, "--roles", saved, "--format", "json", "--no-plan")

    assert json.loads(first.stdout) == json.loads(second.stdout)
    assert {m["scenario"] for m in json.loads(second.stdout)["measurements"]} == {"default", "neighbour"}


def test_standard_input_is_a_source(people):
    """A pipe gives the same numbers as the file."""
    piped = json.loads(anonscope("audit", "-", *ROLES, "--format", "json", input=PEOPLE).stdout)
    read = json.loads(anonscope("audit", people, *ROLES, "--format", "json").stdout)

    assert piped["measurements"] == read["measurements"]


def test_the_sql_can_be_shown(people):
    """Every statement, for an auditor; standard output stays one JSON object."""
    run = anonscope("audit", people, *ROLES, "--format", "json", "--show-sql")

    assert json.loads(run.stdout)
    assert "-- class\nSELECT q" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", "-q", "age"], "No such file: 'nowhere.csv'."),
        (["people.csv", "-q", "agee"], "No column is named 'agee'. Did you mean 'age'?"),
        (["people.csv", "-q", "age", "-s", "age"], "Column 'age' has two roles: quasi-identifier and sensitive."),
        (["people.csv", "-q", "age", "-o", "nowhere/report.html"], "The folder 'nowhere' does not exist"),
        (["people.csv", "-q", "age", "-o", "report.docx"], "does not tell the format"),
        (["people.csv", "-q", "age", "--policy", "nothing"], "No policy is called 'nothing'. There are: arx-default"),
        (["people.csv", "-q", "age", "--rows", "0"], "at least 1"),
        (["people.csv", "-q", "age", "--scenario", "x"], "NAME=COLUMN,COLUMN"),
        (["people.csv", "-q", "age", "--memory-limit", "much"], "such as 1GB"),
        (["people.csv", "--roles", "roles.toml"], "'roles.toml', line 2: person: must be the name of one column"),
        (["people.csv", "-q", "age", "--policy", "policy.toml"], "'policy.toml', line 8: rules.minimum"),
    ],
)
def test_bad_input_gets_one_sentence_and_leaves_no_file(people, arguments, message):
    """Exit 2, one line on standard error, nothing on standard output, nothing written."""
    folder = people.parent
    (folder / "roles.toml").write_text('quasi_identifiers = ["age"]\nperson = 3\n')
    (folder / "policy.toml").write_text(
        'schema = "anonscope/policy/1"\nname = "p"\ntitle = "p"\nversion = "1"\norigin = "us"\n'
        '[[rules]]\nmetric = "t_closeness"\nminimum = 1\n'
    )
    before = set(folder.iterdir())
    run = anonscope("audit", *arguments, cwd=folder)

    assert run.returncode == 2
    assert run.stderr.startswith("Error: ") and message in run.stderr and run.stderr.count("\n") == 1
    assert run.stdout == ""
    assert set(folder.iterdir()) == before


def test_an_unwritable_output_is_said_before_the_work(people):
    """The report's place is checked first, so a long audit is not lost."""
    run = anonscope("audit", people, *ROLES, "-o", people.parent)

    assert run.returncode == 2
    assert "is a folder" in run.stderr


def test_odd_column_names_are_shown_escaped(tmp_path):
    """Quotes, SQL, newlines, emoji, 500 characters and HTML are only names."""
    names = ['a"b', "c';drop table x;--", "new\\nline", "😀", "L" * 500, "<script>alert(1)</script>", "SELECT 1", "%s {0} \\"]
    import csv

    path = tmp_path / "odd.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([names, *([i % 2] * (len(names) - 1) + ["s"] for i in range(8))])
    options = [option for name in names[:-1] for option in ("-q", name)] + ["-s", names[-1]]
    run = anonscope("audit", path, *options, "-o", tmp_path / "odd.html")
    page = (tmp_path / "odd.html").read_text(encoding="utf-8")

    assert run.returncode == 1
    assert "<script" not in page and "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "L" * 500 in page and "😀" in page
    assert anonscope("audit", path, *options, "--full").stdout.count("😀") >= 2


def test_help_is_quick_and_loads_no_engine():
    """The options are listed without importing DuckDB, Arrow or Rich."""
    code = "import sys; from anonscope.cli import app; print(sorted({'duckdb', 'pyarrow', 'rich', 'jinja2', 'pandas'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"
    assert "--quasi-identifier" in anonscope("audit", "--help").stdout


def test_a_command_reads_no_options_of_the_others():
    """What is called loads its own module; help and what is no command load all of them."""
    code = (
        "import sys; sys.argv = ['anonscope', *sys.argv[1:]]; import anonscope.cli as cli, contextlib\n"
        "with contextlib.suppress(SystemExit): cli.main()\n"
        "loaded = {name for name in cli.COMMANDS if f'anonscope.cli.{name.replace(chr(45), chr(95))}' in sys.modules}\n"
        "print('loaded', len(loaded), 'of', len(cli.COMMANDS), 'audit' in loaded)"
    )

    def loaded(*arguments: str) -> str:
        run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        return run.stdout.splitlines()[-1]

    assert loaded("audit", "--help") == f"loaded 1 of {len(COMMANDS)} True"
    assert loaded("--help") == loaded("audti") == f"loaded {len(COMMANDS)} of {len(COMMANDS)} True"


def test_an_interrupt_leaves_nothing_behind(tmp_path):
    """Ctrl-C in the middle: exit 130, no report, no temporary folder."""
    path = tmp_path / "large.csv"
    path.write_text("a,b,c\n" + "".join(f"{i},{i * 7919 % 100003},{i % 97}\n" for i in range(1_500_000)))
    private = tmp_path / "private"
    private.mkdir()
    command = [sys.executable, "-m", "anonscope", "audit", str(path), "-q", "a", "-q", "b", "-s", "c", "-o", str(tmp_path / "report.html")]
    process = subprocess.Popen(command, env=os.environ | {"TMPDIR": str(private)}, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not list(private.glob("anonscope-*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "Interrupted" in message
    assert not (tmp_path / "report.html").exists()
    assert list(private.iterdir()) == []


def test_what_a_killed_run_left_is_swept_by_the_next(tmp_path):
    """A kill cannot be caught, so the next run deletes the folder whose lock is free."""
    private = tmp_path / "private"
    private.mkdir()
    code = (
        "import os, signal; from anonscope.engines.scratch import Scratch; "
        "s = Scratch(); (s.path / 'data').write_text('x'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = os.environ | {"TMPDIR": str(private)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert len(list(private.iterdir())) == 1

    (tmp_path / "people.csv").write_text(PEOPLE)
    anonscope("audit", tmp_path / "people.csv", *ROLES, env=environment)
    assert list(private.iterdir()) == []


def test_the_demo_writes_sample_and_reports(tmp_path):
    """`anonscope demo` exits 0 and leaves a report that opens."""
    run = anonscope("demo", "--folder", tmp_path / "demo")

    assert run.returncode == 0, run.stderr
    assert "VERDICT: do not release" in run.stdout
    assert (tmp_path / "demo/report.html").read_text(encoding="utf-8").lstrip().startswith("<!doctype html>")


def test_temporary_folders_are_private():
    """Only the owner may look into them."""
    from anonscope.engines.scratch import Scratch

    scratch = Scratch()
    assert scratch.path.stat().st_mode & 0o077 == 0
    assert scratch.path.parent == Path(tempfile.gettempdir())
    scratch.close()
    assert not scratch.path.exists()

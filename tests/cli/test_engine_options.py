"""What is said about memory, threads and temporary files reaches every engine that a command opens."""

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.engines import DuckDB

LIMITS = {"memory_limit": "300MB", "threads": 1}
ROLES = ("-q", "age", "-q", "zip")
COMMANDS = {
    "audit": ("audit", "people.csv", *ROLES, "--population", "people.csv"),
    "suggest": ("suggest", "people.csv"),
    "precheck": ("precheck", "people.csv", *ROLES),
    "approximate": ("approximate", "people.csv", *ROLES),
    "associations": ("associations", "people.csv"),
    "answer": ("answer", "people.csv", "queries.toml"),
    "fragmentation": ("fragmentation", "people.csv"),
    "fragment": ("fragment", "people.csv", *ROLES, "-s", "diagnosis", "--policy", "arx-default", "-o", "fragments"),
    "hierarchy": ("hierarchy", "people.csv", "-q", "age"),
    "recipe": ("recipe", "people.csv", "--level", "P2", *ROLES, "-o", "recipe.toml"),
    "apply": ("apply", "drop.toml", "people.csv", "-o", "applied.csv"),
    "plan": ("plan", "people.csv", *ROLES, "-i", "diagnosis", "--limit", "k_anonymity=2"),
    "anonymise": ("anonymise", "people.csv", *ROLES, "-i", "diagnosis", "--policy", "arx-default", "-o", "release.csv"),
    "explore": ("explore", "people.csv", *ROLES, "-i", "diagnosis", "--level", "age=1"),
    "pipeline": ("pipeline", "people.csv", *ROLES, "-s", "diagnosis", "-o", "piped.csv"),
    "verify": ("verify", "applied.csv"),
    "check": ("check", "people.csv", *ROLES, "-i", "diagnosis"),
    "register": (
        *("register", "add", "register", "release.csv", "--original", "people.csv", *ROLES),
        *("--population-name", "all", "--recipient", "an office"),
    ),
    "intruder_test": ("intruder-test", "release.csv", "--original", "people.csv", "--folder", "test", *ROLES),
    "sign_off": ("sign-off", "release.csv", "--original", "people.csv", *ROLES),
    "compare": ("compare", "people.csv", "people.csv", *ROLES, "--external", "people.csv"),
    "link": ("link", "people.csv", "people.csv", *ROLES),
    "attack": ("attack", "people.csv", "--original", "people.csv", *ROLES),
    "synthesise": ("synthesise", "people.csv", "--method", "cart", "-o", "synthetic.csv", *ROLES, "-s", "diagnosis"),
    "unicity": ("unicity", "people.csv", "-p", "zip", "--point", "age"),
}
# What has to be carried out before a command has something to look at.
AFTER = {"verify": "apply", "register": "anonymise", "intruder_test": "anonymise", "sign_off": "anonymise"}


def test_every_command_that_takes_threads_is_among_them():
    """A new command has to be added here."""
    commands = [command.callback for command in app.registered_commands if command.callback is not None]

    assert {command.__name__ for command in commands if "threads" in command.__annotations__} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_limits_reach_every_engine(tmp_path, monkeypatch, command):
    """Tables beside the first one, such as a population, an external table or a release, are held to them too."""
    people = "age,zip,diagnosis\n" + "".join(f"{30 + i % 3},{1000 + i % 2},{'flu' if i % 5 else 'gout'}\n" for i in range(60))
    (tmp_path / "people.csv").write_text(people)
    (tmp_path / "drop.toml").write_text('schema = "anonscope/recipe/1"\n[[steps]]\napply = "drop_column"\ncolumn = "diagnosis"\n')
    (tmp_path / "queries.toml").write_text('epsilon = 1\n[columns.zip]\ncategories = ["1000", "1001"]\n[[queries]]\nkind = "count"\n')
    for folder in ("temp", "register"):
        (tmp_path / folder).mkdir()
    opened = []
    start = DuckDB.__init__

    def watched(engine, **limits):
        opened.append(limits)
        start(engine, **limits)

    monkeypatch.chdir(tmp_path)
    if command in AFTER:
        assert CliRunner().invoke(app, [*COMMANDS[AFTER[command]]]).exit_code == 0
    monkeypatch.setattr(DuckDB, "__init__", watched)
    done = CliRunner().invoke(
        app, [*COMMANDS[command], "--memory-limit", "300MB", "--threads", "1", "--temp-folder", "temp"], catch_exceptions=False
    )

    assert done.exit_code in (0, 1), done.output
    assert opened
    said = {**LIMITS, "temp_folder": "temp", "isolate": False}
    assert all({**limits, "temp_folder": str(limits["temp_folder"])} == said for limits in opened)
    assert list((tmp_path / "temp").iterdir()) == []

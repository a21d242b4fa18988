"""The command line on a database: what it prints, what it says when it cannot, and that no password is ever in it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import pytest
from nasty import SMALL
from postgres_server import PASSWORD, Server
from stored import into_postgres, run

import anonscope as an
from anonscope.errors import SourceError

SPELLINGS = (PASSWORD, quote(PASSWORD, safe=""), PASSWORD[:4])


def anonscope(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "anonscope", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, env=os.environ | environment)


def changed(url: str, **parts: object) -> str:
    """Return a URL with another user, password, host, port or database."""
    given = urlsplit(url)
    user, password = parts.get("user", given.username), parts.get("password", PASSWORD)
    login = f"{user}:{quote(str(password), safe='')}" if password is not None else user
    place = f"{login}@{parts.get('host', given.hostname)}:{parts.get('port', given.port)}"
    return urlunsplit(given._replace(netloc=place, path=f"/{parts.get('database', given.path[1:])}"))


def assert_silent(*texts: str) -> None:
    """Fail if a password is in a text, in any spelling."""
    for text in texts:
        assert not any(spelling in text for spelling in SPELLINGS)


def test_an_audit_on_the_command_line(postgres: Server, tmp_path: Path) -> None:
    """Every form of a report, the statements and the saved roles: numbers are there and the password is not."""
    into_postgres(postgres.owner, "patients", SMALL)
    page, roles = tmp_path / "report.html", tmp_path / "roles.toml"
    asked = ("audit", postgres.reader, "--table", "patients", "-q", "age", "-s", "ill", "--quiet")

    printed = anonscope(*asked, "--format", "json", "--show-sql", "--save-roles", roles)
    saved = anonscope(*asked, "-o", page)

    document = json.loads(printed.stdout)
    assert printed.returncode == saved.returncode == 1
    assert document["data"]["rows"] == 4
    assert "patients (PostgreSQL" in page.read_text(encoding="utf-8")
    assert "anonscope_source" in printed.stderr
    assert_silent(printed.stdout, printed.stderr, saved.stdout, saved.stderr, page.read_text(encoding="utf-8"), roles.read_text())


def test_a_password_from_the_environment(postgres: Server) -> None:
    """The URL names the user only."""
    into_postgres(postgres.owner, "patients", SMALL)
    url = changed(postgres.reader, password=None)
    run_ = anonscope("audit", url, "--table", "patients", "-q", "age", "--quiet", ANONSCOPE_DATABASE_PASSWORD=PASSWORD)

    assert (run_.returncode, "patients" in run_.stdout) == (1, True)
    assert_silent(run_.stdout, run_.stderr)


def test_a_suggestion_on_the_command_line(postgres: Server, tmp_path: Path) -> None:
    """Roles are proposed where the table is, and what to type next names neither user nor password."""
    into_postgres(postgres.owner, "patients", SMALL)
    asked = anonscope("suggest", postgres.reader, "--table", "patients", "--save-roles", tmp_path / "roles.toml", "--quiet")
    none = anonscope("audit", postgres.reader, "--table", "patients", "--quiet")

    assert asked.returncode == 0
    assert "--table patients --roles" in asked.stderr
    assert none.returncode == 2
    assert "--table patients --accept-suggestions" in none.stderr
    assert_silent(asked.stdout, asked.stderr, none.stdout, none.stderr, (tmp_path / "roles.toml").read_text())


def test_other_commands_read_files(postgres: Server, tmp_path: Path) -> None:
    """One sentence and exit 2."""
    release = tmp_path / "release.csv"
    for command in (("anonymise", postgres.reader, "-o", release), ("precheck", postgres.reader)):
        refused = anonscope(*command)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert "which audit and suggest have" in refused.stderr
        assert_silent(refused.stderr)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"password": PASSWORD + "x"}, "refused user or password"),
        ({"user": "nobody_there"}, "refused user or password"),
        ({"database": "no_such"}, "has no database 'no_such'"),
        ({"port": 1}, "Nothing answers at"),
        ({"host": "no-such-host.invalid"}, "There is no host"),
    ],
)
def test_connections_that_cannot_be_made(postgres: Server, parts: dict[str, object], words: str) -> None:
    """Place and database are named; the rest of what the driver says is not."""
    with pytest.raises(SourceError, match=words) as raised:
        an.read(changed(postgres.reader, **parts), table="patients")
    assert_silent(str(raised.value), repr(raised.value))
    assert raised.value.__suppress_context__


def test_tables_that_may_not_be_read(postgres: Server) -> None:
    """A table without a grant, and a name that is nearly right."""
    into_postgres(postgres.owner, "patients", SMALL)
    run(postgres.owner, "REVOKE SELECT ON patients FROM anonscope_reader")

    closed = anonscope("audit", postgres.reader, "--table", "patients", "-q", "age")
    missing = anonscope("audit", postgres.reader, "--table", "patient", "-q", "age")

    assert (closed.returncode, missing.returncode) == (2, 2)
    assert "GRANT SELECT" in closed.stderr
    assert "Did you mean 'patients'?" in missing.stderr
    assert_silent(closed.stderr, missing.stderr)


def test_an_open_session_shows_no_password(postgres: Server) -> None:
    """Neither the engine nor what holds it has it in its representation."""
    into_postgres(postgres.owner, "patients", SMALL)
    with an.read(postgres.reader, table="patients", quasi_identifiers=["age"]) as data:
        audit = an.audit(data)
        assert "PostgreSQL 127" in repr(data.engine) or os.environ.get("ANONSCOPE_POSTGRES_URL")
        assert_silent(repr(data.engine), repr(data), repr(vars(data)), repr(audit), repr(vars(data.engine)))

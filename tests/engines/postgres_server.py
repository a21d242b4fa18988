"""A private PostgreSQL for the tests: started from Debian's binaries, on the loopback, gone afterwards."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from stored import run

# With every sign that has a meaning in a URL, and letters that a grep finds.
PASSWORD = "tOp:s3cr@t/%41?#"


def binaries() -> Path | None:
    """Return the folder of the server's programs, or None where it is not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    found = [folder for folder in folders if (folder / "initdb").exists()]
    if found:
        return found[0]
    program = shutil.which("initdb")
    return Path(program).parent if program else None


@contextmanager
def started(programs: Path) -> Iterator[str]:
    """Run a server and yield its URL, of a user who may do everything."""
    # Not below the folder of pytest, which the server's user may not enter.
    folder = Path(tempfile.mkdtemp(prefix="postgres-of-tests-"))
    user = _user()
    try:
        secret = folder / "password"
        secret.write_text(PASSWORD)
        if user is not None:
            for path in (folder, secret):
                os.chown(path, user, -1)
        data, log = folder / "data", folder / "log"
        made = ("-D", data, "-U", "owner", "-A", "scram-sha-256", f"--pwfile={secret}", "--no-sync", "-E", "UTF8", "--locale=C")
        _run(programs / "initdb", *made, user=user)
        port = _free_port()
        quick = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=32MB -c max_connections=20"
        options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} {quick}"
        _run(programs / "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start", user=user)
        try:
            yield f"postgresql://owner:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/postgres"
        finally:
            _run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop", user=user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Server:
    """URLs of one database: for its owner, for a reader who may make temporary tables, and for one who may not."""

    owner: str
    reader: str
    poor: str


@contextmanager
def peopled(url: str) -> Iterator[Server]:
    """Make a database and its users on a server, and drop them afterwards."""
    name, reader, poor = "anonscope_tests", "anonscope_reader", "anonscope_poor"
    again = (f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"DROP ROLE IF EXISTS {reader}", f"DROP ROLE IF EXISTS {poor}")
    run(url, *again, f"CREATE DATABASE {name}", *(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'" for role in (reader, poor)))
    inside = urlsplit(url)._replace(path=f"/{name}")
    address = inside.netloc.rpartition("@")[2]
    of = {role: urlunsplit(inside._replace(netloc=f"{role}:{quote(PASSWORD, safe='')}@{address}")) for role in (reader, poor)}
    owner = urlunsplit(inside)
    run(
        owner,
        f"REVOKE TEMPORARY ON DATABASE {name} FROM PUBLIC",
        f"GRANT TEMPORARY ON DATABASE {name} TO {reader}",
        f"GRANT USAGE ON SCHEMA public TO {reader}, {poor}",
        f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {reader}, {poor}",
    )
    yield Server(owner, of[reader], of[poor])
    run(url, *again)


def _user() -> int | None:
    """Return who the server runs as: it refuses to be root's."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return names.get("postgres", names["nobody"])


def _run(*command: object, user: int | None) -> None:
    done = subprocess.run(
        [str(part) for part in command], cwd="/", user=user, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

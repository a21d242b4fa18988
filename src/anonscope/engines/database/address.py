"""Where a database is and who asks: from a URL, with credentials that are never shown.

A password comes from the URL, from the environment (ANONSCOPE_DATABASE_PASSWORD; PostgreSQL's own PGPASSWORD and .pgpass work as
they always do), or from a netrc file, looked up by host: the one that NETRC names, or .netrc in the home folder. Such a file must
be readable by its owner only.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anonscope.errors import MissingExtra, OptionError, SourceError, shown

if TYPE_CHECKING:
    from sqlalchemy import URL

PASSWORD = "ANONSCOPE_DATABASE_PASSWORD"  # noqa: S105 (the name of a variable, not its value)
# What people write in front of a URL, and what SQLAlchemy calls it.
_KINDS = {"postgresql": "postgresql", "postgres": "postgresql", "sqlite": "sqlite"}
_DRIVERS = {"postgresql": "psycopg", "sqlite": "pysqlite"}


@dataclass(frozen=True, slots=True)
class Address:
    """A database by kind, place and name; `url` holds the password too and is shown by nobody."""

    kind: str
    place: str  # host and port, or the folder of a socket; empty for a file
    database: str
    url: "URL" = field(repr=False)

    def __str__(self) -> str:
        return f"{self.place}/{self.database}" if self.place else Path(self.database).name


def address_of(text: str) -> Address:
    """Return what a URL says, completed by what the environment and the netrc file know."""
    try:
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise MissingExtra("Reading from a database", "'anonscope[sql]'") from None
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise OptionError("The URL of the database cannot be read. It looks like postgresql://user@host:5432/database.") from None
    name, _, driver = url.drivername.lower().partition("+")
    kind = _KINDS.get(name)
    if kind is None:
        raise OptionError(
            f"Tables of {shown(name)} are not read in place; those of PostgreSQL (postgresql://) and SQLite (sqlite://) are. "
            "Export the table as Parquet or CSV, or read it with Spark."
        )
    if driver not in ("", _DRIVERS[kind]):
        raise OptionError(f"{kind}:// is read through {_DRIVERS[kind]}, not through {shown(driver)}. Leave '+{driver}' out of the URL.")
    url = url.set(drivername=f"{kind}+{_DRIVERS[kind]}")
    if kind == "sqlite":
        if not url.database or url.database == ":memory:":
            raise SourceError("A SQLite database in memory has no tables. Name its file: sqlite:///folder/file.db")
        return Address(kind, "", url.database, url)
    url = _with_login(url)
    host, port = _said(url, "host") or os.environ.get("PGHOST") or "local socket", _said(url, "port") or os.environ.get("PGPORT") or "5432"
    database = url.database or _said(url, "dbname") or os.environ.get("PGDATABASE") or "the default database"
    return Address(kind, f"{host}:{port}", database, url)


def _said(url: "URL", part: str) -> str | None:
    """Return a part of the address from its place in the URL, or from behind the question mark."""
    given = getattr(url, part, None) or url.query.get(part)
    return str(given if isinstance(given, str | int) else given[0]) if given else None


def _with_login(url: "URL") -> "URL":
    if url.password is not None or "password" in url.query:
        return url
    if given := os.environ.get(PASSWORD):
        return url.set(password=given)
    host = _said(url, "host")
    if os.environ.get("PGPASSWORD") or host is None:
        return url
    found = _from_netrc(host)
    if found is None or url.username not in (None, "", found[0]):
        return url
    return url.set(username=found[0], password=found[1])


def _from_netrc(host: str) -> tuple[str, str] | None:
    """Return user and password for a host, or None."""
    import netrc

    path = Path(os.environ.get("NETRC") or Path.home() / ".netrc")
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise OptionError(f"{shown(path)} holds passwords but may be read by others. Make it yours alone: chmod 600 {path}")
        found = netrc.netrc(path).hosts.get(host)
    except OSError:
        return None
    except (netrc.NetrcParseError, UnicodeDecodeError):
        # Their messages quote the file.
        raise OptionError(f"{shown(path)} cannot be read as a netrc file. A line is: machine HOST login USER password PASSWORD") from None
    return (found[0], found[2]) if found and found[2] else None

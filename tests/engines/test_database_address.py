"""Where a database is and who asks: credentials are found in three places and shown in none."""

from pathlib import Path

import pytest

import anonscope as an
from anonscope.engines.database.address import PASSWORD, address_of
from anonscope.errors import OptionError, SourceError, without_credentials

SECRET = "tOps3cret"


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No credentials of whoever runs the tests."""
    for name in (PASSWORD, "PGPASSWORD", "PGHOST", "PGPORT", "PGDATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))


def netrc(tmp_path: Path, content: str, mode: int = 0o600) -> None:
    path = tmp_path / "netrc"
    path.write_text(content)
    path.chmod(mode)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://ann:{SECRET}@host:5433/db", "host:5433/db"),
        ("postgres://host/db", "host:5432/db"),
        (f"postgresql+psycopg://ann:{SECRET}@host/db?sslmode=require", "host:5432/db"),
        (f"postgresql:///db?host=/run/postgresql&password={SECRET}", "/run/postgresql:5432/db"),
        ("sqlite:////some/folder/people.db", "people.db"),
    ],
)
def test_an_address_shows_place_and_database_only(url: str, shown: str) -> None:
    """Neither printing nor representing it shows who asks."""
    address = address_of(url)

    assert str(address) == shown
    assert SECRET not in repr(address) + str(address)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://ann:{SECRET}@host:5433/db?password={SECRET}", "postgresql://host:5433/db"),
        (f"postgresql://ann:{SECRET}@{SECRET}@host/db", "postgresql://host/db"),
        ("sqlite:///people.db", "sqlite:///people.db"),
        ("some folder/people@home.csv", "some folder/people@home.csv"),
        ("s3a://bucket/people@home.csv", "s3a://bucket/people@home.csv"),
        (f"jdbc:postgresql:/ann:{SECRET}@host/db", "jdbc:postgresql:/host/db"),
    ],
)
def test_a_source_without_credentials(url: str, shown: str) -> None:
    """What is printed for the user to type again."""
    assert without_credentials(url) == shown


def test_the_password_of_the_url_goes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Then the environment, then the netrc file."""
    netrc(tmp_path, f"machine host login ann password {SECRET}3")
    assert address_of("postgresql://ann@host/db").url.password == f"{SECRET}3"
    monkeypatch.setenv(PASSWORD, f"{SECRET}2")
    assert address_of("postgresql://ann@host/db").url.password == f"{SECRET}2"
    assert address_of(f"postgresql://ann:{SECRET}1@host/db").url.password == f"{SECRET}1"


def test_a_netrc_file_is_for_one_host_and_one_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It names the user if the URL does not, and says nothing of other hosts, other users and what libpq knows by itself."""
    netrc(tmp_path, f"machine host login ann password {SECRET}")

    assert address_of("postgresql://host/db").url.username == "ann"
    assert address_of("postgresql://bob@host/db").url.password is None
    assert address_of("postgresql://elsewhere/db").url.password is None
    assert address_of("postgresql:///db").url.password is None
    monkeypatch.setenv("PGPASSWORD", "other")
    assert address_of("postgresql://ann@host/db").url.password is None


@pytest.mark.parametrize(("content", "mode", "words"), [("machine host", 0o644, "chmod 600"), (f"nonsense {SECRET}", 0o600, "netrc file")])
def test_a_netrc_file_that_cannot_be_used(tmp_path: Path, content: str, mode: int, words: str) -> None:
    """One that others may read, one that is none; its content is not quoted."""
    netrc(tmp_path, content, mode)
    with pytest.raises(OptionError, match=words) as raised:
        address_of("postgresql://host/db")
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (f"mysql://ann:{SECRET}@host/db", "'mysql' are not read in place"),
        (f"postgresql+asyncpg://ann:{SECRET}@host/db", "through psycopg"),
        (f"postgresql://ann:{SECRET}@host:port/db", "cannot be read"),
    ],
)
def test_urls_that_cannot_be_used(url: str, words: str) -> None:
    """Another database, another driver, no URL; the password is not quoted."""
    with pytest.raises(OptionError, match=words) as raised:
        an.read(url, table="people")
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("source", [f"jdbc:postgresql://ann:{SECRET}@host/db", f"s3a://key:{SECRET}@bucket/people.parquet"])
def test_addresses_that_are_no_files(source: str) -> None:
    """Those of Java and of a store that needs Spark; the password is not quoted."""
    with pytest.raises(SourceError) as raised:
        an.read(source)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "many tables"),
        ({"table": "t", "engine": "spark"}, "counts its own tables"),
        ({"table": "t", "memory_limit": "1GB"}, "its own bounds"),
        ({"table": "t", "delimiter": ";"}, "of files"),
    ],
)
def test_options_that_a_database_has_no_use_for(tmp_path: Path, options: dict[str, str], words: str) -> None:
    """They are named instead of ignored."""
    import sqlite3

    sqlite3.connect(tmp_path / "people.db").close()
    with pytest.raises(OptionError, match=words):
        an.read(f"sqlite:///{tmp_path}/people.db", **options)

"""Noisy answers and synthetic tables of databases: counted there, with the numbers that DuckDB has, and no record comes back."""

from pathlib import Path
from typing import Any

import pytest
from postgres_server import Server
from remote_synthesis import answers, assert_near, margins, people, table
from stored import into_postgres, into_sqlite

import anonscope as an
from anonscope.errors import EngineError


@pytest.fixture(scope="module")
def here() -> tuple[dict[Any, Any], dict[Any, Any]]:
    """What DuckDB says."""
    return answers(table()), margins(table())


def test_sqlite_answers_and_is_drawn_from_as_duckdb(tmp_path: Path, here: Any) -> None:
    """Every kind of question, people bounded, dates and numbers in their bins."""
    url = into_sqlite(tmp_path / "visits.db", "visits", table())

    assert_near(answers(url, table="visits"), here[0], 0.02)
    assert_near(margins(url, table="visits"), here[1], 6)
    assert_near(people(url, table="visits"), people(table()), 0.02)


def test_postgresql_answers_and_is_drawn_from_as_duckdb(postgres: Server, here: Any) -> None:
    """The same with temporary tables and, for a user who may make none, without."""
    into_postgres(postgres.owner, "visits", table())

    for url in (postgres.reader, postgres.poor):
        assert_near(answers(url, table="visits"), here[0], 0.02)
        assert_near(people(url, table="visits"), people(table()), 0.02)
    assert_near(margins(postgres.reader, table="visits"), here[1], 6)


def test_what_learns_from_records_is_refused_where_they_stay(tmp_path: Path) -> None:
    """With the reason, and what to do instead."""
    url = into_sqlite(tmp_path / "visits.db", "visits", table())
    with an.read(url, table="visits", direct_identifiers=["id"]) as data, pytest.raises(EngineError, match="Use tree or adaptive"):
        an.synthesise(data, method="condensation")

"""Nothing but results comes back from a remote engine: no records, no classes, no cells, however many there are."""

import random
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.cli import main
from anonscope.errors import HierarchyError, NotExplained, OptionError
from support.watched import Watched, assert_only_results_came_back, watch

ROWS = 20_000
KNOWN = ["age", "zip", "job", "sex"]


def people(rows: int = ROWS) -> pa.Table:
    """Return people most of whom are alone, with sensitive values that differ as much."""
    draw = random.Random(9)
    return pa.table(
        {
            "age": [draw.randrange(90) for _ in range(rows)],
            "zip": [f"{draw.randrange(600):05}" for _ in range(rows)],
            "job": [None if draw.random() < 0.1 else f"job {int(40 * draw.random() ** 2)}" for _ in range(rows)],
            "sex": [draw.choice("FM") for _ in range(rows)],
            "ill": [f"d{int(300 * draw.random() ** 3)}" for _ in range(rows)],
            "cost": [draw.randrange(9000) for _ in range(rows)],
            "who": [draw.randrange(rows // 3) for _ in range(rows)],
            "home": [draw.randrange(rows // 2) for _ in range(rows)],
            "weight": [1 + draw.randrange(50) for _ in range(rows)],
        }
    )


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return people()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a hierarchy of all sensitive values."""
    path = tmp_path / "tree.csv"
    path.write_text("".join(f"d{i};group {i % 9};*\n" for i in range(300)), encoding="utf-8")
    return path


def audit(data: an.Data, **asked: Any) -> tuple[Watched, an.Audit]:
    engine = watch(data)
    return engine, an.audit(data, **asked)


def test_an_audit_brings_back_results_only(table: pa.Table, tree: Path) -> None:
    """Some 19,000 classes and as many cells, everything asked for: no answer has more rows than there are sizes of classes or pairs."""
    with an.read(
        table, quasi_identifiers=KNOWN, sensitive=["ill", "cost"], scenarios={"some": KNOWN[:2]}, hierarchies={"ill": tree}
    ) as data:
        engine, found = audit(data, pairs=True, joined=True, literal_chain=True)
        classes = max(s.sizes.classes for s in found.scenarios)

    assert classes > 15_000
    assert_only_results_came_back(engine, found)
    assert engine.most.rows < 100
    assert {m.status for m in found.select("markov_chain")} == {m.status for m in found.select("personal_information")} == {"measured"}


def test_nor_do_persons_come_back(table: pa.Table) -> None:
    """Persons in classes are more than classes, and stay as well."""
    with an.read(table, quasi_identifiers=KNOWN, sensitive=["cost"], person="who") as data:
        assert_only_results_came_back(*audit(data))


def test_nor_do_households_weights_and_populations(table: pa.Table) -> None:
    """Attackers and surveys are measured by sums too."""
    with an.read(
        table.slice(0, 5_000), quasi_identifiers=KNOWN[:3], household="home", weight="weight", population=table.select(KNOWN)
    ) as data:
        engine, found = audit(data)

    assert_only_results_came_back(engine, found)
    assert found["household_risk"].status == found["k_map"].status == "measured"


def test_the_watch_sees_what_an_embedded_engine_fetches(table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where fetching is allowed the classes are handed back, so the bound of the other tests can be broken."""
    monkeypatch.setattr(Watched, "remote", False)
    with an.read(table, quasi_identifiers=KNOWN) as data:
        engine, found = audit(data)

    assert engine.most.rows > 15_000
    with pytest.raises(AssertionError):
        assert_only_results_came_back(engine, found)


def test_a_hierarchy_is_compared_where_the_values_are(tree: Path) -> None:
    """Values that it does not cover are counted, and neither those nor the others are fetched."""
    values = [*(f"d{i}" for i in range(300)), *(f"unknown {i}" for i in range(5_000))]
    with an.read(
        pa.table({"a": [1] * len(values), "ill": values}), quasi_identifiers=["a"], sensitive=["ill"], hierarchies={"ill": tree}
    ) as data:
        engine = watch(data)
        with pytest.raises(HierarchyError, match="does not cover 5,000 of the 5,300 values of column 'ill'"):
            an.audit(data)

    assert engine.most.rows <= 10


def test_reasons_are_given_for_as_many_classes_as_may_be_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the limit the reasons are those of an embedded engine; beyond it the audit stands and says that they were not worked out."""
    table = people(300)
    with an.read(table, quasi_identifiers=KNOWN, sensitive=["ill"]) as data:
        here = an.audit(data, explain=True)
    with an.read(table, quasi_identifiers=KNOWN, sensitive=["ill"]) as data:
        assert audit(data, explain=True)[1].explanation == here.explanation
        monkeypatch.setattr("anonscope.risk.explain.tuples.REMOTE_CLASSES", 250)
        beyond = an.audit(data, explain=True)
        with pytest.raises(NotExplained, match="has 300 classes, and at most 250 are fetched from DuckDB"):
            beyond.why()
        monkeypatch.undo()
        monkeypatch.setattr("anonscope.risk.explain.tuples.REMOTE_COUNTS", 250)
        with pytest.raises(NotExplained, match="300 different records"):
            beyond.why()

    assert beyond.explanation is None
    # What a remote table's columns without a role look like is told by their names only, and the verdict says so.
    assert (here.verdict.unseen, beyond.verdict.unseen) == (None, "DuckDB")
    # Sums in another order differ in the last digit.
    told = [replace(found.verdict, unassigned=(), unseen=None, rules=(), about=()) for found in (beyond, here)]
    assert told[0] == told[1]
    assert [rule.status for rule in beyond.verdict.rules] == [rule.status for rule in here.verdict.rules]
    assert [rule.value for rule in beyond.verdict.rules] == pytest.approx([rule.value for rule in here.verdict.rules], rel=1e-12)
    for format in ("text", "markdown", "html", "json"):
        assert "was not worked out" in beyond.render(format)
        assert "was not worked out" not in here.render(format)


def test_records_are_not_listed() -> None:
    """They have no numbers there, and would have to be fetched; the error says what to do."""
    with an.read(people(30), quasi_identifiers=KNOWN) as data:
        _, found = audit(data)
        with pytest.raises(OptionError, match=r"no order on DuckDB.*extract"):
            found.records()


def test_a_file_of_records_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2 and one sentence; nothing was counted and no file is there."""
    wanted = tmp_path / "records.csv"
    with closing(sqlite3.connect(tmp_path / "people.db")) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS age")
    monkeypatch.setattr("anonscope.risk.measuring.run.run", lambda *_, **__: pytest.fail("the table was audited"))
    source = f"sqlite:///{tmp_path / 'people.db'}"
    monkeypatch.setattr(sys, "argv", ["anonscope", "audit", source, "--table", "people", "-q", "age", "--records", str(wanted)])
    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert "Records have no order on SQLite" in capsys.readouterr().err
    assert not wanted.exists()


def test_no_value_of_any_column_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns are looked at where nobody gave them a role, and where they were given as sensitive or as the weight: by name there."""
    cells: set[Any] = set()
    rows = Watched.rows

    def noted(self: Watched, select: str) -> list[tuple[Any, ...]]:
        found = rows(self, select)
        cells.update(cell for row in found for cell in row if isinstance(cell, str))
        return found

    monkeypatch.setattr(Watched, "rows", noted)
    n = 60
    table = pa.table(
        {
            "age": [f"a{i % 3}" for i in range(n)],
            "email": [f"p{i}@example.org" for i in range(n)],
            "zq": [f"z{i % 7}" for i in range(n)],
            "contact": [f"q{i}@example.org" for i in range(n)],
            "w": [f"{1 + i / 997:.6f}" for i in range(n)],
        }
    )
    with an.read(table, quasi_identifiers=["age"], sensitive=["email"], weight="w") as data:
        engine, found = audit(data)
    assert engine.handed and not cells & {value for column in table.columns for value in column.to_pylist()}
    assert [c.column for c in found.verdict.telling] == ["email", "w"]
    assert {c.column for c in found.verdict.unassigned} == {"zq", "contact"}

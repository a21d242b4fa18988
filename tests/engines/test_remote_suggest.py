"""Where records stay elsewhere, columns are looked at and versions are paired there: the same comes out, and hardly a value comes here."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.roles import Roles
from anonscope.columns.suggestion import profile, safe_harbor
from anonscope.columns.suggestion.propose import check_safe_harbor
from anonscope.errors import AlignmentError
from anonscope.io.samples import write_hospital
from anonscope.io.sources import open_source
from anonscope.risk.counting import combinations
from anonscope.utility import align, settled
from support.watched import Watched, watch


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hospital(tmp_path_factory.mktemp("hospital"), people=1_100).patients


def test_columns_get_the_same_roles(patients: Path) -> None:
    """Roles, and sets of columns that tell records apart, are those that an embedded engine finds; a second look finds the same."""
    with an.read(patients) as data:
        here = an.suggest(data, time_budget=60)
    found = []
    for _ in range(2):
        with an.read(patients) as data:
            engine = watch(data)
            found.append(an.suggest(data, time_budget=60))

    assert found[0].roles == found[1].roles == here.roles
    assert [c.columns for c in found[0].search.combinations] == [c.columns for c in here.search.combinations]
    # Nothing of a record but salted digests leaves the sample.
    (codes,) = [handed.sql for handed in engine.handed if "record_sample" in handed.sql]
    assert codes.count("SUBSTR(MD5(z.salt || COALESCE('x' || c") == codes.count(" AS v") == codes.count("'x' || c") > 5
    assert max(handed.rows for handed in engine.handed if "ORDER BY MD5" in handed.sql) <= profile.VALUES


def test_a_sample_without_an_order_is_the_same_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has as many records as were asked for, whatever order they come in."""
    monkeypatch.setattr(profile, "_RECORDS", 100)
    table = pa.table({"a": [i % 37 for i in range(1_000)], "b": [None if i % 11 == 0 else f"x{i % 53}" for i in range(1_000)]})
    samples = []
    for rows in (table, table.take(pa.array(range(999, -1, -1)))):
        with an.read(rows) as data:
            engine = watch(data)
            profile.sample_records(engine, data.relation, profile.open_columns(engine, data.relation, None))
            samples.append(sorted(engine.rows("SELECT c0, c1 FROM record_sample"), key=str))

    assert len(samples[0]) == 100 and samples[0] == samples[1]
    assert len(set(samples[0])) > 50


@pytest.mark.parametrize(
    "column, values, failing",
    [
        ("zip", [f"{i:03}" for i in range(30)], False),
        ("zip", [f"{i:05}" for i in range(30)], True),
        ("age", [i / 3 for i in range(268)], False),
        ("age", [i / 3 for i in range(285)], True),
        ("admission date", [f"20{i:02}" for i in range(25)], False),
        ("admission date", [f"2020-01-{i:02}" for i in range(1, 29)], True),
    ],
)
def test_safe_harbor_is_checked_where_the_values_are(
    column: str, values: list[Any], failing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More values than areas or years there can be are not fetched, and the checks say the same as with all of them here."""
    populations = {f"{i:03}": 50_000 for i in range(1_000)}
    monkeypatch.setattr(safe_harbor, "_MOST_FETCHED", 2_000)
    monkeypatch.setattr(profile, "VALUES", 60)
    table = pa.table({column: values * 3, "sex": ["F", "M", "F"] * len(values)})
    outcomes = []
    for most in (2_000, 20 if failing or column == "age" else 2_000):
        monkeypatch.setattr(safe_harbor, "_MOST_FETCHED", most)
        with an.read(table) as data:
            engine = watch(data)
            checks = check_safe_harbor(engine, data.relation, Roles(quasi_identifiers=("sex",)), populations=populations)
            outcomes.append({check.number for check in checks if check.status == "fail"})

    assert outcomes[0] == outcomes[1] and bool(outcomes[0]) == failing


def pair_of_tables(*, shuffled: bool = True) -> tuple[pa.Table, pa.Table]:
    original = pa.table({"id": list(range(300)), "age": [20 + i % 60 for i in range(300)], "w": [1 + i % 3 for i in range(300)]})
    released = pa.table({"id": list(range(290)), "age": [f"[{20 + i % 60 // 10 * 10}, {30 + i % 60 // 10 * 10})" for i in range(290)]})
    return original, released.take(pa.array(range(289, -1, -1))) if shuffled else released


def aligned(key: str | None, *, remote: bool) -> tuple[Any, Watched | None]:
    original, released = pair_of_tables()
    with an.read(original) as data:
        before = settled(data.engine, data.relation)
        after = open_source(released, data.engine)
        engine = watch(data) if remote else None
        return align(data.engine, before, after, ["age"], key=key, weight="w"), engine


def test_versions_are_paired_by_a_key_where_they_are() -> None:
    """Pairs, counts and weights are the same, and only distinct pairs come back."""
    here, _ = aligned("id", remote=False)
    there, engine = aligned("id", remote=True)

    assert engine is not None and engine.most.rows <= 120
    assert there.n.tolist() == here.n.tolist() and there.weight.tolist() == here.weight.tolist()
    assert there.left_out == here.left_out == 10


def test_too_many_pairs_are_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted first; the error has the counts."""
    monkeypatch.setattr(combinations, "MOST_COMBINATIONS", 50)
    with pytest.raises(AlignmentError, match=r"different combinations before and after, and at most 50"):
        aligned("id", remote=True)

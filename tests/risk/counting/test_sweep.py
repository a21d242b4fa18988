"""Counting by sorting is held to the statements that describe what it counts, and groups part by part to groups all at once."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anonscope as an
from anonscope.engines import DuckDB
from anonscope.risk.counting import linked, sweep, tuples
from anonscope.risk.counting.linked import count_profiles
from anonscope.risk.counting.tuples import Tuples

_SWEPT = ("record", "class", "value", "kind_cell", "attribute_cell")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many records alone, some classes with several values, some large ones, missing values in every column."""
    draw = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("sweep") / "table.csv"
    columns = [np.floor(size * draw.random(400) ** skew).astype(int) for size, skew in ((9, 2), (30, 3), (4, 1), (12, 3))]
    columns[0][:40], columns[1][:40] = 0, 1
    lines = [",".join("" if x == 3 else f"v{x}" for x in row) for row in zip(*columns, strict=True)]
    path.write_text("a,b,c,s\n" + "\n".join(lines) + "\n")
    return path


def test_swept_tables_are_those_of_their_statements(table: Path) -> None:
    """Whoever runs by hand the statements that are shown gets every table that sorting made, row for row."""
    with an.read(table, quasi_identifiers=["a", "b", "c"], sensitive=["s"]) as data:
        an.audit(data)
        shown = {statement.name: statement.sql for statement in data.engine.statements}
        for name in _SWEPT:
            stored = data.engine.rows(f"SELECT * FROM {name}")
            assert sorted(stored) == sorted(data.engine.rows(shown[name])), name
            assert len(stored) > 3, name


@pytest.mark.parametrize("roles", [{"sensitive": ["s"]}, {"sensitive": ["s", "c"]}, {}, {"sensitive": ["s"], "person": "c"}])
def test_nothing_is_measured_otherwise_where_the_engine_counts(
    table: Path, roles: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no room for arrays the engine groups records itself, and every measurement is the same to 1e-9."""

    def measured() -> dict[tuple[object, ...], list[float]]:
        with an.read(table, quasi_identifiers=["a", "b"], **roles) as data:
            found = an.audit(data)
        return {
            (m.metric, m.attributes, m.sensitive, m.variant, m.level, m.status): [
                number for number in (m.value, m.min, m.mean, m.max) if number is not None
            ]
            for m in found.measurements
        }

    swept = measured()
    monkeypatch.setattr(DuckDB, "room", 0)
    grouped = measured()
    assert swept.keys() == grouped.keys()
    for key, values in swept.items():
        assert values == pytest.approx(grouped[key], rel=1e-9, abs=1e-12), key


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More columns than one number holds, of text, whole numbers and decimals, some values missing, some records twice."""
    draw = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("wide") / "wide.parquet"
    columns: dict[str, pa.Array] = {}
    for j in range(26):
        missing, numbers = draw.random(120) < 0.05, draw.integers(-3, 40, 120)
        columns[f"q{j}"] = pa.array([f"v{x}" for x in numbers] if j % 2 else numbers / 2 if j == 4 else numbers, mask=missing)
    columns["s"] = pa.array([["x", "y", None][i] for i in draw.integers(0, 3, 120)])
    columns["p"] = pa.array(draw.integers(0, 30, 120))
    table = pa.table(columns)
    pq.write_table(pa.concat_tables([table, table.slice(0, 40)]), path)
    return path


def measured_wide(path: Path, **roles: object) -> dict[tuple[object, ...], list[float]]:
    with an.read(path, quasi_identifiers=[f"q{j}" for j in range(26)], **roles) as data:
        found = an.audit(data)
    return {
        (m.metric, m.attributes, m.sensitive, m.variant, m.level, m.status): [
            number for number in (m.value, m.min, m.mean, m.max) if number is not None
        ]
        for m in found.measurements
    }


@pytest.mark.parametrize("roles", [{"sensitive": ["s"]}, {"sensitive": ["s"], "person": "p"}])
def test_wide_tables_are_measured_as_the_engine_counts_them(wide: Path, roles: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns read in codes and classes numbered by a hash give every measurement that the statements give, to 1e-9."""
    here = measured_wide(wide, **roles)
    assert here["k_anonymity", None, None, None, "record", "measured"] == [1]
    with monkeypatch.context() as patched:
        # All classes share a hash: that is seen, and the statements are run.
        patched.setattr(sweep, "mixed", np.zeros_like)
        shared = measured_wide(wide, **roles)
    monkeypatch.setattr(DuckDB, "room", 0)
    counted = measured_wide(wide, **roles)
    assert here.keys() == shared.keys() == counted.keys()
    for key, values in counted.items():
        assert here[key] == pytest.approx(values, rel=1e-9, abs=1e-12), key
        assert shared[key] == pytest.approx(values, rel=1e-9, abs=1e-12), key


def test_columns_are_coded_as_their_statement_says(wide: Path) -> None:
    """Whoever runs the statements that are shown gets the dictionary and the records that were read, row for row."""
    with an.read(wide, quasi_identifiers=[f"q{j}" for j in range(26)], sensitive=["s"]) as data:
        an.audit(data, only=["k_anonymity"])
        shown = {statement.name: statement.sql for statement in data.engine.statements}
        for name in ("dictionary", "record"):
            stored = data.engine.rows(f"SELECT * FROM {name}")
            assert sorted(stored) == sorted(data.engine.rows(shown[name])), name
            assert len(stored) > 100, name


@pytest.mark.parametrize("sizes", [(7, 5, 6, 4), (1, 300, 2, 3), (40, 1, 40, 1)])
def test_groups_are_whole_in_every_part(sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the parts, they hold every tuple once and no group goes on in another one."""
    monkeypatch.setattr(tuples, "_PART", 8)
    draw = np.random.default_rng(5)
    places = tuple(int(np.prod(sizes[:j])) for j in range(len(sizes)))
    packed = np.flatnonzero(draw.random(int(np.prod(sizes))) < 0.4)
    codes = tuple((packed // place) % size for place, size in zip(places, sizes, strict=True))
    found = Tuples(("a", "b", "c", "d"), codes, sizes, draw.integers(1, 5, len(packed)).astype(float), (), packed, places)
    for attribute in range(4):
        whole = found.without(attribute)
        together = whole.spread(whole.sums(found.n))
        apart = np.full(len(packed), np.nan)
        parts = 0
        for part, runs in found.parts_without(attribute):
            assert np.isnan(apart[part]).all()
            apart[part] = runs.spread(runs.sums(found.n[part]))
            parts += 1
        assert apart.tolist() == together.tolist()
        assert parts > 1 or len(packed) < 60


def test_profiles_that_share_a_sketch_are_told_apart() -> None:
    """Two people whose sketches agree though their records differ are alone all the same, and twins are not."""
    profiles = {1: [1, 4, 7, 10], 2: [1, 5, 6, 10], 3: [1, 4, 7, 10], 4: [2], 5: [2], 6: [2], 7: [3, 8]}
    engine = DuckDB()
    try:
        engine.constants("pair", [{"q": q, "u": u, "n": 1} for u, classes in profiles.items() for q in classes])
        found = count_profiles(engine, 3)
        sketches = engine.rows(f"SELECT COUNT(*) FROM (SELECT DISTINCT {linked._FIELDS} FROM profile_sketch) AS x")
    finally:
        engine.close()
    assert (found.people, found.alone, found.below) == (7, 2, 4)
    assert sketches == [(3,)]

"""Looking a text up among pairs: exact, in the order of the records, and no slower for what is not among them."""

import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.engines import DuckDB
from support.strategies import law

TEXT = st.text(max_size=4)


@law
@given(pairs=st.dictionaries(TEXT, TEXT, max_size=60), values=st.lists(TEXT | st.none(), max_size=10))
def test_every_text_finds_its_own(pairs, values):
    """And what is not there finds nothing."""
    asked = [*values, *pairs]
    engine = DuckDB(threads=1)
    try:
        engine.register("arrow_source_asked", pa.table({"v": pa.array(asked, pa.string())}))
        sql = engine.lookup("pairs", "v", pairs)
        assert [row[0] for row in engine.rows(f"SELECT {sql} FROM arrow_source_asked")] == [pairs.get(value) for value in asked]
    finally:
        engine.close()


def test_records_keep_their_order_with_two_threads():
    """Which a join would not promise."""
    engine = DuckDB(threads=2)
    try:
        engine.materialise("asked", "SELECT CAST(range AS VARCHAR) AS v FROM RANGE(500000)")
        sql = engine.lookup("pairs", "v", {str(i): str(i) for i in range(0, 500_000, 100)})
        found = engine.batches(f"SELECT {sql} AS v FROM asked").read_all().column("v").to_pylist()
    finally:
        engine.close()
    assert found == [str(i) if i % 100 == 0 else None for i in range(500_000)]


@pytest.mark.parametrize("size", [100, 10_000])
def test_texts_that_are_not_among_the_pairs_cost_no_more(size):
    """A million of them take a fraction of a second; comparing each with all would take minutes."""
    engine = DuckDB(threads=1)
    try:
        engine.materialise("asked", "SELECT 'x' || CAST(range AS VARCHAR) AS v FROM RANGE(1000000)")
        sql = engine.lookup("pairs", "v", {str(i): "" for i in range(size)})
        begin = time.process_time()
        assert engine.rows(f"SELECT COUNT({sql}) FROM asked") == [(0,)]
        assert time.process_time() - begin < 5
    finally:
        engine.close()

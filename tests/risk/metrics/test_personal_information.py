"""Personal information factor: worked examples, then its own laws."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.risk.counting import Tuples
from anonscope.risk.metrics.personal_information import percentile
from reference.tuples import nearest_rank
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]


def test_a_copy_of_a_column_gives_its_whole_entropy_away(audit: Run) -> None:
    """Eight values, each known from the copy: 3 bits in either cell, 6 in the record."""
    found = audit(a=list(range(8)), b=list(range(8)), quasi_identifiers=["a", "b"]).select("personal_information")

    assert found[0].value == found[1].max == pytest.approx(6)
    assert [m.mean for m in found if m.attributes] == pytest.approx([3, 3])


def test_independent_columns_hold_nothing(audit: Run) -> None:
    """All pairs equally often: the rest of a record says nothing about its cells."""
    found = audit(a=[0, 0, 1, 1], b=[0, 1, 0, 1], quasi_identifiers=["a"], sensitive=["b"])

    assert all(x == pytest.approx(0) for m in found.select("personal_information") for x in (m.value, m.max) if x is not None)


def test_the_percentile_is_what_some_record_has(audit: Run) -> None:
    """Nineteen alike and one apart: 95 % have at most what the nineteen have; of 21 with two apart they do not."""
    few = audit(a=[1] * 19 + [2], b=[1] * 19 + [2], quasi_identifiers=["a", "b"]).select("personal_information")
    more = audit(a=[1] * 19 + [2, 3], b=[1] * 19 + [2, 3], quasi_identifiers=["a", "b"]).select("personal_information")

    assert few[0].value == pytest.approx(2 * math.log2(20 / 19))
    assert more[0].value == pytest.approx(2 * math.log2(21))


@law
@given(sums=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 30)), min_size=1, max_size=12), percent=st.integers(1, 100))
def test_the_percentile_counts_records_and_not_tuples(sums: list[tuple[int, int]], percent: int) -> None:
    """A tuple that many records show counts as often."""
    bits, n = (np.array(column) for column in zip(*sums, strict=True))
    every = [float(b) for b, times in sums for _ in range(times)]

    assert percentile(bits, Tuples((), (), (), n), percent) == nearest_rank(every, percent)


@law
@given(table=tables())
def test_a_cell_holds_no_more_than_the_rarest_value(table: Table) -> None:
    """At most log2 n bits, which a value has that only one record shows, and never fewer than none."""
    for m in audited(table).select("personal_information", variant="every record"):
        assert 0 <= m.min <= m.mean <= m.max
        if m.attributes:
            assert m.max <= math.log2(table.rows) + 1e-9


def test_the_adult_data(data_folder: Path) -> None:
    """piflib's 22.6 bits for 1,000 records and six columns; its worst record, 34.4, belongs to a draw that is not known."""
    known = ["age", "education", "marital-status", "occupation", "sex", "native-country"]
    with an.read(data_folder / "adult" / "adult_full_48842.csv", quasi_identifiers=known, rows=1000) as data:
        found = an.audit(data).select("personal_information")

    assert found[0].value == pytest.approx(22.6, abs=0.05)
    assert found[1].max == pytest.approx(37.23, abs=0.01)

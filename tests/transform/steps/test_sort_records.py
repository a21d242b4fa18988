"""Sorted records say what they said, and their order nothing."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.columns.images import Exactly
from anonscope.transform.steps import GeneraliseInterval, SortRecords
from support.strategies import law, tables
from support.transformed import in_one_form, transformed


def test_records_come_in_the_order_of_their_values():
    """By the first column, then the second; a missing value comes first, and whole records move."""
    made = transformed(SortRecords(), {"x": ["b", None, "a", "a"], "y": [1, 2, 4, 3]})
    assert made == {"x": [None, "a", "a", "b"], "y": [2, 3, 4, 1]}


def test_changed_values_decide_and_are_still_counted():
    """The order is that of the release; what the step before changed is counted as before."""
    import pyarrow as pa

    with an.read(pa.table({"age": [39, 31, 50], "s": ["b", "c", "a"]})) as data:
        release = an.apply([GeneraliseInterval(column="age", width=10), SortRecords()], data)
        assert release.table.to_pydict() == {"age": ["[30-39]", "[30-39]", "[50-59]"], "s": ["b", "c", "a"]}
        assert [(c.column, c.changed) for c in release.changes.columns] == [("age", 3)]


@law
@given(table=tables(), data=st.data())
def test_the_order_of_the_table_is_lost(table, data):
    """Whatever order the records came in, the release is the same, and it has the same records."""
    arrow = table.arrow()
    order = data.draw(st.permutations(range(table.rows)))
    made, again = (transformed(SortRecords(), t) for t in (arrow, table.picked(order).arrow()))
    assert repr(made) == repr(again)
    before = in_one_form(arrow)
    assert Counter(map(repr, zip(*made.values(), strict=True))) == Counter(map(repr, zip(*before.values(), strict=True)))


def test_a_released_value_stands_for_itself():
    """Also a missing one."""
    assert SortRecords().image("x", "5") == Exactly("5") and SortRecords().image("x", None) == Exactly(None)

"""The sum of numbers is exact, whatever their sizes and signs."""

from fractions import Fraction

import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonscope.engines import DuckDB
from anonscope.transform.randomness.exact_sum import exact_sum

ENGINE = DuckDB(threads=1)
_number = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(_number, st.integers(1, 10**6)), max_size=8))
@example([(5e-324, 3), (-5e-324, 1)])
@example([(1.7976931348623157e308, 10), (2.0**-1022, 1), (1.0, 1)])
@example([(float(2**53 - 1), 1), (0.1, 7), (-0.0, 2), (1e16, 1), (-1e16, 1)])
def test_nothing_is_lost(counted):
    """Each number counts as often as it is said to."""
    table = {"x": pa.array([x for x, _ in counted], pa.float64()), "n": pa.array([n for _, n in counted], pa.int64())}
    ENGINE.register("numbers", pa.table(table))

    assert exact_sum(ENGINE, "numbers", "x") == sum((Fraction(x) * n for x, n in counted), Fraction())

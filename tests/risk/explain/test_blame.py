"""Who is to blame: leave-one-out and Shapley values against their definitions."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.risk.explain.blame import Blames, blame
from reference import explain as reference_explain
from support.explained import explained, tuples_of, wide_tables
from support.strategies import Table, law, tables


def blamed(table: Table, limit: int, **options: object) -> Blames:
    tuples = tuples_of(table)
    return blame(tuples, tuples.places(table.quasi_identifiers), limit, **options)  # type: ignore[arg-type]


@law
@given(table=wide_tables(), limit=st.integers(2, 6))
def test_shapley_values_are_the_mean_over_all_orders(table: Table, limit: int) -> None:
    """Whatever the table, NULLs and persons included."""
    expected = reference_explain.shapley(table, table.quasi_identifiers, limit)
    found = {b.attribute: b.shapley for b in blamed(table, limit).attributes}

    assert found == pytest.approx({name: float(value) for name, value in expected.items()}, abs=1e-9)


@law
@given(table=wide_tables(), limit=st.integers(2, 6))
def test_leaving_one_out_is_counting_without_it(table: Table, limit: int) -> None:
    """Records at risk and unique records, with and without each attribute."""
    found = blamed(table, limit)
    known = table.quasi_identifiers

    assert found.at_risk == reference_explain.at_risk(table, known, limit)
    assert found.unique == reference_explain.at_risk(table, known, 2)
    for b in found.attributes:
        rest = [name for name in known if name != b.attribute]
        assert b.without == found.at_risk - reference_explain.at_risk(table, rest, limit)
        assert b.unique_without == found.unique - reference_explain.at_risk(table, rest, 2)


@law
@given(table=wide_tables(), limit=st.integers(2, 6))
def test_shapley_values_add_up_to_the_records_at_risk(table: Table, limit: int) -> None:
    """What is at risk with nothing known, in a table that is too small, is nobody's fault."""
    found = blamed(table, limit)
    anyway = reference_explain.at_risk(table, [], limit)

    assert sum(b.shapley for b in found.attributes) == pytest.approx(found.at_risk - anyway, abs=1e-9)
    assert all(b.shapley >= -1e-9 for b in found.attributes)


@law
@given(table=tables(), limit=st.integers(2, 6))
def test_attributes_that_say_the_same_share_the_blame_equally(table: Table, limit: int) -> None:
    """A copy of a column takes half of what the column had."""
    first = table.quasi_identifiers[0]
    twin = replace(table, columns=(*table.columns, ("twin", table[first])), quasi_identifiers=(*table.quasi_identifiers, "twin"))
    found = {b.attribute: b for b in blamed(twin, limit).attributes}

    assert found["twin"].shapley == pytest.approx(found[first].shapley, abs=1e-9)
    assert found["twin"].without == 0


@law
@given(table=wide_tables(), limit=st.integers(2, 4))
def test_sampled_values_add_up_as_well_and_can_be_repeated(table: Table, limit: int) -> None:
    """Every order hands out all records at risk; a seed gives the same numbers again."""
    found, again = blamed(table, limit, exact=False), blamed(table, limit, exact=False)
    anyway = reference_explain.at_risk(table, [], limit)

    assert found == again
    assert sum(b.shapley for b in found.attributes) == pytest.approx(found.at_risk - anyway, abs=1e-6)
    assert found.orders and found.seed is not None


def test_intervals_hold_the_exact_values() -> None:
    """95 % intervals of four attributes; with this seed all of them do."""
    rows = range(60)
    table = Table(tuple((f"q{i}", tuple((r * (i + 3)) % (4 + i) for r in rows)) for i in range(4)), ("q0", "q1", "q2", "q3"))
    exact = {b.attribute: b.shapley for b in blamed(table, 4).attributes}

    for b in blamed(table, 4, exact=False).attributes:
        assert b.low is not None and b.high is not None and b.low <= exact[b.attribute] <= b.high


def test_more_than_twelve_attributes_are_sampled() -> None:
    """8,192 sets would be too many to promise; the answer says that it is an estimate."""
    table = Table(tuple((f"q{i}", tuple((r >> (i % 5)) & 1 for r in range(32))) for i in range(13)), tuple(f"q{i}" for i in range(13)))
    why = explained(table)

    assert why.blame.orders is not None
    assert all(b.standard_error is not None for b in why.blame.attributes)


def test_a_worked_example() -> None:
    """Two of four people stand alone by age and sex together; neither attribute does it on its own."""
    table = Table((("age", (30, 30, 40, 40)), ("sex", ("F", "M", "M", "M"))), ("age", "sex"))
    found = blamed(table, 2)

    # sex alone: one F is unique, three M are not. age alone: nobody. Together: 30 F and 30 M.
    assert {b.attribute: (b.shapley, b.without) for b in found.attributes} == {"age": (0.5, 1), "sex": (1.5, 2)}
    assert (found.at_risk, found.unique) == (2, 2)


def test_keys_of_several_words() -> None:
    """Nine columns of 1,100 values do not fit into one number, and are told apart all the same."""
    rows = 1100
    wide = tuple((f"w{i}", tuple(range(rows))) for i in range(8))
    table = Table((*wide, ("half", tuple(r // 2 for r in range(rows)))), (*(name for name, _ in wide), "half"))
    found = blamed(table, 2)

    assert found.at_risk == rows
    assert {b.without for b in found.attributes} == {0}
    shapley = {b.attribute: b.shapley for b in found.attributes}
    assert shapley["half"] == pytest.approx(0, abs=1e-9)
    assert shapley["w0"] == pytest.approx(rows / 8)

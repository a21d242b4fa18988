"""A permuted column has the same values, dealt out anew."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Everything, Exactly
from anonscope.errors import ColumnNotFound, RecipeError
from anonscope.transform.randomness.draws import chance_of
from anonscope.transform.steps import PermuteColumn
from support.strategies import law, tables
from support.transformed import in_one_form, transformed

OCCUPATIONS = ["Adm-clerical", "Exec-managerial", "Handlers-cleaners", "Handlers-cleaners", "Prof-specialty", "Exec-managerial"]


def test_the_published_table_is_made_by_one_of_the_seeds():
    """R. Aufschläger et al. (2023), figure 5: records 1 to 6 get the values of records 6, 5, 3, 2, 1 and 4."""
    made = transformed(PermuteColumn(column="occupation", seed=456), {"record": list(range(6)), "occupation": OCCUPATIONS})
    assert made["occupation"] == [OCCUPATIONS[i - 1] for i in (6, 5, 3, 2, 1, 4)]
    assert made["record"] == list(range(6))


def test_missing_values_travel_too():
    """Who has no value is a fact about a person as well."""
    made = transformed(PermuteColumn(column="x", seed=3), {"x": [None] * 5 + list(range(5))})
    assert made["x"].count(None) == 5
    assert made["x"][:5] != [None] * 5


def test_every_order_is_as_likely():
    """Of three records, each of the six orders comes up for about a sixth of 1,200 seeds."""
    orders = Counter(tuple(chance_of(seed, "permute_column", "x").permutation(3).tolist()) for seed in range(1200))
    assert len(orders) == 6
    # Five standard deviations of a binomial count.
    assert all(abs(count - 200) < 5 * (1200 * 5 / 36) ** 0.5 for count in orders.values())


@law
@given(table=tables(), seed=st.integers(0, 2**63 - 1))
def test_the_marginal_is_kept_exactly(table, seed):
    """Whatever the type of the column: the same values as often, and no other column is touched."""
    before = in_one_form(table.arrow())
    made = transformed(PermuteColumn(column="q0", seed=seed), table.arrow())
    assert Counter(map(repr, made.pop("q0"))) == Counter(map(repr, before.pop("q0")))
    assert repr(made) == repr(before)


def test_a_released_value_stands_for_anything():
    """Also a missing one, which may have come from somebody else."""
    step = PermuteColumn(column="x", seed=1)
    assert step.image("x", "5") == step.image("x", None) == Everything()
    assert step.image("y", "5") == Exactly("5")


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, True, "1", "7" * 32, "01234567" * 3, "0123456789ABCDEF" * 2, "g" * 64])
def test_a_seed_is_drawn_or_for_tests(seed):
    """A number that a recipe can write down, or so many hexadecimal digits that nobody typed."""
    with pytest.raises(RecipeError, match="seed must be left out, so that one is drawn, or be at least 32 hexadecimal digits"):
        PermuteColumn(column="x", seed=seed)


def test_an_unknown_column_is_named():
    """Nothing is drawn for it."""
    with pytest.raises(ColumnNotFound, match="No column is named 'y'"):
        transformed(PermuteColumn(column="y", seed=1), {"x": [1]})

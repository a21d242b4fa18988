"""The private spanning tree: its pairs are its marginals, its budget is spent to the last fraction, and noise is what it says."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonscope.errors import DomainError
from anonscope.synthesis.counts import GroupedCounts, RecordCounts
from anonscope.synthesis.curator import Here
from anonscope.synthesis.domain import Categories, Domain
from anonscope.synthesis.drawing import Conditional, draw_records, draw_within
from anonscope.synthesis.ledger import Ledger, rho_within
from anonscope.synthesis.mechanisms import OpenDP, Seeded, chance_of, deviation
from anonscope.synthesis.projecting import onto_margins, onto_simplex
from anonscope.synthesis.tree import Tree


def domain_of(*sizes, bound=1):
    columns = tuple(Categories(name=f"c{i}", categories=tuple(map(str, range(size)))) for i, size in enumerate(sizes))
    return Domain(columns=columns, unit="id" if bound > 1 else None, records_per_unit=bound)


def chained(rows=4000, seed=3):
    """Return a table in which every column hangs on the one before it."""
    chance = np.random.default_rng(seed)
    a = chance.integers(0, 4, rows)
    b = np.where(chance.random(rows) < 0.8, a % 3, chance.integers(0, 3, rows))
    c = np.where(chance.random(rows) < 0.8, b, chance.integers(0, 5, rows))
    return RecordCounts([a, b, c], (4, 3, 5))


def total_variation(first, second):
    return 0.5 * np.abs(first / first.sum() - second / second.sum()).sum()


def test_the_model_has_the_noisy_counts_as_its_marginals():
    """Every pair on the tree sums up to its columns, to a billionth of the records; so drawing along it repeats them."""
    model = Tree().fit(Here(chained(), Seeded(1)), domain_of(4, 3, 5), Ledger.concentrated(1, 1e-9))

    assert set(model.structure) == {(0, 1), (1, 2)}
    for (i, j), table in model.edges.items():
        assert table.min() >= 0
        assert np.abs(table.sum(axis=1) - model.columns.grouped[i]).sum() <= 1e-9 * model.total
        assert np.abs(table.sum(axis=0) - model.columns.grouped[j]).sum() <= 1e-9 * model.total
    # Exact inference: the product of conditionals has the pairs again.
    (first, second, third) = model.conditionals
    whole = np.einsum(
        "a,ab,bc->abc",
        first.table,
        second.table / second.table.sum(axis=1, keepdims=True),
        third.table / third.table.sum(axis=1, keepdims=True),
    )
    assert np.abs(whole.sum(axis=2) - model.edges[0, 1]).sum() <= 1e-9 * model.total
    assert np.abs(whole.sum(axis=0) - model.edges[1, 2]).sum() <= 1e-9 * model.total


def test_with_much_budget_the_table_is_nearly_the_same():
    """What pairs on the tree tell is kept; and a pair off the tree follows, because the data are a chain."""
    counts = chained()
    model = Tree().fit(Here(counts, Seeded(1)), domain_of(4, 3, 5), Ledger.concentrated(50, 1e-9))
    drawn = RecordCounts(model.draw(4000, chance_of(1)), counts.sizes)

    for pair in combinations(range(3), 2):
        assert total_variation(counts.of(pair), drawn.of(pair)) < 0.02


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 2000).map(lambda n: Fraction(n, 100)), st.integers(2, 4), st.integers(1, 5))
def test_the_budget_is_spent_exactly_and_never_beyond(epsilon, width, bound):
    """Every share is a fraction, so they add up to the whole, whatever the epsilon."""
    ledger = Ledger.concentrated(epsilon, "1e-9")
    counts = RecordCounts([np.arange(12) % 2 for _ in range(width)], (2,) * width)
    Tree().fit(Here(counts, Seeded(0)), domain_of(*(2,) * width, bound=bound), ledger)

    assert ledger.spent.rho == ledger.budget.rho == rho_within(Fraction(epsilon), Fraction("1e-9"))
    assert len(ledger.charges) == width + 2 * (width - 1)


def test_a_single_column_gets_the_whole_budget():
    """There is no pair to choose."""
    ledger = Ledger.concentrated(1, 1e-9)
    model = Tree().fit(Here(RecordCounts([np.arange(100) % 4], (4,)), Seeded(1)), domain_of(4), ledger)

    assert ledger.left.rho == 0 and len(model.draw(10, chance_of(1))) == 1


def test_too_many_cells_are_refused_before_anything_is_counted():
    """The sentence has the number and what to do."""
    with pytest.raises(DomainError, match="cells together"):
        Tree().check(domain_of(9000, 9000))


def test_noise_is_discrete_gaussian_of_the_stated_deviation():
    """Mean and deviation of OpenDP's noise fit what rho asks for, for a person of several records."""
    rho, change = Fraction(1, 50), 3
    noise = OpenDP().noisy(np.zeros(4000, dtype=np.int64), rho, change)

    scale = deviation(rho, change)
    assert scale == pytest.approx(15.0)
    assert abs(noise.mean()) < 5 * scale / np.sqrt(4000)
    assert noise.std() == pytest.approx(scale, rel=0.08)


def test_a_choice_follows_the_scores():
    """With much budget the largest is chosen, with none to speak of any."""
    scores = np.array([0, 1000, 10])

    assert {OpenDP().choose(scores, Fraction(1, 100), 1) for _ in range(20)} == {1}
    assert len({OpenDP().choose(scores, Fraction(1, 10**12), 1) for _ in range(60)}) > 1


def test_projection_is_the_nearest_that_could_be():
    """By brute force on a grid: nothing that is possible is nearer."""
    rows = np.array([[3.0, -1.0, 0.5], [0.2, 0.2, 0.1]])
    found = onto_simplex(rows, np.array([2.0, 1.0]))

    assert found.min() >= 0 and found.sum(axis=1) == pytest.approx([2.0, 1.0])
    grid = [(a, b, t - a - b) for t in (2.0,) for a in np.arange(0, 2.01, 0.05) for b in np.arange(0, 2.01 - a, 0.05)]
    assert min(sum((np.array(p) - rows[0]) ** 2) for p in grid) >= sum((found[0] - rows[0]) ** 2) - 1e-9


def test_a_table_is_fitted_to_its_margins():
    """Sums are exact, and nothing is below 0, however noisy the table is."""
    chance = np.random.default_rng(1)
    first, second = np.array([50.0, 30.0, 20.0]), np.array([70.0, 30.0])
    found = onto_margins(chance.normal(0, 40, (3, 2)), first, second)

    assert found.min() >= 0
    assert np.abs(found.sum(axis=1) - first).sum() < 1e-9 and np.abs(found.sum(axis=0) - second).sum() < 1e-9


def test_drawing_keeps_shares_to_the_nearest_record():
    """Systematic sampling: of 10 records with shares .25 and .75 there are 2 or 3 of the first."""
    found = draw_within(np.repeat([0, 1], 10), np.array([[1.0, 3.0], [0.0, 1.0]]), chance_of(1))

    assert (found[:10] == 0).sum() in (2, 3) and set(found[10:]) == {1}


def test_a_group_that_the_model_never_saw_is_drawn_from_all():
    """A row of zeros is no distribution."""
    model = [Conditional(0, (), np.array([0.0, 1.0])), Conditional(1, (0,), np.array([[1.0, 1.0], [0.0, 0.0]]))]

    assert set(draw_records(model, 8, chance_of(2))[1]) == {0, 1}


def test_cells_that_are_put_together_are_counted_together():
    """Also where one rare cell in the middle goes behind the others, though there are as many as before."""
    counts = RecordCounts([np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])], (3, 2))
    grouped = GroupedCounts(counts, [np.array([0, 2, 1]), np.array([0, 1])])

    assert grouped.of((0, 1)).tolist() == [[1, 0], [0, 1], [1, 1]]

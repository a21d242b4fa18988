"""Every method of synthesis: golden values where a paper's table gives them, and laws that all of them keep."""

from dataclasses import FrozenInstanceError
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import DomainError, OptionError
from anonscope.synthesis.adaptive import Adaptive
from anonscope.synthesis.cart import _from_leaves
from anonscope.synthesis.components import sparsified
from anonscope.synthesis.condensation import Condensed, Hybrid, near_groups
from anonscope.synthesis.counts import RecordCounts
from anonscope.synthesis.curator import Here
from anonscope.synthesis.domain import Categories, Domain
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.junction import Junction, NoisyMarginal, cells_of, cliques_of
from anonscope.synthesis.ledger import Ledger
from anonscope.synthesis.mechanisms import Seeded, chance_of
from anonscope.synthesis.method import PrivateMethod
from anonscope.synthesis.methods import METHODS, method_of

# Age, education in years and hours of the first six rows of Adult.
SIX = np.array([[39, 13, 40], [50, 13, 13], [38, 9, 40], [53, 7, 40], [28, 13, 40], [37, 14, 40]], dtype=np.float64)
DOMAIN = """
[columns.sex]
categories = ["F", "M"]
[columns.age]
lower = 0
upper = 99
whole = true
bins = 10
[columns.score]
lower = 0
upper = 1
missing = true
[columns.day]
first = 2020-01-01
last = 2020-12-31
"""


@pytest.fixture(scope="module")
def people():
    chance = np.random.default_rng(2)
    age = chance.integers(0, 100, 300)
    score = np.where(chance.random(300) < 0.1, np.nan, np.clip(age / 100 + chance.normal(0, 0.1, 300), 0, 1))
    days = np.datetime64("2020-01-01") + chance.integers(0, 366, 300)
    return pa.table({"sex": np.where(chance.random(300) < 0.4, "F", "M"), "age": age, "score": score, "day": days.astype(str)})


def test_condensation_has_the_golden_moments():
    """Group {R1, R3, R6} of the synthesis paper's table: first-order sums and eigenvalues of the covariance."""
    kept = Condensed.of(SIX[[0, 2, 5]])

    assert kept.sums.tolist() == [114, 36, 120]
    assert np.linalg.eigvalsh(kept.covariance) == pytest.approx([0, 0.6391, 4.6943], abs=1e-4)
    drawn = kept.drawn(20_000, np.random.default_rng(1))
    assert drawn.mean(axis=0) == pytest.approx(kept.mean, abs=0.05)
    assert np.cov(drawn, rowvar=False, bias=True) == pytest.approx(kept.covariance, abs=0.1)


def test_the_sparsified_decomposition_has_the_golden_errors():
    """All six rows: singular values, and the relative error by components and threshold."""
    assert np.linalg.svd(SIX, compute_uv=False) == pytest.approx([136.2973, 27.8013, 8.8951], abs=1e-4)
    for rank, threshold, error in ((1, 0.0, 0.2094), (2, 0.0, 0.0638), (2, 0.2, 0.0871)):
        found = np.linalg.norm(SIX - sparsified(SIX, rank, threshold)) / np.linalg.norm(SIX)
        assert found == pytest.approx(error, abs=1e-4)


def test_hybrid_records_have_the_moments_of_their_group():
    """Exactly, where they are more than the columns."""
    rows = np.random.default_rng(1).normal(size=(12, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.2], [0, 0, 2]])
    made = Hybrid()._shaped(rows, 12, chance_of(1))

    assert made.mean(axis=0) == pytest.approx(rows.mean(axis=0))
    assert np.cov(made, rowvar=False) == pytest.approx(np.cov(rows, rowvar=False))


def test_groups_are_large_enough_and_hold_everybody():
    """At least k, fewer than 2k, each record once."""
    groups = near_groups(np.random.default_rng(1).random((103, 2)), 5)

    assert sorted(np.concatenate(groups)) == list(range(103)) and all(5 <= len(group) < 10 for group in groups)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_draws_what_the_domain_allows(name, people):
    """As many records as wanted, every value within its bounds, and columns spread about as before."""
    private = issubclass(METHODS[name], PrivateMethod)
    with an.read(people) as data:
        found = an.synthesise(data, parse_domain(DOMAIN), method=name, epsilon=20 if private else None, records=250, seed=1)

    made = found.table.to_pandas()
    assert len(made) == 250 and set(made["sex"]) <= {"F", "M"}
    assert made["age"].between(0, 99).all() and (made["age"] == made["age"].round()).all()
    assert made["score"].dropna().between(0, 1).all()
    assert made["day"].map(str).between("2020-01-01", "2020-12-31").all()
    assert abs(made["age"].mean() - people.to_pandas()["age"].mean()) < 10
    assert not found.guarantee.holds
    with an.read(people) as data:
        again = an.synthesise(data, parse_domain(DOMAIN), method=name, epsilon=20 if private else None, records=250, seed=1)
    assert again.table == found.table


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_frozen_cited_and_documented(name):
    """Registry, source, parameters and a page with before and after."""
    from support.documentation import DOCS

    method = METHODS[name]()
    assert method.source and method.title
    with pytest.raises((FrozenInstanceError, TypeError)):
        method.name = "other"
    page = (DOCS / "synthesis" / "methods" / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {name}: ") and all(f"`{parameter}`" in page for parameter in method.parameters)
    assert "**Differentially private.**" in page if method.private else "**No guarantee.**" in page
    assert f"--method {name}" in page


@pytest.mark.parametrize(
    ("name", "given"), [("svd", {"components": 0}), ("pca", {"noise": -1}), ("hybrid", {"size": 1}), ("adaptive", {"rounds": 99})]
)
def test_parameters_that_mean_nothing_are_refused(name, given):
    """A sentence each."""
    with pytest.raises(OptionError, match=f"Method {name}: "):
        method_of(name, given)


def test_too_many_columns_for_the_limit_are_refused():
    """Before anything is counted; the sentence says what to do."""
    domain = Domain(columns=tuple(Categories(name=f"c{i}", categories=tuple(map(str, range(100)))) for i in range(30)))

    with pytest.raises(DomainError, match="too many columns"):
        Adaptive(cells=2000).check(domain)


def test_a_junction_tree_holds_every_set_and_is_triangulated():
    """A square of pairs gets a diagonal; its cells are counted."""
    square = [(0, 1), (1, 2), (2, 3), (0, 3)]
    cliques = cliques_of(square, (2, 3, 2, 3))

    assert all(any(set(pair) <= set(clique) for clique in cliques) for pair in square)
    assert max(map(len, cliques)) == 3 and cells_of(square, (2, 3, 2, 3)) == 24


def test_messages_give_the_marginals_of_the_whole_product():
    """Two passes over the tree equal brute force over all cells."""
    sizes = (2, 3, 2, 3)
    chance = np.random.default_rng(1)
    measured = [NoisyMarginal(pair, np.ones([sizes[c] for c in pair]), 1.0) for pair in [(0, 1), (1, 2), (2, 3), (0, 3)]]
    for one in measured:
        one.weight = chance.normal(size=one.counts.shape)
    junction = Junction(measured, sizes, 100.0)
    whole = np.zeros(sizes)
    for one in measured:
        whole += one.weight.reshape([sizes[c] if c in one.columns else 1 for c in range(4)])
    whole = 100 * np.exp(whole) / np.exp(whole).sum()

    for clique, found in zip(junction.cliques, junction.marginals(), strict=True):
        assert found == pytest.approx(whole.sum(axis=tuple(c for c in range(4) if c not in clique)))


def test_the_adaptive_model_finds_what_three_columns_tell_together():
    """An exclusive or, which no pair shows, is kept; a tree cannot."""
    chance = np.random.default_rng(4)
    a, b = chance.integers(0, 2, 3000), chance.integers(0, 2, 3000)
    counts = RecordCounts([a, b, a ^ b], (2, 2, 2))
    ledger = Ledger.concentrated(2, 1e-9)
    columns = tuple(Categories(name=f"c{i}", categories=("0", "1")) for i in range(3))
    model = Adaptive().fit(Here(counts, Seeded(1)), Domain(columns=columns), ledger)
    drawn = model.draw(3000, chance_of(1))

    assert (0, 1, 2) in model.structure and ledger.left.rho == 0
    assert ((drawn[0] ^ drawn[1]) == drawn[2]).mean() > 0.95
    assert all(abs(RecordCounts(drawn, (2, 2, 2)).of(pair) - 750).max() < 100 for pair in combinations(range(3), 2))


def test_where_no_pair_fits_under_the_limit_columns_are_drawn_by_themselves():
    """The rest of the budget is not spent, and nothing stops."""
    columns = tuple(Categories(name=str(i), categories=tuple(map(str, range(450)))) for i in range(2))
    codes = [np.arange(45_000) % 450, np.arange(45_000) // 100]
    ledger = Ledger.concentrated(50, 1e-9)
    model = Adaptive(cells=1000).fit(Here(RecordCounts(codes, (450, 450)), Seeded(1)), Domain(columns=columns), ledger)

    assert model.structure == () and ledger.left.rho > 0
    assert len(model.draw(100, chance_of(1))[0]) == 100


def test_trees_deal_out_the_values_of_a_leaf_as_often_as_it_has_them(people):
    """In every leaf to the nearest record, so that no chance of single draws is added to what the trees left out."""
    chance = np.random.default_rng(4)
    leaf, value = np.repeat([3, 5, 9], [500, 300, 200]), chance.integers(0, 4, 1000).astype(np.float64)
    made = chance.permutation(np.repeat([3, 5, 9], [1000, 100, 400]))
    drawn = _from_leaves(leaf, made, value, chance)
    for one, times in ((3, 2), (5, 1 / 3), (9, 2)):
        real, found = (np.bincount(values[leaves == one].astype(int), minlength=4) for leaves, values in ((leaf, value), (made, drawn)))
        assert np.abs(found - times * real).max() <= 1 + times
    # The column that comes first is dealt out as well.
    pytest.importorskip("sklearn")
    with an.read(people) as data:
        found = an.synthesise(data, parse_domain(DOMAIN), method="cart", records=600, seed=1).table
    assert abs(found["sex"].to_pylist().count("F") - 2 * people["sex"].to_pylist().count("F")) <= 2

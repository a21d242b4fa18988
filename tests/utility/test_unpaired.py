"""Tables whose records do not correspond: every measure against a slow version of itself, and what must hold of all of them."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonscope as an
from anonscope.engines import DuckDB
from anonscope.io.sources import open_source
from anonscope.utility import settled
from anonscope.utility.unpaired import NOT_PAIRED, UNPAIRED, Unpaired, follows, measure_unpaired, unpaired
from anonscope.utility.unpaired.propensity import propensity

COLUMNS = ("age", "sex", "ill")
rows = st.lists(st.tuples(st.integers(20, 23), st.sampled_from("fm"), st.sampled_from(["flu", "gout", None])), min_size=3, max_size=25)


def table_of(records):
    """Return records as a table."""
    return pa.table({name: list(values) for name, values in zip(COLUMNS, zip(*records, strict=True), strict=True)})


def beside(original, release, **asked):
    """Return two tables in common codes."""
    engine = DuckDB()
    try:
        before = settled(engine, open_source(original, engine))
        return unpaired(engine, before, open_source(release, engine), original.column_names, **asked)
    finally:
        engine.close()


def found(tables):
    """Return all measurements by name, variant and column."""
    return {(m.utility, m.variant, m.column): m for m in measure_unpaired(tables)}


def slow_variation(one, other, k):
    """The mean over sets of columns of half the sum of differences of shares, by counting texts."""
    values = []
    for columns in combinations(range(3), k):
        counts = [Counter(tuple(record[i] for i in columns) for record in side) for side in (one, other)]
        values.append(sum(abs(counts[0][c] / len(one) - counts[1][c] / len(other)) for c in {*counts[0], *counts[1]}) / 2)
    return sum(values) / len(values)


def slow_disco(one, other):
    """Of how many records the release has one illness for their age and sex, which is theirs."""
    told = {}
    for age, sex, ill in other:
        told.setdefault((age, sex), set()).add(ill)
    return sum(told.get((age, sex)) == {ill} for age, sex, ill in one) / len(one)


@settings(max_examples=12, deadline=None)
@given(rows, rows)
def test_every_count_agrees_with_a_slow_version(one, other):
    """Variation of columns, pairs and triples, the score, exact and unique matches, and DiSCO."""
    got = found(beside(table_of(one), table_of(other), keys=("age", "sex"), sensitive=("ill",)))
    alike = Counter(one)

    for k, variant in ((1, "columns"), (2, "pairs"), (3, "triples")):
        assert got["marginal_variation", variant, None].value == pytest.approx(slow_variation(one, other, k))
    assert got["k_marginal_score", "triples", None].value == pytest.approx(1000 * (1 - slow_variation(one, other, 3)))
    assert got["exact_matches", None, None].value == pytest.approx(sum(record in alike for record in other) / len(other))
    assert got["unique_matches", None, None].value == pytest.approx(sum(n == 1 and r in set(other) for r, n in alike.items()) / len(one))
    assert got["disco", None, "ill"].value == pytest.approx(slow_disco(one, other))


@settings(max_examples=5, deadline=None)
@given(rows, rows)
def test_laws_of_all_measures(one, other):
    """A copy loses nothing, the order of records does not matter, and no number is beyond its range."""
    copy = found(beside(table_of(one), table_of(one[::-1])))
    for name, best in (("marginal_variation", 0), ("pairwise_association_change", 0), ("impossible_combinations", 0), ("exact_matches", 1)):
        assert all(m.value == pytest.approx(best, abs=1e-12) for (utility, *_), m in copy.items() if utility == name)
    assert copy["equivalent_subsample", None, None].value == 1
    first, second = (found(beside(table_of(one), table_of(records))) for records in (other, other[::-1]))
    for key, m in first.items():
        low, high = UNPAIRED[key[0]].range
        assert (m.value is None) == (m.reason is not None)
        assert m.value is None or (low - 1e-9 <= m.value and (high is None or m.value <= high + 1e-9))
        assert m.value is None or key[0] == "propensity_ratio" or m.value == pytest.approx(second[key].value)


def drawn(chance, n, linked=True):
    """Return people whose columns say something about each other, or nothing."""
    a = chance.integers(0, 4, n)
    b = (a + chance.integers(0, 2, n)) % 4
    c = (b > 1).astype(int) if linked else chance.permutation((b > 1).astype(int))
    return pa.table({"a": a, "b": b if linked else chance.permutation(b), "c": c, "x": a * 10.0 + chance.normal(0, 3, n)})


def test_the_propensity_score_has_the_right_null():
    """Two samples of the same people have a ratio of about 1, whatever their sizes; lost associations are told at once."""
    ratios = []
    for seed, (n, m) in enumerate([(1500, 1500), (2000, 1000), (1000, 2500), (1500, 1500)]):
        chance = np.random.default_rng(seed)
        found, expected = propensity(beside(drawn(chance, n), drawn(chance, m)))
        ratios.append(found / expected)
    chance = np.random.default_rng(9)
    found, expected = propensity(beside(drawn(chance, 1500), drawn(chance, 1500, linked=False)))

    assert 0.6 < np.mean(ratios) < 1.4 and found / expected > 10


def test_the_propensity_score_agrees_with_another_solver():
    """Another program's logistic regression on the same design comes to the same scores."""
    linear = pytest.importorskip("sklearn.linear_model")
    from anonscope.utility.unpaired.propensity import design

    chance = np.random.default_rng(3)
    tables = beside(drawn(chance, 600), drawn(chance, 400, linked=False))
    order = np.random.default_rng(1)
    picked = [order.permutation(count) for count in tables.records]
    joined = [np.concatenate([a[picked[0]], b[picked[1]]]) for a, b in zip(tables.original, tables.release, strict=True)]
    matrix = design(joined, list(tables.sizes)).toarray()
    which = np.r_[np.zeros(600), np.ones(400)]
    model = linear.LogisticRegression(C=1e6, fit_intercept=False, max_iter=2000).fit(matrix, which)
    scores = model.predict_proba(matrix)[:, 1]

    assert propensity(tables)[0] == pytest.approx(((scores - 0.4) ** 2).mean(), rel=0.01)


def test_a_sample_is_as_good_as_itself():
    """The equivalent subsample of a random fifth is about a fifth."""
    chance = np.random.default_rng(4)
    people = drawn(chance, 3000)
    share = found(beside(people, people.take(chance.permutation(3000)[:600])))["equivalent_subsample", None, None].value

    assert 0.1 < share < 0.4


def test_the_worst_group_is_found():
    """One group's columns are scrambled in the release: its score is far below that of the table."""
    chance = np.random.default_rng(5)
    people = drawn(chance, 3000)
    ages, a = people.column("b").to_numpy(), people.column("a").to_numpy().copy()
    a[ages == 2] = chance.integers(0, 4, int((ages == 2).sum()))
    got = found(beside(people, people.set_column(0, "a", pa.array(a))))

    assert got["worst_group_score", None, "b"].value < got["k_marginal_score", "pairs", None].value - 100


def test_regressions_and_models_tell_what_was_lost():
    """From another sample both are kept; from scrambled columns neither."""
    chance = np.random.default_rng(6)
    people = drawn(chance, 2500)
    same, lost = (found(beside(people, drawn(chance, 2500, linked=linked), target="c")) for linked in (True, False))

    assert same["regression_consistency", "signs", "c"].value == 1
    assert same["regression_consistency", "overlap", "c"].value > 0.6 > lost["regression_consistency", "overlap", "c"].value
    if (kept := same["synthetic_model", "part of the original", "c"]).value is not None:
        assert kept.value > 0.95 > 0.7 > lost["synthetic_model", "part of the original", "c"].value


def test_impossible_combinations_are_those_that_chance_would_give():
    """No man of the original is pregnant, though twenty would be by chance; one released record of ten is."""
    original = pa.table({"sex": ["m"] * 50 + ["f"] * 50, "pregnant": ["no"] * 60 + ["yes"] * 40})
    release = pa.table({"sex": ["m"] * 5 + ["f"] * 5, "pregnant": ["yes"] + ["no"] * 9})

    assert found(beside(original, release))["impossible_combinations", None, None].value == pytest.approx(0.1)


def test_records_that_follow_are_told_from_those_that_do_not():
    """The table itself, a noisy column beside others, shuffled rows, other numbers of rows, recoded ones, and too few."""
    chance = np.random.default_rng(7)
    people = drawn(chance, 500)
    noisy = people.set_column(0, "a", pa.array(chance.permutation(people.column("a").to_numpy())))
    recoded = pa.table({name: ["*"] * 500 for name in people.column_names})

    assert follows(beside(people, people)) is True and follows(beside(people, noisy)) is True
    assert follows(beside(people, people.take(chance.permutation(500)))) is False
    assert follows(beside(people, people.slice(1))) is False
    assert follows(beside(people, recoded)) is None and follows(beside(people.slice(0, 5), people.slice(5, 5))) is None


def test_numbers_are_binned_alike_on_both_sides():
    """Many different numbers share bins of the original; what is no number there, and what is missing, have places of their own."""
    original = pa.table({"x": [str(i / 7) for i in range(1000)]})
    release = pa.table({"x": [str(i / 7) for i in range(0, 1000, 2)] + ["many", None]})
    tables = beside(original, release)

    assert tables.sizes[0] < 40 and int(tables.release[0][-1]) == 0 and int(tables.release[0][-2]) == tables.sizes[0] - 1
    assert isinstance(tables, Unpaired) and len(np.unique(tables.original[0])) == 32


def test_compare_takes_synthetic_and_recoded_releases_side_by_side(tmp_path):
    """One page: what looks at records is not measured for the synthetic one, and says why; both have a balance."""
    chance = np.random.default_rng(8)
    ages, ills = chance.integers(20, 70, 300), chance.choice(["flu", "gout", "none"], 300)
    people = pa.table({"age": ages, "sex": chance.choice(["f", "m"], 300), "ill": ills})
    made = pa.table({"age": chance.integers(20, 70, 200), "sex": chance.choice(["f", "m"], 200), "ill": chance.choice(ills, 200)})
    recoded = people.set_column(0, "age", pa.array([f"[{age // 10 * 10}-{age // 10 * 10 + 9}]" for age in ages]))
    with (
        an.read(people, quasi_identifiers=["age", "sex"], sensitive=["ill"]) as data,
        an.read(made) as synthetic,
        an.read(recoded) as decades,
    ):
        compared = an.compare(data, synthetic, decades, names=["synthetic", "decades"])
        asked = an.compare(data, decades, names=["decades"], synthetic=True)
    whole, by_record = compared.releases
    document = compared.to_dict()

    assert whole.whole and not by_record.whole and asked.releases[0].whole
    assert whole.utility("ncp").reason == NOT_PAIRED and whole.utility("disco", "ill").value is not None
    assert by_record.utility("ncp").value > 0
    assert whole.balance is not None and by_record.balance is not None and 0 <= whole.balance.utility <= 1
    assert [v["compared_as"] for v in document["versions"]] == ["records", "whole", "records"]
    assert "synthetic: not measured: records do not correspond." in compared.render()
    assert "k-marginal score (triples)" in compared.render("html")
    json.dumps(document, allow_nan=False)

"""Sums of products: kept of groups while records come one by one, and released with noise for components."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import DomainError, OptionError
from anonscope.synthesis.condensation import Condensation, Condensed
from anonscope.synthesis.counts import RecordCounts
from anonscope.synthesis.curator import Here
from anonscope.synthesis.domain import Categories, Domain, Numbers
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.ledger import Ledger
from anonscope.synthesis.mechanisms import Seeded
from anonscope.synthesis.methods import method_of
from anonscope.synthesis.private_pca import PrivatePca, features_of

# Age, education in years and hours of the first six rows of Adult.
SIX = np.array([[39, 13, 40], [50, 13, 13], [38, 9, 40], [53, 7, 40], [28, 13, 40], [37, 14, 40]], dtype=np.float64)


class Exact:
    """No noise, and what one person was said to change."""

    guarded = False

    def noisy(self, counts, rho, change):
        self.change = change
        return counts


def test_a_group_that_grows_keeps_what_all_its_records_add_up_to():
    """Record by record it is what it is at once."""
    grown = Condensed.of(SIX[:2])
    for record in SIX[2:]:
        grown = grown.joined(record)
    whole = Condensed.of(SIX)

    assert grown.records == 6 and grown.sums == pytest.approx(whole.sums) and grown.products == pytest.approx(whole.products)


def test_halves_of_a_group_add_up_to_it():
    """Sums and sums of products are kept; the golden group is split along its first eigenvector, whose variance falls to a quarter."""
    whole = Condensed.of(SIX)
    one, other = whole.split()

    assert one.records + other.records == 6
    assert one.sums + other.sums == pytest.approx(whole.sums)
    assert one.products + other.products == pytest.approx(whole.products)
    variances, halved = np.linalg.eigvalsh(whole.covariance), np.linalg.eigvalsh(one.covariance)
    assert sorted([*variances[:-1], variances[-1] / 4]) == pytest.approx(sorted(halved), abs=1e-9)
    assert one.covariance == pytest.approx(other.covariance)
    # Their centres are half the width of an even spread apart.
    assert np.linalg.norm(other.mean - one.mean) == pytest.approx(np.sqrt(12 * variances[-1]) / 2)


@pytest.mark.parametrize("stream", [0.5, 1.0])
def test_a_streamed_table_has_the_means_and_correlations_of_the_records(stream):
    """No record is kept, no group is below its size, and what is drawn is like the table."""
    chance = np.random.default_rng(1)
    age = chance.integers(18, 90, 800).astype(float)
    hours = np.clip(60 - age / 2 + chance.normal(0, 3, 800), 0, 80)
    table = pa.table({"age": age, "hours": hours, "sex": np.where(age < 50, "F", "M")})
    domain = parse_domain(
        "[columns.age]\nlower = 18\nupper = 90\n[columns.hours]\nlower = 0\nupper = 80\n[columns.sex]\ncategories = ['F', 'M']\n"
    )
    with an.read(table) as data:
        found = an.synthesise(
            data, domain, method="condensation", parameters={"size": 25, "stream": stream}, seed=1, records=2000
        ).table.to_pandas()

    assert found["age"].mean() == pytest.approx(age.mean(), abs=2) and found["age"].std() == pytest.approx(age.std(), abs=3)
    assert np.corrcoef(found["age"], found["hours"])[0, 1] == pytest.approx(np.corrcoef(age, hours)[0, 1], abs=0.06)
    assert (found["sex"] == "F").mean() == pytest.approx((age < 50).mean(), abs=0.06)


def test_a_stream_of_groups_never_falls_below_its_size(monkeypatch):
    """However records come."""
    sizes = []
    real = Condensed.split
    monkeypatch.setattr(Condensed, "split", lambda self: sizes.append(self.records) or real(self))
    domain = Domain(columns=(Numbers(name="x", lower=0, upper=1, starts=(0.0,)),))
    Condensation(size=7, stream=1.0).make([np.sort(np.random.default_rng(3).random(500))], domain, 100, np.random.default_rng(4))

    assert sizes and set(sizes) == {14}
    with pytest.raises(OptionError, match="stream is a share"):
        method_of("condensation", {"stream": 2})
    with pytest.raises(OptionError, match="has no parameter 'stream'"):
        method_of("hybrid", {"stream": 0.5})


COLUMNS = (
    Categories(name="a", categories=("x", "y", "z")),
    Numbers(name="b", lower=0, upper=9, starts=tuple(map(float, range(10))), decimals=0, missing=True),
)


def test_sums_of_products_are_those_of_the_records():
    """Counted from cells they are what a matrix of records gives, and one record changes them by no more than is stated."""
    chance = np.random.default_rng(5)
    codes = [chance.integers(0, 3, 200), chance.integers(0, 11, 200)]
    features = [features_of(column) for column in COLUMNS]
    mechanisms = Exact()
    found = Here(RecordCounts(codes, (3, 11)), mechanisms).moments(features, 1000, Fraction(1), 2)
    matrix = np.column_stack([np.full(200, 1000), *(feature[code] for feature, code in zip(features, codes, strict=True))])

    assert (found == matrix.T @ matrix).all()
    upper = np.triu_indices(found.shape[0])
    moved = max(float(np.sqrt((np.outer(row, row)[upper].astype(float) ** 2).sum())) for row in matrix)
    assert 2 * moved <= mechanisms.change == 2 * 3 * 1000**2


def test_private_components_keep_means_and_correlations():
    """With little noise; the ledger is spent exactly."""
    chance = np.random.default_rng(6)
    number = chance.integers(0, 10, 4000)
    codes = [np.where(number > 6, 2, chance.integers(0, 2, 4000)), np.where(chance.random(4000) < 0.1, 10, number)]
    ledger = Ledger.concentrated(50, 1e-9)
    model = PrivatePca(components=5).fit(Here(RecordCounts(codes, (3, 11)), Seeded(1)), Domain(columns=COLUMNS), ledger)
    a, b = model.draw(4000, np.random.default_rng(7))
    present = b < 10

    assert ledger.left.rho == 0 and model.total == pytest.approx(4000, rel=0.01)
    assert (a == 2).mean() == pytest.approx((codes[0] == 2).mean(), abs=0.08)
    assert b[present & (a == 2)].mean() > b[present & (a != 2)].mean() + 2
    assert (~present).mean() == pytest.approx(0.1, abs=0.08)


def test_too_many_categories_are_a_sentence():
    """Before anything is spent."""
    wide = Domain(columns=tuple(Categories(name=str(i), categories=tuple(map(str, range(900)))) for i in range(3)))
    with pytest.raises(DomainError, match="Nothing was spent"):
        PrivatePca().check(wide)

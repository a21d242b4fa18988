"""A black-box audit: how large epsilon must be at least, from answers about tables that differ in one person.

Of many cells half have one person each, and half nobody: whether a cell has one is the same experiment over and over. Whoever sees an
answer at or above a threshold says that somebody is there. How often that is right and wrong bounds epsilon from below, with exact
intervals for both (C. Clopper and E. Pearson, 1934): it must stay below what is stated, and come near it, or the audit would see nothing.
"""

from math import log

import pyarrow as pa
import pytest
from scipy.stats import beta

import anonscope as an
from anonscope.synthesis.mechanisms import Noise
from anonscope.synthesis.queries import parse_queries

pytest.importorskip("opendp")
CELLS, DOUBT, EPSILON = 4000, 1e-6, 1.5


def answers(most, of, declared):
    """Return the answers about cells that have somebody, with twice as many records as count, and about those that have nobody."""
    people = [(f"p{i}", str(i)) for i in range(CELLS) for _ in range(2 * most)]
    listed = ", ".join(f'"{i}"' for i in range(2 * CELLS))
    text = (
        f'epsilon = {EPSILON}\nperson = "id"\nrecords_per_person = {declared}\n[columns.ward]\ncategories = [{listed}]\n'
        f'[[queries]]\nkind = "histogram"\nby = ["ward"]\nof = "{of}"\n'
    )
    with an.read(pa.table({"id": [p for p, _ in people], "ward": [ward for _, ward in people]})) as data:
        found = {int(a.group[0]): a.value for a in an.answer(data, parse_queries(text)).answers}
    return [found[i] for i in range(CELLS)], [found[i] for i in range(CELLS, 2 * CELLS)]


def lower_bound(with_one, without, threshold):
    """Return the least epsilon that explains how often answers are at or above a threshold, but for the doubt."""
    right, wrong = (sum(value >= threshold for value in values) for values in (with_one, without))
    least = beta.ppf(DOUBT / 2, right, CELLS - right + 1)
    most = beta.ppf(1 - DOUBT / 2, wrong + 1, CELLS - wrong)
    return log(least / most)


@pytest.mark.parametrize(("most", "of"), [(1, "people"), (3, "records")])
def test_the_bound_from_outside_stays_below_the_stated_epsilon_and_comes_near_it(most, of):
    """Whatever somebody has beyond what counts: the answers bear out most of epsilon, and no more."""
    found = lower_bound(*answers(most, of, most), most)

    assert 0.6 * EPSILON <= found <= EPSILON


def test_the_audit_sees_noise_for_one_record_where_a_person_has_three(monkeypatch):
    """A defect: what one person changes is taken for a third of what it is."""
    real = Noise.for_loss.__func__
    monkeypatch.setattr(Noise, "for_loss", classmethod(lambda cls, loss, one, squared: real(cls, loss, one=1, squared=1)))
    assert lower_bound(*answers(3, "records", 3), 3) > EPSILON

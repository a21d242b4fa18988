"""An audit from outside: tables that differ in one person with a rare value are told apart by no statistic better than was stated.

What loses rho (zero-concentrated) has a Rényi divergence of order 2 of at most 2 rho, so by the inequality of Hammersley, Chapman and
Robbins the mean of any statistic of the result moves by at most sqrt(exp(2 rho) - 1) of its deviations from one table to the other. That
is measured over many runs, for what is released and for everything that noise was added to; whoever adds too little is caught by it.
"""

from math import exp, sqrt

import numpy as np
import pytest

from anonscope.synthesis.counts import RecordCounts
from anonscope.synthesis.curator import Here
from anonscope.synthesis.domain import Categories, Domain
from anonscope.synthesis.ledger import Ledger
from anonscope.synthesis.mechanisms import OpenDP, chance_of, deviation
from anonscope.synthesis.tree import Tree

pytest.importorskip("opendp")
RUNS, SURE = 800, 4.5  # deviations: one run of this file in some ten thousands fails by chance
EPSILON, DELTA = 2.5, 1e-6
RARE = 2  # nobody else has this value in any column


class Overheard(OpenDP):
    """The mechanisms, with everything that leaves them, and how certain it is."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def noisy(self, counts, rho, change):
        found = super().noisy(counts, rho, change)
        self.heard.append((found, deviation(rho, change)))
        return found


class HalfTheNoise(Overheard):
    """A defect: noise of half the deviation."""

    def noisy(self, counts, rho, change):
        return super().noisy(counts, 4 * rho, change)


class OneRecordEach(Overheard):
    """A defect: noise for one record, where a person has several."""

    def noisy(self, counts, rho, change):
        return super().noisy(counts, rho, 1)


def table(extra):
    """Return two columns of 400 people, and so many records of one more, who is alone with a value in both."""
    base = np.arange(400)
    first, second = base % 2, (base + base // 200) % 2
    return RecordCounts([np.r_[first, np.full(extra, RARE)], np.r_[second, np.full(extra, RARE)]], (3, 3))


def statistics(extra, bound, mechanisms):
    """Return what somebody who wants to know whether that person is there would look at, run after run."""
    columns = tuple(Categories(name=name, categories=("0", "1", "2")) for name in "ab")
    domain = Domain(columns=columns, unit="id" if bound > 1 else None, records_per_unit=bound)
    counts, chance, found = table(extra), chance_of(None), []
    for _ in range(RUNS):
        overheard = mechanisms()
        model = Tree().fit(Here(counts, overheard), domain, Ledger.concentrated(EPSILON, DELTA))
        a, b = model.draw(200, chance)
        # The last cell is that person's, on its own or with all that noise drowns; weighed by how certain it is, nothing tells more.
        heard = sum(noisy[(-1,) * noisy.ndim] / scale**2 for noisy, scale in overheard.heard)
        everything = sum(noisy.sum() / scale**2 / noisy.size for noisy, scale in overheard.heard)
        rare = model.columns.single[0][RARE] + model.columns.single[1][RARE]
        found.append((heard, everything, rare, model.total, (a == RARE).sum(), ((a == RARE) & (b == RARE)).sum()))
    return np.array(found, dtype=np.float64)


def told_apart(bound, mechanisms):
    """Return, of the statistic that tells most, by how many deviations it moves at least, and as seen."""
    without, with_one = (statistics(extra, bound, mechanisms) for extra in (0, bound))
    moved, deviations = np.abs(with_one.mean(axis=0) - without.mean(axis=0)), without.std(axis=0)
    slack = SURE * np.sqrt((with_one.var(axis=0) + without.var(axis=0)) / RUNS)
    wide = np.where(deviations > 0, deviations * (1 + SURE / sqrt(2 * RUNS)), np.inf)
    return float(((moved - slack) / wide).max()), float((moved / np.where(deviations > 0, deviations, np.inf)).max())


@pytest.mark.parametrize(("bound", "defect"), [(1, HalfTheNoise), (2, OneRecordEach)])
def test_one_person_is_hidden_as_stated_and_too_little_noise_is_caught(bound, defect):
    """The audit is no blunt one: it sees most of what may be lost, and twice as much is above the limit beyond doubt."""
    limit = sqrt(exp(2 * float(Ledger.concentrated(EPSILON, DELTA).left.rho)) - 1)

    least, seen = told_apart(bound, Overheard)
    assert least <= limit
    assert seen >= 0.6 * limit
    assert told_apart(bound, defect)[0] > limit

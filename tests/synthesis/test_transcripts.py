"""The stated epsilon, worked out again from what OpenDP was really asked, by code that shares nothing with the ledger.

Every call of OpenDP is written down: the mechanism, its scale, and the numbers that it was given. The same is then done again without one
person (or with one more), with the answers of the first run given once more: that is what composition is about. So the numbers of both
runs may differ by what one person changes and by nothing else. From the differences that are seen, and the scales, follows what was
really lost: it must be no more than the sentence says.
"""

from fractions import Fraction
from math import erfc, exp, sqrt
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.synthesis import mechanisms
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.queries import parse_queries

pytest.importorskip("opendp")
MOST = 3
DOMAIN = f"""
person = "id"
records_per_person = {MOST}
[columns.sex]
categories = ["f", "m"]
[columns.region]
categories = ["N", "S", "W", "E"]
missing = true
[columns.age]
lower = 0
upper = 99
bins = 5
whole = true
[columns.weight]
lower = 0
upper = 2
decimals = 1
bins = 4
"""
QUESTIONS = """
[[queries]]
name = "count"
kind = "count"
[[queries]]
name = "of records"
kind = "histogram"
by = ["region"]
of = "records"
[[queries]]
name = "two cells"
kind = "table"
by = ["sex", "region"]
cells_per_person = 2
zeros = [{sex = "m", region = "W"}]
[[queries]]
name = "sums"
kind = "sum"
column = "weight"
by = ["region"]
cells_per_person = 2
[[queries]]
name = "means"
kind = "mean"
column = "age"
by = ["sex"]
[[queries]]
name = "quantiles"
kind = "quantile"
column = "age"
by = ["region"]
at = [0.25, 0.5]
cells_per_person = 2
"""


class Overheard:
    """OpenDP, with every call written down; given what was answered before, it answers the same again."""

    def __init__(self, real, answers=None):
        self.real, self.answers, self.calls = real, answers, []

    def __getattr__(self, name):
        def make(*given):
            mechanism = getattr(self.real.make, name)(*given)
            return _Mechanism(self, name, given[-1], mechanism)

        return make


class _Mechanism:
    def __init__(self, overheard, name, scale, mechanism):
        self.overheard, self.name, self.scale, self.mechanism = overheard, name, scale, mechanism

    def map(self, change):
        return self.mechanism.map(change)

    def __call__(self, numbers):
        place = len(self.overheard.calls)
        before = self.overheard.answers
        answer = before[place] if before is not None else self.mechanism(numbers)
        self.overheard.calls.append((self.name, self.scale, np.array(numbers, dtype=object), answer))
        return answer


@pytest.fixture
def overheard(monkeypatch):
    """Run something with every call of OpenDP written down, and return the calls."""
    real = mechanisms.open_dp()
    made = (mechanisms._laplace, mechanisms._gaussian, mechanisms._noisy_largest, mechanisms._concentrated_largest)

    def run(work, answers=None):
        listening = Overheard(real, answers)
        monkeypatch.setattr(mechanisms, "open_dp", lambda: SimpleNamespace(**{**vars(real), "make": listening}))
        for one in made:
            one.cache_clear()
        work()
        return listening.calls

    yield run
    for one in made:
        one.cache_clear()


def people(last):
    """Return a table of 60 people, of whom the last has as many records as are named, all over the place."""
    rows = [(i, "fm"[i % 2], ("N", "S", "W", "E", None)[i * j % 5], 7 * i % 100, i % 20 / 10) for i in range(60) for j in range(1 + i % 5)]
    rows += [(99, "m", "NSWE"[j % 4], 99, 2.0) for j in range(last)]
    return pa.table(dict(zip(("id", "sex", "region", "age", "weight"), map(list, zip(*rows, strict=True)), strict=True)))


def lost(calls, others):
    """Return the rho and the epsilon that two runs really lost, from the numbers that mechanisms were given; both exact, rounded up."""
    rho, epsilon, largest = Fraction(), Fraction(), 0
    assert [call[:2] for call in calls] == [call[:2] for call in others]
    assert [call[3] for call in calls] == [call[3] for call in others]
    for (name, scale, one, _), (_, _, other, _) in zip(calls, others, strict=True):
        assert one.shape == other.shape
        moved, exactly = [abs(a - b) for a, b in zip(one.tolist(), other.tolist(), strict=True)], Fraction(scale)
        largest = max(largest, *moved)
        if name == "make_gaussian":
            rho += Fraction(sum(m * m for m in moved)) / (2 * exactly**2)
        elif name == "make_laplace":
            epsilon += Fraction(sum(moved)) / exactly
        else:
            # Scores that all move by one amount tell nothing, so this is more than is lost (J. Dong, D. Durfee and R. Rogers, 2020).
            of_one = 2 * Fraction(max(moved)) / exactly
            epsilon, rho = epsilon + of_one, rho + of_one**2 / 8
    assert largest, "the person changed nothing, so nothing was shown"
    return rho, epsilon


def delta_at(rho, epsilon):
    """Return the delta that goes with an epsilon if all of a rho is lost to Gaussian noise (B. Balle and Y. Wang, 2018, theorem 8)."""
    if not rho:
        return 0.0
    spread = sqrt(2 * rho)

    def below(x):
        return erfc(-x / sqrt(2)) / 2

    return below(spread / 2 - epsilon / spread) - exp(epsilon) * below(-spread / 2 - epsilon / spread)


@pytest.mark.parametrize("records", [1, MOST, 20])
@pytest.mark.parametrize("method", ["tree", "adaptive", "private_pca"])
def test_a_synthetic_table_loses_no_more_than_it_says(overheard, method, records):
    """Neither for somebody with one record nor for one with more than count; and what is stated is not much more than was lost."""

    def made(last):
        with an.read(people(last), person="id") as data:
            found.append(an.synthesise(data, parse_domain(DOMAIN), method=method, epsilon=1))

    found: list[an.Synthesis] = []
    calls = overheard(lambda: made(0))
    again = overheard(lambda: made(records), [answer for *_, answer in calls])
    rho, _ = lost(calls, again)
    stated = found[0].guarantee

    assert rho <= Fraction(found[0].budget["budget"]["rho"])
    assert delta_at(float(rho), float(stated.epsilon)) <= float(stated.delta)
    if records >= MOST and method != "private_pca":
        # All of it, but for the choices, to which one more person makes less of a difference than they might.
        assert rho >= Fraction(found[0].budget["budget"]["rho"]) * Fraction(1, 2)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("records", [1, MOST, 20])
def test_answers_lose_no_more_than_they_say(overheard, noise, records):
    """Counts, tables, sums, means and quantiles, whatever somebody's records are and however many."""
    head = f'epsilon = 2\nnoise = "{noise}"\n' + ("delta = 1e-6\n" if noise == "gaussian" else "")
    asked = parse_queries(head + DOMAIN + QUESTIONS)

    def answered(last):
        with an.read(people(last)) as data:
            an.answer(data, asked)

    calls = overheard(lambda: answered(0))
    again = overheard(lambda: answered(records), [answer for *_, answer in calls])
    rho, epsilon = lost(calls, again)
    # Of quantiles a choice in rho is charged as the epsilon it is.
    if noise == "laplace":
        assert 0 < epsilon <= 2
    else:
        choices = [call for call in zip(calls, again, strict=True) if call[0][0] == "make_noisy_max"]
        pure = sum((max(abs(a - b) for a, b in zip(x[2], y[2], strict=True)) * 2 / Fraction(x[1])) ** 2 / 2 for x, y in choices)
        assert rho + pure <= asked.ledger.budget.rho
        assert delta_at(float(rho), 2.0) <= 1e-6


def test_too_little_noise_is_seen(overheard, monkeypatch):
    """The check is no blunt one: where the limit on records is forgotten, or noise is for one record, it says so."""

    def made(last, domain):
        with an.read(people(last), person="id") as data:
            found.append(an.synthesise(data, parse_domain(domain), epsilon=1))

    found: list[an.Synthesis] = []
    monkeypatch.setattr(mechanisms.OpenDP, "noisy", lambda self, counts, rho, change: OPEN(self, counts, rho, 1))
    calls = overheard(lambda: made(0, DOMAIN))
    again = overheard(lambda: made(MOST, DOMAIN), [answer for *_, answer in calls])

    assert lost(calls, again)[0] > Fraction(found[0].budget["budget"]["rho"])


OPEN = mechanisms.OpenDP.noisy

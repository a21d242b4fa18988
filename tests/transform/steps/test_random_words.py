"""What steps draw from: words that nobody can guess, and numbers that are made of them exactly."""

import hashlib
from collections import Counter
from statistics import NormalDist

import numpy as np
import pytest

from anonscope.transform.randomness.words import Chance, OperatingSystem, Repeatable


class Given(Chance):
    """Words that a test says."""

    def __init__(self, *words: int) -> None:
        self.given = list(words)

    def words(self, count):
        found, self.given = self.given[:count], self.given[count:]
        return np.array(found, dtype=np.uint64)


def test_words_of_a_seed_are_those_of_shake_256():
    """Written out once more, so that a release of today can be made again in years; the whole seed counts, and what it is for."""
    key = hashlib.sha256(b'["anonscope/chance/1", "7", "add_noise", "age"]').digest()
    stream = hashlib.shake_256(key + (1).to_bytes(8, "big")).digest(24)
    assert Repeatable(7, "add_noise", "age").words(3).tolist() == [int.from_bytes(stream[i : i + 8], "little") for i in (0, 8, 16)]
    seed = "0123456789abcdef" * 4
    others = [seed[:-1] + "0", "1" + seed[1:], seed[:32], 7]
    drawn = [tuple(Repeatable(s, "a", "b").words(4).tolist()) for s in (seed, *others)]
    drawn += [tuple(Repeatable(seed, *about).words(4).tolist()) for about in (("a", "c"), ("ab", ""), ("a\0b",))]
    assert len(set(drawn)) == len(drawn)


def test_a_stream_goes_on():
    """Nothing is drawn twice."""
    chance = Repeatable(1)
    assert len({*chance.words(1000).tolist(), *chance.words(1000).tolist()}) == 2000
    assert len({*OperatingSystem().words(1000).tolist(), *OperatingSystem().words(1000).tolist()}) == 2000


def test_whole_numbers_are_exactly_as_likely():
    """The words above the last multiple of the limit are drawn again, or the first numbers would come up more often."""
    assert Given(0, 1, 2, 3, 2**64 - 2).integers(3, 5).tolist() == [0, 1, 2, 0, 2]
    # 2^64 - 1 is a multiple of 3, so that one word is left over.
    assert Given(2**64 - 1, 5, 7).integers(3, 2).tolist() == [1, 2]
    assert Given(2**64 - 1, 9).integers(4, 2).tolist() == [3, 1]


def test_a_threshold_is_exact():
    """One word more or less decides."""
    assert Given(4, 5, 6).below(5, 3).tolist() == [True, False, False]
    assert Given(2**64 - 1, 2**64 - 2).below(2**64 - 1, 2).tolist() == [False, True]


def test_ends():
    """The least and the largest word make finite numbers within their bounds."""
    assert Given(0, 2**64 - 1).uniform(2).tolist() == [0.0, 1 - 2**-53]
    low, high = Given(0, 2**64 - 1).normal(2).tolist()
    assert -high == low == pytest.approx(NormalDist().inv_cdf(2**-53), rel=1e-14)


def test_normal_numbers_are_the_quantiles_of_their_words():
    """As Python's own function has it, from one end to the other."""
    words = [int(share * 2**64) for share in (1e-15, 1e-9, 0.001, 0.07, 0.08, 0.4, 0.5, 0.6, 0.92, 0.93, 0.999999)]
    expected = [NormalDist().inv_cdf(((word >> 12) + 0.5) * 2.0**-52) for word in words]
    assert Given(*words).normal(len(words)).tolist() == pytest.approx(expected, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("chance", [Repeatable(5), OperatingSystem()], ids=["seed", "operating system"])
def test_moments_and_shares(chance):
    """Within five standard errors."""
    many = 40_000
    uniform, normal = chance.uniform(many), chance.normal(many)
    assert abs(uniform.mean() - 0.5) < 5 * (1 / 12 / many) ** 0.5
    assert abs(normal.mean()) < 5 / many**0.5 and abs(normal.std() - 1) < 5 / (2 * many) ** 0.5
    counts = Counter(chance.integers(3, many).tolist())
    assert all(abs(counts[i] - many / 3) < 5 * (many * 2 / 9) ** 0.5 for i in range(3))
    assert sorted(chance.permutation(100).tolist()) == list(range(100))

"""Whether words read as the names of people, of places, or as other words, by the runs of letters in them.

A linear model over hashed runs of two to four letters and whole words, trained by `python -m benchmarks.train_names` on freely licensed
lists in over 50 languages and countries (lexicon/names.toml says which). One word proves little; a column is judged by all its values
together.
"""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from anonscope.columns.suggestion.terms import listed, plain, read

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUCKETS = 1 << 15
CLASSES = ("name", "place", "word")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MOST_WORDS = 6
_ITSELF = 6


@dataclass(frozen=True, slots=True)
class Reading:
    """What the values of a column read as: the mean chance of each class over its values."""

    name: float
    place: float
    word: float
    values: int


def pieces(word: str) -> "NDArray[Any]":
    """Return the buckets of a word in lower case: its runs of two to four letters, beginning and end marked, and itself, several times.

    A word that was learnt is told by itself more than by its letters.
    """
    import numpy as np

    marked = f"^{word}$"
    runs = [marked[i : i + size] for size in (2, 3, 4) for i in range(len(marked) - size + 1)]
    return np.array([zlib.crc32(run.encode()) % BUCKETS for run in (*runs, *[marked * 2] * _ITSELF)], dtype=np.int64)


@cache
def _model() -> "tuple[NDArray[Any], NDArray[Any]]":
    import numpy as np

    facts = read("names")
    raw = resources.files("anonscope.columns.suggestion").joinpath("lexicon", "names.bin").read_bytes()
    weights = np.frombuffer(raw, dtype=np.int8).reshape(len(CLASSES), BUCKETS).astype(np.float64) * facts["scale"]
    return weights, np.array(facts["intercepts"])


@cache
def _scores(word: str) -> tuple[float, ...]:
    weights, intercepts = _model()
    buckets = pieces(word)
    return tuple(float(x) for x in weights[:, buckets].mean(axis=1) + intercepts)


def words_of_value(text: str) -> list[str]:
    """Return the words of a value without digits and particles; none if it is too long for a name."""
    words = [plain(word) for word in _WORD.findall(text)]
    return [] if len(words) > _MOST_WORDS else [word for word in words if len(word) > 1 and word not in listed("particles")]


def reading(values: Iterable[str]) -> Reading | None:
    """Return what values read as; None if none of them has a word. Words that many values share count once each."""
    import numpy as np

    words = sorted({word for value in values for word in words_of_value(value)})
    if not words:
        return None
    scores = np.array([_scores(word) for word in words])
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    mean = chances.mean(axis=0)
    return Reading(float(mean[0]), float(mean[1]), float(mean[2]), len(words))

"""Whether words read as the names of people, of places, or as other words, by the runs of letters in them.

Linear models over hashed runs of two to four letters and whole words, trained by `python -m benchmarks.train_names` on freely licensed
lists: one for Latin letters in over 50 languages and countries, one for all others (lexicon/names.toml and other_names.toml say which).
One word proves little; a column is judged by all its values together.
"""

import math
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from anonscope.columns.suggestion.terms import listed, plain, read

CLASSES = ("name", "place", "word")
# Letters, with the vowel signs of Arabic, Hebrew, India, Thailand and Laos, which Python takes for no letters.
_SIGNS = (
    r"\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09d7\u0a3c-\u0a4d\u0abc-\u0acd\u0b3c-\u0b57"
    r"\u0bbe-\u0bcd\u0c3e-\u0c56\u0cbc-\u0cd6\u0d3e-\u0d57\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd"
)
WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{_SIGNS}])*(?:['’-][^\W\d_]+)*")
_LAST_LATIN = "\u036f"
_MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Letters:
    """One of the two tables: which letters it is for, where it lies, how many buckets it has, and which pieces of a word it counts."""

    file: str
    buckets: int
    title: str
    runs: tuple[int, ...] = (2, 3, 4)
    itself: int = 6
    option: str = ""


LATIN = Letters("names", 1 << 15, "over 50 languages and countries in Latin letters")
OTHER = Letters(
    "other_names",
    1 << 15,
    "Arabic, Armenian, Chinese, Cyrillic, Georgian, Greek, Hebrew, Indian, Japanese, Korean and Thai letters",
    # One sign of Chinese says much, and a full name is rarely met again.
    runs=(1, 2, 3),
    itself=1,
    option=" --other-letters",
)


def is_latin(word: str) -> bool:
    """Return whether a word has no letters but Latin ones."""
    return all(c <= _LAST_LATIN or not c.isalpha() for c in word)


@dataclass(frozen=True, slots=True)
class LettersReading:
    """What the values of a column read as: the mean chance of each class over its values."""

    name: float
    place: float
    word: float
    values: int


def pieces(word: str, letters: Letters = LATIN) -> list[int]:
    """Return the buckets of a word in lower case: its runs of two to four letters, beginning and end marked, and itself, several times.

    A word that was learnt is told by itself more than by its letters.
    """
    marked = f"^{word}$"
    runs = [marked[i : i + size] for size in letters.runs for i in range(len(marked) - size + 1)]
    return [zlib.crc32(run.encode()) % letters.buckets for run in (*runs, *[marked * 2] * letters.itself)]


@cache
def _model(letters: Letters) -> tuple[tuple[memoryview, ...], float, tuple[float, ...]]:
    """Return the weights of every class, what one is worth, and where each class begins."""
    facts = read(letters.file)
    raw = resources.files("anonscope.columns.suggestion").joinpath("lexicon", f"{letters.file}.bin").read_bytes()
    weights = memoryview(raw).cast("b")
    size = letters.buckets
    return tuple(weights[i * size : (i + 1) * size] for i in range(len(CLASSES))), facts["scale"], tuple(facts["intercepts"])


def _chances(word: str) -> list[float]:
    """Return the chance of every class that one word has. Without numpy, which takes longer to load than this takes."""
    letters = LATIN if is_latin(word) else OTHER
    weights, scale, intercepts = _model(letters)
    buckets = pieces(word, letters)
    scores = [
        scale * sum(map(own.__getitem__, buckets)) / len(buckets) + intercept for own, intercept in zip(weights, intercepts, strict=True)
    ]
    largest = max(scores)
    odds = [math.exp(score - largest) for score in scores]
    return [odd / sum(odds) for odd in odds]


def words_of_value(text: str) -> list[str]:
    """Return the words of a value without digits and particles; none if it is too long for a name."""
    words = [plain(word) for word in WORD.findall(text)]
    return [] if len(words) > _MOST_WORDS else [word for word in words if len(word) > 1 and word not in listed("particles")]


def reading(values: Iterable[str]) -> LettersReading | None:
    """Return what values read as; None if none of them has a word. Words that many values share count once each."""
    words = sorted({word for value in values for word in words_of_value(value)})
    if not words:
        return None
    name, place, other = (sum(chances) / len(words) for chances in zip(*map(_chances, words), strict=True))
    return LettersReading(name, place, other, len(words))

"""The lexicon, and how the name of a column is read with it.

The lexicon is data: concepts and identifiers in five languages, abbreviations, the variable names of public codebooks, telling
values. Names are split into words; words that were glued together are taken apart with the lexicon's own words.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

Degree = Literal["low", "medium", "high"]
LANGUAGES = ("en", "de", "fr", "es", "nl")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Shorter pieces are found by accident inside other words.
_SHORTEST_PIECE = 3


@dataclass(frozen=True, slots=True)
class Concept:
    """What a column may be about, and what follows from it."""

    name: str
    domain: str
    role: str
    terms: tuple[frozenset[str], ...]
    exact: frozenset[str]
    replicability: Degree = "low"
    availability: Degree = "low"
    distinguishability: Degree = "low"
    article_9: bool = False
    organisation: bool = False
    person: bool = False
    safe_harbor: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class ValueWords:
    """Values by which a concept is recognised."""

    concept: str
    words: frozenset[str]
    needs: frozenset[str]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]
    ordinal: bool


@dataclass(frozen=True, slots=True)
class NameMatch:
    """The concept a name stands for, and the words (or the codebook) that say so."""

    concept: Concept
    because: str
    codebook: bool = False


def read(file: str) -> dict[str, Any]:
    """Return one file of the lexicon."""
    return tomllib.loads(resources.files("anonscope.suggestion").joinpath("lexicon", f"{file}.toml").read_text(encoding="utf-8"))


def plain(text: str) -> str:
    """Return text in lower case without accents."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("ẞ", "ss").casefold())
    return "".join(c for c in folded if not unicodedata.combining(c))


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, abbreviations written out, fillers left out."""
    unaccented = "".join(c for c in unicodedata.normalize("NFKD", name.replace("ß", "ss")) if not unicodedata.combining(c))
    found: list[str] = []
    for piece in _WORDS.findall(unaccented):
        word = piece.lower()
        if word in fillers():
            continue
        found.extend(_expanded(word))
    return tuple(found)


@cache
def concepts() -> Mapping[str, Concept]:
    """Return every concept by its name: identifiers first, then the rest."""
    return {
        **{
            name: _concept(name, entry | {"domain": "identifier", "role": "direct identifier", "safe_harbor": entry["number"]})
            for name, entry in read("identifiers").items()
        },
        **{name: _concept(name, entry) for name, entry in read("concepts").items()},
    }


@cache
def value_words() -> tuple[ValueWords, ...]:
    """Return what values say of their column."""
    return tuple(
        ValueWords(
            concept=name,
            words=frozenset(entry.get("words", ())),
            needs=frozenset(entry.get("needs", ())),
            beginnings=tuple(entry.get("beginnings", ())),
            endings=tuple(entry.get("endings", ())),
            ordinal=bool(entry.get("ordinal", False)),
        )
        for name, entry in read("values").items()
    )


@cache
def first_names() -> frozenset[str]:
    """Return common first names."""
    return frozenset(read("first_names")["names"])


@cache
def placeholders() -> frozenset[str]:
    """Return what stands for a missing value in text."""
    return frozenset(read("person_words")["placeholders"])


@cache
def fillers() -> frozenset[str]:
    """Return words that do not change what a name means."""
    return frozenset(read("person_words")["fillers"])


@cache
def person_words() -> frozenset[str]:
    """Return words for the person a record is about."""
    return frozenset(read("person_words")["persons"])


@cache
def id_words() -> frozenset[str]:
    """Return words for an id."""
    return frozenset(read("person_words")["ids"])


def speaks_of_id(words: Sequence[str]) -> bool:
    """Return whether a name speaks of an id: it says so, or it is nothing but a word for a person, such as "patient"."""
    return bool(id_words() & set(words)) or (bool(words) and person_words() >= set(words))


def speaks_of_person(words: Sequence[str]) -> bool:
    """Return whether a name speaks of the id of a person."""
    return speaks_of_id(words) and bool(person_words() & set(words))


@cache
def codebooks() -> Mapping[str, tuple[str, str]]:
    """Return variable names of public codebooks, in lower case, with concept and title of the codebook."""
    found: dict[str, tuple[str, str]] = {}
    for book in read("codebooks").values():
        for name, concept in book["names"].items():
            found.setdefault(name.lower(), (concept, book["title"]))
    return found


class Reader:
    """Reads the column names of one table; a prefix that all columns share is no part of a name."""

    def __init__(self, names: Sequence[str], *, use_codebooks: bool = True) -> None:
        self._prefix = _shared_prefix(names)
        self._use_codebooks = use_codebooks

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words of a name."""
        found = words_of(name)
        if _known(found) or not self._prefix:
            return found
        shorter = words_of(name[len(self._prefix) :])
        return shorter if _known(shorter) else found

    def mentions(self, name: str, concept: str) -> bool:
        """Return whether a name has the words of a concept in it, even if another fits better: "hospital county" is an area too."""
        words = frozenset(self.words(name))
        return any(term <= words for term in concepts()[concept].terms)

    def match(self, name: str) -> NameMatch | None:
        """Return the concept that fits a name best: most words, then most letters, then the order of the lexicon."""
        if self._use_codebooks and (found := _in_codebook(name)):
            return found
        words = frozenset(self.words(name))
        best: tuple[tuple[int, int], Concept, frozenset[str]] | None = None
        for concept in concepts().values():
            for term in concept.terms:
                if term <= words:
                    score = (len(term), sum(map(len, term)))
                    if best is None or score > best[0]:
                        best = (score, concept, term)
            if len(words) == 1 and words <= concept.exact:
                score = (len(words), sum(map(len, words)))
                if best is None or score > best[0]:
                    best = (score, concept, words)
        if best is None:
            return None
        said = " ".join(word for word in self.words(name) if word in best[2])
        return NameMatch(best[1], said)


def _in_codebook(name: str) -> NameMatch | None:
    whole = codebooks().get(name.strip().lower())
    parts = [codebooks().get(part) for part in re.split(r"[^a-z0-9]+", name.strip().lower()) if len(part) > _SHORTEST_PIECE]
    for found in (whole, *parts):
        if found is not None:
            return NameMatch(concepts()[found[0]], found[1], codebook=True)
    return None


def _concept(name: str, entry: Mapping[str, Any]) -> Concept:
    terms: list[frozenset[str]] = []
    exact: set[str] = set()
    for language in LANGUAGES:
        for term in entry.get(language, ()):
            if term.startswith("="):
                exact.add(term[1:])
            else:
                terms.append(frozenset(word for word in _written_out(_WORDS.findall(plain(term))) if word not in fillers()))
    return Concept(
        name=name,
        domain=entry["domain"],
        role=entry["role"],
        terms=tuple(dict.fromkeys(terms)),
        exact=frozenset(exact),
        replicability=entry.get("replicability", "high"),
        availability=entry.get("availability", "high"),
        distinguishability=entry.get("distinguishability", "high"),
        article_9=entry.get("article_9", False),
        organisation=entry.get("organisation", False),
        person=entry.get("person", False),
        safe_harbor=entry.get("safe_harbor"),
        title=entry.get("title", name.replace("_", " ")),
    )


@cache
def _abbreviations() -> Mapping[str, tuple[str, ...]]:
    return {short: tuple(whole.split()) for short, whole in read("abbreviations").items()}


def _written_out(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(whole for word in words for whole in _abbreviations().get(word, (word,)))


@cache
def _known_words() -> frozenset[str]:
    found = {word for concept in concepts().values() for term in concept.terms for word in term}
    return frozenset(found | id_words() | person_words() | set(_abbreviations()) | {w for c in concepts().values() for w in c.exact})


def _known(words: Iterable[str]) -> bool:
    return any(word in _known_words() for word in words)


def _expanded(word: str) -> tuple[str, ...]:
    """Return a word as the lexicon writes it; one it does not know is taken apart if all its parts are known."""
    if word in _abbreviations():
        return _abbreviations()[word]
    if word in _known_words() or len(word) < 2 * _SHORTEST_PIECE:
        return (word,)
    parts = _parts(word)
    return _written_out(parts) if parts else (word,)


@cache
def _parts(word: str) -> tuple[str, ...]:
    """Return the fewest known words that make up a glued one, or none."""
    best: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(1, len(word) + 1):
        for start in range(end - _SHORTEST_PIECE, -1, -1):
            piece = word[start:end]
            if start in best and piece in _known_words() and (end not in best or len(best[start]) + 1 < len(best[end])):
                best[end] = (*best[start], piece)
    return best.get(len(word), ())


def _shared_prefix(names: Sequence[str]) -> str:
    """Return the letters that all names begin with, at most three; few names may share some by accident."""
    if len(names) < 4:
        return ""
    first, last = min(names), max(names)
    shared = 0
    while shared < min(len(first), len(last), 3) and first[shared] == last[shared]:
        shared += 1
    return first[:shared]

"""The lexicon, which is data: concepts and identifiers, words of nine languages, abbreviations, codebooks, telling values.

Every file says where it comes from. To teach a word, add it to its line; nothing else changes.
"""

import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

Degree = Literal["low", "medium", "high"]
# The languages concepts are written in; words.toml adds more, whose words stand for English ones.
LANGUAGES = ("en", "de", "fr", "es", "nl")
# Shorter words end or begin by chance as words of medicine do.
_SHORTEST_BUILT = 7
_PLAIN = str.maketrans({"ß": "ss", "ẞ": "ss", "ł": "l", "Ł": "l", "ø": "o", "Ø": "o", "đ": "d", "Đ": "d", "æ": "ae", "œ": "oe"})


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


@cache
def read(file: str) -> dict[str, Any]:
    """Return one file of the lexicon."""
    return tomllib.loads(resources.files("anonscope.columns.suggestion").joinpath("lexicon", f"{file}.toml").read_text(encoding="utf-8"))


def plain(text: str) -> str:
    """Return text in lower case without accents."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", text.translate(_PLAIN).casefold())
    return "".join(c for c in folded if not unicodedata.combining(c))


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
def terms_by_word() -> Mapping[str, tuple[tuple[int, Concept, frozenset[str]], ...]]:
    """Return, for every word, the terms whose longest word it is, with their place in the lexicon: what a name can fit is found at once."""
    found: dict[str, list[tuple[int, Concept, frozenset[str]]]] = {}
    order = 0
    for concept in concepts().values():
        for term in concept.terms:
            order += 1
            found.setdefault(max(sorted(term), key=len), []).append((order, concept, term))
    return {word: tuple(entries) for word, entries in found.items()}


@cache
def exact_terms() -> Mapping[str, Concept]:
    """Return the concept of a name that is nothing but this word."""
    found: dict[str, Concept] = {}
    for concept in concepts().values():
        for word in sorted(concept.exact):
            found.setdefault(word, concept)
    return found


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
def listed(kind: str) -> frozenset[str]:
    """Return one list of person_words.toml: persons, ids, numbers, events, groups, classes, fillers, placeholders, ..."""
    return frozenset(read("person_words")[kind])


def placeholders() -> frozenset[str]:
    """Return what stands for a missing value in text."""
    return listed("placeholders")


@cache
def translations() -> Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """Return the words of other languages: for each the language and the English words it stands for, as often as it has readings."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for english, entry in read("words").items():
        for language, words in entry.items():
            for word in words.split():
                found.setdefault(word, []).append((language, tuple(english.split())))
    return {word: tuple(dict.fromkeys(readings)) for word, readings in found.items()}


@cache
def abbreviations() -> Mapping[str, tuple[str, ...]]:
    """Return short forms and the words they stand for."""
    return {short: tuple(whole.split()) for short, whole in read("abbreviations").items()}


@cache
def english_words() -> frozenset[str]:
    """Return every English word of the lexicon."""
    found = words_in("en")
    lists = ("persons", "ids", "numbers", "accounts", "events", "groups", "things", "rows", "classes")
    return frozenset(found.union(*(listed(kind) for kind in lists)) | set(abbreviations()))


@cache
def known_words() -> frozenset[str]:
    """Return every word that says something, in any language."""
    return english_words().union(translations(), *(words_in(language) for language in LANGUAGES))


@cache
def words_in(language: str) -> frozenset[str]:
    """Return every word that terms of the lexicon have in one language."""
    entries = (*read("identifiers").values(), *read("concepts").values())
    terms = (term.removeprefix("=") for entry in entries for term in entry.get(language, ()))
    return frozenset(word for term in terms for word in written_out(_term_words(term)) if word not in listed("fillers"))


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A variable name of a public codebook."""

    book: str
    title: str
    concept: str


@cache
def codebooks() -> Mapping[str, tuple[BookEntry, ...]]:
    """Return variable names of public codebooks, in lower case, with what each codebook means by them."""
    found: dict[str, list[BookEntry]] = {}
    for book, entry in read("codebooks").items():
        if book not in ("suffixes", "endings"):
            for concept, names in entry["concepts"].items():
                for name in names.split():
                    found.setdefault(name.lower(), []).append(BookEntry(book, entry["title"], concept))
    return {name: tuple(entries) for name, entries in found.items()}


@cache
def suffixes() -> Mapping[str, BookEntry]:
    """Return what follows the two letters of a domain in CDISC's tabulations."""
    entry = read("codebooks")["suffixes"]
    return {name.lower(): BookEntry("cdisc", entry["title"], c) for c, names in entry["concepts"].items() for name in names.split()}


@cache
def endings() -> Mapping[str, BookEntry]:
    """Return what names of CDISC's analysis tables end with, the longest first."""
    entry = read("codebooks")["endings"]
    found = {name.lower(): BookEntry("cdisc", entry["title"], c) for c, names in entry["concepts"].items() for name in names.split()}
    return {name: found[name] for name in sorted(found, key=len, reverse=True)}


def is_substance(word: str) -> bool:
    """Return whether a word in lower case is an active substance: a common one, or built on a stem of the World Health Organization."""
    drugs = read("drugs")
    if word in _substances():
        return True
    return len(word) >= 7 and (word.endswith(tuple(drugs["endings"])) or word.startswith(tuple(drugs["beginnings"])))


def medical(word: str) -> str | None:
    """Return "diagnosis" or "treatment" for a word in lower case that is built as words of medicine are, or is one of everyday life."""
    built = read("illnesses")
    if word in _illnesses():
        return "diagnosis"
    if len(word) < _SHORTEST_BUILT or word in _built_alike():
        return None
    if word.endswith(tuple(built["operation_endings"])):
        return "treatment"
    return "diagnosis" if word.endswith(tuple(built["illness_endings"])) or word.startswith(tuple(built["illness_beginnings"])) else None


@cache
def _illnesses() -> frozenset[str]:
    return frozenset(read("illnesses")["words"]["everyday"].split())


@cache
def _built_alike() -> frozenset[str]:
    return frozenset(read("illnesses")["words"]["others"].split())


@cache
def _substances() -> frozenset[str]:
    return frozenset(word for line in read("drugs")["names"].values() for word in line.split())


def written_out(words: Iterable[str]) -> tuple[str, ...]:
    """Return words with abbreviations written out."""
    return tuple(whole for word in words for whole in abbreviations().get(word, (word,)))


def _concept(name: str, entry: Mapping[str, Any]) -> Concept:
    terms: list[frozenset[str]] = []
    exact: set[str] = set()
    for language in LANGUAGES:
        for term in entry.get(language, ()):
            if term.startswith("="):
                exact.add(term[1:])
            else:
                terms.append(frozenset(word for word in written_out(_term_words(term)) if word not in listed("fillers")))
    return Concept(
        name=name,
        domain=entry["domain"],
        role=entry["role"],
        terms=tuple(term for term in dict.fromkeys(terms) if term),
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


def _term_words(term: str) -> list[str]:
    return plain(term).split()

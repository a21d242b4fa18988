"""The words of a name, and how well a term of the lexicon fits them.

A date word goes before the topic, what everybody has before what it is about, telling words before vague ones. Words of medicine are told
by how they are built, and a square, a logarithm or a father's attribute by what stands before or behind it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anonscope.columns.suggestion.glued import SHORTEST_PIECE
from anonscope.columns.suggestion.terms import Concept, concepts, english_words, exact_terms, known_words, listed, medical, terms_by_word

# Everybody has these, so beside a topic they say what the column is: the age of a victim is an age.
OF_EVERYBODY = ("age", "sex")
_ADDRESSES = frozenset(["address", "addr"])


@dataclass(frozen=True, slots=True)
class NameMatch:
    """The concept a name stands for, and the words (or the codebook) that say so; `sure` unless words were guessed or most are unread."""

    concept: Concept
    because: str
    codebook: bool = False
    sure: bool = True
    # Whether only words that fit many topics say so.
    vague: bool = False
    # Whether the name has other words, which may be what it is about.
    partly: bool = False
    # Whether other words of the name speak as plainly for another role.
    contested: bool = False


# Words for areas: where somebody lives is no number and no name of somebody.
PLACES = frozenset(
    [
        "county",
        "state",
        "country",
        "region",
        "district",
        "municipality",
        "city",
        "province",
        "tract",
        "postal",
        "postcode",
        "zip",
        "zipcode",
    ]
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a name: as written, and everything it may stand for."""

    written: str
    means: frozenset[str]
    guessed: bool = False
    # Whether it only says which kind of the last part of a compound is meant: a "Studienkredit" is a credit.
    modifier: bool = False


# Whether it is dated and the concept is about time, words covered, whether a word is telling and one says more than whose it is, whether
# it is what everybody has, whether the concept says something of people, words covered that are no modifiers,
# words and letters of the term, place in the lexicon.
Score = tuple[bool, int, int, bool, bool, bool, int, int, int, int]


def score(words: tuple[Word, ...], concept: Concept, term: frozenset[str], order: int, *, dated: bool) -> Score:
    """Return how well a term fits a name. A date word goes before the topic, and telling words before vague ones."""
    covered = sum(bool(word.means & term) for word in words)
    # Whose attribute it is says little of what it is: the insured person's sex is a sex.
    telling = len(term - listed("vague") - listed("persons"))
    return (
        dated and concept.domain == "temporal",
        covered,
        min(telling, 1),
        not term <= listed("persons"),
        concept.name in OF_EVERYBODY,
        concept.role != "insensitive",
        sum(bool(word.means & term) for word in words if not word.modifier),
        len(term),
        sum(map(len, term)),
        -order,
    )


def elsewhere(words: Sequence[Word], concept: Concept, term: frozenset[str]) -> bool:
    """Whether a term of names or addresses is about an area: "pais" is a country as well as parents, and an address has a state."""
    if concept.name == "names":
        return any(word.means & term and word.means & PLACES for word in words)
    if concept.domain != "identifier":
        return False
    said = frozenset(meant for word in words for meant in word.means)
    return (concept.name == "addresses" and bool(term <= _ADDRESSES and said & PLACES)) or {"postal", "code"} <= said


def contested(unread: Iterable[Word], concept: Concept) -> bool:
    """Whether other words of a name plainly stand for what has another role: the relation to an offender is family, or a crime."""
    said = frozenset(meant for word in unread if not word.guessed for meant in word.means) - listed("vague") - listed("persons")
    others = (other for meant in said for _, other, term in terms_by_word().get(meant, ()) if term <= said)
    return any(other.role not in (concept.role, "insensitive") for other in others)


def ambiguous(words: Sequence[Word], concept: Concept) -> bool:
    """Whether the one word of a name has a second meaning of another role in its language: "estado" is a state and a status."""
    if len(words) != 1:
        return False
    others = words[0].means - {words[0].written}
    if len(others) < 2:
        return False
    alone = [other for meant in others for _, other, term in terms_by_word().get(meant, ()) if term == {meant}]
    alone += [exact_terms()[meant] for meant in others if meant in exact_terms()]
    return any(other.role != concept.role for other in alone)


def derived(word: str) -> tuple[str, ...]:
    """Return the words that a computed or a relative's attribute is made of: the square of an age, a logarithm, a father's schooling."""
    for ending in listed("computed_endings"):
        if word.endswith(ending) and word[: -len(ending)] in english_words():
            return (word[: -len(ending)],)
    for beginning in listed("computed_beginnings"):
        if word.startswith(beginning) and len(word) - len(beginning) >= SHORTEST_PIECE and word[len(beginning) :] in english_words():
            return (word[len(beginning) :],)
    if word[:1] in listed("relatives") and word[1:] in listed("of_relatives"):
        return (word[1:],)
    return ()


def of_medicine(words: Iterable[Word]) -> NameMatch | None:
    """Return that a name speaks of an illness or an operation, by how one of its words is built."""
    found = ((word.written, medical(word.written)) for word in words)
    return next((NameMatch(concepts()[concept], written) for written, concept in found if concept is not None), None)


def unheard(words: Iterable[Word]) -> bool:
    """Whether one of the words is known to no lexicon: it may be what the name is about, as in "estado fisico", which is no state."""
    return any(word.means == {word.written} and word.written not in known_words() for word in words)

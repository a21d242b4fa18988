"""Whose number a column is, by the words of its name: of a person, an account, an event, a group, a thing, a record, or of a list.

An id word goes before the topic beside it: the id of a stay in intensive care is no treatment.
"""

from typing import Literal

from anonscope.columns.suggestion.fitting import PLACES, Word
from anonscope.columns.suggestion.terms import listed

Subject = Literal["person", "someone", "household", "account", "event", "group", "thing", "record", "list", "bare"]
_HOUSEHOLDS = frozenset(["household", "dwelling", "family", "couple"])
_PLAIN_IDS = frozenset(["id", "ids", "pid", "uid", "identifier", "identification"])
_TAKING_PART = frozenset(["patient", "participant", "respondent", "subject"])
# Words for people that also mean several of them.
_COLLECTIVE = frozenset(["staff"])
# Words that ask for a person, alone: beside others they may be a house of the United Nations.
_ASKING = frozenset(["who", "whom", "wer", "quien"])
# Words that say nothing of whose number it is.
_EMPTY = frozenset(["unique", "anonymous", "anonymised", "encrypted", "new", "old", "primary", "external", "internal", "local", "my"])


def subject_of(words: tuple[Word, ...]) -> Subject | None:
    """Return whose id a name speaks of; None if it speaks of none."""
    said = frozenset(meant for word in words for meant in word.means)
    named = _named(said)
    outright = bool(said & listed("ids"))
    if not outright and not said & listed("numbers"):
        # A column called after persons or visits and nothing else may hold their ids.
        if len(words) != 1 or words[0].guessed:
            return None
        return "someone" if named == "person" or words[0].written in _ASKING else "event" if "encounter" in said else None
    if _of_a_list(words):
        return "list"
    if named is not None:
        return named
    empty = listed("ids") | listed("numbers") | _EMPTY
    rest = [word for word in words if word.means - empty - {word.written} or (word.written not in empty and len(word.means) == 1)]
    rest = [word for word in rest if not word.written.isdigit()]
    if said & listed("rows"):
        return "record"
    return "bare" if not rest else None


def numbers_plainly(words: tuple[Word, ...], *, household: bool) -> bool:
    """Return whether a name says an id so plainly that small numbers are ids too: nine patients may be called 1 to 9.

    An id word says so, alone or of a person; so does the number of persons who are not counted within a household or an accident, or
    no more than the word for those who take part in something. Beside a `household` even ids may count its members.
    """
    said = frozenset(meant for word in words for meant in word.means)
    if _of_a_list(words):
        return False
    named = _named(said)
    if named is None:
        return subject_of(words) == "bare" and bool(said & _PLAIN_IDS)
    if named != "person":
        return False
    if not said & (listed("ids") | listed("numbers")):
        return len(words) == 1 and not words[0].guessed and bool(said & _TAKING_PART)
    members = bool(said & listed("members"))
    if said & listed("ids"):
        return not (members and household)
    return not members and not counts(words)


def names_someone(words: tuple[Word, ...], *, household: bool) -> bool:
    """Return whether a name is the word for one person and nothing else.

    "Patient" is, but neither "patients", which may count them, nor "child", which may number them; beside a `household` nor is "member".
    "Who" may be a score of that house.
    """
    if subject_of(words) != "someone" or words[0].written.endswith("s") or words[0].written in _ASKING:
        return False
    within = listed("members") if household else listed("members") - {"member"}
    return not words[0].means & (within | _COLLECTIVE)


def counts(words: tuple[Word, ...]) -> bool:
    """Return whether "number" comes before what it counts, as in "number of visits", and no other id word is said."""
    if len(words) < 2 or not words[0].means & {"number", "count", "no"} or any(word.means & listed("ids") for word in words):
        return False
    return words[-1].written.endswith("s") or bool(words[0].means & {"count"})


def _of_a_list(words: tuple[Word, ...]) -> bool:
    """Whether a word says that a number is a code of a list; a word of the table's language is read in that: "kind" is a child in Dutch."""
    return any((word.means - {word.written} or word.means) & listed("classes") for word in words)


def _named(said: frozenset[str]) -> Subject | None:
    """Return what is named; who has a stay of a patient has a stay, and whoever has a household's person has a person."""
    if said & PLACES:
        # Where somebody lives is no number of somebody.
        return "group"
    order: tuple[tuple[Subject, frozenset[str]], ...] = (
        ("event", listed("events") - listed("persons")),
        ("person", listed("persons")),
        ("household", _HOUSEHOLDS),
        ("account", listed("accounts")),
        ("group", listed("groups")),
        ("thing", listed("things")),
    )
    return next((subject for subject, words in order if said & words), None)

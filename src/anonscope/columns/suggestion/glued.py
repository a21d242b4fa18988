"""Words that stand glued together in names, taken apart with the lexicon's own words; and the languages that names are in."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from anonscope.columns.suggestion.terms import english_words, known_words, listed, plain, translations

# Shorter pieces are found by accident inside other words; a few short words end glued names.
SHORTEST_PIECE = 3
_SHORT_ENDS = frozenset(["id", "nr", "no", "cd", "dt"])
_LINKS = ("s", "n", "en", "es", "e")
SHORTEST_BEGINNING = 4
# Longer ones are no words.
LONGEST_WORD = 50
# In glued words of up to this length a word of three letters is found by accident.
_SHORT_GLUED = 9
_TABLE_LANGUAGE = 0.3
# So many names, and so large a share, begin alike because somebody put that before them.
_FEWEST_ALIKE = 4
_MOST_ALIKE = 0.5


def forms(word: str) -> Iterable[str]:
    """Yield a word, with German vowels written as one letter, and both without the endings of a plural."""
    folded = word.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    for form in dict.fromkeys((word, folded)):
        yield form
        for ending in ("s", "es", "en", "n", "er", "e"):
            if form.endswith(ending) and len(form) - len(ending) >= 4:
                yield form[: -len(ending)]


def mixed_beginning(word: str) -> str | None:
    """Return the known word of letters and digits that a glued one begins with, such as a1c in a1cresult."""
    found = re.match(r"[a-z]+\d+[a-z]?", word)
    return found.group() if found and found.group() in known_words() and found.group() != word else None


def languages_of(names: Sequence[str]) -> frozenset[str]:
    """Return the languages, besides English, that enough words of the names are in; a word of several counts in part for each."""
    votes: defaultdict[str, float] = defaultdict(float)
    for name in names:
        folded = plain(name)
        for chunk in re.split(r"[^a-z0-9]+", folded):
            for word in {chunk, *(part for part in parts_of(chunk) if len(chunk) > 2 * SHORTEST_PIECE)}:
                spoken = {language for language, _ in translations().get(word, ())} if len(word) > 2 else set()
                if word in english_words():
                    spoken.add("en")
                for language in spoken:
                    votes[language] += 1 / len(spoken)
    most = max(votes.values(), default=0)
    return frozenset(language for language, count in votes.items() if language != "en" and count >= _TABLE_LANGUAGE * most)


@cache
def _beginnings() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in known_words():
        if len(word) > SHORTEST_BEGINNING and word.isalpha():
            found.setdefault(word[:SHORTEST_BEGINNING], []).append(word)
    return {start: tuple(sorted(words, key=lambda word: (len(word), word))) for start, words in found.items()}


def beginning_with(word: str) -> Iterable[str]:
    """Yield the known words that begin with one that nobody knows, the shortest first."""
    return (known for known in _beginnings().get(word[:SHORTEST_BEGINNING], ()) if known.startswith(word))


@cache
def parts_of(word: str) -> tuple[str, ...]:
    """Return the fewest known words that make up a glued one, or none; German and Dutch put letters between them."""
    best: dict[int, tuple[str, ...]] = {0: ()}
    if len(word) > LONGEST_WORD:
        return ()
    for end in range(1, len(word) + 1):
        for start in range(end - 1, -1, -1):
            if start not in best:
                continue
            piece = word[start:end]
            if len(piece) >= SHORTEST_PIECE and (piece in known_words() or piece in listed("fillers")):
                added: tuple[str, ...] = (piece,)
            elif end == len(word) and start >= 4 and piece in _SHORT_ENDS:
                added = (piece,)
            elif piece in _LINKS and start >= 4 and end < len(word):
                added = ()
            else:
                continue
            # As few words as can be, and of as few the longest: links between them are letters that nothing explains.
            made = (*best[start], *added)
            if end not in best or (len(made), -sum(map(len, made))) < (len(best[end]), -sum(map(len, best[end]))):
                best[end] = made
    found = best.get(len(word), ())
    # Short words in one are chance, unless all are of one language.
    if len(found) > 1 and (
        max(map(len, found)) <= SHORTEST_PIECE or (min(map(len, found)) <= SHORTEST_PIECE and len(word) <= _SHORT_GLUED)
    ):
        spoken = [{language for language, _ in translations().get(piece, ())} | _in_english(piece) for piece in found]
        return found if set.intersection(*spoken) else ()
    return found


def _in_english(word: str) -> set[str]:
    return {"en"} if word in english_words() else set()


def shared_prefixes(names: Sequence[str]) -> tuple[str, ...]:
    """Return the letters, at most three, that all or most names begin with, the longest first; few names may share some by accident."""
    if len(names) < _FEWEST_ALIKE:
        return ()
    counts = Counter(name[:length] for name in names for length in (3, 2, 1) if len(name) >= length + SHORTEST_PIECE)
    most = [prefix for prefix, count in counts.items() if count >= max(_FEWEST_ALIKE, _MOST_ALIKE * len(names)) and prefix.isalpha()]
    return tuple(sorted(most, key=lambda prefix: (-len(prefix), prefix)))

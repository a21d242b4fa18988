"""How the name of a column is read with the lexicon: which words it has, in which language, and which concept they stand for.

Names are split at punctuation, capitals and digits; words that were glued together are taken apart with the lexicon's own words; words
of other languages stand for English ones, in the languages that most names of the table are in; where all that fails, a word of four
letters or more may be the beginning of a known one. A name that several public codebooks have is read in the one that knows most
columns of the table.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from anonscope.columns.suggestion.fitting import (
    OF_EVERYBODY,
    NameMatch,
    Score,
    Word,
    ambiguous,
    contested,
    derived,
    elsewhere,
    of_medicine,
    score,
    unheard,
)
from anonscope.columns.suggestion.glued import (
    LONGEST_WORD,
    SHORTEST_BEGINNING,
    SHORTEST_PIECE,
    beginning_with,
    forms,
    languages_of,
    mixed_beginning,
    parts_of,
    shared_prefixes,
)
from anonscope.columns.suggestion.terms import (
    BookEntry,
    Concept,
    abbreviations,
    codebooks,
    concepts,
    endings,
    english_words,
    exact_terms,
    is_substance,
    known_words,
    listed,
    medical,
    suffixes,
    terms_by_word,
    translations,
    words_in,
)

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SHORTEST_PART = 5
_LARGER = 0.6
# A name of a codebook this short may be anything, unless the table has more names of that codebook.
_PLAIN_NAME = 4
_OF_ONE_BOOK = 3
_CDISC = frozenset(["usubjid", "subjid", "studyid", "domain"])
# A word of these goes before the topic: the date of a diagnosis is a date.
_DATES = frozenset(["date", "datetime", "timestamp"])
_YEARS = frozenset(["year", "month"])
# Where words are glued, the last part says what it is.
_GERMANIC = frozenset(["de", "nl", "sv"])


class Reader:
    """Reads the column names of one table; a prefix that all columns share is no part of a name."""

    def __init__(
        self,
        names: Sequence[str],
        *,
        use_codebooks: bool = True,
        labels: Mapping[str, str] | None = None,
        translate: bool = True,
        guess: bool = True,
    ) -> None:
        self._prefixes = shared_prefixes(names)
        self._names = tuple(names)
        self._use_codebooks = use_codebooks
        self._labels = dict(labels or {})
        self._translate = translate
        self._guess = guess
        self._languages = languages_of(names)
        lower = [name.strip().lower() for name in names]
        self._books = Counter(book for name in lower for book in {entry.book for entry in codebooks().get(name, ())})
        self._cdisc = bool(_CDISC & set(lower))
        self._read: dict[str, tuple[Word, ...]] = {}
        self._matched: dict[str, NameMatch | None] = {}
        self._household: bool | None = None

    def parsed(self, name: str) -> tuple[Word, ...]:
        """Return the words of a name with all they may stand for."""
        if name not in self._read:
            found = self._split(name)
            if not _plainly_known(found):
                for prefix in self._prefixes:
                    if name.startswith(prefix) and _plainly_known(shorter := self._split(name[len(prefix) :])):
                        found = shorter
                        break
            self._read[name] = found
        return self._read[name]

    @property
    def has_household(self) -> bool:
        """Whether a column of the table is the id of a household, by its name."""
        if self._household is None:
            matches = (self.match(name) for name in self._names)
            self._household = any(match is not None and match.concept.role == "household" for match in matches)
        return self._household

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words of a name, as written and as they read in English."""
        return tuple(dict.fromkeys(word for part in self.parsed(name) for word in (part.written, *sorted(part.means))))

    def mentions(self, name: str, concept: str) -> bool:
        """Return whether a name has the words of a concept in it, even if another fits better: "hospital county" is an area too."""
        words = frozenset(self.words(name))
        return any(term <= words for term in concepts()[concept].terms)

    def match(self, name: str) -> NameMatch | None:
        """Return the concept that fits a name best: most words, then most letters, then the order of the lexicon."""
        if name not in self._matched:
            self._matched[name] = self._match(name)
        return self._matched[name]

    def _match(self, name: str) -> NameMatch | None:
        if self._use_codebooks and (found := self._in_codebook(name)):
            return found
        by_words = self._by_words(self.parsed(name))
        label = self._labels.get(name)
        if (by_words is None or not by_words.sure) and label:
            by_label = self._by_words(self._split(label))
            if by_label is not None:
                return NameMatch(by_label.concept, f"{by_label.because} in its label", sure=by_label.sure)
        return by_words

    def _by_words(self, words: tuple[Word, ...]) -> NameMatch | None:
        said = frozenset(meant for word in words for meant in word.means)
        dated = bool(said & _DATES) or _year_of_something(words)
        best: tuple[Score, Concept, frozenset[str]] | None = None
        for meant in said:
            for order, concept, term in terms_by_word().get(meant, ()):
                if term <= said and not elsewhere(words, concept, term):
                    fit = score(words, concept, term, order, dated=dated)
                    if best is None or fit > best[0]:
                        best = (fit, concept, term)
        if len(words) == 1:
            for meant in sorted(words[0].means, key=lambda meaning: (meaning != words[0].written, meaning)):
                if meant in exact_terms():
                    exact = exact_terms()[meant]
                    fit = score(words, exact, frozenset([meant]), 0, dated=dated)
                    if best is None or fit > best[0]:
                        best = (fit, exact, frozenset([meant]))
        if any(is_substance(word.written) for word in words) and (best is None or best[1].role == "insensitive" or best[0][1] < 2):
            drug = next(word.written for word in words if is_substance(word.written))
            return NameMatch(concepts()["treatment"], drug)
        if (best is None or best[1].role == "insensitive") and (found := of_medicine(words)):
            return found
        if best is None:
            return None
        reading = [word for word in words if word.means & best[2]]
        unread = [word for word in words if not word.means & best[2] and not word.written.isdigit() and len(word.written) > 1]
        sure = not any(word.guessed for word in reading) and len(unread) <= len(reading) and (not unread or best[0][2] > 0)
        sure = sure and (best[1].name in OF_EVERYBODY or dated or not unheard(unread))
        because = " ".join(word.written for word in reading)
        return NameMatch(
            best[1],
            because,
            sure=sure,
            vague=best[0][2] == 0,
            partly=any(not word.means & (listed("vague") | listed("persons")) for word in unread),
            contested=not (dated or best[1].name in OF_EVERYBODY) and (contested(unread, best[1]) or ambiguous(words, best[1])),
        )

    def _in_codebook(self, name: str) -> NameMatch | None:
        lower = name.strip().lower()
        candidates: list[tuple[BookEntry, int]] = [(entry, self._books[entry.book]) for entry in codebooks().get(lower, ())]
        plainly = len(lower) <= _PLAIN_NAME or lower in known_words()
        fewest = min(_OF_ONE_BOOK, len(self._names)) if self._names else 1 if lower in known_words() else 0
        usable = [pair for pair in candidates if not plainly or pair[1] >= fewest]
        if usable:
            entry, known = max(usable, key=lambda pair: pair[1])
            return NameMatch(concepts()[entry.concept], entry.title, codebook=True, sure=known > 1 or not plainly)
        if self._cdisc and len(lower) > 4 and lower[2:] in suffixes():
            entry = suffixes()[lower[2:]]
            return NameMatch(concepts()[entry.concept], entry.title, codebook=True)
        if self._cdisc and len(lower) > 4 and (known_ending := next((e for e in endings() if lower.endswith(e)), None)):
            entry = endings()[known_ending]
            return NameMatch(concepts()[entry.concept], entry.title, codebook=True, sure=False)
        for part in re.split(r"[^a-z0-9]+", lower):
            if len(part) > _PLAIN_NAME and part != lower and part not in known_words() and part in codebooks():
                entry = max(codebooks()[part], key=lambda found: self._books[found.book])
                return NameMatch(concepts()[entry.concept], entry.title, codebook=True, sure=False)
        return None

    def _split(self, name: str) -> tuple[Word, ...]:
        decomposed = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ł", "l"))
        unaccented = "".join(c for c in decomposed if not unicodedata.combining(c))
        found: list[Word] = []
        for chunk in re.split(r"[^A-Za-z0-9]+", unaccented):
            whole = chunk.lower()
            if re.search(r"[a-z]\d|\d[a-z]", whole) and whole in known_words():
                found.append(self._word(whole))
                continue
            mixed = mixed_beginning(whole)
            if mixed:
                found.append(self._word(mixed))
                chunk = chunk[len(mixed) :]
            pieces = _WORDS.findall(chunk)
            if len(pieces) > 1 and whole.isalpha() and whole in known_words():
                pieces = [chunk]
            for piece in pieces:
                found.extend(self._expanded(piece.lower()))
        kept = [word for word in found if word.written not in listed("fillers") or len(found) == 1]
        return tuple(self._joined(kept))

    def _joined(self, words: list[Word]) -> Iterable[Word]:
        """Yield words, two neighbours as one where that is known, such as "codice fiscale"."""
        skip = False
        for word, after in zip(words, (*words[1:], None), strict=False):
            if skip:
                skip = False
                continue
            both = word.written + after.written if after is not None else ""
            if after is not None and both in translations() and not word.written.isdigit():
                skip = True
                joined = self._word(both)
                yield Word(f"{word.written} {after.written}", joined.means | word.means | after.means)
            else:
                yield word

    def _expanded(self, word: str) -> tuple[Word, ...]:
        """Return a word with its meanings; one that nobody knows is taken apart if its parts are known, or read as a beginning."""
        if word.isdigit() or word in listed("fillers") or is_substance(word):
            return (Word(word, frozenset([word])),)
        for form in forms(word):
            if form in known_words():
                return (self._word(form, written=word),)
        if len(word) >= 2 * SHORTEST_PIECE - 1 and (parts := parts_of(word)):
            # Three letters at the end of a glued word are there by chance, unless they are a word of English or of the table's language.
            short = len(parts[-1]) <= SHORTEST_PIECE and not self._of_ours(parts[-1])
            short = short and (parts[-1] not in words_in("en") or max(map(len, parts)) <= SHORTEST_PIECE)
            read = [replace(self._word(part), guessed=short and part == parts[-1]) for part in parts]
            modify = bool(self._languages & _GERMANIC)
            if self._languages:
                # A part that only another language has is there by chance: no "Bildungsgang" is a gang.
                read = [replace(part, guessed=not self._of_ours(part.written)) for part in read]
            return (*(replace(part, modifier=modify) for part in read[:-1]), read[-1])
        if not self._guess or len(word) > LONGEST_WORD or medical(word):
            return (Word(word, frozenset([word])),)
        if made_of := derived(word):
            return tuple(replace(self._word(part), guessed=True) for part in made_of)
        if len(word) >= SHORTEST_BEGINNING and (whole := self._longer(word)):
            return (Word(word, self._word(whole).means, guessed=True),)
        if parts := self._most_of(word):
            return tuple(Word(part, self._word(part).means, guessed=True) for part in parts)
        if part := self._largest_part(word):
            return (Word(word, self._word(part).means, guessed=True),)
        return (Word(word, frozenset([word])),)

    def _word(self, word: str, written: str | None = None) -> Word:
        readings = translations().get(word, ()) if self._translate else ()
        fitting = [reading for language, reading in readings if language in self._languages]
        # A short form is read in the language of the table before it is read in English.
        means = {word, *(() if fitting else abbreviations().get(word, ()))}
        if not fitting and word not in english_words() and (len(word) > SHORTEST_PIECE or not self._names):
            fitting = [reading for _, reading in readings]
        means.update(meaning for reading in fitting for meaning in reading)
        return Word(written or word, frozenset(means))

    def _longer(self, word: str) -> str | None:
        """Return the shortest known word, English or of the table's languages, that begins with a word nobody knows."""
        return next((known for known in beginning_with(word) if known in english_words() or self._spoken(known)), None)

    def _most_of(self, word: str) -> tuple[str, ...]:
        """Return the known words that make up the larger beginning or end of a glued one, such as country of birth in "geblandgba"."""
        for length in range(len(word) - 1, max(_SHORTEST_PART, round(_LARGER * len(word))) - 1, -1):
            for piece in (word[:length], word[-length:]):
                parts = parts_of(piece)
                if len(parts) > 1 and all(self._spoken(part) or (len(part) > SHORTEST_PIECE and part in english_words()) for part in parts):
                    return parts
        return ()

    def _largest_part(self, word: str) -> str | None:
        """Return the longest known word of five letters or more that a glued one begins or ends with; the end says what it is."""
        for length in range(len(word) - 1, _SHORTEST_PART - 2, -1):
            for piece in (word[-length:], word[:length]):
                # Short English words are found by accident inside others; of a table in another language shorter ones count.
                if piece not in abbreviations() and (self._spoken(piece) or (length >= _SHORTEST_PART and piece in english_words())):
                    return piece
        return None

    def _spoken(self, word: str) -> bool:
        return any(language in self._languages for language, _ in translations().get(word, ()))

    def _of_ours(self, word: str) -> bool:
        return self._spoken(word) or any(word in words_in(language) for language in self._languages)

    @property
    def languages(self) -> frozenset[str]:
        """The languages, besides English, that the names of the table are in."""
        return self._languages


def _year_of_something(words: tuple[Word, ...]) -> bool:
    """Whether a name is a year or a month and what happened then, as in "anno parto"; a year's income is none."""
    if len(words) != 2 or not words[0].means & _YEARS or words[0].guessed:
        return False
    about = {c.domain for meant in words[1].means for _, c, term in terms_by_word().get(meant, ()) if term == {meant}}
    return bool(about & {"health", "event"}) and "finance" not in about


def _plainly_known(words: Iterable[Word]) -> bool:
    """Whether a word was known as it stands, not guessed."""
    return any(word.means & known_words() and not word.guessed for word in words)

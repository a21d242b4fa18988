"""What a column is about and what an outsider can know of it, by its name and by its values.

Replicability, availability and distinguishability are the three questions of R. Aufschläger et al. (2023), section 6.7.1: how
constantly a value goes with a person, how easily a third party gets it, how well it tells people apart. The first two come with the
concept, the third from the data where they say more than the lexicon.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonscope.columns.suggestion.codes import of_codes
from anonscope.columns.suggestion.fitting import NameMatch
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.terms import Concept, Degree, ValueWords, concepts, plain, value_words
from anonscope.columns.suggestion.value_kinds import ColumnType, type_of

# The share of distinct values, and of the records that have them, by which a column is recognised.
_VALUES = 0.6
_RECORDS = 0.8
_SHORTEST_WORD = 4
_PARTS = re.compile(r"[^a-z]+")
_MOST_SEXES = 5
# More distinct values than this need not be read to know what words they are.
_MOST_VALUES = 300
# What values in plain words tell better than a name that speaks of a place, a class or a day.
_TOLD_BY_WORDS = ("diagnosis", "treatment", "measurement", "belief", "sex_life", "crime")
_NOT_ABOUT_PEOPLE = ("geographic", "administration", "quantity", "temporal", "event")
_DEGREES: tuple[Degree, ...] = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Meaning:
    """A concept, how it was found, and its three scores."""

    concept: Concept
    by_name: str | None
    by_values: bool
    codebook: bool
    replicability: Degree
    availability: Degree
    distinguishability: Degree
    # Whether the name says so plainly; what was guessed from an abbreviation or from neighbours is not sure.
    sure: bool = True
    # The columns beside it that say so, where neither its name nor its values do.
    by_table: str | None = None
    # Whether the name has only words that fit many topics.
    vague: bool = False
    # Whether words of the name are not known, which may be what it is about.
    partly: bool = False
    # Whether other words of the name speak for another role.
    contested: bool = False
    # Whether the file says what its codes stand for, and that tells.
    by_labels: bool = False

    @property
    def reason(self) -> str:
        """Return how the concept was found, as a sentence."""
        about = f"it is about {self.concept.title} ({self.concept.domain})"
        if self.by_table is not None:
            return f"{self.by_table} say that {about}."
        if self.by_labels:
            return f"What its codes stand for, as the file says, tells that {about}."
        if self.by_name is None:
            return f"Its values say that {about}."
        if self.codebook:
            return f"A public codebook lists its name: {self.by_name}; {about}."
        said = f"Its name ({self.by_name!r}) and its values say" if self.by_values else f"Its name ({self.by_name!r}) says"
        return f"{said} that {about}."


def meaning(profile: Profile, column: ColumnType, match: NameMatch | None, *, values: bool = True, codes: bool = True) -> Meaning | None:
    """Return what a column is about, its name before its values; None if neither tells. Dates are dates whatever is dated."""
    by_values = of_values(profile, column, codes=codes) if values else None
    named = match.concept if match is not None and match.concept.domain != "identifier" else None
    if named is not None and match is not None and _outweighed(named, match, by_values, column):
        named = None
    concept = named or (concepts()[by_values] if by_values else None)
    if concept is None:
        return None
    return of_concept(
        concept,
        profile,
        by_name=match.because if named and match else None,
        by_values=by_values == concept.name,
        codebook=bool(named and match and match.codebook),
        sure=match.sure if named and match else True,
        vague=bool(named and match and match.vague),
        partly=bool(named and match and match.partly),
        contested=bool(named and match and match.contested),
    )


def by_labels(profile: Profile, codes: Mapping[str, str], known: Meaning | None) -> Meaning | None:
    """Return what a column of codes is about by what the file says they stand for; a name that says so plainly goes before it."""
    if known is not None and (known.codebook or (known.sure and not known.vague)):
        return known
    read = tuple(replace(value, text=codes[value.text]) for value in profile.looked if value.text in codes)
    words = replace(profile, kind="VARCHAR", looked=read)
    concept = of_values(words, type_of(words), codes=False) if len(read) > 1 else None
    return known if concept is None else replace(of_concept(concepts()[concept], profile, by_values=True), by_labels=True)


def of_concept(
    concept: Concept,
    profile: Profile,
    *,
    by_name: str | None = None,
    by_values: bool = False,
    codebook: bool = False,
    sure: bool = True,
    by_table: str | None = None,
    vague: bool = False,
    partly: bool = False,
    contested: bool = False,
) -> Meaning:
    """Return a concept with its scores for one column."""
    return Meaning(
        concept=concept,
        by_name=by_name,
        by_values=by_values,
        codebook=codebook,
        replicability=concept.replicability,
        availability=concept.availability,
        distinguishability=distinguishability(profile),
        sure=sure,
        by_table=by_table,
        vague=vague,
        partly=partly,
        contested=contested,
    )


def _outweighed(named: Concept, match: NameMatch, by_values: str | None, column: ColumnType) -> bool:
    """Whether values say more than the name: dates beside a topic, or telling values under a name that was guessed or says little."""
    if by_values is None or by_values in (named.name, "age") or match.codebook:
        return False
    if column.kind == "date" and column.resolution in ("day", "month", "time"):
        return named.domain != "temporal"
    if by_values in _TOLD_BY_WORDS and named.domain in _NOT_ABOUT_PEOPLE:
        return True
    return not match.sure or (named.role == "insensitive" and named.domain in ("administration", "quantity"))


def of_values(profile: Profile, column: ColumnType, *, codes: bool = True) -> str | None:
    """Return the concept that the values of a column tell, or None."""
    if column.kind == "date" and column.resolution in ("day", "month", "time"):
        return "event_date"
    if column.numeric and not column.step:
        return "age" if _like_ages(profile, column) else of_codes(profile, column) if codes else None
    if column.kind not in ("category", "code", "ordinal"):
        return None
    values = tuple(_read(v.text, v.count) for v in profile.telling[:_MOST_VALUES])
    written = {part for value in values for part in (value.text, *value.parts)}
    # What no value has a word of needs no look at each of them.
    likely = (words for words in value_words() if not words.ordinal and (words.beginnings or words.endings or words.words & written))
    found = next((words.concept for words in likely if _tells(values, words)), None)
    return found or (of_codes(profile, column) if codes else None)


def distinguishability(profile: Profile) -> Degree:
    """Return how well a column tells people apart, by the share of pairs of records that differ in it, and by its values."""
    apart = 1 - sum(values * size * size for size, values in profile.sizes) / profile.records**2 if profile.records else 0.0
    return _DEGREES[(apart > 0.5) + (apart > 0.95)]


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    count: int
    parts: frozenset[str]


def _read(text: str, count: int) -> _Value:
    value = plain(text.strip())
    return _Value(value, count, frozenset(part for part in _PARTS.split(value) if len(part) >= _SHORTEST_WORD and part != "other"))


def _tells(values: Sequence[_Value], words: ValueWords) -> bool:
    """Whether enough of the distinct values, or of the records that have them, are words of a concept."""
    if len(values) < 2 or (words.concept == "sex" and len(values) > _MOST_SEXES):
        return False
    if words.needs and sum(value.text in words.needs or not words.needs.isdisjoint(value.parts) for value in values) < 2:
        return False
    fitting = [value.count for value in values if _fits(value, words)]
    records = sum(value.count for value in values)
    return len(fitting) >= _VALUES * len(values) or (len(fitting) > 2 and sum(fitting) >= _RECORDS * records)


def _fits(value: _Value, words: ValueWords) -> bool:
    if value.text in words.words or not words.words.isdisjoint(value.parts):
        return True
    return value.text.startswith(words.beginnings) or value.text.endswith(words.endings)


def _like_ages(profile: Profile, column: ColumnType) -> bool:
    """Whether whole numbers spread as the ages of people do: dozens of years, none beyond a life, none far commoner than the rest."""
    if column.kind != "integer" or column.low is None or column.high is None:
        return False
    within = 0 <= column.low <= 30 and 60 <= column.high <= 125
    return within and 40 <= profile.values <= 121 and profile.commonest_share < 0.1 and column.high - column.low < 1.5 * profile.values

"""Whether several records may belong to one person: a column that looks like an id and repeats.

Words for people go before words for accounts, these before ids of which the name does not say whose; an id of visits is never the
person. Where the name says that it is a person's id, a few values are enough: a table may hold seven patients. A column that is called
after one person and nothing else ("patient", "user") tells people apart whatever its values look like, unless it only says yes or no.
"""

from anonscope.columns.suggestion.fitting import NameMatch
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.subjects import Subject
from anonscope.columns.suggestion.terms import placeholders, plain, value_words
from anonscope.columns.suggestion.value_kinds import ColumnType
from anonscope.io.figures import decimals

# An id that repeats in nearly every record is the id of a group; one that never repeats tells records apart, not persons.
_FEWEST_VALUES = 10
_FEWEST_PER_RECORD = 0.001
_LARGEST_SHARE = 0.05
# What a name says relaxes that.
_FEWEST_NAMED = 2
_SMALL_NUMBER = 30
_FEWEST_LIKE_NUMBERS = 4
# What a column called after a person may hold without telling people apart: amounts, ranges, texts.
_NO_IDS = ("nested", "empty", "continuous", "ordinal", "free text", "weight")
_IDS = ("integer", "code", "category")
# Without a name, only a column of many values that nobody has often passes for an id.
_UNNAMED_VALUES = 1_000
_UNNAMED_SHARE = 0.001
_NATIONAL = ("social_security", "health_plan", "medical_record")


def person_reason(
    profile: Profile,
    column: ColumnType,
    subject: Subject | None,
    match: NameMatch | None,
    *,
    plainly: bool = False,
    someone: bool = False,
) -> str | None:
    """Return why a column tells persons apart who have several records, or None.

    `plainly` says that small numbers may be ids, `someone` that the name is no more than the word for one person.
    """
    if profile.unique or profile.constant:
        return None
    known = profile.records - profile.missing
    repeats = f"{profile.values:,} values in {known:,} records, each in {decimals(known / profile.values, 1)} on average"
    if someone and column.kind not in _NO_IDS and not _says_whether(profile, column):
        return f"its name says a person and it repeats: {repeats}."
    if column.kind not in _IDS and not (subject == "someone" and column.kind == "date"):
        return None
    if subject in ("person", "someone") and is_numbering(profile, column, subject, plainly=plainly):
        return f"its name says the id of a person and it repeats: {repeats}."
    per_record = profile.values / profile.records
    few = profile.values < _FEWEST_VALUES or per_record < _FEWEST_PER_RECORD
    concept = match.concept if match is not None else None
    if not few and concept is not None and concept.person and (subject in (None, "person", "bare", "account") or concept.name in _NATIONAL):
        if profile.commonest_share <= _LARGEST_SHARE or concept.name in _NATIONAL:
            return f"its name says {match.because!r} and it repeats: {repeats}." if match else None
    elif not few and subject in ("account", "bare") and profile.commonest_share <= _LARGEST_SHARE and per_record > 0.02:
        return f"its name says an id and it repeats: {repeats}."
    if subject == "bare" and plainly and match is not None and match.concept.person and is_numbering(profile, column, plainly=True):
        # Few values may also be those of a group: somebody has to look.
        return f"it is called an id and repeats: {repeats}."
    unnamed = match is None and subject is None and column.kind in ("integer", "code") and profile.values >= _UNNAMED_VALUES
    if unnamed and profile.commonest_share < _UNNAMED_SHARE and 0.05 < per_record < 0.95 and _even_length(profile):
        return f"it looks like an id and repeats: {repeats}."
    return None


def person_rank(subject: Subject | None) -> int:
    """Return how well the name of a column says that its ids are of persons."""
    return {"person": 3, "someone": 3, "account": 2}.get(subject or "", 1)


def is_numbering(profile: Profile, column: ColumnType, subject: Subject | None = None, *, plainly: bool = False) -> bool:
    """Whether values can be ids: at least a few, and not small numbers, which count within a household or a list.

    A name that says no more than "patient" needs more values: it may also say which kind of patient. Where a name speaks `plainly`,
    small numbers are ids, of "patient" alone if they look like some: four or more without a gap, or codes with digits.
    """
    if subject == "someone" and plainly and _like_numbers(profile, column):
        return True
    if subject == "someone" and profile.values < max(_FEWEST_VALUES, 0.02 * (profile.records - profile.missing)):
        return profile.unique
    # Called after a person and nothing else, a date is somebody's and stands for them.
    if profile.values < _FEWEST_NAMED or (column.kind not in _IDS and not (subject == "someone" and column.kind == "date")):
        return False
    if plainly and subject != "someone":
        return True
    few = profile.values < max(_FEWEST_VALUES, 0.1 * (profile.records - profile.missing))
    return not (few and column.kind == "integer" and column.high is not None and column.high <= _SMALL_NUMBER)


def _says_whether(profile: Profile, column: ColumnType) -> bool:
    """Whether values may say no more than whether somebody is one: two small numbers or two words, or words that lexicons know."""
    if profile.values <= _FEWEST_NAMED and (column.kind == "category" or (column.high is not None and column.high <= _SMALL_NUMBER)):
        return True
    texts = {plain(value.text.strip()) for value in profile.looked} - placeholders()
    # A guardian is the mother, the father or another: words for relatives name nobody.
    return column.kind == "category" and any(texts <= scale.words for scale in value_words())


def _like_numbers(profile: Profile, column: ColumnType) -> bool:
    if profile.values < _FEWEST_LIKE_NUMBERS:
        return False
    return column.kind == "code" or (column.step and column.low in (0, 1) and profile.complete)


def _even_length(profile: Profile) -> bool:
    """Whether most values have the same length, as drawn numbers do."""
    lengths = [v.length for v in profile.looked]
    return bool(lengths) and max(lengths.count(length) for length in set(lengths)) > 0.6 * len(lengths)

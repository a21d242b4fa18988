"""Whether several records may belong to one person: a column that looks like an id and repeats."""

from anonscope.suggestion.profile import Profile
from anonscope.suggestion.types import ColumnType
from anonscope.suggestion.vocabulary import NameMatch, speaks_of_person

# An id that repeats in nearly every record is the id of a group; one that never repeats tells records apart, not persons.
_FEWEST_VALUES = 10
_FEWEST_PER_RECORD = 0.001
_LARGEST_SHARE = 0.05
# Without a name, only a column of many values that nobody has often passes for an id.
_UNNAMED_VALUES = 1_000
_UNNAMED_SHARE = 0.001


def person_reason(profile: Profile, column: ColumnType, words: tuple[str, ...], match: NameMatch | None) -> str | None:
    """Return why a column tells persons apart who have several records, or None."""
    if profile.unique or profile.constant or column.kind not in ("integer", "code", "category"):
        return None
    per_record = profile.values / profile.records
    known = profile.records - profile.missing
    if profile.values < _FEWEST_VALUES or per_record < _FEWEST_PER_RECORD or profile.commonest_share > _LARGEST_SHARE:
        return None
    repeats = f"{profile.values:,} values in {known:,} records, each in {known / profile.values:.1f} on average"
    if match is not None and match.concept.person:
        return f"its name says {match.because!r} and it repeats: {repeats}."
    if speaks_of_person(words):
        return f"its name says the id of a person and it repeats: {repeats}."
    unnamed = match is None and column.kind in ("integer", "code") and profile.values >= _UNNAMED_VALUES
    if unnamed and profile.commonest_share < _UNNAMED_SHARE and 0.05 < per_record < 0.95 and _even_length(profile):
        return f"it looks like an id and repeats: {repeats}."
    return None


def _even_length(profile: Profile) -> bool:
    """Whether most values have the same length, as drawn numbers do."""
    lengths = [v.length for v in profile.looked]
    return bool(lengths) and max(lengths.count(length) for length in set(lengths)) > 0.6 * len(lengths)

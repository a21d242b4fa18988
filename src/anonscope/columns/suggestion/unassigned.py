"""What columns look like that nobody gave a role: by their names, their types and a sample of their values.

No role is not no risk: a name that nobody mentioned is published with the rest. So every audit looks at these columns, at a cost
that does not grow with the table: no column is counted. Where records stay elsewhere nothing but names and types is looked at.
Addresses that only a few records have are looked for in all of a table that is small or parsed to its end. What was seen in a part of
the records only is never called harmless.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from anonscope.columns.suggestion.by_values import (
    IdentifierForm,
    form_of_leaves,
    leaves,
)
from anonscope.columns.suggestion.clues import Clues, known_outside
from anonscope.columns.suggestion.evidence import ColumnLook, ColumnSuggestion, GivenLook, LooksLike
from anonscope.columns.suggestion.fitting import NameMatch
from anonscope.columns.suggestion.own_values import may_be_ids, own_points, own_texts
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.rare import rarely_held
from anonscope.columns.suggestion.sampled import CELLS, CUT, Sample
from anonscope.columns.suggestion.terms import concepts

# So large a share of values that no other record has makes a column a key, where there are as many records.
_KEYS, _FEWEST_KEYS = 0.9, 20
_SEEN = {
    "integer": "whole numbers",
    "continuous": "numbers with decimals",
    "ordinal": "grades or ranges",
    "code": "codes",
    "category": "words",
    "date": "dates",
    "free text": "texts",
    "weight": "numbers",
    "empty": "no value",
    "nested": "nested values",
}
_NESTED = "It holds nested values, of which nothing tells what they are about. Flatten it, then ask again."
_CUT_NESTED = 4_000
_NUMBERS = "It only numbers the records, one after the other as they stand."
_UNTOLD = "Neither its name nor its values say what it is about."
_LONG = f"It has texts of {CUT} characters and more, of which only the beginning was looked at."
_OWN_NUMBERS = (
    "may be ids: nearly every record has a number of its own, as ids are spread and as amounts hardly are, and nothing tells what it "
    "measures"
)
_OWN_POINTS = (
    "may tell where somebody is: nearly every record has a number of its own, finer than is measured, and nothing tells what it is"
)
_OWN_TEXTS = "may tell who somebody is: nearly every record has a text of its own, and nothing tells what these are"
_EMPTY = "None of the records that were looked at has a value."


def look_at(
    sample: Sample,
    columns: Sequence[str],
    *,
    given: Sequence[str] = (),
    secret: Sequence[str] = (),
    harmless: Sequence[str] = (),
    weight: str | None = None,
) -> tuple[tuple[ColumnLook, ...], tuple[GivenLook, ...]]:
    """Return what columns look like, in their order; and which of those given another role look like direct identifiers, with the reason.

    Of these the form of values counts, such as names by their letters, numbers by their check digits or codes of which every record has
    its own, and what a column is surely called; not that every record has another amount, because a secret may, and somebody said that it
    is one. A weight that has is a number of the record. Of what is released as it is, `secret` or `harmless`, doubts count: secrets that
    may be ids, and what outsiders surely know.
    """
    given = (*given, *((weight,) if weight is not None else ()))
    if not columns and not given:
        return (), ()
    engine, relation, reader = sample.engine, sample.relation, sample.reader
    if engine.remote:
        named = tuple(GivenLook(column, told) for column in given if (told := _identifier_by_name(reader.match(column))) is not None)
        return tuple(_by_name(column, reader.match(column), engine.title) for column in columns), named
    # All columns are looked at, because what stands beside a column says what it is about.
    clues = sample.clues(relation.names if columns else given)
    profiles, whole = [clue.profile for clue in clues], sample.whole
    kinds = {clue.profile.name: clue.type.kind for clue in clues}
    asked = tuple(dict.fromkeys((*columns, *given)))
    rare = rarely_held(sample, asked, kinds, known=_seen_whole(profiles) if whole else {})
    telling = (*_identifying(clues, given, weight), *_doubtful(clues, secret, harmless))
    known = {look.column for look in telling if not look.doubtful}
    telling += tuple(GivenLook(column, _reason_of(form)) for column, form in rare.items() if column in given and column not in known)
    known = {look.column for look in telling if not look.doubtful}
    telling = tuple(look for look in telling if not look.doubtful or look.column not in known)
    if not columns:
        return (), telling
    looks = {clue.profile.name: _look(clue, found, whole=whole) for clue, found in _concluded(clues, frozenset(columns))}
    looks |= _looks_into(sample, [column for column in columns if column not in looks])
    return tuple(_with_rare(looks[column], rare.get(column)) for column in columns), telling


def _seen_whole(profiles: Sequence[Profile]) -> dict[str, list[str]]:
    """Return the values of the columns of which every value was looked at to its end, in a sample that has all records."""
    return {p.name: [value.text for value in p.looked] for p in profiles if p.complete and p.longest < CUT}


def _with_rare(look: ColumnLook, form: IdentifierForm | None) -> ColumnLook:
    """Return a look that also says what few records have."""
    if form is None or look.looks_like == "direct identifier":
        return look
    return replace(look, looks_like="direct identifier", reason=_reason_of(form))


def _concluded(clues: Sequence[Clues], asked: frozenset[str]) -> Iterator[tuple[Clues, ColumnSuggestion]]:
    """Yield what the columns that were asked about are taken for, in the light of all columns."""
    # Late: where every column has a role, nothing is concluded.
    from anonscope.columns.suggestion.combine import combine
    from anonscope.columns.suggestion.context import in_table
    from anonscope.columns.suggestion.separation import Search

    about = [clue for clue in in_table(clues) if clue.profile.name in asked]
    return zip(about, combine(about, Search(), force={}, forbid=frozenset()), strict=True)


def _identifying(clues: Sequence[Clues], given: Sequence[str], weight: str | None) -> Iterator[GivenLook]:
    """Yield which columns that were given another role have the form of a direct identifier."""
    for clue in clues:
        column, found = clue.profile.name, clue.identifier
        if column not in given or found is None:
            continue
        if column == weight or found.shown or (found.certain and found.concept.name not in ("other_unique", "record_id", "event_id")):
            yield GivenLook(column, found.reason)


def _doubtful(clues: Sequence[Clues], secret: Sequence[str], harmless: Sequence[str]) -> Iterator[GivenLook]:
    """Yield what is left open of columns that are released as they are."""
    for clue in clues:
        column = clue.profile.name
        doubt = _may_tell(clue) if column in secret else None
        if doubt is None and (column in secret or column in harmless):
            doubt = known_outside(clue)
        if doubt is not None:
            yield doubt


def _may_tell(clue: Clues) -> GivenLook | None:
    """Return what is left open of a sensitive attribute by its values, if anything is."""
    if own_texts(clue.profile, clue.type):
        return GivenLook(clue.profile.name, _OWN_TEXTS, doubtful=True)
    if may_be_ids(clue.profile, clue.type, told=clue.told):
        return GivenLook(clue.profile.name, _OWN_NUMBERS, doubtful=True)
    if clue.unknown and own_points(clue.profile, clue.type):
        return GivenLook(clue.profile.name, _OWN_POINTS, doubtful=True)
    return None


def _looks_into(sample: Sample, columns: Sequence[str]) -> dict[str, ColumnLook]:
    """Return what columns of nested values look like, by the texts and numbers that they hold."""
    if not columns:
        return {}
    written = [f"SUBSTR(CAST(TO_JSON(c{sample.relation.position(column)}) AS VARCHAR), 1, {_CUT_NESTED})" for column in columns]
    sampled, _ = sample.values(written)
    return {column: _look_into(column, [v for v in values if v is not None]) for column, values in zip(columns, sampled, strict=True)}


def _look_into(column: str, values: Sequence[str]) -> ColumnLook:
    held = list(islice((leaf for value in values for leaf in leaves(value)), CELLS))
    if (found := form_of_leaves(held)) is not None:
        concept = concepts()[found.concept]
        return ColumnLook(column, "direct identifier", f"It holds nested values, and among them are {found.title}: {concept.title}.")
    return ColumnLook(column, "unknown", _NESTED, seen=_SEEN["nested"], unseen=bool(values) and not held)


def _identifier_by_name(match: NameMatch | None) -> str | None:
    if match is None or not match.sure or match.concept.role != "direct identifier":
        return None
    return f"Its name says {match.because!r}: {match.concept.title}, and its values stay where they are"


def _by_name(column: str, match: NameMatch | None, title: str) -> ColumnLook:
    if match is None or match.concept.role == "none":
        return ColumnLook(column, "unknown", f"Its name does not say what it is about, and its values stay on {title}.")
    concept = match.concept
    known: dict[str, LooksLike] = {"direct identifier": "direct identifier", "quasi-identifier": "quasi-identifier"}
    known |= {"sensitive": "sensitive", "household": "household", "weight": "weight"}
    return ColumnLook(column, known.get(concept.role, "unknown"), f"Its name says {match.because!r}: {concept.title}.")


def _look(clue: Clues, found: ColumnSuggestion, *, whole: bool) -> ColumnLook:
    """Return what is proposed for a column, with the kind of its values."""
    profile, known = clue.profile, clue.profile.records - clue.profile.missing
    key = known >= _FEWEST_KEYS and profile.values >= _KEYS * known
    # Measured numbers hardly ever are the same twice.
    own = ", nearly one for every record" if key and clue.type.kind != "continuous" else ""
    seen = f"{_SEEN.get(clue.type.kind, 'values')}{own}"
    look = _proposed(clue, found, whole=whole)
    # The same doubt as about a sensitive attribute: plates and numbers of persons are written in more ways than anybody knows.
    untold = look.looks_like == "unknown" and own_texts(profile, clue.type)
    return replace(look, seen=seen, key=bool(own), own=untold)


def _proposed(clue: Clues, found: ColumnSuggestion, *, whole: bool) -> ColumnLook:
    """Return what is proposed for a column, as somebody would say who has seen a sample of it."""
    profile, reason = clue.profile, found.reasons[0] if found.reasons else _UNTOLD
    if profile.running and _of_nobody(clue):
        return ColumnLook(profile.name, "record number", _NUMBERS)
    if found.role in ("direct identifier", "person"):
        return ColumnLook(profile.name, "direct identifier", reason, person=found.role == "person")
    if profile.values == 0 and not whole:
        return ColumnLook(profile.name, "unknown", _EMPTY)
    if profile.longest >= CUT:
        return ColumnLook(profile.name, "unknown", _LONG)
    if found.role == "insensitive" and found.confidence == "high" and whole:
        return ColumnLook(profile.name, "insensitive", reason)
    if found.confidence == "low" or found.role not in ("quasi-identifier", "sensitive", "household", "weight"):
        return ColumnLook(profile.name, "unknown", _UNTOLD if found.unknown else reason)
    return ColumnLook(profile.name, found.role, reason)


def _of_nobody(clue: Clues) -> bool:
    """Whether a running number is no number of a person, an account or an event by its name."""
    if clue.subject not in (None, "record", "bare"):
        return False
    return clue.unknown or (clue.identifier is not None and clue.identifier.concept.name in ("record_id", "other_unique"))


def _reason_of(form: IdentifierForm) -> str:
    """Return the sentence about a column of which some values have a form."""
    concept = concepts()[form.concept]
    return f"Safe Harbor class {concept.safe_harbor}, {concept.title}: some of its values are {form.title}."

"""Direct identifiers: the classes of HIPAA's Safe Harbor, by what values look like and by what columns are called.

45 CFR 164.514(b)(2)(i). A name alone suffices where it is plain; a form alone where chance does not produce it; a weak form, such
as nine digits, needs the name. A number that many records share is the number of a group, not of a person, unless its name says
whose it is. Names of people are also told by their letters, over all values of a column together.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from anonscope.columns.suggestion.by_values import form_of_values
from anonscope.columns.suggestion.codes import of_companies
from anonscope.columns.suggestion.fitting import NameMatch
from anonscope.columns.suggestion.formats import FORMATS, ValueFormat
from anonscope.columns.suggestion.letters import WORD, is_latin, reading
from anonscope.columns.suggestion.person import is_numbering
from anonscope.columns.suggestion.profile import Looked, Profile
from anonscope.columns.suggestion.subjects import Subject
from anonscope.columns.suggestion.terms import Concept, concepts, listed
from anonscope.columns.suggestion.value_kinds import ColumnType

# Check digits are pure Python: so many distinct values of a column are tried.
_TRIED = 200
# Fewer distinct values have a form by chance.
_FEWEST = 3
# Without a name that says so, uniqueness tells an id from a quantity only in a table of some length.
_ENOUGH_RECORDS = 20
# The number of a person is rarely shared by more records than this share allows; names and addresses may be.
_FEWEST_PER_RECORD = 0.02
# So many people share a telephone at most.
_HOUSEHOLD = 8
_SPAN_SEEN = 0.95
_NAMES_OF_GROUPS = ("names", "addresses", "url", "telephone", "fax", "email", "photo")
# Letters: fewer words read as names by chance; so sure must the mean be, with few words and with more.
_FEWEST_WORDS = 12
_LONGEST_NAME = 6
_FEWEST_NAMES = 8
_MOST_CLASSES = 20
_NUMBERS_OF_PAPERS = ("license", "account", "vehicle", "device", "card")
_LIKE_NAMES = 0.65
_MANY_WORDS = 20
_LIKE_MANY_NAMES = 0.56
# Letters but Latin ones, several words a value, another value in most records: then names need not stand out so clearly.
_LIKE_FULL_NAMES = 0.4
_FULL = 0.8
_DIFFERENT = 0.6
_COMPANIES = 0.2
# A place on earth: so far from the middle, so many decimals (some ten metres), so many different ones.
_AXES = {"latitude": 90, "lat": 90, "longitude": 180, "lon": 180, "lng": 180}
_DECIMALS = re.compile(r"[-+]?\d+[.,]\d{4,}")
_OWN_PLACES = 0.5
# Words by which things are numbered; what is counted is not called so, and a code may be that of a list.
_NUMBERS = frozenset(["nr", "nbr", "nummer"])
_BY_SUBJECT: dict[Subject, str] = {"person": "other_unique", "someone": "other_unique", "event": "event_id", "account": "account"}


@dataclass(frozen=True, slots=True)
class Identifier:
    """Why a column is a direct identifier, and of which class."""

    concept: Concept
    by_name: str | None
    by_form: str | None
    certain: bool
    # Whether the values alone show it, whatever the column is called and whatever role it was given.
    shown: bool = False

    @property
    def number(self) -> int:
        assert self.concept.safe_harbor is not None, "every identifier of the lexicon has the number of its class"
        return self.concept.safe_harbor

    @property
    def reason(self) -> str:
        """Return the reason as a sentence."""
        parts = [f"its name says {self.by_name!r}"] if self.by_name else []
        parts += [self.by_form] if self.by_form else []
        return f"Safe Harbor class {self.number}, {self.concept.title}: {' and '.join(parts)}."


def identifier(
    profile: Profile,
    column: ColumnType,
    subject: Subject | None,
    match: NameMatch | None,
    *,
    words: Collection[str] = (),
    plainly: bool = False,
    letters: bool = True,
    formats: bool = True,
) -> Identifier | None:
    """Return why a column is a direct identifier, or None; without its `letters` and `formats` the name of the column decides.

    `words` are those of the name. Where it speaks `plainly` of an id, small numbers may be ids.
    """
    values = profile.telling[:_TRIED]
    named = match if match is not None and match.concept.domain == "identifier" else None
    seen = form_of_values(profile, column) if formats and letters else None
    if seen is not None and not (seen.concept == "telephone" and _an_area(profile, match)):
        # Codes may be of whatever the name says, and a number that is called after a fax reaches one.
        agreed = named is not None and (seen.concept == "other_unique" or named.concept.name == "fax" or named.concept.name == seen.concept)
        concept, said = (named.concept, named.because) if named is not None and agreed else (concepts()[seen.concept], None)
        return Identifier(concept, said, f"its values are {seen.title}", certain=True, shown=True)
    form = _form(profile, values, column, named) if formats else None
    if form is not None and (match is None or named is not None or not _meant_otherwise(profile, match, form)):
        concept = concepts()[form.concept]
        by_name = named.because if named and named.concept.name == form.concept else None
        if named and named.concept.name == "fax" and form.concept == "telephone":
            concept, by_name = named.concept, named.because
        return Identifier(concept, by_name, f"its values are {form.title}", certain=not form.weak or by_name is not None)
    # The id of an employee's status is a code of a list, not of the employee.
    a_code = subject == "list" and named is not None and named.concept.name == "other_unique"
    # "RG" is a national number in Brazil, and a region beside a residence.
    a_code = a_code or (subject == "group" and named is not None and named.concept.name == "social_security")
    # A class of driving licences is a class, and many have it.
    a_class = not listed("classes").isdisjoint(words) and profile.values <= _MOST_CLASSES
    a_code = a_code or (a_class and named is not None and named.concept.name in _NUMBERS_OF_PAPERS)
    if named is not None and not a_code and _carries(profile, column, named.concept, subject, plainly=plainly):
        sure = named.sure and (named.concept.name not in ("other_unique", "record_id") or profile.unique or subject == "person")
        # A handful of names that many records share may be those of groups or of lists.
        sure = sure and (named.concept.name != "names" or profile.values >= _FEWEST_NAMES or profile.records < _ENOUGH_RECORDS)
        return Identifier(named.concept, named.because, None, certain=sure)
    listed_otherwise = match is not None and match.codebook and match.sure and named is None
    if (
        subject in _BY_SUBJECT
        and not listed_otherwise
        and is_numbering(profile, column, subject, plainly=plainly)
        and not (named is not None and named.concept.name in _NAMES_OF_GROUPS)
    ):
        whose = concepts()[_BY_SUBJECT[subject]]
        many = profile.unique or profile.values >= _FEWEST_PER_RECORD * (profile.records - profile.missing)
        # The code of a procedure that others have had too is one of a list.
        coded = "code" in words and listed("ids").isdisjoint(words) and match is not None and match.sure and named is None
        of_a_list = coded and subject == "event" and 2 * profile.values < profile.records - profile.missing
        if not of_a_list and (many or subject != "account"):
            return Identifier(
                whose, f"an id of one {'person' if subject == 'someone' else subject}", None, certain=profile.values >= _FEWEST
            )
    if (
        letters
        and _reads_as_names(profile, values, column)
        and (match is None or not match.sure or match.concept.role == "insensitive" or named)
    ):
        return Identifier(concepts()["names"], None, "its values read as names of people", certain=True)
    if formats and (axis := next((word for word in words if word in _AXES), None)) and _exact(profile, values, column, _AXES[axis]):
        return Identifier(concepts()["addresses"], axis, "its values are exact to some metres", certain=True)
    says_id = not (listed("ids") | _NUMBERS).isdisjoint(words) and subject not in ("group", "list")
    if says_id and profile.unique and profile.records >= _ENOUGH_RECORDS and _coded(profile, column):
        # An id is an id whatever it is the id of: that of a tumour is no diagnosis.
        return Identifier(concepts()["record_id"], "an id", "no two records share a value", certain=True)
    named_as_id = subject is not None
    unread = match is None or (not match.sure and match.concept.role == "insensitive")
    if unread and _is_unique_code(profile, column, named_as_id=named_as_id):
        return Identifier(concepts()["other_unique"], None, "no two records share a value, and values look like codes", certain=named_as_id)
    numbered = subject in ("person", "someone", "household", "account", "event", "record", "bare", "thing")
    if numbered and profile.unique and _coded(profile, column) and (match is None or match.concept.role != "weight"):
        return Identifier(concepts()["record_id"], None, "no two records share a value, and its name speaks of an id", certain=True)
    return None


def _reads_as_names(profile: Profile, values: tuple[Looked, ...], column: ColumnType) -> bool:
    """Whether the letters of the values are those of names: of people rather than of places, things or illnesses."""
    if column.kind not in ("category", "code") or profile.values < _FEWEST_WORDS / 2:
        return False
    texts = [v.text.strip() for v in values]
    if sum(any(c.isalpha() for c in text) for text in texts) < 0.9 * len(texts):
        return False
    found = reading(texts)
    if found is None or found.values < _FEWEST_WORDS or of_companies(texts) >= _COMPANIES:
        return False
    if found.name >= (_LIKE_MANY_NAMES if found.values >= _MANY_WORDS else _LIKE_NAMES):
        return True
    elsewhere = sum(not is_latin(text) for text in texts) >= _FULL * len(texts)
    if not elsewhere or profile.values < _DIFFERENT * (profile.records - profile.missing):
        return False
    full = sum(1 < len(WORD.findall(text)) < _LONGEST_NAME and not any(c.isdigit() for c in text) for text in texts) >= _FULL * len(texts)
    # Letters that no list has say nothing either way.
    return full and found.name >= max(_LIKE_FULL_NAMES, found.place, found.word)


def _exact(profile: Profile, values: tuple[Looked, ...], column: ColumnType, furthest: int) -> bool:
    """Whether degrees are exact to some metres, and most records have their own."""
    if column.kind != "continuous" or column.low is None or column.high is None or max(-column.low, column.high) > furthest:
        return False
    exact = sum(_DECIMALS.fullmatch(v.text.strip()) is not None for v in values)
    return exact >= _FULL * len(values) and profile.values >= _OWN_PLACES * (profile.records - profile.missing)


def _form(profile: Profile, values: tuple[Looked, ...], column: ColumnType, named: NameMatch | None) -> ValueFormat | None:
    if len(values) < min(_FEWEST, profile.values) or not values or column.kind in ("ordinal", "continuous", "date", "nested", "free text"):
        return None
    texts = [v.text.strip() for v in values]
    for form in FORMATS:
        if form.weak and (named is None or named.concept.name != form.concept):
            continue
        # A form with a check digit must not be met by a handful of values by chance.
        if form.share > 0.9 and len(texts) < 10 and (named is None or named.concept.name != form.concept):
            continue
        # Looking at a few first spares most columns the rest.
        if not any(form.fits(text) for text in texts[:5]) and len(texts) > 10 and form.share > 0.6:
            continue
        if sum(form.fits(text) for text in texts) >= form.share * len(texts):
            return form
    return None


def _an_area(profile: Profile, match: NameMatch | None) -> bool:
    """Whether codes are those of areas, whose digits and dashes telephone numbers have too: more people than a household are in each."""
    shared = profile.values * _HOUSEHOLD < profile.records - profile.missing
    return match is not None and match.sure and match.concept.domain == "geographic" and shared


def _meant_otherwise(profile: Profile, match: NameMatch, form: ValueFormat) -> bool:
    """Whether the name of the column explains a form that is not proof: a clinic may be called after a saint."""
    explained = form.explained or (form.concept == "telephone" and _an_area(profile, match))
    return explained and match.concept.domain != "identifier"


def _carries(profile: Profile, column: ColumnType, concept: Concept, subject: Subject | None, *, plainly: bool = False) -> bool:
    """Whether a column whose name says "identifier" can hold one: many values, and not measured ones."""
    if profile.values <= 2 or column.kind in ("ordinal", "date"):
        return False
    if concept.name in _NAMES_OF_GROUPS:
        if concept.name == "names" and column.kind == "integer":
            # A column of names that holds numbers has numbers in their place.
            return is_numbering(profile, column, "someone")
        return not column.numeric or (concept.name in ("telephone", "fax", "addresses") and profile.values > 20)
    if column.kind == "continuous":
        return False
    if subject in ("person", "event"):
        return is_numbering(profile, column, plainly=plainly)
    return profile.values >= max(3, _FEWEST_PER_RECORD * (profile.records - profile.missing))


def _is_unique_code(profile: Profile, column: ColumnType, *, named_as_id: bool) -> bool:
    if not profile.unique or profile.missing_share > 0.05:
        return False
    return (named_as_id or profile.records >= _ENOUGH_RECORDS) and _coded(profile, column)


def _coded(profile: Profile, column: ColumnType) -> bool:
    """Whether unique values look like codes: text without measure, or whole numbers that count or have one length."""
    if column.kind in ("code", "category"):
        return True
    if column.kind != "integer" or column.low is None or column.high is None or column.low < 0:
        return False
    lengths = {v.length for v in profile.looked}
    counts_up = column.high - column.low < 2 * profile.records and profile.complete
    # The smallest and the largest of the values looked at lie a little within those of all.
    wide = column.high - column.low + 1 >= (1 if profile.complete else _SPAN_SEEN) * profile.records
    return len(lengths) == 1 or counts_up or (wide and _evenly(profile))


def _evenly(profile: Profile) -> bool:
    """Whether numbers spread evenly between the smallest and the largest, as drawn or running numbers do and amounts do not."""
    numbers = sorted(float(v.text) for v in profile.looked if v.text.strip().isdigit())
    if len(numbers) < _ENOUGH_RECORDS or numbers[-1] == numbers[0]:
        return False
    span = numbers[-1] - numbers[0]
    furthest = max(abs((number - numbers[0]) / span - i / (len(numbers) - 1)) for i, number in enumerate(numbers))
    # Kolmogorov's distance; 1.63 / sqrt(n) is passed by one evenly spread column in a hundred.
    return bool(furthest < max(1.63 / len(numbers) ** 0.5, 0.02))

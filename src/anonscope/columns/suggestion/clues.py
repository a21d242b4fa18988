"""What the name and the values of one column say, before anything is concluded from it."""

from collections.abc import Mapping
from dataclasses import dataclass

from anonscope.columns.suggestion.evidence import GivenLook
from anonscope.columns.suggestion.identifiers import Identifier, identifier
from anonscope.columns.suggestion.meaning import Meaning, by_labels, meaning
from anonscope.columns.suggestion.person import person_reason
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.risk_rate import ALPHA, BETA, RiskRate, risk_rate
from anonscope.columns.suggestion.subjects import Subject, names_someone, numbers_plainly, subject_of
from anonscope.columns.suggestion.value_kinds import ColumnType, type_of
from anonscope.columns.suggestion.vocabulary import Reader

# Fewer codes are a scale or an answer.
FEWEST_CODES = 20
# What everybody can see, look up or ask a neighbour: no study calls these secrets. Others, such as an occupation, may be both.
_AGES = (0, 125)
_BORN = (1850, 2100)
_MOST_SEXES = 6
# Other words for places may be those of a hospital or a store, unless the values are places.
_POSTAL = frozenset(["cap", "postnummer", "zip", "zipcode", "zip3", "zip5", "postcode", "post", "postal", "plz", "postleitzahl"])


@dataclass(frozen=True, slots=True)
class Clues:
    """Everything that was found out about one column."""

    profile: Profile
    type: ColumnType
    identifier: Identifier | None
    meaning: Meaning | None
    person: str | None
    rate: RiskRate
    words: tuple[str, ...]
    subject: Subject | None = None
    # Whether the name speaks so plainly of an id that small numbers are ids.
    plainly: bool = False
    # Whether the table is about health, by what its other columns are about.
    health: bool = False
    # Whether several other columns of the table plainly hold what nobody should learn.
    secrets: bool = False

    @property
    def unknown(self) -> bool:
        """Whether nothing tells what the column is: no identifier, no person, no meaning."""
        return self.identifier is None and self.person is None and self.meaning is None

    @property
    def told(self) -> bool:
        """Whether the name of the column surely says what people have or are; words that fit many topics do not."""
        about = self.meaning
        if about is None or about.by_name is None or about.concept.role not in ("sensitive", "quasi-identifier"):
            return False
        return about.sure and not about.vague

    @property
    def untold_codes(self) -> bool:
        """Whether it holds codes or numbers of which neither its name nor words among its values say what they are."""
        if self.type.kind not in ("integer", "code") or self.profile.values < FEWEST_CODES or self.told or self.subject is not None:
            return False
        return self.meaning is None or self.meaning.by_name is not None


def clues_of(
    profile: Profile,
    reader: Reader,
    alpha: float = ALPHA,
    beta: float = BETA,
    without: frozenset[str] = frozenset(),
    codes: Mapping[str, str] | None = None,
) -> Clues:
    """Return everything that name and values say of one column; `codes` is what its file says they stand for."""
    column = type_of(profile)
    match = reader.match(profile.name)
    words = reader.parsed(profile.name)
    subject = subject_of(words) if "ids" not in without else None
    plainly = subject is not None and numbers_plainly(words, household=reader.has_household)
    someone = subject == "someone" and names_someone(words, household=reader.has_household)
    about = meaning(profile, column, match, values="values" not in without, codes="codes" not in without)
    return Clues(
        profile=profile,
        type=column,
        identifier=identifier(
            profile,
            column,
            subject,
            match,
            words=reader.words(profile.name),
            plainly=plainly,
            letters="letters" not in without,
            formats="formats" not in without,
        ),
        meaning=by_labels(profile, codes, about) if codes else about,
        person=person_reason(profile, column, subject, match, plainly=plainly, someone=someone),
        rate=risk_rate(profile, alpha, beta),
        words=reader.words(profile.name),
        subject=subject,
        plainly=plainly,
    )


def known_outside(clue: Clues) -> GivenLook | None:
    """Return that a column is what outsiders know of people, where its name and its values both say so; None in every other case."""
    meaning = clue.meaning
    if clue.identifier is not None or meaning is None or meaning.by_name is None or not meaning.sure or meaning.vague or meaning.partly:
        return None
    if not _fits(clue, meaning.concept.name):
        return None
    because = f"is what outsiders know of people, and no group was made by it: its name ({meaning.by_name!r}) and its values say"
    return GivenLook(clue.profile.name, f"{because} that it is about {meaning.concept.title}", doubtful=True, known=True)


def _fits(clue: Clues, concept: str) -> bool:
    """Whether values can be what a name says."""
    column, profile = clue.type, clue.profile
    if profile.constant or profile.values < 2:
        return False
    numbers = column.low is not None and column.high is not None
    if concept == "age":
        return column.kind == "ordinal" or (numbers and column.numeric and _within(column.low, column.high, _AGES))
    if concept == "sex":
        return profile.values <= _MOST_SEXES
    if concept == "birth_date":
        return column.kind == "date"
    if concept == "birth_year":
        return column.kind == "date" or (numbers and _within(column.low, column.high, _BORN))
    postal = clue.meaning is not None and not _POSTAL.isdisjoint((clue.meaning.by_name or "").split())
    return concept == "small_area" and (
        (postal and column.kind in ("code", "integer")) or (clue.meaning is not None and clue.meaning.by_values)
    )


def _within(low: float | None, high: float | None, bounds: tuple[int, int]) -> bool:
    return low is not None and high is not None and bounds[0] <= low and high <= bounds[1]

"""What the name and the values of one column say, before anything is concluded from it."""

from dataclasses import dataclass

from anonscope.columns.suggestion.identifiers import Identifier, identifier
from anonscope.columns.suggestion.meaning import Meaning, meaning
from anonscope.columns.suggestion.person import person_reason
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.risk_rate import ALPHA, BETA, RiskRate, risk_rate
from anonscope.columns.suggestion.subjects import Subject, names_someone, numbers_plainly, subject_of
from anonscope.columns.suggestion.types import ColumnType, type_of
from anonscope.columns.suggestion.vocabulary import Reader


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

    @property
    def unknown(self) -> bool:
        """Whether nothing tells what the column is: no identifier, no person, no meaning."""
        return self.identifier is None and self.person is None and self.meaning is None


def clues_of(profile: Profile, reader: Reader, alpha: float = ALPHA, beta: float = BETA, without: frozenset[str] = frozenset()) -> Clues:
    """Return everything that name and values say of one column."""
    column = type_of(profile)
    match = reader.match(profile.name)
    words = reader.parsed(profile.name)
    subject = subject_of(words) if "ids" not in without else None
    plainly = subject is not None and numbers_plainly(words, household=reader.has_household)
    someone = subject == "someone" and names_someone(words, household=reader.has_household)
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
        meaning=meaning(profile, column, match, values="values" not in without, codes="codes" not in without),
        person=person_reason(profile, column, subject, match, plainly=plainly, someone=someone),
        rate=risk_rate(profile, alpha, beta),
        words=reader.words(profile.name),
        subject=subject,
        plainly=plainly,
    )

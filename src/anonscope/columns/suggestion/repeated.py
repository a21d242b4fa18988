"""Ids of persons that repeat: then one person has several records, and records are no people.

One value that stands in two records is enough: whether that was a slip is for somebody to say. That holds of every column that
somebody named as a direct identifier, whatever it is called and whatever its values look like, but for what people share who have
nothing else in common: full names, addresses and what reaches somebody count from a mean of two records a value on, given and family
names alone where fewer are told than the square root of the records, and what many have by its name (a ward, a city) never. Beside
the id of a person that is another in every record, those who share a name are namesakes.
"""

from collections.abc import Sequence
from math import isqrt
from typing import Literal

from anonscope.columns.suggestion.clues import Clues
from anonscope.columns.suggestion.codes import of_codes
from anonscope.columns.suggestion.evidence import RepeatedId
from anonscope.columns.suggestion.fitting import Word
from anonscope.columns.suggestion.person import is_numbering
from anonscope.columns.suggestion.sampled import Sample
from anonscope.columns.suggestion.subjects import numbers_plainly, subject_of
from anonscope.columns.suggestion.value_kinds import type_of
from anonscope.columns.suggestion.vocabulary import Reader

# Whose number it is, where its name says that it is not a person's.
_OTHERS = ("event", "group", "household", "thing", "record", "list")
# What many people have in common by its name.
_SHARED = ("group", "household", "thing", "list")
# Namesakes, and who lives or is reached at one place: so many records a value on average are no chance any more.
_MEAN_OF_NAMESAKES = 2
# Of a column whose name says nothing of people two values are an answer: yes and no.
_MOST_ANSWERS = 2
# So many people with several records, and groups of one sex by a chance of less than this, make an id of what is called otherwise.
_FEWEST_PEOPLE, _CHANCE = 20, 1e-4
_PARTS_OF_NAMES = frozenset(["first", "last", "given", "family", "surname", "forename", "middle", "maiden", "lastname", "firstname"])
Repeating = Literal["any", "several", "often", "few", "never"]


def repeated_ids(sample: Sample, columns: Sequence[str], *, named: Sequence[str] = ()) -> tuple[RepeatedId, ...]:
    """Return which of these columns tell that persons have several records.

    Of those that somebody `named` as direct identifiers every one is counted, of the others what looks like an id of persons.
    """
    if not columns:
        return ()
    reader = sample.reader
    asked: dict[str, Repeating] = {}
    if sample.engine.remote:
        for column in columns:
            asked[column] = "any" if _by_name(column, reader) else _told_by_name(column, reader) if column in named else "never"
    else:
        for clue in sample.clues(columns):
            column = clue.profile.name
            asked[column] = "any" if _numbers_people(clue) else _told(clue, reader) if column in named else "never"
    counted = [_counted(sample, column) for column, how in asked.items() if how != "never"]
    if any(asked[found.column] == "any" and _by_name(found.column, reader) and found.values == found.records for found in counted):
        # Who has a number that nobody shares is one person; who shares the name is a namesake.
        counted = [found for found in counted if asked[found.column] in ("any", "several")]
    return tuple(found for found in counted if _repeats(found, asked[found.column]))


def repeated_names(sample: Sample) -> tuple[RepeatedId, ...]:
    """Return which columns hold names, addresses or numbers of people by their values, whatever they are called, and each often."""
    if sample.engine.remote:
        return ()
    clues = sample.clues(sample.relation.names)
    shown = [clue.profile.name for clue in clues if clue.identifier is not None and clue.identifier.by_form is not None]
    counted = [_counted(sample, column) for column in shown]
    return tuple(found for found in counted if _repeats(found, "often"))


def ids_by_look(sample: Sample, columns: Sequence[str], *, beside: Sequence[str] = ()) -> tuple[RepeatedId, ...]:
    """Return which of these columns, whatever role they were given, would be taken for the id of a person with several records without it.

    A word for one person alone ("patient") may also be about kinds of people, and somebody said that it is: it has to hold as many values
    as ids do. `beside` are direct identifiers: where one of them numbers people and nobody shares it, records are people.
    """
    if sample.engine.remote or not columns:
        return ()
    counted = [_counted(sample, clue.profile.name) for clue in sample.clues(columns) if _looks_like_people(clue)]
    repeating = tuple(found for found in counted if _repeats(found, "any"))
    if repeating and any((own := _counted(sample, c)).values == own.records for c in beside if _by_name(c, sample.reader)):
        return ()
    return repeating


def like_ids(sample: Sample, columns: Sequence[str]) -> tuple[str, ...]:
    """Return which of these columns would be taken for the id of a person if their values repeated, whether they do or not."""
    return tuple(clue.profile.name for clue in sample.clues(columns) if _looks_like_people(clue))


def _looks_like_people(clue: Clues) -> bool:
    if clue.identifier is not None and not clue.identifier.concept.person:
        return False
    if clue.subject in ("person", "someone"):
        return is_numbering(clue.profile, clue.type, clue.subject, plainly=clue.plainly)
    # Called no more than a code, it may be one of an illness or a drug, which many people have.
    return clue.person is not None and of_codes(clue.profile, clue.type) is None


def ids_by_sex(sample: Sample, columns: Sequence[str], *, given: Sequence[str] = ()) -> tuple[RepeatedId, ...]:
    """Return which of these columns are ids of people whose form and name nothing tells: whoever shares a value has one sex.

    Of numbers and codes that mean nothing else by their name and stand in several records, and of what is called an id but was `given`
    another role. Areas, firms and wards have both sexes, and so
    have households; that as many groups of two and more are all of one sex is no chance.
    """
    reader = sample.reader
    sexes = [
        name for name in sample.relation.names if (match := reader.match(name)) is not None and match.sure and match.concept.name == "sex"
    ]
    sure = {c: match for c in columns if (match := reader.match(c)) is not None and match.sure}
    asked = [c for c in columns if c not in sure or (c in given and sure[c].concept.domain == "identifier")]
    if sample.engine.remote or not sexes or not asked:
        return ()
    likely = [p.name for p in sample.profiles(asked) if p.values >= _FEWEST_PEOPLE and type_of(p).kind in ("integer", "code")]
    return tuple(_counted(sample, column) for column in likely if _of_one_sex(sample, column, sexes[0]))


def _of_one_sex(sample: Sample, column: str, sex: str) -> bool:
    """Whether all groups of records that share a value have one sex, so many that chance does not explain it."""
    cells = f"SELECT {sample.text(column)} AS v, {sample.text(sex)} AS s FROM {sample.origin}"
    ((mixed, groups, least),) = sample.engine.rows(
        "SELECT COALESCE(SUM(CASE WHEN sexes > 1 THEN 1 ELSE 0 END), 0), COUNT(*), COALESCE(SUM(CASE WHEN n > 1 THEN 1 ELSE 0 END), 0) "
        f"FROM (SELECT v, COUNT(*) AS n, COUNT(DISTINCT s) AS sexes FROM ({cells}) AS cells WHERE v IS NOT NULL AND s IS NOT NULL "
        "GROUP BY v) AS shared"
    )
    if mixed or groups < _FEWEST_PEOPLE or least < _FEWEST_PEOPLE:
        return False
    counts = sample.engine.rows(f"SELECT COUNT(*) FROM ({cells}) AS cells WHERE s IS NOT NULL GROUP BY s")
    total = sum(int(n) for (n,) in counts)
    return sum((int(n) / total) ** 2 for (n,) in counts) ** int(least) < _CHANCE


def _repeats(found: RepeatedId, how: Repeating) -> bool:
    if not 1 < found.values < found.records:
        return False
    if how == "few":
        return found.values < isqrt(found.records)
    if how == "several":
        return found.values > _MOST_ANSWERS
    return how == "any" or found.records >= _MEAN_OF_NAMESAKES * found.values


def _told(clue: Clues, reader: Reader) -> Repeating:
    """Return how often a direct identifier has to repeat before it tells that people have several records."""
    by_name = _told_by_name(clue.profile.name, reader)
    identifier = clue.identifier
    if by_name in ("often", "few"):
        # A column of names that holds codes holds no names.
        codes = clue.type.kind in ("integer", "code", "date") and not (identifier is not None and identifier.by_form)
        return "any" if codes else by_name
    shared = identifier is not None and not identifier.concept.person and identifier.by_form is not None
    of_people = clue.subject in ("person", "someone")
    if by_name in ("any", "several") and not of_people and (shared or clue.type.kind == "free text"):
        return "often"
    return by_name


def _told_by_name(column: str, reader: Reader) -> Repeating:
    words, match = reader.parsed(column), reader.match(column)
    subject = subject_of(words)
    if subject in ("person", "someone"):
        return "any"
    if subject in _SHARED:
        return "never"
    if match is None or not match.sure:
        return "several"
    if match.concept.domain != "identifier":
        return "never"
    if match.concept.name == "names" and any(word.means & _PARTS_OF_NAMES for word in words):
        return "few"
    return "any" if match.concept.person or match.concept.name in ("record_id", "event_id") else "often"


def called_ids(names: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return which of some columns of a table with these names are plainly called ids of persons, whatever role somebody gave them."""
    reader = Reader(names)
    parsed = {column: reader.parsed(column) for column in columns}
    return tuple(c for c, words in parsed.items() if subject_of(words) == "person" and _plainly(words, reader))


def _plainly(words: tuple[Word, ...], reader: Reader) -> bool:
    return numbers_plainly(words, household=reader.has_household)


def _numbers_people(clue: Clues) -> bool:
    """Whether a column holds ids of persons, by its name or by the form of its values."""
    identifier = clue.identifier
    if identifier is not None and not identifier.concept.person:
        return False
    if clue.person is not None:
        return True
    if clue.subject in ("person", "someone"):
        return is_numbering(clue.profile, clue.type, clue.subject, plainly=clue.plainly)
    if clue.subject == "bare" and clue.plainly:
        return True
    return identifier is not None and identifier.certain and clue.subject not in _OTHERS


def _by_name(column: str, reader: Reader) -> bool:
    match, subject = reader.match(column), subject_of(reader.parsed(column))
    if match is not None and match.concept.domain == "identifier" and not match.concept.person:
        return False
    if subject == "bare" and _plainly(reader.parsed(column), reader):
        return True
    return subject == "person" or (match is not None and match.sure and match.concept.person and subject not in _OTHERS)


def _counted(sample: Sample, column: str) -> RepeatedId:
    cells = f"(SELECT {sample.text(column)} AS v FROM {sample.origin}) AS ids"
    ((records, values),) = sample.engine.rows(f"SELECT COUNT(v) AS n, COUNT(DISTINCT v) AS m FROM {cells}")
    kind = sample.relation.columns[sample.relation.position(column)].type
    if kind == "VARCHAR" and not sample.engine.remote:
        from anonscope.columns.written_ids import seen_values  # late: most ids are numbers, or repeat by name only

        # One id in several writings is one person's.
        values = seen_values(sample.engine, sample.text(column), sample.origin)[1]
    return RepeatedId(column, int(values), int(records))

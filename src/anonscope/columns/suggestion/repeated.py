"""Ids of persons that repeat: then one person has several records, and records are no people.

Names are shared by people who have nothing else in common, so what is called a name never counts here. One value that stands in two
records is enough: whether that was a slip is for somebody to say.
"""

from collections.abc import Sequence

from anonscope.columns.suggestion.combine import Clues
from anonscope.columns.suggestion.evidence import RepeatedId
from anonscope.columns.suggestion.person import is_numbering
from anonscope.columns.suggestion.propose import clues_of
from anonscope.columns.suggestion.subjects import numbers_plainly, subject_of
from anonscope.columns.suggestion.unassigned import profiles_of
from anonscope.columns.suggestion.vocabulary import Reader, Word
from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.io.sources import Relation

# Whose number it is, where its name says that it is not a person's.
_OTHERS = ("event", "group", "household", "thing", "record", "list")


def repeated_ids(engine: Engine, relation: Relation, columns: Sequence[str], *, rows: int | None = None) -> tuple[RepeatedId, ...]:
    """Return which of these columns are ids of persons who have several records; only what looks like such an id is counted."""
    if not columns:
        return ()
    reader = Reader(relation.names)
    if engine.remote:
        ids = [column for column in columns if _by_name(column, reader)]
    else:
        ids = [profile.name for profile in profiles_of(engine, relation, columns, rows)[0] if _numbers_people(clues_of(profile, reader))]
    counted = (_counted(engine, relation, column, rows) for column in ids)
    return tuple(found for found in counted if 1 < found.values < found.records)


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


def _counted(engine: Engine, relation: Relation, column: str, rows: int | None) -> RepeatedId:
    position = relation.position(column)
    text = canonical(f"c{position}", relation.columns[position].type, column)
    origin = relation.origin if rows is None else f"(SELECT * FROM {relation.origin} LIMIT {rows}) AS limited"
    ((records, values),) = engine.rows(f"SELECT COUNT(v) AS n, COUNT(DISTINCT v) AS m FROM (SELECT {text} AS v FROM {origin}) AS ids")
    return RepeatedId(column, int(values), int(records))

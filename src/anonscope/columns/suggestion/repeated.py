"""Direct identifiers that are ids of persons and repeat: then one person has several records, and records are no people.

Names are shared by people who have nothing else in common, so what is called a name never counts here.
"""

from collections.abc import Sequence

from anonscope.columns.suggestion.combine import Clues
from anonscope.columns.suggestion.evidence import RepeatedId
from anonscope.columns.suggestion.person import is_numbering
from anonscope.columns.suggestion.propose import clues_of
from anonscope.columns.suggestion.subjects import subject_of
from anonscope.columns.suggestion.unassigned import profiles_of
from anonscope.columns.suggestion.vocabulary import Reader
from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.io.sources import Relation

# An id that is entered twice now and then is a slip; one with fewer values a record than this is many people's several records.
_MOST_PER_RECORD = 0.95
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
    return tuple(found for found in counted if 1 < found.values <= _MOST_PER_RECORD * found.records)


def _numbers_people(clue: Clues) -> bool:
    """Whether a column holds ids of persons, by its name or by the form of its values."""
    identifier = clue.identifier
    if identifier is not None and not identifier.concept.person:
        return False
    if clue.person is not None:
        return True
    if clue.subject in ("person", "someone"):
        return is_numbering(clue.profile, clue.type, clue.subject)
    return identifier is not None and identifier.certain and clue.subject not in _OTHERS


def _by_name(column: str, reader: Reader) -> bool:
    match, subject = reader.match(column), subject_of(reader.parsed(column))
    if match is not None and match.concept.domain == "identifier" and not match.concept.person:
        return False
    return subject == "person" or (match is not None and match.sure and match.concept.person and subject not in _OTHERS)


def _counted(engine: Engine, relation: Relation, column: str, rows: int | None) -> RepeatedId:
    position = relation.position(column)
    text = canonical(f"c{position}", relation.columns[position].type, column)
    origin = relation.origin if rows is None else f"(SELECT * FROM {relation.origin} LIMIT {rows}) AS limited"
    ((records, values),) = engine.rows(f"SELECT COUNT(v) AS n, COUNT(DISTINCT v) AS m FROM (SELECT {text} AS v FROM {origin}) AS ids")
    return RepeatedId(column, int(values), int(records))

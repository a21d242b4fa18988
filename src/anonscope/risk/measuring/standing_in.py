"""Which columns of a release tie the records of a person together though the id is to be left out."""

from collections.abc import Iterator, Sequence

from anonscope.columns.images import EVERYTHING
from anonscope.columns.roles import Acknowledgements
from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.errors import RoleError
from anonscope.io.sources import Relation
from anonscope.risk.policy.linked import StandingIn


def standing_in(
    engine: Engine, relation: Relation, person: str, size: int, acknowledged: Acknowledgements, columns: Sequence[str] | None = None
) -> Iterator[StandingIn]:
    """Yield the columns that say which records are one person's, of a relation that still has the id or its pseudonym.

    Every column by itself, or some `columns`. What is missing or suppressed in a record ties it to nothing, and records without an id are
    nobody's.
    """
    unit = _text(relation, person)
    ids = f"SELECT {unit} AS u FROM {relation.origin}"
    several = f"SELECT u FROM ({ids}) AS ids WHERE u IS NOT NULL GROUP BY u HAVING COUNT(*) > 1"
    people = int(engine.rows(f"SELECT COUNT(*) FROM ({several}) AS several")[0][0])
    for column in relation.names if columns is None else columns:
        if column == person:
            continue
        try:
            tied = _tied(engine, relation, unit, _text(relation, column), size)
        except RoleError:
            tied = None  # nested values
        found = StandingIn(column=column, people=people, tied=tied, size=size, said=acknowledged.columns.get(column))
        if found.found:
            yield found


def _tied(engine: Engine, relation: Relation, unit: str, value: str, size: int) -> int:
    """Return of how many people all records have one value that fewer than so many people have."""
    cells = f"SELECT {unit} AS u, {value} AS v FROM {relation.origin}"
    known = f"SELECT u, v FROM ({cells}) AS cells WHERE u IS NOT NULL AND v IS NOT NULL AND v <> '{EVERYTHING}'"
    constant = f"SELECT u, MIN(v) AS v FROM ({known}) AS known GROUP BY u HAVING COUNT(*) > 1 AND MIN(v) = MAX(v)"
    rare = f"SELECT v FROM ({known}) AS known GROUP BY v HAVING COUNT(DISTINCT u) < {size}"
    return int(
        engine.rows(f"SELECT COUNT(*) FROM ({constant}) AS constant_values JOIN ({rare}) AS rare ON constant_values.v = rare.v")[0][0]
    )


def _text(relation: Relation, column: str) -> str:
    position = relation.position(column)
    return canonical(f"c{position}", relation.columns[position].type, column)

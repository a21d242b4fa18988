"""Unicity: how many points of somebody's events does it take to fit nobody else?

Y.-A. de Montjoye, C. A. Hidalgo, M. Verleysen and V. D. Blondel (2013), "Unique in the crowd", Scientific Reports 3, 1376. A point is what
one event says: a place, a time, a thing bought, as coarse as asked for. Points of a person are drawn at random, and everybody whose events
hold them all is a candidate; who has no other candidate is unique. Everything is counted by the engine on which the events stand, and
nothing but counts comes back. Who is drawn, and which points, hangs on a hash of the person, the point and the seed only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonscope.attacks.success import Interval, wilson
from anonscope.engines import Engine
from anonscope.engines.values import canonical, number
from anonscope.errors import AttackError, ColumnNotFound, OptionError, shown
from anonscope.io.sources import Relation

MOST_POINTS = 6
PEOPLE = 1000
# How many characters of a written time say so much.
TIMES = {"year": 4, "month": 7, "day": 10, "hour": 13, "minute": 16}
_MISSING, _BETWEEN = "~missing~", "~|~"


@dataclass(frozen=True, slots=True)
class Unique:
    """How many of the people with so many points fit nobody else."""

    points: int
    people: int
    unique: int
    interval: Interval

    @property
    def share(self) -> float:
        return self.unique / self.people


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Unicity by the number of points, by the events alone and with attributes of the person known as well."""

    source: str
    person: str
    points: tuple[str, ...]
    coarsened: Mapping[str, str]
    attributes: tuple[str, ...]
    people: int
    events: int
    drawn: int
    seed: int
    alone: tuple[Unique, ...]
    with_attributes: tuple[Unique, ...] = ()


def unicity_of(
    engine: Engine,
    relation: Relation,
    *,
    person: str,
    points: Sequence[str],
    coarsen: Mapping[str, str | float] | None,
    attributes: Sequence[str],
    most: int,
    people: int,
    seed: int,
    rows: int | None,
) -> Curve:
    """Return the curve; `coarsen` says how coarse a column is known: a width of numbers, or year, month, day, hour, minute of a time."""
    if not points:
        raise OptionError("A point needs at least one column, such as the day or the place of an event. Name some (--point COLUMN).")
    assert most >= 1 and people >= 1, "whoever asked for fewer was told"
    given = dict(coarsen or {})
    for column in (person, *points, *attributes, *given):
        if column not in relation.names:
            raise ColumnNotFound(column, relation.names)
    for column in given:
        if column not in points:
            raise OptionError(f"Column {shown(column)} is to be coarsened, but it is not part of a point.")
    for column in attributes:
        if column in points or column == person:
            raise OptionError(f"Column {shown(column)} is an attribute of the person, and part of a point or the person's id as well.")
    limit = f" LIMIT {rows}" if rows is not None else ""
    names = ", ".join(f"c{i}" for i in range(len(relation.columns)))
    source = relation.origin if rows is None else f"(SELECT {names} FROM {relation.origin}{limit}) AS s"
    who = _text(relation, person)
    point = _joined(engine, [_coarse(relation, column, given.get(column)) for column in points])
    engine.materialise("unicity_event", f"SELECT DISTINCT {who} AS p, {point} AS x FROM {source} WHERE {who} IS NOT NULL")
    ((count, events),) = engine.rows("SELECT COUNT(DISTINCT p), COUNT(*) FROM unicity_event")
    if count < 2:
        raise AttackError(f"{shown(relation.name)} has events of {count:,} people by {shown(person)}; nobody can be told from anybody.")
    salt = engine.text(f"{seed}{_BETWEEN}")
    # For every number of points those are drawn who have so many; a person may be drawn for several numbers.
    ranked = "SELECT p, n, ROW_NUMBER() OVER (PARTITION BY l ORDER BY h, p) AS r, l FROM ({}) AS c"
    counted = f"SELECT p, COUNT(*) AS n, MD5(CONCAT({salt}, p)) AS h FROM unicity_event GROUP BY p"
    levels = " UNION ALL ".join(f"SELECT p, n, h, {level} AS l FROM unicity_count WHERE n >= {level}" for level in range(1, most + 1))
    engine.materialise("unicity_count", counted)
    engine.materialise("unicity_chosen", f"SELECT p, l FROM ({ranked.format(levels)}) AS d WHERE r <= {people}")
    engine.materialise("unicity_target", "SELECT DISTINCT p FROM unicity_chosen")
    mark = f"MD5(CONCAT({salt}, e.p, {engine.text(_BETWEEN)}, e.x))"
    engine.materialise(
        "unicity_drawn",
        f"SELECT p, x, r FROM (SELECT e.p AS p, e.x AS x, ROW_NUMBER() OVER (PARTITION BY e.p ORDER BY {mark}, e.x) AS r "
        f"FROM unicity_event AS e JOIN unicity_target AS t ON e.p = t.p) AS d WHERE r <= {most}",
    )
    curves = [_curve(engine, most, "")]
    if attributes:
        # A person's records may differ in what should not change; the first in order stands for all.
        texts = [f"MIN({_marked(engine, _text(relation, column))})" for column in attributes]
        engine.materialise(
            "unicity_person", f"SELECT {who} AS p, {_joined(engine, texts)} AS k FROM {source} WHERE {who} IS NOT NULL GROUP BY {who}"
        )
        curves.append(_curve(engine, most, " JOIN unicity_person AS a ON a.p = d.p JOIN unicity_person AS b ON b.p = e.p AND a.k = b.k"))
    ((drawn,),) = engine.rows("SELECT COUNT(*) FROM unicity_target")
    return Curve(
        source=relation.name,
        person=person,
        points=tuple(points),
        coarsened={column: str(how) for column, how in given.items()},
        attributes=tuple(attributes),
        people=int(count),
        events=int(events),
        drawn=int(drawn),
        seed=seed,
        alone=curves[0],
        with_attributes=curves[1] if attributes else (),
    )


def _curve(engine: Engine, most: int, known: str) -> tuple[Unique, ...]:
    """Return unicity point by point: candidates have the first point, and of those the next one leaves some."""
    found = []
    for points in range(1, most + 1):
        if points == 1:
            select = f"SELECT d.p AS t, e.p AS o FROM unicity_drawn AS d JOIN unicity_event AS e ON d.x = e.x{known} WHERE d.r = 1"
        else:
            select = (
                f"SELECT c.t AS t, c.o AS o FROM unicity_left_{points - 1} AS c JOIN unicity_drawn AS d ON d.p = c.t AND d.r = {points} "
                "JOIN unicity_event AS e ON e.p = c.o AND e.x = d.x"
            )
        engine.materialise(f"unicity_left_{points}", select)
        ((people, unique),) = engine.rows(
            f"SELECT COUNT(*), COUNT(CASE WHEN n = 1 THEN 1 END) FROM (SELECT t, COUNT(*) AS n FROM unicity_left_{points} GROUP BY t) AS g "
            f"JOIN unicity_chosen AS w ON w.p = g.t AND w.l = {points}"
        )
        if not people:
            break
        found.append(Unique(points, int(people), int(unique), wilson(int(unique) / int(people), int(people))))
    return tuple(found)


def _text(relation: Relation, column: str) -> str:
    i = relation.position(column)
    return canonical(f"c{i}", relation.columns[i].type, column)


def _coarse(relation: Relation, column: str, how: str | float | None) -> str:
    if how is None:
        return _text(relation, column)
    if isinstance(how, str) and how in TIMES:
        return f"SUBSTR({_text(relation, column)}, 1, {TIMES[how]})"
    try:
        width = float(how)
    except ValueError:
        width = 0.0
    if not width > 0 or width == float("inf"):
        raise OptionError(f"Column {shown(column)} is coarsened by a width above 0, or to {', '.join(TIMES)}, not by {how!r}.")
    i = relation.position(column)
    return f"CAST(FLOOR({number(f'c{i}', relation.columns[i].type, column)} / CAST({width!r} AS DOUBLE)) AS VARCHAR)"


def _marked(engine: Engine, text: str) -> str:
    return f"COALESCE({text}, {engine.text(_MISSING)})"


def _joined(engine: Engine, texts: Sequence[str]) -> str:
    between = f", {engine.text(_BETWEEN)}, "
    return f"CONCAT({between.join(_marked(engine, text) for text in texts)})"

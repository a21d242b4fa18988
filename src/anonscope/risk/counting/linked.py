"""How many people share all that the records of one person say together, where an id or its pseudonym ties these records to each other.

A class counts who shares one record. Who has several, tied together by a pseudonym, shows a profile: the classes of all of them, and how
often each. Whoever knows a part of it may be anybody whose profile holds that part, among them all who share the whole, so that the
number of people with the same profile is the least that somebody hides among, however many records of theirs are known.
"""

from dataclasses import dataclass

from anonscope.engines import Engine


@dataclass(frozen=True, slots=True)
class Profiles:
    """How many people there are, how many share their profile with nobody, and how many with fewer than were asked for."""

    people: int
    alone: int
    below: int


def count_profiles(engine: Engine, size: int) -> Profiles:
    """Return how many people share their whole profile, from `pair(q, u, n)` of the scenario that is open."""
    # Profiles whose sketches differ differ, which settles most people of a detailed table; only those who share a sketch are written out.
    engine.materialise("profile_sketch", f"SELECT u, {_SKETCH} FROM pair GROUP BY u")
    several = f"SELECT {_FIELDS} FROM (SELECT {_FIELDS}, COUNT(*) AS people FROM profile_sketch GROUP BY {_FIELDS}) AS x WHERE people > 1"
    same = " AND ".join(f"k.{field} = s.{field}" for field in _FIELDS.split(", "))
    doubtful = f"SELECT k.u FROM profile_sketch AS k JOIN ({several}) AS s ON {same}"
    cells = f"SELECT p.u, CAST(p.q AS VARCHAR) || ':' || CAST(p.n AS VARCHAR) AS x FROM pair AS p JOIN ({doubtful}) AS d ON p.u = d.u"
    gathered = f"SELECT u, STRING_AGG(x, ',' ORDER BY x) AS p FROM ({cells}) AS cells GROUP BY u"
    shared = f"SELECT p, COUNT(*) AS people FROM ({gathered}) AS profiles GROUP BY p"
    # Everybody without a partner in the sketch is alone, and so below whatever is asked for, which is at least two.
    counted = (
        "SELECT COALESCE(SUM(people), 0) AS written, COALESCE(SUM(CASE WHEN people = 1 THEN 1 ELSE 0 END), 0) AS alone, "
        f"COALESCE(SUM(CASE WHEN people < {size} THEN people ELSE 0 END), 0) AS below FROM ({shared}) AS shared"
    )
    everybody = "SELECT COUNT(*) AS people FROM profile_sketch"
    ((people, written, alone, below),) = engine.rows(
        f"SELECT e.people, s.written, s.alone, s.below FROM ({everybody}) AS e CROSS JOIN ({counted}) AS s"
    )
    settled = int(people) - int(written)
    return Profiles(int(people), settled + int(alone), settled + int(below))


_FIELDS = "classes, records, lowest, highest, mixed"
# Of the number of a class only so much is added up that a sum stays far below 2^63.
_SKETCH = (
    "COUNT(*) AS classes, CAST(SUM(n) AS BIGINT) AS records, MIN(q) AS lowest, MAX(q) AS highest, "
    "CAST(SUM((q % 1000003) * n) AS BIGINT) AS mixed"
)

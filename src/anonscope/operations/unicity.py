"""How many points of somebody's events single them out: the public function and its result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonscope.attacks.unicity import MOST_POINTS, PEOPLE, Curve, unicity_of
from anonscope.errors import OptionError
from anonscope.operations.read import Data
from anonscope.operations.result import Result
from anonscope.operations.wishes.versions import Pointing
from anonscope.operations.wishes.words import said


@dataclass(frozen=True, slots=True, kw_only=True)
class Unicity(Curve, Result):
    """Unicity by the number of points; renders itself as text, JSON, Markdown or HTML."""


def unicity(
    data: Data,
    points: Sequence[str],
    *,
    coarsen: Mapping[str, str | float] | None = None,
    attributes: Sequence[str] = (),
    most: int = MOST_POINTS,
    people: int = PEOPLE,
    seed: int = 1,
) -> Unicity:
    """Return how many of the people fit nobody else once 1, 2, ... of their points are known.

    `data` has one record an event and a `person`; `points` are the columns that make a point, such as day and place. `coarsen` says
    how coarse one is known: a width of numbers, or year, month, day, hour, minute of a time. `attributes` are columns about the person
    that the attacker may know as well. `people` is how many are drawn.
    """
    if not isinstance(data, Data):
        raise OptionError("This takes what read() returns first: an.unicity(an.read(events, person='id'), ['day', 'place'])")
    if data.roles.person is None:
        raise OptionError("Unicity is about the events of people, so a column must say whose event it is (--person COLUMN, person=...).")
    asked = Pointing(points=points, coarsen=coarsen, attributes=attributes, most=most, people=people, seed=seed)
    found = unicity_of(data.engine, data.relation, person=data.roles.person, **said(asked), rows=data.rows)
    return Unicity.of(found)

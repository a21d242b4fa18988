"""How many hide how well in a table too large to be grouped whole: the public function and its result."""

from dataclasses import dataclass

from anonscope.errors import OptionError
from anonscope.operations.read import Data
from anonscope.operations.result import Result
from anonscope.operations.wishes.sketching import Sketching
from anonscope.operations.wishes.words import said
from anonscope.risk.counting.sketch import GROUPS, Sketch, sketch


@dataclass(frozen=True, slots=True, kw_only=True)
class Approximation(Sketch, Result):
    """Shares of records in small groups with their intervals; renders itself as text, JSON, Markdown or HTML. It is no verdict."""


def approximate(data: Data, *, groups: int = GROUPS, seed: int = 1) -> Approximation:
    """Return how many records are alone or in small groups, and without which attribute fewer would be, from one pass over the table.

    About so many `groups` are drawn by a hash of what their records share and counted exactly; memory depends on their number only. With
    fewer groups in the table all are counted, and the result is exact. Several records of a person are not put together.
    """
    if not isinstance(data, Data):
        raise OptionError("This takes what read() returns first: an.approximate(an.read(source, quasi_identifiers=['age', 'zip']))")
    if data.engine.title not in ("DuckDB", "Spark"):
        raise OptionError(f"Groups are drawn on DuckDB and on Spark, not on {data.engine.title}. Audit the table there, or export it.")
    asked = Sketching(groups=groups, seed=seed)
    return Approximation.of(sketch(data.engine, data.relation, data.roles.attributes, **said(asked), rows=data.rows))

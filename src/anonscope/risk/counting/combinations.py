"""Distinct combinations of values with counts, where records stay elsewhere: all that a search needs to know of them.

They are counted on the engine, and fetched only if there are few enough for the memory of one machine.

    combination(x0, x1, ..., n)     canonical texts of the columns, and how many records have them
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.columns.hierarchy.for_columns import check_values
from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.errors import EngineError, shown
from anonscope.io.sources import Relation
from anonscope.risk.counting.arrays import Integers
from anonscope.risk.counting.columns import CodedColumn, coded, texts_of

# So many fit into 4 GB with the search that follows: 5 million of six columns took 3.0 GB at the most, by Mondrian.
MOST_COMBINATIONS = 5_000_000


@dataclass(frozen=True, slots=True)
class Combinations:
    """What stands in `combination`: its columns by name, how many combinations there are, and of how many records."""

    engine: Engine
    roles: Roles
    columns: tuple[str, ...]
    count: int
    records: int
    most: int  # that are fetched at a time

    @property
    def fit(self) -> bool:
        """Whether all of them may be fetched at once."""
        return self.count <= self.most

    def place(self, column: str) -> str:
        """Return under which name a column stands."""
        return f"x{self.columns.index(column)}"


def count_combinations(engine: Engine, relation: Relation, roles: Roles) -> Combinations:
    """Store the distinct combinations of quasi-identifiers, sensitive attributes and person on the engine, and count them."""
    whose = [roles.person] if roles.person is not None else []
    columns = tuple(dict.fromkeys((*roles.attributes, *roles.sensitive, *whose)))
    names = ", ".join(f"x{j}" for j in range(len(columns)))
    texts = ", ".join(texts_of(relation, columns))
    engine.materialise("combination", f"SELECT {names}, COUNT(*) AS n FROM (SELECT {texts} FROM {relation.origin}) AS t GROUP BY {names}")
    ((count, records),) = engine.rows("SELECT COUNT(*) AS m, COALESCE(SUM(n), 0) AS n FROM combination")
    return Combinations(engine, roles, columns, int(count), int(records), MOST_COMBINATIONS)


def read_combinations(found: Combinations) -> tuple[dict[str, CodedColumn], Integers]:
    """Return the columns in codes, with a place for every combination, and how many records have it."""
    table = found.engine.batches(f"SELECT {', '.join(f'x{j}' for j in range(len(found.columns)))}, n FROM combination").read_all()
    columns = {name: coded(table.column(f"x{j}")) for j, name in enumerate(found.columns)}
    return columns, np.asarray(table.column("n").to_numpy(), dtype=np.int64)


def read_counted(engine: Engine, relation: Relation, columns: Sequence[str]) -> tuple[dict[str, CodedColumn], Integers]:
    """Return the distinct combinations of columns in codes, and how many records have each; raise where they are too many to fetch."""
    names = ", ".join(f"x{j}" for j in range(len(columns)))
    texts = ", ".join(texts_of(relation, columns))
    engine.materialise("counted", f"SELECT {names}, COUNT(*) AS n FROM (SELECT {texts} FROM {relation.origin}) AS t GROUP BY {names}")
    ((count,),) = engine.rows("SELECT COUNT(*) AS m FROM counted")
    if count > MOST_COMBINATIONS:
        raise EngineError(
            f"The linked columns of {shown(relation.name)} have {count:,} different combinations, and at most {MOST_COMBINATIONS:,} are "
            "fetched to be linked on one machine. Link by fewer columns, or coarsen them by a recipe first."
        )
    table = engine.batches(f"SELECT {names}, n FROM counted").read_all()
    found = {name: coded(table.column(f"x{j}")) for j, name in enumerate(columns)}
    return found, np.asarray(table.column("n").to_numpy(), dtype=np.int64)


def read_values(found: Combinations, column: str) -> tuple[CodedColumn, Integers]:
    """Return the values of one column in codes that occur, and how many records have each."""
    x = found.place(column)
    ((different,),) = found.engine.rows(f"SELECT COUNT(*) AS m FROM (SELECT {x} FROM combination GROUP BY {x}) AS t")
    check_values(found.engine, column, int(different))
    table = found.engine.batches(f"SELECT {x} AS v, SUM(n) AS n FROM combination GROUP BY {x}").read_all()
    return coded(table.column("v")), np.asarray(table.column("n").cast("int64").to_numpy(), dtype=np.int64)


def too_many(found: Combinations, what: str, instead: str) -> EngineError:
    """Return what to say where something cannot be done part by part."""
    return EngineError(
        f"The quasi-identifiers and sensitive attributes have {found.count:,} different combinations, and {what} takes at most "
        f"{found.most:,}, because it looks at all of them on one machine. {instead}, or coarsen columns by a recipe first."
    )

"""What the records of each value of a column are like in the other columns that are coarsened: counts of pairs.

Sensitive attributes are never among these columns: whose values are alike must not depend on what nobody may learn.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.io.sources import Relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Columns with more values than this say too little about any of them.
_MOST_VALUES = 100
# So many records tell what values are like.
_RECORDS = 100_000


def company(
    engine: Engine, relation: Relation, columns: Sequence[str], wanted: Mapping[str, Sequence[str]], values: Mapping[str, int]
) -> "dict[str, NDArray[Any]]":
    """Return a row of counts for every value of the wanted columns, in how many records each value of the others stands beside it.

    `source` holds the columns in their order; `values` says how many different ones those have that may be looked at. A remote engine
    is not asked: a scan for every pair of columns would cost more than it tells.
    """
    import numpy as np

    others = [column for column in columns if 1 < values.get(column, 0) <= _MOST_VALUES]
    pairs = [(a, b) for a in wanted for b in others if a != b]
    if engine.remote or not pairs:
        return {}
    place = {column: i for i, column in enumerate(columns)}

    def text(column: str, name: str) -> str:
        return canonical(name, relation.columns[relation.position(column)].type, column)

    counted = " UNION ALL ".join(
        f"SELECT {i} AS pair, {text(a, 'a')} AS a, {text(b, 'b')} AS b, n FROM (SELECT c{place[a]} AS a, c{place[b]} AS b, COUNT(*) AS n "
        f"FROM (SELECT * FROM source LIMIT {_RECORDS}) AS s GROUP BY c{place[a]}, c{place[b]}) AS p{i}"
        for i, (a, b) in enumerate(pairs)
    )
    rows = {column: {value: row for row, value in enumerate(listed)} for column, listed in wanted.items()}
    beside: dict[str, dict[tuple[int, str | None], int]] = {column: {} for column in wanted}
    found: dict[str, list[tuple[int, int, int]]] = {column: [] for column in wanted}
    for pair, a, b, n in engine.rows(f"{counted} ORDER BY pair, a, b"):
        column = pairs[int(pair)][0]
        if a in rows[column]:
            found[column].append((rows[column][a], beside[column].setdefault((int(pair), b), len(beside[column])), int(n)))
    made = {}
    for column, cells in found.items():
        made[column] = np.zeros((len(rows[column]), max(len(beside[column]), 1)))
        for row, at, n in cells:
            made[column][row, at] += n
    return made

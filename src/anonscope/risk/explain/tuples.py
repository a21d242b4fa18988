"""The counted table as arrays: distinct tuples of all quasi-identifiers, and what stands beside them.

Everything that explains a result works on these. They come from `record`, which is already counted, in a few bulk fetches;
no record is read again, and nothing loops over tuples.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.errors import NotExplained
from anonscope.risk.counting import Layout
from anonscope.risk.counting.encode import Radix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[Any]

_SUM = "CAST(SUM(n) AS BIGINT) AS n"
# What is fetched for an explanation from an engine that the table itself must not leave: classes, and for each kind of counts beside
# them (sensitive values, persons) at most so many. Codes and counts, no value.
REMOTE_CLASSES, REMOTE_COUNTS = 1_000_000, 10_000_000


@dataclass(frozen=True, slots=True)
class CountedBeside:
    """Records counted by tuple and by one thing more: `tuple` is the number of a tuple, `code` the thing's code."""

    tuple: "Integers"
    code: "Integers"
    n: "Integers"
    codes: int  # one more than the largest code


@dataclass(frozen=True, slots=True)
class ExplainedTuples:
    """Distinct tuples of all quasi-identifiers: codes by attribute (0 is missing), and how many records show them."""

    attributes: tuple[str, ...]
    codes: "tuple[Integers, ...]"
    radices: tuple[int, ...]
    n: "Integers"
    persons: CountedBeside | None  # event level only: which persons show a tuple

    @property
    def records(self) -> int:
        return int(self.n.sum())

    def __len__(self) -> int:
        return len(self.n)

    def places(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Return the numbers of some attributes."""
        return tuple(self.attributes.index(name) for name in names)


def layout_of(engine: Engine, roles: Roles) -> Layout:
    """Return how the table that was audited last on an engine is packed."""
    rows = engine.rows("SELECT attribute, word, lo, hi FROM radix ORDER BY attribute")
    return Layout(roles.attributes, roles.sensitive, roles.event_level, tuple(Radix(*row) for row in rows))


def check_size(engine: Engine, layout: Layout) -> None:
    """Raise if an explanation would fetch more from a remote engine than is ever fetched."""
    if not engine.remote:
        return
    words = _words(layout)
    ((classes,),) = engine.rows(f"SELECT COUNT(*) FROM (SELECT {words} FROM record GROUP BY {words}) AS x")
    # Whatever is fetched beside the classes, `record` has at least a row for it.
    ((counts,),) = engine.rows("SELECT COUNT(*) FROM record")
    for count, limit, what in ((classes, REMOTE_CLASSES, "classes"), (counts, REMOTE_COUNTS, "different records")):
        if count > limit:
            raise NotExplained(
                f"The table has {count:,} {what}, and at most {limit:,} are fetched from {engine.title} to work reasons out. "
                "Name fewer quasi-identifiers, or audit an extract on the engine duckdb."
            )


def fetch(engine: Engine, layout: Layout) -> ExplainedTuples:
    """Return the tuples of everything that any attacker may know."""
    import numpy as np

    words = _words(layout)
    *keys, n = engine.arrays(f"SELECT {words}, {_SUM} FROM record GROUP BY {words} ORDER BY {words}")
    return ExplainedTuples(
        attributes=layout.attributes,
        codes=tuple(((keys[r.word] % r.hi) // r.lo).astype(np.int32) for r in layout.radices),
        radices=tuple(r.hi // r.lo for r in layout.radices),
        n=n.astype(np.int64),
        persons=_beside(engine, layout, "u") if layout.event_level else None,
    )


def fetch_cells(engine: Engine, layout: Layout, j: int) -> CountedBeside:
    """Return how the values of the j-th sensitive attribute are spread over the tuples."""
    return _beside(engine, layout, f"t{j}")


def _beside(engine: Engine, layout: Layout, column: str) -> CountedBeside:
    import numpy as np

    words = _words(layout)
    *keys, code, n = engine.arrays(f"SELECT {words}, {column}, {_SUM} FROM record GROUP BY {words}, {column} ORDER BY {words}, {column}")
    # Tuples were fetched in the same order, so a tuple's number is how many keys have begun before it.
    begins = np.zeros(len(n), dtype=bool)
    for key in keys:
        begins[1:] |= key[1:] != key[:-1]
    return CountedBeside(np.cumsum(begins), code.astype(np.int64), n.astype(np.int64), int(code.max()) + 1)


def _words(layout: Layout) -> str:
    return ", ".join(f"w{word}" for word in range(layout.words))

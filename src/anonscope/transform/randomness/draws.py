"""What random steps share: draws in the order of the records, and what stands beside them.

The same seed on the same table gives the same release, on any machine and with any number of threads.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from anonscope.columns.images import Everything, Image
from anonscope.transform.cells.numbers import is_typed_number
from anonscope.transform.randomness.words import Chance, OperatingSystem, Repeatable
from anonscope.transform.seeds import Seed, check_seed, drawn_seed
from anonscope.transform.table import Table
from anonscope.transform.transformation import ColumnTransformation, Effect, Transformation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Beside numbers and times, types whose text can be read back.
_PLAIN_TYPES = ("BOOLEAN", "DATE", "TIME")


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomColumnTransformation(ColumnTransformation):
    """A step that draws something for every record, and then replaces a column by an expression over it and what was `drawn`."""

    effect: ClassVar[Effect] = "perturbation"
    in_order: ClassVar[bool] = True

    seed: Seed | None = None

    def __post_init__(self) -> None:
        ColumnTransformation.__post_init__(self)
        check_seed(self, self.seed)

    def seeded(self) -> "Transformation":
        return self if self.seed is not None else replace(self, seed=drawn_seed())

    @property
    def reproducible(self) -> bool:
        return self.seed is not None

    @property
    def chance(self) -> Chance:
        """What the step draws from, from its beginning: the seed, or the operating system where there is none."""
        return chance_of(self.seed, self.name, self.column)

    @abstractmethod
    def drawn(self, table: Table) -> Table:
        """Return a stored table with what was drawn for every record beside it."""

    def apply(self, table: Table) -> Table:
        table.at(self.column)
        return ColumnTransformation.apply(self, self.drawn(table.stored()))

    def image_of(self, released: str) -> Image:
        return Everything()


def chance_of(seed: Seed | None, *about: str) -> Chance:
    """Return what a step draws from.

    It depends on the step and its column too: two columns permuted by one seed would otherwise move together, and stay linked.
    """
    return OperatingSystem() if seed is None else Repeatable(seed, *about)


def check_share(step: Transformation, key: str, value: object) -> None:
    """Raise unless a parameter is a probability."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise step.fail(f"{key} must be a probability, from 0 to 1")


def noise(chance: Chance, distribution: str, scale: float, count: int) -> "NDArray[np.float64]":
    """Return noise of mean 0: uniform between -scale and scale, or normal with that standard deviation."""
    return (2 * chance.uniform(count) - 1 if distribution == "uniform" else chance.normal(count)) * scale


def beside(table: Table, values: Mapping[str, Any]) -> Table:
    """Return a stored table whose next step can also read Arrow arrays, under these names: one value a record, in their order."""
    import pyarrow as pa

    name = f"arrow_source_step_{table.made + 1}"
    table.engine.register(name, pa.table(dict(values)))
    return replace(table, origin=table.engine.beside(table.origin, name), made=table.made + 1)


def moved(table: Table, column: str, source: "NDArray[np.int64]") -> Table:
    """Return a stored table with, beside it as `drawn`, the value of a column that another record has: record i gets that of source[i]."""
    import pyarrow as pa

    return beside(table, {"drawn": table.fetched([table.at(column)[0]]).column("x0").take(pa.array(source))})


def records(table: Table) -> int:
    """Return how many records a table has."""
    return int(table.engine.rows(f"SELECT COUNT(*) FROM {table.origin}")[0][0])


def numbers(table: Table, column: str) -> "NDArray[np.float64]":
    """Return the numbers of a stored table's column; NaN where there is none."""
    import numpy as np

    return np.asarray(table.fetched([table.number(column)]).column("x0").to_numpy(), dtype=np.float64)


def coded(table: Table, column: str) -> "tuple[list[str], NDArray[np.int64]]":
    """Return the values of a stored table's column in the order of their text, and for every record which one it has; -1 is missing."""
    import numpy as np
    import pyarrow.compute as pc

    encoded = table.fetched([table.text(column)]).column("x0").combine_chunks().dictionary_encode()
    values: list[str] = encoded.dictionary.to_pylist()
    # One place more, at the end, where the code -1 of a missing value finds itself.
    rank = np.full(len(values) + 1, -1, dtype=np.int64)
    rank[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values))
    return sorted(values), rank[pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)]


def beside_texts(table: Table, values: list[str], codes: "NDArray[np.int64]") -> Table:
    """Return a stored table with the texts beside it, as `drawn`, that codes stand for; -1 stands for none."""
    return beside(table, {"drawn": texts(values, codes)})


def texts(values: list[str], codes: "NDArray[np.int64]") -> Any:
    """Return the texts that codes stand for, as an Arrow array; -1 stands for none."""
    import pyarrow as pa

    return pa.array(values, pa.string()).take(pa.array(codes, mask=codes < 0))


def as_before(table: Table, column: str, text: str) -> tuple[str, str]:
    """Return the SQL that gives a text, which is one of the column's own, the type of the column; and that type."""
    _, kind = table.at(column)
    if is_typed_number(kind) or kind.startswith("TIMESTAMP") or kind in _PLAIN_TYPES:
        return f"CAST({text} AS {kind})", kind
    return text, "VARCHAR"

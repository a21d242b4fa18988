"""How most engines do what one of them must do in its own way."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonscope.engines.engine import Made

if TYPE_CHECKING:
    from numpy.typing import NDArray

# So many values are compared one by one faster than they are found by a hash or a join.
FEW = 6


class Common(ABC):
    """What takes only statements to do, and most engines do alike."""

    @abstractmethod
    def materialise(self, name: str, select: str) -> None: ...

    @property
    def processors(self) -> int:
        """One: little is fetched."""
        return 1

    @property
    def joins(self) -> int:
        """As many as there are attributes."""
        return 10_000

    @property
    def room(self) -> int:
        """None: records lie elsewhere."""
        return 0

    def keep(self, name: str, select: str, columns: "Mapping[str, NDArray[Any]]") -> None:
        raise AssertionError("there is no room for arrays beside this engine")

    def quote(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def hold(self, name: str, select: str) -> None:
        self.materialise(name, select)

    def number(self, name: str, select: str, keys: Sequence[str], number: str) -> None:
        listed = ", ".join(keys)
        self.materialise(name, f"SELECT {listed}, ROW_NUMBER() OVER (ORDER BY {listed}) AS {number} FROM ({select}) AS d")

    def constants(self, name: str, rows: Sequence[Mapping[str, int]]) -> None:
        self.materialise(name, constants_as_select(rows))

    def distinct(self, source: str, columns: Mapping[int, str]) -> str:
        """One scan a column."""
        values = " UNION ALL ".join(
            f"SELECT {number} AS attribute, v FROM (SELECT DISTINCT {name} AS v FROM {source} WHERE NOT {name} IS NULL) AS d{number}"
            for number, name in columns.items()
        )
        return f"({values}) AS d"

    def coded(self, source: str, weight: str, sums: Mapping[str, Sequence[tuple[int, str]]], kept: Sequence[str] = ()) -> str:
        """One join a column."""
        parts = [part for parts in sums.values() for part in parts]
        added = [" + ".join(f"COALESCE(d{number}.w, 0)" for number, _ in parts) + f" AS {name}" for name, parts in sums.items()]
        joins = "".join(
            f" LEFT JOIN {weight} AS d{number} ON d{number}.attribute = {number} AND d{number}.v = b.{c}" for number, c in parts
        )
        return f"(SELECT {', '.join([*added, *(f'b.{column}' for column in kept)])} FROM {source} AS b{joins}) AS x"

    def together(self, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
        """One after the other."""
        return [task() for task in tasks]

    def near(self, select: str, most: int, module: str, function: str, given: bytes) -> bytes | None:
        """Nothing of ours runs where the rows lie."""
        return None


def constants_as_select(rows: Sequence[Mapping[str, int]]) -> str:
    """Return whole numbers as a SELECT."""
    return " UNION ALL ".join(f"SELECT {', '.join(f'CAST({x} AS BIGINT) AS {name}' for name, x in row.items())}" for row in rows)


def few_pairs(value: str, pairs: Mapping[str, str], quoted: Callable[[str], str]) -> str:
    """Return the SQL that `lookup` promises, for so few pairs that each is compared."""
    tests = " ".join(f"WHEN {value} = {quoted(v)} THEN {quoted(label)}" for v, label in pairs.items())
    return f"CASE {tests} ELSE NULL END"

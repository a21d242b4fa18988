"""What an engine must be able to do: quote, define, materialise, fetch."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT that was run, and the name its result was stored under (None: fetched)."""

    name: str | None
    sql: str


class Engine(Protocol):
    """Runs SELECTs written in DuckDB's dialect; knows nothing of privacy."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Everything that was run so far, in order."""
        ...

    @property
    def scratch(self) -> Path:
        """A private folder that is deleted with the engine."""
        ...

    def quote(self, name: str) -> str:
        """Return an identifier that means exactly this column."""
        ...

    def text(self, value: str) -> str:
        """Return a string literal."""
        ...

    def columns(self, select: str) -> list[tuple[str, str]]:
        """Return name and type of every column of a SELECT, without running it."""
        ...

    def register(self, name: str, table: Any) -> None:
        """Make an Arrow table readable under a name."""
        ...

    def define(self, name: str, select: str) -> None:
        """Give a SELECT a name; it runs anew whenever it is read."""
        ...

    def stage(self, name: str, select: str, *, large: bool, ordered: bool) -> None:
        """Store what a SELECT reads from outside, so that it is parsed once."""
        ...

    def materialise(self, name: str, select: str) -> None:
        """Store the rows of a SELECT under a name, replacing what had that name."""
        ...

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        ...

    def arrays(self, select: str) -> "list[NDArray[Any]]":
        """Return the columns of a SELECT that has no NULL, each as an array."""
        ...

    def lookup(self, name: str, value: str, pairs: "Mapping[str, str]") -> str:
        """Return the SQL that looks a text expression up among pairs: NULL where it is not among them."""
        ...

    def beside(self, origin: str, name: str) -> str:
        """Return what goes behind FROM for records with those of a registered table beside them, the first with the first and so on."""
        ...

    def batches(self, select: str) -> Any:
        """Return the rows of a SELECT as a stream of Arrow batches, in their order."""
        ...

    def write(self, select: str, path: Path, format: str, delimiter: str = ",") -> None:
        """Write the rows of a SELECT to a file, in their order: as csv, parquet or arrow."""
        ...

    def close(self) -> None:
        """Let go of everything, files included."""
        ...

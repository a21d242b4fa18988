"""What an engine must be able to do: quote, define, materialise, fetch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT that was run, and the name its result was stored under (None: fetched)."""

    name: str | None
    sql: str


class Engine(Protocol):
    """Runs SELECTs written in DuckDB's dialect; knows nothing of privacy."""

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def remote(self) -> bool:
        """Whether the data lives elsewhere, in no order: then only what a result is made of may be fetched, never records."""
        ...

    @property
    def processors(self) -> int:
        """How many processors of this machine may be busy at once with what was fetched."""
        ...

    @property
    def joins(self) -> int:
        """How many tables one statement may join or go over; 0 where each of them takes longer to plan than to read."""
        ...

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

    @property
    def room(self) -> int:
        """How many bytes of this machine's memory arrays may take beside the engine; 0 where records lie elsewhere."""
        ...

    def keep(self, name: str, select: str, columns: "Mapping[str, NDArray[Any]]") -> None:
        """Store under a name what a SELECT would give, by whoever has counted it already; only where there is room for arrays."""
        ...

    def hold(self, name: str, select: str) -> None:
        """Store the rows of a SELECT that are a result in themselves, so few that they may be fetched and handed out again."""
        ...

    def number(self, name: str, select: str, keys: Sequence[str], number: str) -> None:
        """Store the rows of a SELECT, which differ in their keys, each with a whole number of its own from 1 on; there may be gaps."""
        ...

    def constants(self, name: str, rows: Sequence[Mapping[str, int]]) -> None:
        """Store a few whole numbers as a table."""
        ...

    def distinct(self, source: str, columns: Mapping[int, str]) -> str:
        """Return what goes behind FROM for the different texts of numbered columns, without missing ones: attribute and v."""
        ...

    def coded(self, source: str, weight: str, sums: Mapping[str, Sequence[tuple[int, str]]], kept: Sequence[str] = ()) -> str:
        """Return what goes behind FROM for the rows of a table with its texts replaced by numbers.

        `weight(attribute, v, w)` says what a text of an attribute stands for; a missing or unknown one stands for 0. Every name in
        `sums` is a column that adds up some attributes, given as number and column of the source; the columns `kept` go along.
        """
        ...

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        ...

    def arrays(self, select: str) -> "list[NDArray[Any]]":
        """Return the columns of a SELECT that has no NULL, each as an array."""
        ...

    def together(self, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
        """Return what tasks give that do not need one another, in their order; the first one is done by the caller's own thread.

        They may read what is stored and store what no other one reads. An engine that spends its time on planning works at several
        at once; one that has all processors busy with a single statement takes them one after the other.
        """
        ...

    def near(self, select: str, most: int, module: str, function: str, given: bytes) -> bytes | None:
        """Return what a function of ours makes of the rows of a SELECT in one place where they lie; None where there is no such place.

        Nor is it done with more than `most` rows. The function takes an Arrow table, how many processors it may keep busy, and what is
        given to it; only what it returns comes back.
        """
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

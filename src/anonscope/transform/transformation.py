"""What a transformation is: a frozen step with parameters, which turns a table into a table and knows what its values stand for."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from anonscope.errors import RecipeError, shown
from anonscope.images import EVERYTHING, Exactly, Image, read_image
from anonscope.transform.table import Expression, Table

Effect = Literal["removal", "pseudonymisation", "recoding", "suppression", "perturbation"]
Otherwise = Literal["error", "suppress", "keep"]
OTHERWISE = ("error", "suppress", "keep")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformation(ABC):
    """One step of a recipe. Its fields are the keys of the recipe file."""

    name: ClassVar[str]  # as the recipe, the file and the page of the documentation call it
    title: ClassVar[str]
    standard: ClassVar[str]  # the name of the technique in ISO/IEC 20889
    effect: ClassVar[Effect]

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns it changes."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What it does, in a few words: no value of the data in them."""

    @abstractmethod
    def apply(self, table: Table) -> Table:
        """Return the table with this step done."""

    @abstractmethod
    def image(self, column: str, released: str | None) -> Image:
        """Return which values of a column, as this step got them, may have become a released value."""

    @property
    def perturbative(self) -> bool:
        """Whether values are made up, so that a class of equal values no longer means what it says."""
        return self.effect == "perturbation"

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of what it draws at random."""
        seed = getattr(self, "seed", None)
        return () if seed is None else (seed,)

    def settings(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, as the recipe file writes them."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default}

    def fail(self, problem: str) -> RecipeError:
        """Return the error for a parameter that means nothing."""
        return RecipeError(f"{self.name}: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTransformation(Transformation):
    """A step that replaces every value of one column by an expression over it."""

    column: str
    # What becomes of values that the step does not apply to.
    otherwise: Otherwise = "error"

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise self.fail("column must be the name of a column")
        if self.otherwise not in OTHERWISE:
            raise self.fail(f"otherwise must be one of {', '.join(OTHERWISE)}")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @abstractmethod
    def expression(self, table: Table) -> Expression:
        """Return what becomes of a value that is not missing."""

    def apply(self, table: Table) -> Table:
        change = self.expression(table)
        if change.fails is not None and self.otherwise != "error":
            text = table.text(self.column)
            instead = table.engine.text(EVERYTHING) if self.otherwise == "suppress" else text
            change = Expression(f"CASE WHEN {change.fails} THEN {instead} ELSE CAST({change.sql} AS VARCHAR) END", "VARCHAR")
        return table.replaced({self.column: change})

    def image(self, column: str, released: str | None) -> Image:
        if released is None:
            return Exactly(None)
        if column != self.column:
            return Exactly(released)
        return self.image_of(released)

    def image_of(self, released: str) -> Image:
        """Return what a released value of the column stands for; by default what its notation says."""
        return read_image(released)


def plain(value: Any) -> Any:
    """Return a parameter as TOML has it."""
    if isinstance(value, tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return value


def positive(step: Transformation, key: str, value: object) -> None:
    """Raise unless a parameter is a number above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise step.fail(f"{key} must be a number above 0")


def whole(step: Transformation, key: str, value: object, least: int = 1) -> None:
    """Raise unless a parameter is a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise step.fail(f"{key} must be a whole number of at least {least}")


def listed(columns: tuple[str, ...]) -> str:
    """Return column names for a sentence."""
    return ", ".join(shown(column) for column in columns)

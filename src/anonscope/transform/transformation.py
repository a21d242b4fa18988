"""What a transformation is: a frozen step with parameters, which turns a table into a table and knows what its values stand for."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from anonscope.columns.images import EVERYTHING, Everything, Exactly, Image, read_image
from anonscope.engines import Engine
from anonscope.engines.values import FLOATS, number_as_text
from anonscope.errors import RecipeError, shown
from anonscope.transform.seeds import FOR_TESTS, Seed, is_for_tests
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
    # Whether it puts something beside every record in turn, for which all records must be in one place and in an order.
    in_order: ClassVar[bool] = False
    # Whether it is differentially private by itself, by the `epsilon` among its settings.
    private: ClassVar[bool] = False
    # Whether that epsilon is one for all its columns at once, and not one for each.
    together: ClassVar[bool] = False

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

    def check_engine(self, engine: Engine) -> None:
        """Raise, before any work is done, if an engine cannot carry out the step."""
        if self.in_order and engine.remote:
            raise RecipeError(
                f"{self.name} needs all records in one place and in an order, which {engine.title} does not have. Leave the step out, "
                "and apply it to the release afterwards, with the engine DuckDB."
            )

    def located(self, folder: Path | None) -> "Transformation":
        """Return the step with the files that it names as seen from here, not from the folder of its recipe."""
        return self

    @property
    def perturbative(self) -> bool:
        """Whether values are made up, so that a class of equal values no longer means what it says."""
        return self.effect == "perturbation"

    def mixes(self, column: str) -> bool:
        """Whether the values of a column, as this step gets them, decide what becomes of other cells or of the order of records.

        What is drawn for such a column afterwards hides it no longer.
        """
        return True

    def seeded(self) -> "Transformation":
        """Return the step with a seed from the operating system, if it takes one and has none yet."""
        return self

    @property
    def seeds(self) -> tuple[Seed, ...]:
        """The seeds of what it draws at random."""
        seed = getattr(self, "seed", None)
        return () if seed is None else (seed,)

    @property
    def for_tests(self) -> bool:
        """Whether it draws from a seed so small that anybody can try them all."""
        return any(map(is_for_tests, self.seeds))

    @property
    def told(self) -> str:
        """What it does, and whether that holds against somebody who tries."""
        return f"{self.words} ({FOR_TESTS})" if self.for_tests else self.words

    @property
    def reproducible(self) -> bool:
        """Whether it gives the same table again: all do but those whose noise nobody may repeat."""
        return True

    def settings(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, as the recipe file writes them."""
        defaults = {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(self)}
        return {name: plain(getattr(self, name)) for name, default in defaults.items() if getattr(self, name) != default}

    def fail(self, problem: str) -> RecipeError:
        """Return the error for a parameter that means nothing."""
        return RecipeError(f"{self.name}: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyValueTransformation(Transformation):
    """A step that replaces the values of one column by an expression over them, and that any value can take."""

    column: str

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise self.fail("column must be the name of a column")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @abstractmethod
    def expression(self, table: Table) -> Expression:
        """Return what becomes of a value that is not missing."""

    def mixes(self, column: str) -> bool:
        # A cell becomes what it becomes by itself, unless a step looks at the others too.
        return False

    def apply(self, table: Table) -> Table:
        return table.replaced({self.column: self.expression(table)})

    def image(self, column: str, released: str | None) -> Image:
        if released is None:
            return Exactly(None)
        if column != self.column:
            return Exactly(released)
        return self.image_of(released)

    def image_of(self, released: str) -> Image:
        """Return what a released value of the column stands for; by default what its notation says."""
        return read_image(released)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTransformation(AnyValueTransformation):
    """A step that replaces the values of one column by an expression over them, where they can take it."""

    # What becomes of values that the step does not apply to.
    otherwise: Otherwise = "error"

    def __post_init__(self) -> None:
        AnyValueTransformation.__post_init__(self)
        if self.otherwise not in OTHERWISE:
            raise self.fail(f"otherwise must be one of {', '.join(OTHERWISE)}")

    def apply(self, table: Table) -> Table:
        change = self.expression(table)
        if change.fails is not None and self.otherwise != "error":
            text = table.text(self.column)
            instead = table.engine.text(EVERYTHING) if self.otherwise == "suppress" else text
            change = Expression(f"CASE WHEN {change.fails} THEN {instead} ELSE {_as_text(change)} END", "VARCHAR")
        return table.replaced({self.column: change})

    def image(self, column: str, released: str | None) -> Image:
        if column == self.column and released == EVERYTHING and self.otherwise == "suppress":
            # What the step did not apply to can be anything but a missing value, which it left alone.
            return Everything()
        return AnyValueTransformation.image(self, column, released)


def check_types(kind: type[Transformation], settings: Mapping[str, Any]) -> None:
    """Raise unless every setting has the type that its field declares; which values mean something is for the step to say."""
    hints = get_type_hints(kind)
    for key, value in settings.items():
        if not _fits(value, hints[key]):
            raise RecipeError(f"{kind.name}: {key} must be {_type_words(hints[key])}")


def _fits(value: Any, hint: Any) -> bool:
    outer, inner = get_origin(hint), get_args(hint)
    if outer in (Union, UnionType):
        return any(_fits(value, option) for option in inner)
    if outer is Literal:
        return isinstance(value, str)
    if outer is tuple:
        return isinstance(value, tuple) and all(_fits(entry, inner[0]) for entry in value)
    if outer in (dict, Mapping):
        return isinstance(value, Mapping) and all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in value.items())
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return hint is Any or isinstance(value, hint)


def _type_words(hint: Any) -> str:
    outer, inner = get_origin(hint), get_args(hint)
    if outer in (Union, UnionType):
        return " or ".join(_type_words(option) for option in inner if option is not NoneType)
    if outer is tuple:
        return f"a list, each entry {_type_words(inner[0])}"
    if outer in (dict, Mapping):
        return f"a table, each entry {_type_words(inner[1])}"
    if outer is Literal:
        return "one of " + ", ".join(inner)
    return {str: "text in quotes", bool: "true or false", int: "a whole number", float: "a number"}.get(hint, "as the documentation says")


def _as_text(change: Expression) -> str:
    """Return the SQL for what a column becomes, as the text that a column of such values would have."""
    if change.type in FLOATS:
        return number_as_text(f"({change.sql})")
    return change.sql if change.type == "VARCHAR" else f"CAST({change.sql} AS VARCHAR)"


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

"""A table that an engine can read, whatever it was before."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from anonscope.engines.values import offered
from anonscope.errors import SourceError, shown
from anonscope.io.formats import KNOWN


@dataclass(frozen=True, slots=True)
class Column:
    """A column as its owner calls it, and as the engine types it."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class FileLabels:
    """What a file says of its own columns: what each is about, what codes stand for, and which columns have codes for missing."""

    columns: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]  # by column and by code, as the code is written
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A handle on a table: `origin` goes behind FROM and offers the columns by position, as c0, c1, ...

    Because columns are addressed by position, no name chosen by a user ever enters a statement.
    """

    name: str
    columns: tuple[Column, ...]
    origin: str
    # Delimited text must be staged, or every scan would parse it again.
    stage: bool = False
    large: bool = False
    notes: tuple[str, ...] = ()
    # What goes behind FROM for the columns as stored, where one value may stand in two forms there (see `values`).
    stored: str | None = None
    stored_types: tuple[str, ...] = ()
    # Whether it is delimited text, in which every empty field is a missing value already.
    delimited: bool = False
    # How delimited text is written; a release of it is written the same way.
    delimiter: str = ","
    # Files that the engine may name when a line cannot be read, and what to call them: of a table in several parts.
    parts: tuple[tuple[str, str], ...] = ()
    # The file's own dictionary, if it has one.
    labels: FileLabels | None = None
    # What the file holds beside the table, which whoever gets the file gets too.
    also_held: tuple[str, ...] = ()

    # Kept, because a look at every column of a wide table asks for it again and again.
    names: tuple[str, ...] = field(init=False, compare=False, repr=False)
    _places: Mapping[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        names = tuple(column.name for column in self.columns)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "_places", {name: place for place, name in reversed(tuple(enumerate(names)))})

    def position(self, name: str) -> int:
        """Return where a column stands; the name is known to exist."""
        return self._places[name]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a user may say about a source instead of having it detected."""

    format: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: bool | None = None  # whether the first line names the columns; None: it does, unless it looks like a record
    table: str | None = None  # of a database

    def of_format(self, form: str) -> "ReadOptions":
        """Return the options for a file of a format, which may say its delimiter."""
        return replace(self, delimiter=KNOWN[form].delimiter) if self.delimiter is None and KNOWN[form].delimiter else self


def in_one_form(relation: Relation) -> Relation:
    """Return a relation that offers every value in its one form, whatever forms it is stored in."""
    if relation.delimited:
        return relation
    forms = [offered(f"c{i}", column.type) for i, column in enumerate(relation.columns)]
    selected = [sql if sql == f"c{i}" else f"{sql} AS c{i}" for i, (sql, _) in enumerate(forms)]
    if selected == [f"c{i}" for i in range(len(forms))]:
        return relation
    return replace(
        relation,
        columns=tuple(Column(column.name, kind) for column, (_, kind) in zip(relation.columns, forms, strict=True)),
        origin=f"(SELECT {', '.join(selected)} FROM {relation.origin}) AS t",
        stored=relation.origin,
        stored_types=tuple(column.type for column in relation.columns),
    )


def positional(count: int) -> str:
    """Return the column aliases c0, c1, ... for a FROM clause."""
    return ", ".join(f"c{i}" for i in range(count))


def unnamed_columns(count: int) -> tuple[str, ...]:
    """Return what columns are called that have no names: by their position."""
    return tuple(f"column_{i}" for i in range(1, count + 1))


def named_columns(names: list[str], source: str) -> tuple[str, ...]:
    """Return usable, distinct column names: a column without a name is called by its position."""
    if not names:
        raise SourceError(f"{shown(source)} has no columns.")
    filled = [name if name.strip() else f"column_{i}" for i, name in enumerate(names, start=1)]
    seen: dict[str, str] = {}
    for name in filled:
        twin = seen.get(name.lower())
        if twin == name:
            raise SourceError(f"{shown(source)} has two columns named {shown(name)}. Rename one of them.")
        if twin is not None:
            raise SourceError(
                f"{shown(source)} has columns {shown(twin)} and {shown(name)}, which differ only by case; "
                "engines and file formats confuse them. Rename one of them."
            )
        seen[name.lower()] = name
    return tuple(filled)

"""How a source is to be read. A new option of reading is one entry here: every command, `read` and REST have it then."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from anonscope.io.formats import FormatName, format_names
from anonscope.operations.wishes.words import Wish, Words

if TYPE_CHECKING:
    from anonscope.transform.recipe import Recipe

    RecipeGiven: TypeAlias = Recipe | str | Path | None
else:
    RecipeGiven = Any  # a recipe, or the path of its file

_PANEL = "Reading the source"


@dataclass(frozen=True, kw_only=True)
class Reading(Wish):
    """How a file is to be read, where it does not tell by itself."""

    panel: ClassVar[str | None] = _PANEL

    rows: Annotated[
        int | None, Words(help="Only the first N records.", metavar="N", least=1, wrong="The number of rows must be at least 1, not {}.")
    ] = None
    format: Annotated[
        FormatName | None,
        Words(
            help="Format of the source, if its name and bytes do not tell.",
            flags=("--input-format",),
            wrong=f"No input format is called {{}}. There are: {', '.join(format_names())}.",
        ),
    ] = None
    delimiter: Annotated[str | None, Words(help="Delimiter of a text file.", metavar="CHAR")] = None
    quote: Annotated[str | None, Words(help="Quote of a text file.", metavar="CHAR")] = None
    encoding: Annotated[str | None, Words(help="Encoding of a text file, e.g. windows-1252.", metavar="NAME")] = None
    sheet: Annotated[str | None, Words(help="Sheet of a workbook.", metavar="NAME")] = None
    header: Annotated[
        bool | None,
        Words(
            help="Whether the first line of a text or a sheet names the columns; left out, it does unless it looks like a record.",
            flags=("--header/--no-header",),
            shown=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        # A tab cannot be typed at a prompt.
        object.__setattr__(self, "delimiter", {"\\t": "\t", "tab": "\t"}.get(self.delimiter or "", self.delimiter))
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class MadeBy(Wish):
    """What made a table that is a release."""

    panel: ClassVar[str | None] = _PANEL

    recipe: Annotated[
        RecipeGiven,
        Words(
            help="The recipe that made this table, if it is a release whose archive or manifest is not beside it.",
            metavar="FILE",
            reads=Path,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class InRegister(Wish):
    """Where a table was noted that is a release."""

    panel: ClassVar[str | None] = _PANEL

    registered_in: Annotated[
        Path | None,
        Words(
            help="The register that a private table is in: what all releases of its people lose together is judged.",
            metavar="FOLDER",
        ),
    ] = None

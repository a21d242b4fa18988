"""What commands are given that is no wish: the tables they are about."""

from pathlib import Path
from typing import Annotated, Any

import typer

from anonscope.io.formats import format_titles
from anonscope.operations.wishes.attacks import AttackedFrom, AttackedToo

_FILES = f"{format_titles()} file (text also as .gz), a folder or quoted pattern of parts; - for standard input"
_OUTPUT = "What comes out"
_RELEASE = "The release to write: .csv, .tsv, .parquet, .arrow, .sav, .dta."

Source = Annotated[str, typer.Argument(metavar="SOURCE", help=f"{_FILES}.")]
SourceOrDatabase = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help=f"{_FILES}; a database such as postgresql://user@host/database, with --table; "
        "with --engine spark also an address that Spark reads, or a table of its catalogue.",
    ),
]
SourceOrRepository = Annotated[
    str | None, typer.Argument(metavar="SOURCE", help=f"{_FILES}; left out, all tables that the repository names.", show_default=False)
]
ReleaseFile = Annotated[Path, typer.Option("--output", "-o", metavar="RELEASE", rich_help_panel=_OUTPUT, help=_RELEASE)]
ReleaseFileOrUri = Annotated[str, typer.Option("--output", "-o", metavar="RELEASE", rich_help_panel=_OUTPUT, help=_RELEASE)]
SaveRoles = Annotated[
    Path | None,
    typer.Option("--save-roles", metavar="FILE", rich_help_panel="Which column is what", help="Write the roles to a TOML file."),
]


def attacks_with(asked: AttackedToo | AttackedFrom) -> Any:
    """Return what a release is attacked with beside what else is done with it; None where nobody asks for it."""
    if asked == type(asked)():
        return None
    from anonscope import AttackWith
    from anonscope.errors import OptionError

    original = asked.original if isinstance(asked, AttackedFrom) else None
    if isinstance(asked, AttackedFrom) and original is None:
        raise OptionError("A control is for attacks, and these need the table that the release was made of: --original FILE.")
    return AttackWith(original=original, control=asked.control)

"""What commands are given that is no wish: the tables they are about."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from anonscope.io.formats import format_titles

_FILES = f"{format_titles()} file (text also as .gz), a folder or quoted pattern of parts; - for standard input"
_OUTPUT = "What comes out"
_RELEASE = "The release to write: .csv, .tsv, .parquet, .arrow."

Source = Annotated[str, typer.Argument(metavar="SOURCE", help=f"{_FILES}.")]
SourceOrDatabase = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help=f"{_FILES}; a database such as postgresql://user@host/database, with --table; "
        "with --engine spark also an address that Spark reads, or a table of its catalogue.",
    ),
]
ReleaseFile = Annotated[Path, typer.Option("--output", "-o", metavar="RELEASE", rich_help_panel=_OUTPUT, help=_RELEASE)]
ReleaseFileOrUri = Annotated[str, typer.Option("--output", "-o", metavar="RELEASE", rich_help_panel=_OUTPUT, help=_RELEASE)]
Force = Annotated[bool, typer.Option("--force", rich_help_panel=_OUTPUT, help="Replace files that exist.")]
Formulas = Annotated[
    Literal["refuse", "mark", "keep"],
    typer.Option(
        "--formulas",
        rich_help_panel=_OUTPUT,
        help="Cells of text that office programs take for formulas: refuse them, mark them with an apostrophe, or keep them.",
    ),
]
SaveRoles = Annotated[
    Path | None,
    typer.Option("--save-roles", metavar="FILE", rich_help_panel="Which column is what", help="Write the roles to a TOML file."),
]

_ATTACKED = "Attack the release as well"
AttackedOriginal = Annotated[
    str | None,
    typer.Option("--original", metavar="FILE", rich_help_panel=_ATTACKED, help="The table it was made of, whose people are looked for."),
]
AttackControl = Annotated[
    str | None,
    typer.Option("--control", metavar="FILE", rich_help_panel=_ATTACKED, help="People of the same population who are not in the original."),
]
AttackToo = Annotated[bool, typer.Option("--attack", rich_help_panel=_ATTACKED, help="Attack, also without a control.")]


def attacks_with(original: str | None, control: str | None, *, asked: bool = False, needs_original: bool = False) -> Any:
    """Return what a release is attacked with beside what else is done with it; None where nobody asks for it."""
    if original is None and control is None and not asked:
        return None
    from anonscope import AttackWith
    from anonscope.errors import OptionError

    if needs_original and original is None:
        raise OptionError("A control is for attacks, and these need the table that the release was made of: --original FILE.")
    return AttackWith(original=original, control=control)

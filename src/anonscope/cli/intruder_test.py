"""`anonscope intruder-test`: what a person finds out from a release who tries."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli.flattened import flattened
from anonscope.cli.tables import OriginalTable
from anonscope.operations.wishes.intruding import Intruding
from anonscope.operations.wishes.words import said

_TEST = "The test"
ReleaseArgument = Annotated[Path | None, typer.Argument(metavar="RELEASE", help="The release; its manifest stands beside it.")]
Original = Annotated[
    str | None, typer.Option("--original", metavar="SOURCE", rich_help_panel=_TEST, help="The table that the release was made of.")
]
Folder = Annotated[
    Path | None,
    typer.Option("--folder", metavar="FOLDER", rich_help_panel=_TEST, help="A new folder for the test, which only you may open."),
]
Judge = Annotated[
    Path | None, typer.Option("--judge", metavar="FOLDER", rich_help_panel=_TEST, help="Say what came of a test whose form was filled in.")
]


@flattened
def intruder_test(
    release: ReleaseArgument = None,
    *,
    original: Original = None,
    folder: Folder = None,
    judge: Judge = None,
    intruding: Intruding,
    table: OriginalTable,
) -> None:
    """Set up a motivated intruder test, or judge it: what a person finds out from a release who tries.

    Writes a protocol, a sheet of questions without any value, a form for the outcome, and the sealed answers, for your eyes only.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope intruder-test release.csv --original patients.csv --folder intruder-test
    """
    import anonscope as an
    from anonscope.errors import OptionError

    form = table.form()
    if judge is not None:
        table.emit(an.judge_intruder_test(judge), form)
        return
    if release is None or original is None or folder is None:
        raise OptionError("Say the release, its original and a new folder: RELEASE --original SOURCE --folder FOLDER; or --judge FOLDER.")
    with table.prepared(original) as (data, _):
        found = an.intruder_test(release, data, folder, **said(intruding))
    table.emit(found, form)
    typer.echo(f"Hand on the release, protocol.md and sheet.csv. {folder}/sealed.json is for your eyes only.", err=True)

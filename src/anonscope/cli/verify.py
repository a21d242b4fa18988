"""`anonscope verify`: whether a release is what was published."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.words import said

ReleaseArgument = Annotated[Path, typer.Argument(metavar="RELEASE", help="The release; its manifest stands beside it.")]
Archive = Annotated[
    Path | None, typer.Option("--archive", metavar="FOLDER", help="The archive of the release; by default the one beside it.")
]

Signer = Annotated[Path | None, typer.Option("--signer", metavar="FILE", help="The public key (.pub) that it must be sealed by.")]


@flattened
def verify(release: ReleaseArgument, *, archive: Archive = None, signer: Signer = None, report: Report, resources: Resources) -> None:
    """Compare a release with its manifest: hashes, records, columns, and the verdict, which is measured again from the file.

    A seal beside it is checked too, and says by whom it is; of a sealed dossier the seal is all there is to check.

    What an interrupted run left unfinished is finished first, or taken back.

    Exits 0 if it is what was published; 1 if something differs, or others than its owner may read the archive; 2 if there is no manifest
    that can be read.

    Example: anonscope verify release.csv
    """
    import anonscope as an

    form = report_format(report.format, report.output, full=report.full)
    found = an.verify(release, archive=archive, signer=signer, **said(resources))
    emit(found, form, report.output)
    raise typer.Exit(0 if found.holds else 1)

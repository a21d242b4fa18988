"""`anonscope verify`: whether a release is what was published."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format

ReleaseArgument = Annotated[Path, typer.Argument(metavar="RELEASE", help="The release; its manifest stands beside it.")]
Archive = Annotated[
    Path | None, typer.Option("--archive", metavar="FOLDER", help="The archive of the release; by default the one beside it.")
]


def verify(
    release: ReleaseArgument,
    archive: Archive = None,
    format: opt.FormatOption = None,
    output: opt.Output = None,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
) -> None:
    """Compare a release with its manifest: hashes, records, columns, and the verdict, which is measured again from the file.

    What an interrupted run left unfinished is finished first, or taken back.

    Exits 0 if it is what was published, 1 if something differs, 2 if there is no manifest that can be read.

    Example: anonscope verify release.csv
    """
    import anonscope as an
    from anonscope.io.writing import check_writable

    form = report_format(format, output)
    if output is not None:
        check_writable(output)
    found = an.verify(release, archive=archive, memory_limit=memory_limit, threads=threads, temp_folder=temp_folder)
    emit(found, form, output)
    raise typer.Exit(0 if found.holds else 1)

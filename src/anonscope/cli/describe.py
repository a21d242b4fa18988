"""`anonscope describe`: metadata of a release for catalogues and search engines."""

import json
from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli.emit import print_text
from anonscope.cli.flattened import flattened
from anonscope.operations.wishes.describing import Describing
from anonscope.operations.wishes.words import said

ReleaseArgument = Annotated[Path, typer.Argument(metavar="RELEASE", help="The release; its manifest stands beside it.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", rich_help_panel="What comes out", help="Write the description to a file.")
]


@flattened
def describe(release: ReleaseArgument, *, describing: Describing, output: Output = None) -> None:
    """Describe a release and its verdict as Croissant, DCAT-AP, HealthDCAT-AP or Table Schema.

    What was found comes from the manifest; what only the publisher knows is said by options, or left out and told.

    Exits 0, or 2 if there is no manifest that can be read, or the release is not what was published.

    Example: anonscope describe release.csv --as croissant --license https://creativecommons.org/licenses/by/4.0/
    """
    import anonscope as an
    from anonscope.io.writing import check_writable, write_text
    from anonscope.operations.describe import not_stated

    if output is not None:
        check_writable(output)
    text = json.dumps(an.describe(release, **said(describing)), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        print_text(text)
    else:
        write_text(output, text)
        typer.echo(f"Written: {output}", err=True)
    if missing := not_stated(describing):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in missing)
        typer.echo(f"Not stated, and wanted by {describing.standard}: {options}.", err=True)

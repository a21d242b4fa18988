"""`anonscope hierarchy`: how columns can be made coarser, level by level."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import accept, opened
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Replacing, Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Proposed, RoleWishes

Save = Annotated[
    Path | None,
    typer.Option(
        "--save", metavar="FOLDER", help="Write a CSV file a column, as ARX reads it. The files hold values of the table: keep them apart."
    ),
]

Edit = Annotated[
    Path | None,
    typer.Option(
        "--edit", metavar="FILE", help="Write all of them to one TOML file to read and change. It holds values of the table: keep it apart."
    ),
]


@flattened
def hierarchy(
    source: opt.Source,
    *,
    roles: RoleWishes,
    proposed: Proposed,
    save: Save = None,
    edit: Edit = None,
    replacing: Replacing,
    reading: Reading,
    report: Report,
    resources: Resources,
) -> None:
    """Show how quasi-identifiers can be made coarser: what each level does, and how many distinct values it leaves.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope hierarchy patients.csv -q age -q zip --save hierarchies
    """
    import anonscope as an
    from anonscope.operations.hierarchy import edit_hierarchies, file_to_edit, files_for, save_hierarchies
    from anonscope.report.hierarchies import Ladders

    form = report_format(report.format, report.output, full=report.full)
    with opened(source, roles, reading, resources) as data:
        with progress_bar(quiet=report.quiet) as progress:
            accept(data, proposed, progress)
        data.roles.check(data.columns)
        files = files_for(save, data.roles.attributes, force=replacing.force) if save is not None else {}
        if edit is not None:
            file_to_edit(edit, force=replacing.force)
        built = an.build_hierarchies(data)
    written = save_hierarchies(built, files) if files else {}
    if edit is not None:
        own = data.relation.labels
        edit_hierarchies(built, edit, force=replacing.force, labels=own.values if own is not None else None)
    emit(Ladders(data.relation.name, built), form, report.output)
    if written:
        given = " ".join(shlex.join(["--hierarchy", f"{column}={path}"]) for column, path in written.items())
        typer.echo(
            f"Hierarchies: {len(written)} in {save}. They hold values of the table. Change what is wrong, then use them: {given}", err=True
        )
    if edit is not None:
        given = " ".join(shlex.join(["--hierarchy", f"{column}={edit}"]) for column, hierarchy in built.items() if hierarchy.leaves)
        typer.echo(f"To edit: {edit}. It holds values of the table. Change what is wrong, then use it: {given}", err=True)

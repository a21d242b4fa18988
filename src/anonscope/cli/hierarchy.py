"""`anonscope hierarchy`: how columns can be made coarser, level by level."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments
from anonscope.cli.emit import print_text, report_format
from anonscope.cli.progress import progress_bar

Save = Annotated[
    Path | None,
    typer.Option(
        "--save", metavar="FOLDER", help="Write a CSV file a column, as ARX reads it. The files hold values of the table: keep them apart."
    ),
]


def hierarchy(
    source: opt.Source,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    hierarchies: opt.Hierarchies = None,
    roles: opt.RolesFile = None,
    accept_suggestions: opt.AcceptSuggestions = False,
    save: Save = None,
    force: opt.Force = False,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    format: opt.FormatOption = None,
    output: opt.Output = None,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
) -> None:
    """Show how quasi-identifiers can be made coarser: what each level does, and how many distinct values it leaves.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope hierarchy patients.csv -q age -q zip --save hierarchies
    """
    import anonscope as an
    from anonscope.io.writing import check_writable, write_text
    from anonscope.operations.hierarchy import files_for, save_hierarchies
    from anonscope.report.hierarchies import render_hierarchies

    form = report_format(format, output)
    if output is not None:
        check_writable(output)
    with an.read(
        source,
        quasi_identifiers=quasi_identifiers or (),
        hierarchies=assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance age=ages.csv)"),
        roles=roles,
        rows=rows,
        **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
    ) as data:
        if accept_suggestions:
            with progress_bar(quiet=quiet) as progress:
                data.accept(an.suggest(data, progress=progress))
        data.roles.check(data.columns)
        files = files_for(save, data.roles.attributes, force=force) if save is not None else {}
        built = an.build_hierarchies(data)
    written = save_hierarchies(built, files) if files else {}
    shown = render_hierarchies(data.relation.name, built, form)
    if output is not None:
        write_text(output, shown)
        typer.echo(f"Written: {output}", err=True)
    else:
        print_text(shown)
    if written:
        given = " ".join(shlex.join(["--hierarchy", f"{column}={path}"]) for column, path in written.items())
        typer.echo(
            f"Hierarchies: {len(written)} in {save}. They hold values of the table. Change what is wrong, then use them: {given}", err=True
        )

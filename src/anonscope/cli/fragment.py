"""`anonscope fragment`: split the quasi-identifiers into fragments, anonymise each by itself, and write them."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import accept, opened
from anonscope.operations.wishes.columns import Chosen, Fragmenting, Splitting
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Ending, ReportBeside
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.registering import Registered
from anonscope.operations.wishes.roles import Acknowledging, Proposed, RoleWishes
from anonscope.operations.wishes.search import Search
from anonscope.operations.wishes.words import said, wishes_of

_OUTPUT = "What comes out"
Written = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FOLDER", rich_help_panel=_OUTPUT, help="Folder of the fragments; a file with --assemble."),
]
Scored = Annotated[
    bool,
    typer.Option(
        "--score", rich_help_panel="The fragments", help="Only score the fragments, or propose some: nothing is recoded or written."
    ),
]


@flattened
def fragment(
    source: opt.Source,
    *,
    output: Written = None,
    score: Scored = False,
    search: Search,
    fragmenting: Fragmenting,
    chosen: Chosen,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    proposed: Proposed,
    reading: Reading,
    registered: Registered,
    ending: Ending,
    report: ReportBeside,
    resources: Resources,
) -> None:
    """Split the quasi-identifiers into fragments, recode each until it meets a policy, and write a file a fragment.

    Fragments are sorted by their own values, and share only what is no key. Each stands with its manifest and, for you only, its archive.

    Exits 0 if every fragment meets the policy, and with --assemble, or joined by columns that they share, the whole table too; 1 if
    one does not (nothing is written then); 2 if the input cannot be used.

    Example: anonscope fragment patients.csv --accept-suggestions --policy ema-0070 -n 2 -o fragments
    """
    import anonscope as an
    from anonscope.errors import OptionError
    from anonscope.operations.register import registration_of

    registration = registration_of(registered)
    if score:
        if output is not None:
            raise OptionError("--score writes no fragments, so it takes no --output. Its report goes to --report FILE.")
        form = report_format(report.format, report.report, full=report.full)
        scored_by = {a.name: getattr(fragmenting, a.name) for a in wishes_of(Splitting)}
        with opened(source, roles, acknowledging, reading, resources) as data, progress_bar(quiet=report.quiet) as progress:
            emit(an.fragmentation(data, **scored_by, **said(chosen), progress=progress), form, report.report)
        return
    if output is None:
        raise OptionError("Fragments are written to a folder: say --output FOLDER, or --score to score them only.")
    from anonscope.transform.release.writing import check_release

    if fragmenting.assemble:
        check_release(output, force=report.force, parts=False)
    form = report_format(report.format, report.report, full=report.full)
    with opened(source, roles, acknowledging, reading, resources) as data:
        with progress_bar(quiet=report.quiet) as progress:
            accept(data, proposed, progress)
            found = an.fragment(data, **said(search, fragmenting), progress=progress)
        written = (
            found.write(output, ending=f".{ending.ending}", force=report.force, formulas=report.formulas, registration=registration)
            if found.met
            else ()
        )
    emit(found, form, report.report, beside=True)
    if found.met:
        typer.echo(f"Written: {', '.join(map(str, written))}, each with its manifest. Archives beside them are not for others.", err=True)
    else:
        together = "The assembled table does" if found.assembled else "Joined by what they share, the fragments do"
        what = f"{together} not meet the policy" if found.fragments_met else "The policy is not met"
        typer.echo(f"{what}; nothing was released.", err=True)
    raise typer.Exit(0 if found.met else 1)

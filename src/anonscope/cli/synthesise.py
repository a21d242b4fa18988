"""`anonscope synthesise`: draw a table from noisy counts or from a model, and publish it with what it guarantees."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Elsewhere, Resources
from anonscope.operations.wishes.output import ReportBeside
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.registering import Registered
from anonscope.operations.wishes.roles import Acknowledging, RoleWishes
from anonscope.operations.wishes.suggestion import Dictionary
from anonscope.operations.wishes.synthesis import NoisyThere, Synthesising
from anonscope.operations.wishes.words import said

_OUTPUT = "What comes out"
Written = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="RELEASE", rich_help_panel=_OUTPUT, help="The table to write: .csv, .tsv, .parquet, .arrow."),
]
Draft = Annotated[
    Path | None,
    typer.Option("--draft-domain", metavar="FILE", rich_help_panel=_OUTPUT, help="Write a domain as the data suggest it, and stop."),
]


@flattened
def synthesise(
    source: opt.SourceOrDatabase,
    *,
    output: Written = None,
    draft_domain: Draft = None,
    synthesising: Synthesising,
    there: NoisyThere,
    dictionary: Dictionary,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    reading: Reading,
    registered: Registered,
    report: ReportBeside,
    resources: Resources,
    elsewhere: Elsewhere,
) -> None:
    """Draw a synthetic table, say exactly what it guarantees, and write it with its manifest.

    tree and adaptive are differentially private: all that they know of the values is declared in the domain; what they may lose is epsilon.
    The others learn from the records as they are, and guarantee nothing; say --hold-out 0.2, and see what an attack finds.

    Exits 0, 1 if a word about a column is missing, 2 if the input cannot be used. Nothing is counted, and nothing spent, then.

    Example: anonscope synthesise patients.csv --domain domain.toml --epsilon 1 -o synthetic.csv
    """
    import anonscope as an
    from anonscope.errors import OptionError
    from anonscope.io.writing import write_text
    from anonscope.operations.register import registration_of
    from anonscope.operations.synthesise import loss_asked_for
    from anonscope.transform.release.writing import check_release

    registration = registration_of(registered)
    form = report_format(report.format, report.report, full=report.full)
    if draft_domain is not None:
        with opened(source, roles, acknowledging, reading, resources, elsewhere) as data:
            drafted = an.draft_domain(data, **said(dictionary))
            write_text(draft_domain, an.domain_text(drafted))
        from_data = "It was read from the data: replace what it says by what is known without them."
        partly = f"Read from the data and marked so: {len(drafted.drafted)} of its entries. Replace them by what is known without the data."
        told = "Nothing in it was read from the data." if drafted.declared else partly if said(dictionary) else from_data
        typer.echo(f"Written: {draft_domain}. {told}", err=True)
        return
    if output is None:
        raise OptionError("Say where the table goes: -o RELEASE; or write a draft of a domain: --draft-domain FILE.")
    check_release(output, force=report.force, parts=False)
    if registration is not None and (lost := loss_asked_for(synthesising, reading.rows)) is not None:
        registration.check_budget(*lost)
    with opened(source, roles, acknowledging, reading, resources, elsewhere) as data:
        with progress_bar(quiet=report.quiet) as progress:
            found = an.synthesise(data, **said(synthesising), **said(there), progress=progress)
        found.write(output, force=report.force, formulas=report.formulas, registration=registration)
    emit(found, form, report.report, beside=True)
    typer.echo(f"Release: {output}, with its manifest. {output}.archive is not for others.", err=True)

"""`anonscope pipeline`: identify, de-identify the riskiest first, evaluate every dimension, choose, and write the release."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import ReportBeside
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.registering import Registered
from anonscope.operations.wishes.roles import Acknowledging, RoleWishes
from anonscope.operations.wishes.suggestion import Stages
from anonscope.operations.wishes.words import said

if TYPE_CHECKING:
    from anonscope.operations.pipeline import Pipeline

Release = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="RELEASE", rich_help_panel="What comes out", help="The release to write: .csv, .tsv, .parquet, .arrow."
    ),
]


@flattened
def pipeline(
    source: opt.Source,
    *,
    release: Release = None,
    stages: Stages,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    reading: Reading,
    registered: Registered,
    report: ReportBeside,
    resources: Resources,
) -> None:
    """Identify roles by risk rates, and find the fewest quasi-identifiers whose de-identification meets a policy.

    With -o the release is written; beside it stand its manifest and, for you only, its archive: recipe and hierarchies.
    Columns that get no role, and of which nobody says why they may be released, are left out of it; the command that keeps them is printed.

    Exits 0 if the policy is met, 1 if it cannot be met (nothing is written then), 2 if the input cannot be used.

    Example: anonscope pipeline registry.csv -o release.csv --report report.html
    """
    import anonscope as an
    from anonscope.operations.register import registration_of
    from anonscope.transform.release.writing import check_release

    registration = registration_of(registered)
    if release is not None:
        check_release(release, force=report.force, parts=False)
    form = report_format(report.format, report.report, full=report.full)
    with opened(source, roles, acknowledging, reading, resources, without=("hierarchies",)) as data:
        with progress_bar(quiet=report.quiet) as progress:
            found = an.pipeline(data, **said(stages), hierarchies=roles.hierarchies, preview=release is None, progress=progress)
        if found.met and release is not None:
            found.write(release, force=report.force, formulas=report.formulas, registration=registration)
    emit(found, form, report.report, beside=True)
    if found.met and found.left_out:
        typer.echo(_keeping(found, written=release is not None), err=True)
    if found.withheld is not None:
        raise found.withheld
    if not found.met:
        typer.echo("The policy is not met; nothing was released.", err=True)
    elif release is not None:
        typer.echo(f"Release: {release}, with its manifest. {release}.archive is not for others.", err=True)
    raise typer.Exit(0 if found.met else 1)


def _keeping(found: "Pipeline", *, written: bool) -> str:
    """Return how to keep the columns that are left out: the command that was typed, with a word about each of them."""
    from anonscope.cli.again import with_words
    from anonscope.errors import ColumnsWithoutRole
    from anonscope.risk.policy import check_answered

    try:
        check_answered(found.left_out)
    except ColumnsWithoutRole as unsaid:
        one = len(found.left_out) == 1
        left = "1 column is left out, because nobody said what it is."
        left = left if one else f"{len(found.left_out):,} columns are left out, because nobody said what they are."
        typed = [*sys.argv[1:], *(["--force"] if written and "--force" not in sys.argv else [])]
        return left + with_words(typed, unsaid, why=f"To keep {'it' if one else 'them'}")
    return ""

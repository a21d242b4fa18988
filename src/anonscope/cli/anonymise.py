"""`anonscope anonymise`: find the recoding that meets a policy at the least loss, and write the release."""

from typing import TYPE_CHECKING

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import accept, opened
from anonscope.operations.wishes.attacks import AttackedToo
from anonscope.operations.wishes.engine import Resources, SparkWishes
from anonscope.operations.wishes.output import ReportBeside
from anonscope.operations.wishes.policy import Excepting
from anonscope.operations.wishes.population import Drawn
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.registering import Registered
from anonscope.operations.wishes.roles import Acknowledging, Proposed, RoleWishes
from anonscope.operations.wishes.search import Interrupted
from anonscope.operations.wishes.words import said

if TYPE_CHECKING:
    from anonscope.operations.anonymise import Anonymisation


@flattened
def anonymise(
    source: opt.Source,
    *,
    release: opt.ReleaseFile,
    search: Interrupted,
    excepting: Excepting,
    attacked: AttackedToo,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    proposed: Proposed,
    drawn: Drawn,
    reading: Reading,
    registered: Registered,
    report: ReportBeside,
    resources: Resources,
    spark: SparkWishes,
) -> None:
    """Recode a table until it meets a policy, at the least loss, and write the release.

    Beside the release stand its manifest and, for you only, its archive: the recipe that reproduces it, and hierarchies.

    Exits 0 if the policy is met, 4 if it is met except for what --except states (the release is written, and says so), 1 if it cannot
    be met (nothing is written then), 2 if the input cannot be used.

    Example: anonscope anonymise patients.csv --accept-suggestions --policy ema-0070 -o release.csv
    """
    import anonscope as an
    from anonscope.operations.register import registration_of
    from anonscope.risk.policy.verdict import EXCEPTED
    from anonscope.transform.release.writing import check_release

    registration = registration_of(registered)
    check_release(release, force=report.force, parts=spark.engine == "spark")
    form = report_format(report.format, report.report, full=report.full)
    with opened(source, roles, acknowledging, drawn, reading, resources, spark) as data:
        with progress_bar(quiet=report.quiet) as progress:
            accept(data, proposed, progress)
            attacks = opt.attacks_with(attacked)
            found = an.anonymise(data, **said(search, excepting), attacks=attacks, progress=progress)
        if found.release is not None:
            found.write(release, force=report.force, formulas=report.formulas, registration=registration)
    emit(found, form, report.report, beside=True)
    if found.release is None or found.after is None:
        typer.echo("The policy is not met; nothing was released.", err=True)
        raise typer.Exit(1)
    typer.echo(f"Release: {release}, {_in_short(found)}. Its manifest stands beside it; {release}.archive is not for others.", err=True)
    if report.report is not None:
        typer.echo(f"Report: {report.report}", err=True)
    raise typer.Exit(0 if found.met else EXCEPTED)


def _in_short(found: "Anonymisation") -> str:
    """Return smallest group, loss and suppression."""
    from anonscope.report.anonymise import in_short

    return in_short(found)

"""`anonscope explore`: what a release at some levels would be like, without making it."""

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import prepared
from anonscope.operations.wishes.engine import Resources, SparkWishes
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.population import Drawn
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Acknowledging, Proposed, RoleWishes
from anonscope.operations.wishes.search import Trying
from anonscope.operations.wishes.words import said


@flattened
def explore(
    source: opt.Source,
    *,
    trying: Trying,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    proposed: Proposed,
    drawn: Drawn,
    reading: Reading,
    report: Report,
    resources: Resources,
    spark: SparkWishes,
) -> None:
    """Say what a release with its columns at some levels would be like: verdict, groups, what is suppressed and lost.

    Nothing is made and nothing is written. Without --policy and --limit it is judged as an audit is.

    Exits 0 if the release would meet the policy, 1 if it would not (or a rule cannot be told), 2 if the input cannot be used.

    Example: anonscope explore patients.csv -q age -q zip -q sex -s diagnosis --level age=2 --level zip=1 --limit k_anonymity=5
    """
    import anonscope as an

    form = report_format(report.format, report.output, full=report.full)
    asked = (roles, acknowledging, drawn, reading, resources, spark)
    with prepared(source, *asked, proposed=proposed, quiet=report.quiet) as (data, progress):
        found = an.explore(data, **said(trying), progress=progress)
    emit(found, form, report.output)
    raise typer.Exit(found.verdict.exit_code)

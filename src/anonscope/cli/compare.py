"""`anonscope compare`: an original and its releases side by side."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import prepared
from anonscope.operations.wishes.attacks import AttackedToo
from anonscope.operations.wishes.engine import Resources, SparkWishes
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.policy import Judging
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Acknowledging, Proposed, RoleWishes
from anonscope.operations.wishes.versions import Comparing, Explained
from anonscope.operations.wishes.words import said

Releases = Annotated[list[str], typer.Argument(metavar="RELEASE...", help="Versions of the same people, in any format a source may have.")]
RecipeFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--recipe",
        metavar="FILE",
        rich_help_panel="Which column is what",
        help="The recipe that made the release, which says what its values stand for; the one in its archive is read by itself.",
    ),
]


@flattened
def compare(
    source: opt.Source,
    releases: Releases,
    *,
    comparing: Comparing,
    judging: Judging,
    attacked: AttackedToo,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    recipes: RecipeFiles = None,
    explained: Explained,
    proposed: Proposed,
    reading: Reading,
    report: Report,
    resources: Resources,
    spark: SparkWishes,
) -> None:
    """Put an original and its releases side by side: risk, what is left, and the balance of the two.

    Exits 0 if at least one release meets the policy, 4 if one may be released by stated exceptions only, 1 if none may, 2 if the input
    cannot be used.

    Example: anonscope compare patients.csv release.csv stricter.csv --roles patients.roles.toml -o comparison.html
    """
    import anonscope as an

    form = report_format(report.format, report.output, full=report.full)
    ladders = roles.hierarchies or {}
    asked = (roles, acknowledging, reading, resources, spark)
    with prepared(source, *asked, proposed=proposed, quiet=report.quiet, without=("hierarchies",)) as (data, progress):
        found = an.compare(
            data,
            *releases,
            **said(comparing, judging, explained),
            hierarchies={**data.roles.hierarchies, **ladders},
            recipe=recipes,
            attacks=opt.attacks_with(attacked),
            progress=progress,
        )
    emit(found, form, report.output)
    if found.exit_code:
        typer.echo(f"No release meets the policy {found.policy.name}.", err=True)
        raise typer.Exit(found.exit_code)

"""`anonscope link`: a release against a table that an attacker may hold."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import RoleWishes
from anonscope.operations.wishes.versions import Explained, Likeness, Linking
from anonscope.operations.wishes.words import said

_LINKED = "How they are linked"
ExternalTable = Annotated[str, typer.Argument(metavar="EXTERNAL", help="The table an attacker may hold, in any format a source may have.")]
Also = Annotated[
    str | None,
    typer.Option("--also", metavar="RELEASE", rich_help_panel=_LINKED, help="A second release of the same people: what both tell."),
]
ByLikeness = Annotated[
    bool, typer.Option("--by-likeness", rich_help_panel=_LINKED, help="Link keys that have errors in them, by Splink (extra linkage).")
]
RecipeFile = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        metavar="FILE",
        rich_help_panel=_LINKED,
        help="The recipe that made the release; the one in its archive is read by itself.",
    ),
]


@flattened
def link(
    source: opt.Source,
    external: ExternalTable,
    *,
    linking: Linking,
    also: Also = None,
    by_likeness: ByLikeness = False,
    likeness: Likeness,
    recipe: RecipeFile = None,
    explained: Explained,
    roles: RoleWishes,
    reading: Reading,
    report: Report,
    resources: Resources,
) -> None:
    """Measure what somebody who holds another table learns about the people in a release.

    A released value matches every external value that it may stand for; what nothing explains may be anything.

    Exits 0; 1 if the result hangs on values that nothing explains, so that it was not measured; 2 if the input cannot be used.

    Example: anonscope link release.csv voters.csv --column age=age_at_election --column zip=postcode
    """
    import anonscope as an
    from anonscope.errors import OptionError

    if linking.only and not linking.columns:
        raise OptionError("--only-columns links by what --column names. Name a column: --column age=age_at_census.")
    form = report_format(report.format, report.output, full=report.full)
    pairs, ladders = linking.columns or None, roles.hierarchies or {}
    with opened(source, roles, reading, resources, without=("hierarchies",)) as data:
        found: an.ComposedReleases | an.ProbablyLinkedRelease | an.LinkedRelease
        if also is not None:
            with an.read(also) as second:
                # The second release may lack columns that the first has; by what it lacks it is not linked.
                second.roles = an.Roles(quasi_identifiers=tuple(q for q in roles.quasi_identifiers if q in second.columns))
                theirs = {column: name for column, name in (pairs or {}).items() if column in second.columns}
                found = an.compose(
                    data, second, external, first_columns=pairs, second_columns=theirs or None, only=linking.only, **said(explained)
                )
        elif by_likeness:
            found = an.link_by_likeness(data, external, columns=pairs, only=linking.only, **said(likeness))
        else:
            known = {**data.roles.hierarchies, **ladders}
            found = an.link(data, external, **said(linking, explained), hierarchies=known, recipe=recipe)
    emit(found, form, report.output)
    if not found.measured:
        raise typer.Exit(1)

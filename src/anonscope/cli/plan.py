"""`anonscope plan`: how a table can be released, without making anything."""

import typer

from anonscope.cli import options as opt
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import TableToRelease
from anonscope.operations.wishes.policy import Excepting
from anonscope.operations.wishes.search import Planning, Repeating
from anonscope.operations.wishes.words import said


@flattened
def plan(
    source: opt.Source,
    *,
    planning: Planning,
    repeating: Repeating,
    excepting: Excepting,
    table: TableToRelease,
) -> None:
    """Say how a table can be released: the best recodings found, what each loses, and the command that makes it.

    Where no recoding can meet the policy it says why, and what would work instead. Nothing is made and nothing is written.

    Exits 0 if some release would meet the policy, 1 if none was found, 2 if the input cannot be used.

    Example: anonscope plan patients.csv -q age -q zip -q sex -s diagnosis --policy scorr
    """
    import anonscope as an

    form = table.form()
    with table.prepared(source) as (data, progress):
        if progress is not None:
            progress("planning", 0, 1)
        found = an.plan(data, **said(planning, excepting, repeating))
    table.emit(found, form)
    # By its rules: what must be said first withholds the release, and not the plan.
    raise typer.Exit(0 if found.met or (found.best is not None and found.best.says is None) else 1)

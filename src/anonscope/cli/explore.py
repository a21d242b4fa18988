"""`anonscope explore`: what a release at some levels would be like, without making it."""

import typer

from anonscope.cli import options as opt
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import TableToRelease
from anonscope.operations.wishes.search import Trying
from anonscope.operations.wishes.words import said


@flattened
def explore(
    source: opt.Source,
    *,
    trying: Trying,
    table: TableToRelease,
) -> None:
    """Say what a release with its columns at some levels would be like: verdict, groups, what is suppressed and lost.

    Nothing is made and nothing is written. Without --policy and --limit it is judged as an audit is.

    Exits 0 if the release would meet the policy, 1 if it would not (or a rule cannot be told), 2 if the input cannot be used.

    Example: anonscope explore patients.csv -q age -q zip -q sex -s diagnosis --level age=2 --level zip=1 --limit k_anonymity=5
    """
    import anonscope as an

    form = table.form()
    with table.prepared(source) as (data, progress):
        found = an.explore(data, **said(trying), progress=progress)
    table.emit(found, form)
    raise typer.Exit(found.verdict.exit_code)

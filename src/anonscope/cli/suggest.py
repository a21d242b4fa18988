"""`anonscope suggest`: which role every column should have, and why."""

import shlex
import sys
from typing import TYPE_CHECKING

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import coloured, print_screen, print_text, screen_width, shown_source
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Elsewhere, Resources
from anonscope.operations.wishes.output import Printed
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.suggestion import Dictionary, Suggesting
from anonscope.operations.wishes.words import said

if TYPE_CHECKING:
    from anonscope.operations.suggest import SuggestedRoles


@flattened
def suggest(
    source: opt.SourceOrDatabase,
    *,
    save_roles: opt.SaveRoles = None,
    suggesting: Suggesting,
    dictionary: Dictionary,
    reading: Reading,
    printed: Printed,
    resources: Resources,
    elsewhere: Elsewhere,
) -> None:
    """Propose a role for every column, with confidence and reasons. Nothing is applied.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope suggest patients.csv --save-roles patients.roles.toml
    """
    import anonscope as an
    from anonscope.io.writing import check_writable, write_text

    if save_roles is not None:
        check_writable(save_roles)
    with opened(source, reading, resources, elsewhere) as data, progress_bar(quiet=printed.quiet) as progress:
        proposal = an.suggest(data, **said(suggesting, dictionary), progress=progress)
    if save_roles is not None:
        write_text(save_roles, proposal.to_toml())
    if printed.format == "json":
        print_text(proposal.to_json() + "\n")
    else:
        print_proposal(proposal, full=printed.full)
    if save_roles is not None:
        then = f"anonscope audit {shown_source(source, elsewhere.table)} --roles {shlex.quote(str(save_roles))}"
        typer.echo(f"Roles: {save_roles}. Read the reasons, change what is wrong, then: {then}", err=True)


def print_proposal(proposal: "SuggestedRoles", *, full: bool = False, below: int = 2) -> None:
    """Print the roles: on a terminal the first screen, unless all is asked for, with room for what is told below."""
    if full or not sys.stdout.isatty():
        print_text(proposal.to_text())
        return
    from anonscope.report import on_terminal

    print_screen(on_terminal(proposal, width=screen_width(), colour=coloured(), whole=False, below=below))


def how_to_accept(source: str) -> str:
    """Return what to type after a suggestion."""
    return (
        "No quasi-identifier was given, and nothing is measured on a guess. To go on, either\n"
        f"  accept the proposal:  anonscope audit {source} --accept-suggestions\n"
        f"  or keep and edit it:  anonscope suggest {source} --save-roles roles.toml\n"
        f"                        anonscope audit {source} --roles roles.toml\n"
        f"  or name the columns:  anonscope audit {source} -q COLUMN -q COLUMN -s COLUMN\n"
    )

"""`anonscope register`: what went out of a population, what it tells together, what is spent and what is due."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.registering import RegisteredTo
from anonscope.operations.wishes.roles import Acknowledging, RoleWishes
from anonscope.operations.wishes.words import said

Action = Annotated[Literal["add", "list", "check", "budget"], typer.Argument(metavar="ACTION", help="add, list, check or budget.")]
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the register.")]
ReleaseArgument = Annotated[Path | None, typer.Argument(metavar="RELEASE", help="add: the release; its manifest stands beside it.")]
Original = Annotated[
    str | None,
    typer.Option(
        "--original",
        metavar="SOURCE",
        rich_help_panel="Register of releases",
        help="add: the table that the release was made of, whose people are looked for in all releases.",
    ),
]
Epsilon = Annotated[
    float | None,
    typer.Option(
        "--epsilon",
        metavar="NUMBER",
        rich_help_panel="Register of releases",
        help="budget: what all releases of the population together may lose about a person.",
    ),
]

Delta = Annotated[
    float | None,
    typer.Option(
        "--delta",
        metavar="NUMBER",
        rich_help_panel="Register of releases",
        help="budget: what they may lose beyond that; left out, that has no limit.",
    ),
]


@flattened
def register(
    action: Action,
    *,
    folder: Folder,
    release: ReleaseArgument = None,
    original: Original = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    told: RegisteredTo,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    reading: Reading,
    report: Report,
    resources: Resources,
) -> None:
    """Keep a register of releases: what went to whom, what it tells together, what is spent, and what is due.

    add holds a published release against the earlier ones of its population, and refuses it (exit 1) where fewer candidates are left to
    anybody than its policy asks for, where that could not be measured, or where it costs more than the budget. list shows all; check
    exits 1 when the chain is broken, a budget is spent, or a review or an expiry is past. budget sets an epsilon and a delta.

    Example: anonscope register check releases
    """
    import anonscope as an
    from anonscope.errors import OptionError

    form = report_format(report.format, report.output, full=report.full)
    if action in ("list", "check"):
        found = an.register(folder)
        emit(found, form, report.output)
        raise typer.Exit(1 if action == "check" and not found.fine else 0)
    if told.population_name is None:
        raise OptionError("Say which population it is about: --population-name NAME.")
    if action == "budget":
        if epsilon is None:
            raise OptionError("Say what all releases together may lose about a person: --epsilon NUMBER.")
        an.register_budget(folder, told.population_name, epsilon, delta)
        beyond = f"delta {delta:g}" if delta is not None else "no limit of delta"
        typer.echo(f"The budget of {told.population_name} is epsilon {epsilon:g}, {beyond}.", err=True)
        return
    if release is None:
        raise OptionError("Say which release is added: anonscope register add FOLDER RELEASE.")
    if acknowledging.acknowledge_rest is not None:
        raise OptionError("What an earlier release counted needs a word of its own: --acknowledge COLUMN=REASON for each.")
    if original is None:
        entry = an.register_release(folder, release, acknowledge=acknowledging.acknowledge, **said(told))
    else:
        with opened(original, roles, reading, resources) as data:
            entry = an.register_release(folder, release, data, acknowledge=acknowledging.acknowledge, **said(told))
    typer.echo(f"Registered: {entry.release}. {entry.composition['sentence'] if entry.composition else ''}", err=True)

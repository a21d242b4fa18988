"""`anonscope attack`: what somebody really finds out from a release, measured with a control."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import accept, opened
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import MadeBy, Reading
from anonscope.operations.wishes.roles import Acknowledging, Proposed, RoleWishes
from anonscope.operations.wishes.versions import Attacking, Knowing
from anonscope.operations.wishes.words import said

_TABLES, _ATTACKER, _ATTACKED = "Which tables", "What the attacker knows", "How it is attacked"

ReleaseArgument = Annotated[str, typer.Argument(metavar="RELEASE", help="The release to attack, in any format a source may have.")]
Original = Annotated[
    str, typer.Option("--original", metavar="FILE", rich_help_panel=_TABLES, help="The table that the release was made of.")
]
Control = Annotated[
    str | None,
    typer.Option("--control", metavar="FILE", rich_help_panel=_TABLES, help="People of the same population who are not in the original."),
]
ExternalTable = Annotated[
    str | None, typer.Option("--external", metavar="FILE", rich_help_panel=_TABLES, help="A table that an attacker really holds.")
]
Also = Annotated[
    list[str] | None,
    typer.Option("--also", metavar="RELEASE", rich_help_panel=_TABLES, help="A further release of the same people. Repeat for several."),
]
Attackers = Annotated[
    Path | None, typer.Option("--attackers", metavar="FILE", rich_help_panel=_ATTACKER, help="What attackers know, as a TOML file.")
]
Prior = Annotated[
    str | None,
    typer.Option("--prior", metavar="FILE", rich_help_panel=_ATTACKER, help="A table of what is likely before the release is seen."),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy", metavar="NAME|FILE", rich_help_panel=_ATTACKED, help="Judge by a policy, such as synthetic or research-attacked."
    ),
]


@flattened
def attack(
    release: ReleaseArgument,
    *,
    original: Original,
    control: Control = None,
    external: ExternalTable = None,
    also: Also = None,
    attackers: Attackers = None,
    knowing: Knowing,
    prior: Prior = None,
    attacking: Attacking,
    policy: PolicyOption = None,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    proposed: Proposed,
    made_by: MadeBy,
    reading: Reading,
    report: Report,
    resources: Resources,
) -> None:
    """Attack a release with the people it is about, and with people who are not in it.

    Exits 0, 1 if a policy was named that is not met, or 2 if the input cannot be used.

    Example: anonscope attack release.csv --original patients.csv --control others.csv --roles patients.roles.toml -o attacks.html
    """
    import anonscope as an
    from anonscope.errors import OptionError

    form = report_format(report.format, report.output)
    stated = knowing != Knowing() or prior is not None
    if attackers is not None and stated:
        raise OptionError("What the attacker knows is said by --attackers or by the other options, not by both.")
    ladders = roles.hierarchies or {}
    with (
        opened(original, roles, acknowledging, reading, resources, without=("hierarchies",)) as data,
        progress_bar(quiet=report.quiet) as progress,
    ):
        accept(data, proposed, progress)
        one = None
        if stated:
            columns = tuple(knowing.columns or data.roles.attributes)
            one = an.Attacker(name="stated", **{**said(knowing), "columns": columns}, prior=prior)
        found = an.attack(
            release,
            data,
            **{**said(attacking, made_by), "targets": attacking.targets or None},
            control=control,
            external=external,
            also=also or (),
            attackers=[one] if one is not None else attackers,
            policy=policy,
            hierarchies={**data.roles.hierarchies, **ladders},
            progress=progress,
        )
    emit(found, form, report.output)
    if found.verdict is not None:
        raise typer.Exit(found.verdict.exit_code)

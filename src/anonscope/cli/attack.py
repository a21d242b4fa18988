"""`anonscope attack`: what somebody really finds out from a release, measured with a control."""

from typing import Annotated

import typer

from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import prepared
from anonscope.operations.wishes.attacks import AttackedWith, Attackers, Attacking, AttackJudged, Knowing
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import MadeBy, Reading
from anonscope.operations.wishes.roles import Acknowledging, Proposed, RoleWishes
from anonscope.operations.wishes.words import said

ReleaseArgument = Annotated[str, typer.Argument(metavar="RELEASE", help="The release to attack, in any format a source may have.")]


@flattened
def attack(
    release: ReleaseArgument,
    *,
    tables: AttackedWith,
    written: Attackers,
    knowing: Knowing,
    attacking: Attacking,
    judged: AttackJudged,
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

    form = report_format(report.format, report.output, full=report.full)
    stated = knowing != Knowing() or written.prior is not None
    if written.attackers is not None and stated:
        raise OptionError("What the attacker knows is said by --attackers or by the other options, not by both.")
    ladders = roles.hierarchies or {}
    asked = (roles, acknowledging, reading, resources)
    with prepared(tables.original, *asked, proposed=proposed, quiet=report.quiet, without=("hierarchies",)) as (data, progress):
        one = None
        if stated:
            columns = tuple(knowing.columns or data.roles.attributes)
            one = an.Attacker(name="stated", **{**said(knowing), "columns": columns}, prior=written.prior)
        found = an.attack(
            release,
            data,
            **{**said(attacking, made_by, judged, tables, without=("original",)), "targets": attacking.targets or None},
            attackers=[one] if one is not None else written.attackers,
            hierarchies={**data.roles.hierarchies, **ladders},
            progress=progress,
        )
    emit(found, form, report.output)
    if found.verdict is not None:
        raise typer.Exit(found.verdict.exit_code)

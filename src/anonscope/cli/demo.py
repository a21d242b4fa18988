"""`anonscope demo`: make the bundled sample, audit it, write the report."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli.emit import coloured, print_screen, screen_width


def demo(
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where sample and report go.")] = Path("anonscope-demo"),
) -> None:
    """Make the bundled sample of an invented hospital, audit it and write the report.

    Everybody in the sample is invented. The audit finds that it must not be released, which is the right answer, so this exits 0.
    """
    import anonscope as an
    from anonscope.errors import OutputError, shown
    from anonscope.io.samples import write_hospital
    from anonscope.report.audit.render import render_first_screen

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder {shown(folder)} cannot be made: {error.strerror}.") from None
    sample = write_hospital(folder)
    with an.read(sample.patients, roles=sample.patient_roles) as data:
        patients = an.audit(data, explain="quick")
        patients = replace(patients, planned=patients.plan())
    with an.read(sample.visits, roles=sample.visit_roles) as data:
        visits = an.audit(data, explain="quick")
        visits = replace(visits, planned=visits.plan())
    patients.save(folder / "report.html")
    visits.save(folder / "visits-report.html")
    below = (
        f"Sample:  {sample.patients} (a row a person), {sample.visits} (a row a visit)",
        f"         {sample.others} (who is not in it), {sample.voters} (a roll)",
        f"Reports: {folder / 'report.html'}, {folder / 'visits-report.html'}",
        f"Next:    anonscope plan {sample.patients} --roles {sample.patient_roles}",
    )
    print_screen(render_first_screen(patients, width=screen_width(), colour=coloured(), below=len(below)))
    for line in below:
        typer.echo(line)

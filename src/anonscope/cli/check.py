"""`anonscope check`: whether tables meet their policies, for a pipeline."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.operations.wishes.engine import Elsewhere, Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.policy import Excepting, Gating, Judging
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Acknowledging, RoleWishes
from anonscope.operations.wishes.words import said

_OUTPUT = "What comes out"


@flattened
def check(
    source: opt.SourceOrRepository = None,
    *,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    reading: Reading,
    judging: Judging,
    excepting: Excepting,
    gating: Gating,
    report: Report,
    repository: Annotated[
        Path | None,
        typer.Option("--repository", metavar="FILE", help="The anonscope.toml or pyproject.toml that names the tables."),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", rich_help_panel=_OUTPUT, help="Write JUnit XML: a case a rule.")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", rich_help_panel=_OUTPUT, help="Write SARIF 2.1.0: columns and rules.")
    ] = None,
    resources: Resources,
    elsewhere: Elsewhere,
) -> None:
    """Say whether a table meets a policy, rule by rule and without numbers; without SOURCE, whether all tables of the repository do.

    The file is judged as it is: a direct identifier that is still in it fails, unless --before-release says that it is a source.

    The repository's tables, roles and policies are in its anonscope.toml, or under [tool.anonscope] in its pyproject.toml.

    Exits 0 if all policies are met, 4 if some are met except for what was stated, 1 if some are not, 2 if something cannot be checked.

    Example: anonscope check patients.csv --roles patients.roles.toml --policy ema-0070 --sarif anonscope.sarif
    """
    import anonscope as an
    from anonscope.errors import OptionError
    from anonscope.io.writing import check_writable, write_text

    files = {"junit": junit, "sarif": sarif}
    form = report_format(report.format, report.output, full=report.full)
    for path in files.values():
        if path is not None:
            check_writable(path)
    groups = (roles, acknowledging, reading, judging, excepting, gating, elsewhere)
    with progress_bar(quiet=report.quiet) as progress:
        if source is None:
            asked, usual = (said(*group) for group in zip(*((one, type(one)()) for one in groups), strict=True))
            if any((value or None) != (usual[name] or None) for name, value in asked.items()):
                raise OptionError("Without a SOURCE, roles, policies and how tables are read stand in the file that names the tables.")
            found = an.check(repository=repository, **said(resources), progress=progress)
        else:
            found = an.check(source, repository=repository, **said(*groups, resources), progress=progress)
    emit(found, form, report.output)
    for format, path in files.items():
        if path is not None:
            write_text(path, found.render(format))
            typer.echo(f"Written: {path}", err=True)
    raise typer.Exit(found.exit_code)

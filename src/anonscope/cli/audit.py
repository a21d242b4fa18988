"""`anonscope audit`: measure risk and compare it with a policy."""

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import SCREEN, coloured, emit, print_screen, report_format, screen_width, shown_source
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import accept, opened
from anonscope.operations.wishes.attacks import AttackedFrom
from anonscope.operations.wishes.engine import Elsewhere, Resources
from anonscope.operations.wishes.output import Details, Report
from anonscope.operations.wishes.policy import Excepting, Judging, Keeping, Measuring, ZipPopulations
from anonscope.operations.wishes.population import Drawn
from anonscope.operations.wishes.reading import InRegister, MadeBy, Reading
from anonscope.operations.wishes.roles import Acknowledging, Proposed, RoleWishes
from anonscope.operations.wishes.words import said

if TYPE_CHECKING:
    from anonscope.operations.audit import Audit
    from anonscope.operations.read import Data


@flattened
def audit(
    source: opt.SourceOrDatabase,
    *,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    save_roles: opt.SaveRoles = None,
    proposed: Proposed,
    drawn: Drawn,
    reading: Reading,
    made_by: MadeBy,
    in_register: InRegister,
    judging: Judging,
    excepting: Excepting,
    zip_populations: ZipPopulations,
    attacked: AttackedFrom,
    measuring: Measuring,
    report: Report,
    details: Details,
    keeping: Keeping,
    resources: Resources,
    elsewhere: Elsewhere,
) -> None:
    """Measure the risk of releasing a table and judge it by a policy.

    Exits 0 if the policy is met, 4 if it is met except for what --except states, 1 if it is not (or a rule could not be measured),
    2 if the input cannot be used.

    Example: anonscope audit patients.csv -q age -q zip -q sex -s diagnosis -o report.html
    """
    import anonscope as an
    from anonscope.errors import OptionError
    from anonscope.io.writing import check_writable, write_text
    from anonscope.risk.policy import excepting as with_exceptions
    from anonscope.risk.policy import load as load_policy

    # Everything that can be wrong with the options is said before any work is done.
    loaded = with_exceptions(load_policy(judging.policy), excepting.exceptions)
    attacks = opt.attacks_with(attacked)
    _check_records(details)
    for path in (save_roles, details.records):
        if path is not None:
            check_writable(path)
    form = report_format(report.format, report.output, full=report.full)
    with opened(source, roles, acknowledging, drawn, reading, made_by, in_register, resources, elsewhere) as data:
        if details.approximate:
            emit(an.approximate(data), form, report.output)
            raise typer.Exit(1)
        if details.records is not None:
            if keeping.keep_counts or keeping.with_counts:
                raise OptionError("Risks of records need the records, and of earlier parts only counts are kept.")
            from anonscope.risk.explain.records import check_numbered

            check_numbered(data.engine)
        if proposed.accept_suggestions:
            with progress_bar(quiet=report.quiet) as progress:
                accept(data, proposed, progress)
        elif not data.roles.attributes:
            _propose(data, shown_source(source, elsewhere.table))
        with progress_bar(quiet=report.quiet) as progress:
            # A page is read at leisure and a terminal is not: there the reasons come when asked for. From where a table lives
            # elsewhere more than counts would have to be fetched for them, so there they come only when asked for.
            # Who asks for some metrics only wants to be quick: neither reasons nor a plan, which rest on all of them.
            # Neither can be had from counts of earlier parts.
            whole = measuring.only is None and not measuring.for_policy and not (keeping.keep_counts or keeping.with_counts)
            quick = details.explain is None and form in ("html", "markdown", "pdf") and not data.engine.remote and whole
            result = an.audit(
                data,
                loaded,
                **said(measuring, zip_populations, keeping),
                explain="quick" if quick else bool(details.explain),
                attacks=attacks,
                progress=progress,
            )
            if details.plan and whole and not data.engine.remote and not result.verdict.met:
                if progress is not None:
                    progress("planning", 0, 1)
                result = replace(result, planned=result.plan())
        if details.records is not None:
            _write_records(result, details)
        if save_roles is not None:
            write_text(save_roles, data.roles.to_toml(save_roles.parent))
    if keeping.keep_counts is not None:
        typer.echo("\n".join(w for w in result.warnings if w.startswith("Counts of ")), err=True)
    if report.output is not None:
        emit(result, form, report.output, beside=True)
        typer.echo(f"{_short(result)} Report: {report.output}", err=True)
    elif form == SCREEN and not details.explain:
        from anonscope.report.audit.render import render_first_screen

        print_screen(render_first_screen(result, width=screen_width(), colour=coloured()))
    else:
        emit(result, "text" if form == SCREEN else form, None)
    if details.show_sql:
        typer.echo("".join(f"-- {s.name or 'fetched'}\n{s.sql};\n\n" for s in result.statements), nl=False, err=True)
    raise typer.Exit(result.verdict.exit_code)


def _write_records(result: "Audit", wanted: Details) -> None:
    listed = result.records(
        None, save=wanted.records, values=wanted.records_with_values, confirm=wanted.shows_people, largest_set=wanted.largest_set
    )
    if wanted.largest_set is None and listed.schema.metadata[b"suda_complete"] == b"false":
        size = listed.schema.metadata[b"suda_largest_set"].decode()
        typer.echo(f"There are too many sets of attributes: SUDA scores count those of up to {size}.", err=True)


def _check_records(wanted: Details) -> None:
    """Values of records are shown only to somebody who asked for them twice."""
    from anonscope.errors import OptionError

    if wanted.records is not None:
        from anonscope.risk.explain.records import check_format

        check_format(wanted.records)
    elif wanted.largest_set is not None:
        raise OptionError("The largest set is about records. Name their file with --records FILE.")
    elif wanted.records_with_values or wanted.shows_people:
        raise OptionError("Values of records go into a file of records only. Name it with --records FILE.")
    if wanted.records_with_values and not wanted.shows_people:
        raise OptionError("--records-with-values shows people. Say --i-understand-this-shows-people as well if that is meant.")


def _propose(data: "Data", source: str) -> None:
    """Show what roles the columns may have, and how to accept them; nothing is measured on a guess."""
    import anonscope as an
    from anonscope.cli.suggest import how_to_accept, print_proposal

    print_proposal(an.suggest(data), below=7)
    typer.echo("\n" + how_to_accept(source), nl=False, err=True)
    raise typer.Exit(2)


def _short(result: "Audit") -> str:
    from anonscope.report import words

    return f"{result.source}: {words.headline(result)}."

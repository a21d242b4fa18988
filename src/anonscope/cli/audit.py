"""`anonscope audit`: measure risk and compare it with a policy."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments, scenarios_of
from anonscope.cli.emit import print_text, report_format, shown_source
from anonscope.cli.exceptions import Except, exceptions_of
from anonscope.cli.progress import progress_bar

if TYPE_CHECKING:
    from anonscope.operations.audit import Audit
    from anonscope.operations.read import Data


def audit(
    source: opt.SourceOrDatabase,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    direct_identifiers: opt.DirectIdentifiers = None,
    insensitive: opt.Insensitive = None,
    acknowledge: opt.Acknowledge = None,
    acknowledge_rest: opt.AcknowledgeRest = None,
    household: opt.Household = None,
    weight: opt.Weight = None,
    scenarios: opt.Scenarios = None,
    ordered: opt.Ordered = None,
    equal: opt.Equal = None,
    hierarchies: opt.Hierarchies = None,
    roles: opt.RolesFile = None,
    save_roles: opt.SaveRoles = None,
    accept_suggestions: opt.AcceptSuggestions = False,
    rows: opt.Rows = None,
    population: opt.Population = None,
    population_columns: opt.PopulationColumns = None,
    sampling_fraction: opt.SamplingFraction = None,
    population_size: opt.PopulationSize = None,
    risk_threshold: opt.RiskThreshold = 0.2,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    table: opt.Table = None,
    recipe: opt.MadeBy = None,
    policy: opt.PolicyOption = "scorr",
    excepting: Except = None,
    zip_populations: opt.ZipPopulations = None,
    pairs: opt.Pairs = False,
    join_sensitive: opt.JoinSensitive = False,
    literal_chain: opt.LiteralChain = False,
    format: opt.FormatOption = None,
    output: opt.Output = None,
    explain: opt.Explain = None,
    records: opt.Records = None,
    records_with_values: opt.RecordsWithValues = False,
    shows_people: opt.ShowsPeople = False,
    largest_set: opt.LargestSet = None,
    show_sql: opt.ShowSql = False,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
    engine: opt.EngineOption = None,
    spark_master: opt.SparkMaster = None,
    spark_conf: opt.SparkConf = None,
    spark_staging: opt.SparkStaging = None,
) -> None:
    """Measure the risk of releasing a table and judge it by a policy.

    Exits 0 if the policy is met, 4 if it is met except for what --except states, 1 if it is not (or a rule could not be measured),
    2 if the input cannot be used.

    Example: anonscope audit patients.csv -q age -q zip -q sex -s diagnosis -o report.html
    """
    import anonscope as an
    from anonscope.io.writing import check_writable, write_text
    from anonscope.risk.explain.records import check_numbered
    from anonscope.risk.policy import excepting as with_exceptions
    from anonscope.risk.policy import load as load_policy

    # Everything that can be wrong with the options is said before any work is done.
    loaded = with_exceptions(load_policy(policy), exceptions_of(excepting))
    _check_records(records, with_values=records_with_values, confirmed=shows_people, largest_set=largest_set)
    for path in (output, save_roles, records):
        if path is not None:
            check_writable(path)
    form = report_format(format, output)
    with an.read(
        source,
        quasi_identifiers=quasi_identifiers or (),
        sensitive=sensitive or (),
        person=person,
        direct_identifiers=direct_identifiers or (),
        household=household,
        weight=weight,
        scenarios=scenarios_of(scenarios),
        distance=dict.fromkeys(ordered or (), "ordered") | dict.fromkeys(equal or (), "equal"),
        hierarchies=assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance diagnosis=diagnoses.csv)"),
        roles=roles,
        rows=rows,
        population=population,
        population_columns=assignments(population_columns, "A population column is written COLUMN=COLUMN (for instance age=age_at_census)"),
        sampling_fraction=sampling_fraction,
        population_size=population_size,
        recipe=recipe,
        table=table,
        **opt.words(insensitive, acknowledge, acknowledge_rest),
        **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
        **opt.elsewhere(engine, spark_master, spark_conf, spark_staging),
    ) as data:
        if records is not None:
            check_numbered(data.engine)
        if accept_suggestions:
            with progress_bar(quiet=quiet) as progress:
                data.accept(an.suggest(data, progress=progress))
        elif not data.roles.attributes:
            _propose(data, shown_source(source, table))
        with progress_bar(quiet=quiet) as progress:
            result = an.audit(
                data,
                loaded,
                pairs=pairs,
                joined=join_sensitive,
                literal_chain=literal_chain,
                risk_threshold=risk_threshold,
                # A page is read at leisure and a terminal is not: there the reasons come when asked for. From where a table lives
                # elsewhere more than counts would have to be fetched for them, so there they come only when asked for.
                explain="quick" if explain is None and form in ("html", "markdown") and not data.engine.remote else bool(explain),
                zip_populations=zip_populations,
                progress=progress,
            )
        if records is not None:
            listed = result.records(None, save=records, values=records_with_values, confirm=shows_people, largest_set=largest_set)
            if largest_set is None and listed.schema.metadata[b"suda_complete"] == b"false":
                size = listed.schema.metadata[b"suda_largest_set"].decode()
                typer.echo(f"There are too many sets of attributes: SUDA scores count those of up to {size}.", err=True)
        if save_roles is not None:
            write_text(save_roles, data.roles.to_toml(save_roles.parent))
    if output is not None:
        write_text(output, result.render(form))
        typer.echo(f"{_short(result)} Report: {output}", err=True)
    else:
        print_text(result.render(form))
    if show_sql:
        typer.echo("".join(f"-- {s.name or 'fetched'}\n{s.sql};\n\n" for s in result.statements), nl=False, err=True)
    raise typer.Exit(result.verdict.exit_code)


def _check_records(path: Path | None, *, with_values: bool, confirmed: bool, largest_set: int | None) -> None:
    """Values of records are shown only to somebody who asked for them twice."""
    from anonscope.errors import OptionError

    if path is not None:
        from anonscope.risk.explain.records import check_format

        check_format(path)
    elif largest_set is not None:
        raise OptionError("The largest set is about records. Name their file with --records FILE.")
    elif with_values or confirmed:
        raise OptionError("Values of records go into a file of records only. Name it with --records FILE.")
    if with_values and not confirmed:
        raise OptionError("--records-with-values shows people. Say --i-understand-this-shows-people as well if that is meant.")


def _propose(data: "Data", source: str) -> None:
    """Show what roles the columns may have, and how to accept them; nothing is measured on a guess."""
    import anonscope as an
    from anonscope.cli.suggest import how_to_accept

    print_text(an.suggest(data).to_text())
    typer.echo("\n" + how_to_accept(source), nl=False, err=True)
    raise typer.Exit(2)


def _short(result: "Audit") -> str:
    from anonscope.report import words

    return f"{result.source}: {words.headline(result)}."

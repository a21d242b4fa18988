"""`anonscope audit`: measure risk and compare it with a policy."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from anonscope.cli import options as opt
from anonscope.cli.progress import progress_bar

if TYPE_CHECKING:
    from anonscope.api import Audit


def audit(
    source: opt.Source,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    direct_identifiers: opt.DirectIdentifiers = None,
    household: opt.Household = None,
    weight: opt.Weight = None,
    scenarios: opt.Scenarios = None,
    ordered: opt.Ordered = None,
    equal: opt.Equal = None,
    roles: opt.RolesFile = None,
    save_roles: opt.SaveRoles = None,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    policy: opt.PolicyOption = "scorr",
    format: opt.FormatOption = None,
    output: opt.Output = None,
    show_sql: opt.ShowSql = False,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
) -> None:
    """Measure the risk of releasing a table and judge it by a policy.

    Exits 0 if the policy is met, 1 if it is not (or a rule could not be measured), 2 if the input cannot be used.

    Example: anonscope audit patients.csv -q age -q zip -q sex -s diagnosis -o report.html
    """
    import anonscope as an
    from anonscope.output import check_writable, write_text
    from anonscope.policy import load as load_policy

    # Everything that can be wrong with the options is said before any work is done.
    loaded = load_policy(policy)
    for path in (output, save_roles):
        if path is not None:
            check_writable(path)
    form = _format(format, output)
    with an.read(
        source,
        quasi_identifiers=quasi_identifiers or (),
        sensitive=sensitive or (),
        person=person,
        direct_identifiers=direct_identifiers or (),
        household=household,
        weight=weight,
        scenarios=_scenarios(scenarios or []),
        distance=dict.fromkeys(ordered or (), "ordered") | dict.fromkeys(equal or (), "equal"),
        roles=roles,
        rows=rows,
        format=input_format.value if input_format else None,
        delimiter={"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter) if delimiter is not None else None,
        quote=quote,
        encoding=encoding,
        sheet=sheet,
        memory_limit=memory_limit,
        threads=threads,
    ) as data:
        with progress_bar(quiet=quiet) as progress:
            result = an.audit(data, loaded, progress=progress)
        if save_roles is not None:
            write_text(save_roles, data.roles.to_toml())
    if output is not None:
        write_text(output, result.render(form))
        typer.echo(f"{_short(result)} Report: {output}", err=True)
    else:
        _print(result.render(form))
    if show_sql:
        typer.echo("".join(f"-- {s.name or 'fetched'}\n{s.sql};\n\n" for s in result.statements), nl=False, err=True)
    raise typer.Exit(result.verdict.exit_code)


def _short(result: "Audit") -> str:
    from anonscope.report import words

    return f"{result.source}: {words.headline(result)}."


def _print(text: str) -> None:
    """Print, whatever the terminal's encoding can show."""
    encoding = sys.stdout.encoding or "utf-8"
    typer.echo(text.encode(encoding, errors="replace").decode(encoding), nl=False)


def _format(format: opt.Format | None, output: Path | None) -> str:
    from anonscope.errors import OptionError
    from anonscope.report import FORMATS_BY_SUFFIX

    if format is not None:
        return format.value
    if output is None:
        return "text"
    form = FORMATS_BY_SUFFIX.get(output.suffix.lower())
    if form is None:
        raise OptionError(f"The ending of {str(output)!r} does not tell the format. Use {', '.join(FORMATS_BY_SUFFIX)}, or say --format.")
    return form


def _scenarios(given: list[str]) -> dict[str, list[str]]:
    from anonscope.errors import OptionError

    scenarios: dict[str, list[str]] = {}
    for text in given:
        name, sign, columns = text.partition("=")
        if not sign or not name.strip() or not columns.strip():
            raise OptionError(f"A scenario is written NAME=COLUMN,COLUMN (for instance neighbour=age,sex), not {text!r}.")
        scenarios[name.strip()] = [column.strip() for column in columns.split(",") if column.strip()]
    return scenarios

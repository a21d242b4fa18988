"""`anonscope fragment`: split the quasi-identifiers into fragments, anonymise each by itself, and write them."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from anonscope.cli import options as opt
from anonscope.cli.anonymise import (
    Levels,
    Limits,
    LossName,
    LossOption,
    Method,
    MethodOption,
    PolicyName,
    Report,
    Suppression,
    TimeBudget,
    Untouched,
    Weights,
)
from anonscope.cli.arguments import assignments, scenarios_of
from anonscope.cli.emit import print_text, report_format
from anonscope.cli.fragmentation import Common, Target
from anonscope.cli.progress import progress_bar


class Ending(StrEnum):
    """How fragments are written."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    arrow = "arrow"


_FRAGMENTS, _OUTPUT = "The fragments", "What comes out"
Fragments = Annotated[
    list[str] | None,
    typer.Option(
        "--fragment",
        "-f",
        metavar="COLUMN,COLUMN",
        rich_help_panel=_FRAGMENTS,
        help="The quasi-identifiers of one fragment. Repeat for every fragment; none asks for a proposal.",
    ),
]
Number = Annotated[
    int, typer.Option("--number", "-n", metavar="N", rich_help_panel=_FRAGMENTS, help="How many fragments to propose and make.")
]
SensitiveIn = Annotated[
    str, typer.Option("--sensitive-in", metavar="N|all", rich_help_panel=_FRAGMENTS, help="Which fragment has the sensitive columns.")
]
Assemble = Annotated[
    bool,
    typer.Option("--assemble", rich_help_panel=_FRAGMENTS, help="One table again, row by row: its rows give away what the fragments hide."),
]
Written = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FOLDER", rich_help_panel=_OUTPUT, help="Folder of the fragments; a file with --assemble."),
]
EndingOption = Annotated[Ending, typer.Option("--ending", rich_help_panel=_OUTPUT, help="Format of the fragments.")]


def fragment(
    source: opt.Source,
    output: Written,
    policy: PolicyName = None,
    limits: Limits = None,
    fragments: Fragments = None,
    number: Number = 2,
    target: Target = None,
    common: Common = None,
    sensitive_in: SensitiveIn = "1",
    assemble: Assemble = False,
    method: MethodOption = Method.auto,
    loss: LossOption = LossName.ncp,
    suppression: Suppression = 0.05,
    attribute_weights: Weights = None,
    levels: Levels = None,
    untouched: Untouched = None,
    time_budget: TimeBudget = None,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    direct_identifiers: opt.DirectIdentifiers = None,
    insensitive: opt.Insensitive = None,
    acknowledge: opt.Acknowledge = None,
    acknowledge_rest: opt.AcknowledgeRest = None,
    scenarios: opt.Scenarios = None,
    ordered: opt.Ordered = None,
    equal: opt.Equal = None,
    hierarchies: opt.Hierarchies = None,
    roles: opt.RolesFile = None,
    accept_suggestions: opt.AcceptSuggestions = False,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    format: opt.FormatOption = None,
    report: Report = None,
    ending: EndingOption = Ending.csv,
    force: opt.Force = False,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
) -> None:
    """Split the quasi-identifiers into fragments, recode each until it meets a policy, and write a file a fragment.

    Fragments have no common key and are sorted by their own values. Each stands with its manifest and, for you only, its archive.

    Exits 0 if every fragment meets the policy, 1 if one cannot (nothing is written then), 2 if the input cannot be used.

    Example: anonscope fragment patients.csv --accept-suggestions --policy ema-0070 -n 2 -o fragments
    """
    import anonscope as an
    from anonscope.cli.arguments import level_of, number_of
    from anonscope.io.writing import check_writable, write_text
    from anonscope.transform.release.writing import check_release

    if assemble:
        check_release(output, force=force, parts=False)
    form = report_format(format, report)
    if report is not None:
        check_writable(report)
    asked = assignments(limits, "A limit is written METRIC=NUMBER (for instance k_anonymity=5)")
    weights = assignments(attribute_weights, "A weight is written COLUMN=WEIGHT")
    bounds = assignments(levels, "A level is written COLUMN=LEVEL")
    with an.read(
        source,
        quasi_identifiers=quasi_identifiers or (),
        sensitive=sensitive or (),
        person=person,
        direct_identifiers=direct_identifiers or (),
        scenarios=scenarios_of(scenarios),
        distance=dict.fromkeys(ordered or (), "ordered") | dict.fromkeys(equal or (), "equal"),
        hierarchies=assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance diagnosis=diagnoses.csv)"),
        roles=roles,
        rows=rows,
        **opt.words(insensitive, acknowledge, acknowledge_rest),
        **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
    ) as data:
        with progress_bar(quiet=quiet) as progress:
            if accept_suggestions:
                data.accept(an.suggest(data, progress=progress))
            found = an.fragment(
                data,
                policy,
                limits={key: number_of(value, key) for key, value in asked.items()} if limits else None,
                fragments=[[name.strip() for name in text.split(",") if name.strip()] for text in fragments] if fragments else None,
                number=number,
                target=target,
                common=common or (),
                sensitive_in=_place(sensitive_in),
                assemble=assemble,
                method=method.value,
                loss=loss.value,
                suppression=suppression,
                weights={key: number_of(value, key) for key, value in weights.items()},
                levels={key: level_of(value, key) for key, value in bounds.items()},
                untouched=untouched or (),
                time_budget=time_budget,
                progress=progress,
            )
        written = found.write(output, ending=f".{ending.value}", force=force) if found.met else ()
    if report is not None:
        write_text(report, found.render(form))
    else:
        print_text(found.render(form))
    if found.met:
        typer.echo(f"Written: {', '.join(map(str, written))}, each with its manifest. Archives beside them are not for others.", err=True)
    else:
        typer.echo("The policy is not met; nothing was released.", err=True)
    raise typer.Exit(0 if found.met else 1)


def _place(text: str) -> int | Literal["all"]:
    from anonscope.errors import OptionError

    if text == "all":
        return "all"
    if not text.isdecimal():
        raise OptionError(f"Sensitive columns go to a fragment, by its number, or to all; not to {text!r}.")
    return int(text)

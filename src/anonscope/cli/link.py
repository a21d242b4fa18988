"""`anonscope link`: a release against a table that an attacker may hold."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments
from anonscope.cli.emit import emit, report_format

_LINKED = "How they are linked"


class Missing(StrEnum):
    """What a missing value matches."""

    value = "value"
    anything = "anything"


External = Annotated[str, typer.Argument(metavar="EXTERNAL", help="The table an attacker may hold, in any format a source may have.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="COLUMN=COLUMN",
        rich_help_panel=_LINKED,
        help="A column of the release and what it is called in the external table. Repeat; for the others, names suggest it.",
    ),
]
OnlyColumns = Annotated[
    bool,
    typer.Option(
        "--only-columns", rich_help_panel=_LINKED, help="Link by what --column names only, though both tables have more in common."
    ),
]
MissingOption = Annotated[
    Missing, typer.Option("--missing", rich_help_panel=_LINKED, help="A missing value is a value of its own, or may be anything.")
]
Likeness = Annotated[
    bool, typer.Option("--by-likeness", rich_help_panel=_LINKED, help="Link keys that have errors in them, by Splink (extra linkage).")
]
Threshold = Annotated[
    float,
    typer.Option("--threshold", metavar="PROBABILITY", rich_help_panel=_LINKED, help="With --by-likeness: from where on it is a match."),
]
Overlap = Annotated[
    float,
    typer.Option("--overlap", metavar="SHARE", rich_help_panel=_LINKED, help="With --by-likeness: released people who are there at all."),
]
Also = Annotated[
    str | None,
    typer.Option("--also", metavar="RELEASE", rich_help_panel=_LINKED, help="A second release of the same people: what both tell."),
]
RecipeFile = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        metavar="FILE",
        rich_help_panel=_LINKED,
        help="The recipe that made the release; the one in its archive is read by itself.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", rich_help_panel=_LINKED, help="With --by-likeness: seed of what is drawn.")]


def link(
    source: opt.Source,
    external: External,
    columns: Columns = None,
    only_columns: OnlyColumns = False,
    missing: MissingOption = Missing.value,
    also: Also = None,
    by_likeness: Likeness = False,
    threshold: Threshold = 0.95,
    overlap: Overlap = 1.0,
    seed: Seed = 1,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    recipe: RecipeFile = None,
    hierarchies: opt.Hierarchies = None,
    unknown: opt.UnknownLabels = None,
    roles: opt.RolesFile = None,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    format: opt.FormatOption = None,
    output: opt.Output = None,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
) -> None:
    """Measure what somebody who holds another table learns about the people in a release.

    A released value matches every external value that it may stand for; what nothing explains may be anything.

    Exits 0; 1 if the result hangs on values that nothing explains, so that it was not measured; 2 if the input cannot be used.

    Example: anonscope link release.csv voters.csv --column age=age_at_election --column zip=postcode
    """
    import anonscope as an
    from anonscope.errors import OptionError

    if only_columns and not columns:
        raise OptionError("--only-columns links by what --column names. Name a column: --column age=age_at_census.")
    form = report_format(format, output)
    pairs = assignments(columns, "A column is written COLUMN=COLUMN (for instance age=age_at_census)") or None
    ladders = assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance diagnosis=diagnoses.csv)")
    with an.read(
        source,
        quasi_identifiers=quasi_identifiers or (),
        roles=roles,
        rows=rows,
        **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
    ) as data:
        told = {"recipe": recipe, "hierarchies": {**data.roles.hierarchies, **ladders}, "unknown": opt.unknown_labels(unknown)}
        if also is not None:
            with an.read(also, quasi_identifiers=[column for column in quasi_identifiers or () if column]) as second:
                emit(composed := an.compose(data, second, external, first_columns=pairs, only=only_columns), form, output)
            measured = composed.measured
        elif by_likeness:
            alike = an.link_by_likeness(data, external, columns=pairs, only=only_columns, threshold=threshold, overlap=overlap, seed=seed)
            emit(alike, form, output)
            measured = alike.measured
        else:
            emit(linked := an.link(data, external, columns=pairs, only=only_columns, missing=missing.value, **told), form, output)
            measured = linked.measured
    if not measured:
        raise typer.Exit(1)

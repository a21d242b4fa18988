"""`anonscope recipe`: a ready recipe for a table, to read, change and apply."""

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments
from anonscope.cli.emit import print_text
from anonscope.cli.progress import progress_bar

if TYPE_CHECKING:
    from anonscope.operations.read import Data
    from anonscope.transform.recipe import Recipe


class Level(StrEnum):
    """How strongly a table is pseudonymised."""

    P1 = "P1"
    P2 = "P2"
    P3 = "P3"


LevelOption = Annotated[
    Level | None, typer.Option("--level", help="A pseudonymisation level: P1 weak, P2 moderate, P3 strong.", show_default=False)
]
SafeHarbor = Annotated[bool, typer.Option("--safe-harbor", help="Or: what HIPAA's Safe Harbor asks for.")]
Like = Annotated[
    list[str] | None,
    typer.Option("--like", metavar="COLUMN=KIND", help="Treat a column like an age, zip, income or diagnosis. Repeat for several."),
]
RecipeOutput = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the recipe to a file; else it is printed.")
]


def recipe(
    source: opt.Source,
    level: LevelOption = None,
    safe_harbor: SafeHarbor = False,
    zip_populations: opt.ZipPopulations = None,
    like: Like = None,
    output: RecipeOutput = None,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    direct_identifiers: opt.DirectIdentifiers = None,
    household: opt.Household = None,
    hierarchies: opt.Hierarchies = None,
    roles: opt.RolesFile = None,
    accept_suggestions: opt.AcceptSuggestions = False,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
) -> None:
    """Make a ready recipe for a table: a pseudonymisation level, or HIPAA's Safe Harbor. The table is not changed.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope recipe patients.csv --level P2 -q age -q zip -s diagnosis -d name -o recipe.toml
    """
    import anonscope as an
    from anonscope.io.writing import check_writable, write_text

    _check(level, safe_harbor=safe_harbor, zip_populations=zip_populations, like=like)
    if output is not None:
        check_writable(output)
    with an.read(
        source,
        quasi_identifiers=quasi_identifiers or (),
        sensitive=sensitive or (),
        person=person,
        direct_identifiers=direct_identifiers or (),
        household=household,
        hierarchies=assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance diagnosis=diagnoses.csv)"),
        roles=roles,
        rows=rows,
        **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
    ) as data:
        if accept_suggestions:
            with progress_bar(quiet=quiet) as progress:
                data.accept(an.suggest(data, progress=progress))
        made = (
            an.safe_harbor_recipe(data, zip_populations=zip_populations) if level is None else _of_level(data, level, like, output, source)
        )
    if output is None:
        print_text(made.to_toml())
    else:
        write_text(output, made.to_toml())
        release = "RELEASE" if source == "-" else f"release{Path(source).suffix if Path(source).suffix in ('.csv', '.parquet') else '.csv'}"
        typer.echo(
            f"Recipe: {output}. Read the comments, change what is wrong, then: "
            + shlex.join(["anonscope", "apply", str(output), source, "-o", str(release)]),
            err=True,
        )


def _check(level: Level | None, *, safe_harbor: bool, zip_populations: Path | None, like: list[str] | None) -> None:
    from anonscope.errors import OptionError

    if (level is None) != safe_harbor:
        raise OptionError("Say which recipe: either --level P1, P2 or P3, or --safe-harbor.")
    if zip_populations is not None and not safe_harbor:
        raise OptionError("--zip-populations is about --safe-harbor; a level does not use it.")
    if like and safe_harbor:
        raise OptionError("--like is about --level; Safe Harbor does not use it.")


def _of_level(data: "Data", level: Level, like: list[str] | None, output: Path | None, source: str) -> "Recipe":
    import anonscope as an
    from anonscope.errors import RoleError

    if not data.roles.attributes:
        raise RoleError(
            "No quasi-identifier is given, and a level changes nothing on a guess. Name the columns (-q, -s, -d), give --roles FILE, "
            f"or say --accept-suggestions; to see what would be proposed: anonscope suggest {source}"
        )
    kinds = assignments(like, "A kind is given as COLUMN=KIND (for instance charges=income)", split_last=True)
    return an.level_recipe(data, level.value, like=kinds, folder=output.parent if output is not None else None)

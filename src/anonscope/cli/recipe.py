"""`anonscope recipe`: a ready recipe for a table, to read, change and apply."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import print_text
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import accept, opened
from anonscope.operations.wishes.columns import Alike, Ready
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Quiet
from anonscope.operations.wishes.policy import ZipPopulations
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Proposed, RoleWishes
from anonscope.operations.wishes.words import said

if TYPE_CHECKING:
    from anonscope.operations.read import Data
    from anonscope.transform.recipe import Recipe

RecipeOutput = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the recipe to a file; else it is printed.")
]


@flattened
def recipe(
    source: opt.Source,
    *,
    ready: Ready,
    zip_populations: ZipPopulations,
    alike: Alike,
    output: RecipeOutput = None,
    roles: RoleWishes,
    proposed: Proposed,
    reading: Reading,
    quiet: Quiet,
    resources: Resources,
) -> None:
    """Make a ready recipe for a table: a pseudonymisation level, or HIPAA's Safe Harbor. The table is not changed.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope recipe patients.csv --level P2 -q age -q zip -s diagnosis -d name -o recipe.toml
    """
    import anonscope as an
    from anonscope.io.writing import check_writable, write_text

    _check(ready.level, safe_harbor=ready.safe_harbor, zip_populations=zip_populations.zip_populations, like=alike.like)
    if output is not None:
        check_writable(output)
    with opened(source, roles, reading, resources) as data:
        with progress_bar(quiet=quiet.quiet) as progress:
            accept(data, proposed, progress)
        if ready.level is None:
            made = an.safe_harbor_recipe(data, **said(zip_populations))
        else:
            made = _of_level(data, ready.level, alike.like, output, source)
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


def _check(level: str | None, *, safe_harbor: bool, zip_populations: object, like: Mapping[str, str] | None) -> None:
    from anonscope.errors import OptionError

    if (level is None) != safe_harbor:
        raise OptionError("Say which recipe: either --level P1, P2 or P3, or --safe-harbor.")
    if zip_populations is not None and not safe_harbor:
        raise OptionError("--zip-populations is about --safe-harbor; a level does not use it.")
    if like and safe_harbor:
        raise OptionError("--like is about --level; Safe Harbor does not use it.")


def _of_level(data: "Data", level: str, like: Mapping[str, str] | None, output: Path | None, source: str) -> "Recipe":
    import anonscope as an
    from anonscope.errors import RoleError

    if not data.roles.attributes:
        raise RoleError(
            "No quasi-identifier is given, and a level changes nothing on a guess. Name the columns (-q, -s, -d), give --roles FILE, "
            f"or say --accept-suggestions; to see what would be proposed: anonscope suggest {source}"
        )
    return an.level_recipe(data, level, like=like, folder=output.parent if output is not None else None)

"""`anonscope apply`: carry out a recipe, and publish the release with its manifest and its archive."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import print_text
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Resources, SparkWishes
from anonscope.operations.wishes.output import Quiet
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Acknowledging, RoleWishes

RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="TOML file with the steps, in order.")]


@flattened
def apply(
    recipe: RecipeFile,
    source: opt.Source,
    *,
    release: opt.ReleaseFileOrUri,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    force: opt.Force = False,
    reading: Reading,
    quiet: Quiet,
    resources: Resources,
    spark: SparkWishes,
) -> None:
    """Carry out a recipe: write the release, read it back, and put it in place with a manifest and an archive of how it was made.

    The ending of the release's name tells its format: .csv, .tsv, .parquet, .arrow. Nothing is written when anything is wrong.
    Spark writes a folder of parts, also to a storage that it reaches (s3a://bucket/release.parquet).

    What looks like a direct identifier and is not changed by a step is refused, until -i says that it is none. With --roles, all columns
    without a role need a word, as for `anonymise`; without, they are named.

    Exits 0, 1 if a word is missing or what is written breaks a limit that the recipe meets (nothing is, then), 2 if the input is unusable.

    Example: anonscope apply recipe.toml patients.csv -o release.csv
    """
    import anonscope as an
    from anonscope.transform.recipe import load_recipe
    from anonscope.transform.release.writing import check_release, is_elsewhere

    steps = load_recipe(recipe)
    check_release(release, force=force, parts=spark.engine == "spark")
    with opened(source, roles, acknowledging, reading, resources, spark) as data, progress_bar(quiet=quiet.quiet) as progress:
        made = an.apply(steps, data, progress=progress).looked_at()
        made.save(release, force=force)
    print_text(made.to_text())
    apart = "" if is_elsewhere(release) else f" {release}.archive is not for others."
    typer.echo(f"Release: {release}, with its manifest.{apart} Now audit what will be released.", err=True)

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
from anonscope.operations.wishes.output import Quiet, Released
from anonscope.operations.wishes.policy import Publishing
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.registering import Registered
from anonscope.operations.wishes.roles import Acknowledging, RoleWishes
from anonscope.operations.wishes.words import said

RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="TOML file with the steps, in order.")]


@flattened
def apply(
    recipe: RecipeFile,
    source: opt.Source,
    *,
    release: opt.ReleaseFileOrUri,
    roles: RoleWishes,
    acknowledging: Acknowledging,
    publishing: Publishing,
    written: Released,
    reading: Reading,
    registered: Registered,
    quiet: Quiet,
    resources: Resources,
    spark: SparkWishes,
) -> None:
    """Carry out a recipe: write the release, read it back, and put it in place with a manifest and an archive of how it was made.

    The ending of the release's name tells its format: .csv, .tsv, .parquet, .arrow. Nothing is written when anything is wrong.
    Spark writes a folder of parts, also to a storage that it reaches (s3a://bucket/release.parquet).

    What is left of a direct identifier is refused, unless it is a pseudonym, the same for all, or shared by a group of people as large as
    the policy asks for (11 without one); -i says that what looks like one is none. With roles, all columns
    without a role need a word, as for `anonymise`; without, they are named.

    Exits 0; 4 if exceptions that the recipe or the policy states were used (the release is written, and says so); 1 if a word is missing,
    --policy is not met, or what is written breaks a limit of the recipe (nothing is written, then); 2 if the input cannot be used.

    Example: anonscope apply recipe.toml patients.csv -o release.csv
    """
    import anonscope as an
    from anonscope.operations.register import registration_of
    from anonscope.risk.policy import load as load_policy
    from anonscope.transform.recipe import load_recipe
    from anonscope.transform.release.writing import check_release, is_elsewhere

    registration = registration_of(registered)
    steps = load_recipe(recipe)
    judged_by = load_policy(publishing.policy) if publishing.policy is not None else None
    check_release(release, force=written.force, parts=spark.engine == "spark")
    with opened(source, roles, acknowledging, reading, resources, spark) as data, progress_bar(quiet=quiet.quiet) as progress:
        made = an.apply(steps, data, progress=progress).looked_at(judged_by)
        made.save(release, policy=judged_by, registration=registration, **said(written))
    print_text(made.to_text())
    apart = "" if is_elsewhere(release) else f" {release}.archive is not for others."
    then = " Now audit what will be released." if judged_by is None else f" It meets the policy {judged_by.name}."
    typer.echo(f"Release: {release}, with its manifest.{apart}{'' if made.exceptions else then}", err=True)
    raise typer.Exit(made.exit_code)

"""`anonscope apply`: carry out a recipe and write the release with its manifest."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import print_text
from anonscope.cli.progress import progress_bar

RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="TOML file with the steps, in order.")]


def apply(
    recipe: RecipeFile,
    source: opt.Source,
    release: opt.ReleaseFileOrUri,
    force: opt.Force = False,
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
    engine: opt.EngineOption = None,
    spark_master: opt.SparkMaster = None,
    spark_conf: opt.SparkConf = None,
    spark_staging: opt.SparkStaging = None,
) -> None:
    """Carry out a recipe: write the release, and beside it a manifest of how it was made.

    The ending of the release's name tells its format: .csv, .tsv, .parquet, .arrow. Nothing is written when anything is wrong.
    Spark writes a folder of parts, also to a storage that it reaches (s3a://bucket/release.parquet).

    Exits 0, or 2 if the recipe or the table cannot be used.

    Example: anonscope apply recipe.toml patients.csv -o release.csv
    """
    import anonscope as an
    from anonscope.manifest import manifest_path
    from anonscope.transform.recipe import load_recipe
    from anonscope.transform.release import check_release, is_elsewhere

    steps = load_recipe(recipe)
    beside = None if is_elsewhere(release) else manifest_path(Path(release))
    check_release(release, beside, force=force, parts=engine == opt.EngineName.spark)
    with (
        an.read(
            source,
            rows=rows,
            **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
            **opt.elsewhere(engine, spark_master, spark_conf, spark_staging),
        ) as data,
        progress_bar(quiet=quiet) as progress,
    ):
        made = an.apply(steps, data, progress=progress)
        made.save(release, force=force)
    print_text(made.to_text())
    typer.echo(f"Release: {release}. Manifest: {beside or f'{release}.manifest.json'}. Now audit what will be released.", err=True)

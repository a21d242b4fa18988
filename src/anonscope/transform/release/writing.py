"""Carry out a recipe, count what it changed, and write the table that it made."""

import os
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from anonscope.engines.spark.engine import Spark
from anonscope.errors import OutputError, shown
from anonscope.io.sources.relation import FileLabels
from anonscope.io.statistical_writing import PROGRAMS, write_statistical
from anonscope.io.writing import check_folder, check_writable
from anonscope.transform.release.formulas import marked
from anonscope.transform.release.manifest import HIERARCHIES, MANIFEST, RECIPE, archive_path, manifest_path
from anonscope.transform.table import PrivateFile, Table

RELEASE_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".sav": "spss",
    ".dta": "stata",
}
_OF_SPARK = ("csv", "tsv", "parquet")


def release_format(path: Path | str, *, parts: bool = False) -> str:
    """Return the format that the ending of a release's name asks for; in `parts` not every one can be written."""
    form = RELEASE_FORMATS.get(PurePath(path).suffix.lower())
    if form is None:
        raise OutputError(
            f"The ending of {shown(PurePath(path).name)} does not tell the format of a release. Use {', '.join(RELEASE_FORMATS)}."
        )
    if parts and form not in _OF_SPARK:
        raise OutputError(f"{shown(path)} cannot be written by Spark, which has no such format. Use .parquet, .csv or .tsv.")
    return form


def is_elsewhere(path: Path | str) -> bool:
    """Return whether a release goes to a storage that only Spark reaches, such as s3a://bucket/release.parquet."""
    return isinstance(path, str) and "://" in path


def check_release(path: Path | str, *, force: bool, parts: bool) -> None:
    """Raise now if a release and its papers could not be written later, or would replace what nobody asked to replace."""
    release_format(path, parts=parts)
    if is_elsewhere(path):
        if not parts:
            raise OutputError(f"{shown(path)} is on a storage that only Spark reaches. Say --engine spark, or write to a file.")
        return
    target = Path(path)
    if parts:
        check_folder(target, force=force)
    else:
        check_targets(target, force=force)
    check_targets(manifest_path(target), force=force)
    check_archive(archive_path(target), force=force)


def check_archive(folder: Path, *, force: bool) -> None:
    """Raise if what only its owner may see could not be written, or would replace something else."""
    if not folder.exists():
        return
    if not force:
        raise OutputError(f"{shown(folder)} exists. Say --force (force=True) to replace it, or give another name.")
    if not folder.is_dir() or any(entry.name not in (MANIFEST, RECIPE, HIERARCHIES) for entry in folder.iterdir()):
        raise OutputError(f"{shown(folder)} holds other things than the papers of a release, so it is not replaced.")


def write_release(
    table: Table,
    path: Path | str,
    *,
    delimiter: str = ",",
    form: str | None = None,
    mark: bool = False,
    labels: FileLabels | None = None,
) -> None:
    """Write the table to a new file, or on Spark to a new folder of parts; nothing else, and not in one step.

    `labels` are those of the file that it was made of, for formats that have such.
    """
    form = form or release_format(path, parts=table.engine.remote)
    written, sign = ("csv", "\t") if form == "tsv" else (form, delimiter)
    select = table.select(text=written == "csv", cell=partial(marked, text=table.engine.text) if mark else None)
    if isinstance(table.engine, Spark):
        table.engine.write(select, path, written, sign)
        if isinstance(path, Path) and not any(part.name.startswith("part-") for part in (path.iterdir() if path.is_dir() else ())):
            raise OutputError(f"The workers of Spark wrote {shown(path)} where this machine does not see it. Give a folder that all see.")
        return
    if form in PROGRAMS:
        write_statistical(table.engine.batches(select), table.names, Path(path), form, labels)
        return
    table.engine.write(select, Path(path), written, sign)


def write_private(file: PrivateFile, table: Table, path: Path) -> None:
    """Write rows that are kept apart from the release to a new file that only its owner may read."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    _write_private(table.engine.batches(file.select), path)


def _write_private(reader: Any, path: Path) -> None:
    """Write rows as CSV through a file that is private already; an engine would make one of its own for a moment."""
    from pyarrow import csv

    with open(path, "wb") as file, csv.CSVWriter(file, reader.schema, write_options=csv.WriteOptions(quoting_style="needed")) as writer:
        for batch in reader:
            writer.write_batch(batch)


def check_targets(*paths: Path, force: bool) -> None:
    """Raise now if a file could not be written later, or would replace one that nobody asked to replace."""
    for path in paths:
        check_writable(path)
        if path.exists() and not force:
            raise OutputError(f"{shown(path)} exists. Say --force (force=True) to replace it, or give another name.")

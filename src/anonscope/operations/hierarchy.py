"""Hierarchies for the columns of a table: the public functions."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.hierarchy.edited import edited_document
from anonscope.columns.hierarchy.for_columns import hierarchies_for
from anonscope.errors import OptionError, OutputError, RoleError, shown
from anonscope.io.placing import Move, Staging, recover
from anonscope.io.writing import check_writable, open_mode, write_text
from anonscope.operations.read import Data

_SUFFIX = ".hierarchy.csv"


def build_hierarchies(data: Data, columns: Iterable[str] | None = None) -> dict[str, Hierarchy]:
    """Return a hierarchy for each of these columns, by default for all quasi-identifiers.

    Those that `read` was given are read and must cover their column; the others are made from the values, by their type and meaning.
    """
    if not isinstance(data, Data):
        raise OptionError("build_hierarchies() takes what read() returns: an.build_hierarchies(an.read(source, quasi_identifiers=[...]))")
    if isinstance(columns, str):
        raise RoleError(f"columns takes a list of column names; write [{columns!r}], not {columns!r}.")
    wanted = tuple(columns) if columns is not None else data.roles.attributes
    if not wanted:
        raise RoleError("No column is named and there is no quasi-identifier, so there is nothing to make a hierarchy for.")
    return hierarchies_for(data.engine, data.relation, wanted, data.roles.hierarchies, data.rows)


def files_for(folder: Path, columns: Iterable[str], *, force: bool = False) -> dict[str, Path]:
    """Return the file that the hierarchy of each column goes to, or say why it cannot; files that exist stay unless `force` says so."""
    if not folder.is_dir():
        raise OutputError(f"The folder {shown(folder)} does not exist. Make it first.")
    recover([folder])
    files: dict[str, Path] = {}
    for column in columns:
        # A column may be called anything, a file may not.
        stem = re.sub(r"[^\w-]+", "_", column).strip("_")[:100] or "column"
        taken = {path.name.lower() for path in files.values()}
        names = (f"{stem}{_SUFFIX}", *(f"{stem}_{i}{_SUFFIX}" for i in range(2, len(files) + 3)))
        files[column] = folder / next(name for name in names if name.lower() not in taken)
    existing = sum(path.exists() for path in files.values())
    if existing and not force:
        raise OutputError(f"{existing} of the files exist already in {shown(folder)}. Choose another folder, or say --force.")
    for path in files.values():
        check_writable(path)
    return files


def save_hierarchies(hierarchies: Mapping[str, Hierarchy], files: Mapping[str, Path]) -> dict[str, Path]:
    """Write each hierarchy to its file as ARX reads it, all or none; return what was written. One without any value has no file."""
    written = {column: files[column] for column, hierarchy in hierarchies.items() if hierarchy.leaves}
    if not written:
        return {}
    with Staging(next(iter(written.values())).parent) as staging:
        made = {column: staging.beside(path) for column, path in written.items()}
        try:
            for column, path in made.items():
                path.write_bytes(hierarchies[column].to_csv().encode())
                open_mode(path)
        except OSError as error:
            raise OutputError(f"Hierarchies cannot be written to {shown(staging.parent)}: {error.strerror}.") from None
        last = list(written)[-1]
        staging.place([Move(made[column], path, last=column == last) for column, path in written.items()])
    return written


def file_to_edit(path: str | Path, *, force: bool = False) -> Path:
    """Return the file that hierarchies to edit go to, or say why they cannot; one that exists stays unless `force` says so."""
    target = Path(path)
    if target.suffix.lower() != ".toml":
        raise OptionError("Hierarchies to edit are written as TOML; give the file a name that ends in .toml.")
    if target.exists() and not force:
        raise OutputError(f"{shown(target)} exists already. Choose another name, or say --force.")
    check_writable(target)
    return target


def edit_hierarchies(
    hierarchies: Mapping[str, Hierarchy],
    path: str | Path,
    *,
    force: bool = False,
    labels: Mapping[str, Mapping[str, str]] | None = None,
) -> Path:
    """Write the hierarchies of all columns to one TOML file that people read and change; it holds values of the table.

    `labels` say what the codes of columns stand for, as a file of SPSS or Stata does: they stand there to name groups by.
    """
    target = file_to_edit(path, force=force)
    named = {column: hierarchy for column, hierarchy in hierarchies.items() if hierarchy.leaves}
    if not named:
        raise OutputError("None of the columns has a value, so there is nothing to write.")
    write_text(target, edited_document(named, labels))
    return target

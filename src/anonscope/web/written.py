"""Where the releases of a table go: in every format that is offered, each with papers of its own, because each is judged by itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Query

from anonscope.errors import RequestRefused
from anonscope.web.stored import StoredTable
from anonscope.web.versions import place

Format = Annotated[Literal["csv", "parquet"], Query(description="In which of the formats that were written and judged.")]


def written(table: StoredTable, write: Callable[[Path], object]) -> Path:
    """Write a release as Parquet and as CSV, each read back and judged, and return where the CSV is; one that fails is none at all."""
    release = place(table)
    # The last one is what printed recipes speak of.
    for path in (release.with_suffix(".parquet"), release):
        write(path)
    return release


def release_of(table: StoredTable, format: str = "csv") -> Path:
    """Return the release of a table in a format; raise if there is none."""
    if table.release is None:
        raise RequestRefused("There is no release: the table was not anonymised yet, or the policy was not met.", 409)
    return table.release.with_suffix(f".{format}")

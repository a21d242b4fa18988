"""Ready recipes, made from what the columns of a table are: pseudonymisation levels and HIPAA's Safe Harbor."""

from collections.abc import Mapping
from pathlib import Path

from anonscope.columns.suggestion.safe_harbor import read_zip_populations
from anonscope.errors import OptionError
from anonscope.operations.read import Data
from anonscope.transform.ready.levels import make_level_recipe
from anonscope.transform.ready.safe_harbor import make_safe_harbor_recipe
from anonscope.transform.recipe import Recipe


def level_recipe(data: Data, level: str, *, like: Mapping[str, str] | None = None, folder: str | Path | None = None) -> Recipe:
    """Return the recipe of a pseudonymisation level, P1 (weak), P2 or P3 (strong), for a table with roles.

    `like` says which column is treated like an age, zip, income or diagnosis, where its name does not. Files that the recipe names are
    seen from `folder`, the one in which the recipe will stand; by default the current one.
    """
    _check(data)
    seen_from = Path(folder) if folder is not None else None
    return make_level_recipe(data.engine, data.relation, data.roles, level, like=like, rows=data.rows, folder=seen_from)


def safe_harbor_recipe(data: Data, *, zip_populations: str | Path | None = None) -> Recipe:
    """Return the recipe after which a table passes the checks of HIPAA's Safe Harbor.

    `zip_populations` is a CSV file of the first three digits of ZIP codes and the people who live there; without it every ZIP code
    becomes 000.
    """
    _check(data)
    populations = read_zip_populations(Path(zip_populations)) if zip_populations is not None else None
    return make_safe_harbor_recipe(data.engine, data.relation, data.roles, zip_populations=populations, rows=data.rows)


def _check(data: Data) -> None:
    if not isinstance(data, Data):
        raise OptionError("This takes what read() returns: an.read(source, ...)")

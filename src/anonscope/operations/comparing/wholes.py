"""Releases whose records are not those of the original: read as wholes, and said to be."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from anonscope.columns.roles import Roles
from anonscope.engines import DuckDB, Engine
from anonscope.io.sources import Relation, open_source
from anonscope.utility.unpaired import Unpaired, unpaired


def tables_of(
    beside: AbstractContextManager[tuple[Engine, Relation, Relation]],
    columns: Sequence[str],
    roles: Roles,
    *,
    target: str | None,
    seed: int,
    held_out: str | Path | None,
) -> Unpaired:
    """Return original and release in common codes; `held_out` is a table of other people, on whom a model is tested."""
    with beside as (engine, before, after), _opened(held_out, engine) as aside:
        return unpaired(
            engine,
            before,
            after,
            columns,
            held_out=aside,
            keys=roles.attributes,
            sensitive=roles.sensitive,
            target=target,
            seed=seed,
        )


def as_whole(tables: Unpaired, *, synthetic: bool, sorted_away: bool = False) -> str:
    """Say that a release was compared as a whole, and why."""
    before, after = tables.records
    why = "as was asked" if synthetic else "their number differs" if before != after else "they have no more in common than chance gives"
    if sorted_away and not synthetic:
        why = "it is sorted, and no recipe is known that makes the same records again"
    read = ""
    if tables.recoded:
        read = " Labels are read record by record, so figures about recoded columns are the worst that can be, and there is no balance."
    return (
        f"its {after:,} records do not correspond to the {before:,} of the original ({why}), so both were compared as wholes, and what "
        "looks at single records is not measured. If they do correspond, name a column that tells them apart in both "
        f"(--key COLUMN, key=...).{read}"
    )


@contextmanager
def _opened(source: str | Path | None, like: Engine) -> Iterator[tuple[Engine, Relation] | None]:
    if source is None:
        yield None
        return
    engine = DuckDB.like(like)
    try:
        yield engine, open_source(source, engine)
    finally:
        engine.close()

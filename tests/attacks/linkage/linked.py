"""How linkage tests link, and the slow, obvious version: every released record compared with every external one."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pyarrow as pa

from anonscope.attacks.linkage import Linkage, Matches, link_tables, match_tables, pair_columns
from anonscope.columns.images import Everything, Image, read_image
from anonscope.engines.duckdb import DuckDB
from anonscope.io.sources import open_source

Records = list[dict[str, str | None]]


def table(records: Records) -> pa.Table:
    """Return records as an Arrow table of texts."""
    return pa.table({name: pa.array([record[name] for record in records], type=pa.string()) for name in records[0]})


@cache
def engines() -> tuple[DuckDB, DuckDB]:
    """Return an engine for releases and one for external tables; opening one takes longer than linking tables of a dozen records."""
    return DuckDB(threads=1), DuckDB(threads=1)


def linked(release: pa.Table, external: pa.Table, columns: Mapping[str, str] | None = None, **given: Any) -> Linkage:
    """Link two Arrow tables, each on an engine of its own."""
    ours, theirs = engines()
    return link_tables(ours, open_source(release, ours), open_source(external, theirs), columns, external_engine=theirs, **given)


def matched(release: pa.Table, external: pa.Table, columns: Mapping[str, str] | None = None, **given: Any) -> Matches:
    """Match two Arrow tables, each on an engine of its own."""
    ours, theirs = engines()
    one, other = open_source(release, ours), open_source(external, theirs)
    return match_tables(ours, one, other, pair_columns(one.names, other.names, columns), external_engine=theirs, **given)


def slow_counts(
    release: Records, external: Records, missing: str = "value", image_of: Callable[[str | None], Image] = read_image
) -> tuple[list[int], list[int]]:
    """Return for every released record how many external ones it may be, and the other way round."""

    def agree(ours: str | None, theirs: str | None) -> bool:
        image = image_of(ours)
        if missing == "anything" and (ours is None or theirs is None):
            return True
        return isinstance(image, Everything) or image.contains(theirs)

    def fits(one: dict[str, str | None], other: dict[str, str | None]) -> bool:
        return all(agree(one[name], other[name]) for name in one)

    return (
        [sum(fits(one, other) for other in external) for one in release],
        [sum(fits(one, other) for one in release) for other in external],
    )

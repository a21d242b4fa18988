"""Ids of people that differ only by how they are written: `pat7`, `Pat7` and `PAT7 ` are three ids as written, and one person perhaps."""

from dataclasses import dataclass

from anonscope.columns.as_seen import as_seen
from anonscope.engines import Engine
from anonscope.errors import NotPublished, shown
from anonscope.io.sources import Relation

# Of more ids than this, with letters beyond ASCII among them, only blanks and case are made one.
_MOST_IDS = 200_000


@dataclass(frozen=True, slots=True)
class WrittenIds:
    """How many ids a column has as written, and how many as a reader sees them."""

    column: str
    values: int
    seen: int

    @property
    def sentence(self) -> str:
        """What a reader must know of it."""
        return (
            f"{shown(self.column)} has {self.values:,} ids, and {self.seen:,} if blanks, case and forms of letters tell none apart: one "
            "person may be counted as several, and what is said of people is not so then."
        )


def written_ids(engine: Engine, relation: Relation, column: str, rows: int | None = None) -> WrittenIds | None:
    """Return how many ids of a column are one as a reader sees them; None if all differ in more, are no text or stay elsewhere."""
    position = relation.position(column)
    if engine.remote or relation.columns[position].type != "VARCHAR":
        return None
    origin = relation.origin if rows is None else f"(SELECT * FROM {relation.origin} LIMIT {rows}) AS limited"
    found = seen_values(engine, f"c{position}", origin)
    return WrittenIds(column, *found) if found[1] < found[0] else None


def seen_values(engine: Engine, text: str, origin: str) -> tuple[int, int]:
    """Return how many values a column of text has as written and as seen."""
    ((values, plain, others),) = engine.rows(
        f"SELECT COUNT(DISTINCT v) AS n, COUNT(DISTINCT LOWER(REPLACE(v, ' ', ''))) AS m, "
        f"COALESCE(MAX(CASE WHEN REGEXP_MATCHES(v, '[^ -~]') THEN 1 ELSE 0 END), 0) AS o FROM (SELECT {text} AS v FROM {origin}) AS ids"
    )
    if others and values <= _MOST_IDS:
        # Only signs beyond plain ones have forms that an engine does not know.
        plain = len({as_seen(v) for (v,) in engine.rows(f"SELECT DISTINCT {text} AS v FROM {origin}") if v is not None})
    return int(values), int(plain)


def check_written_ids(engine: Engine, relation: Relation, column: str, said: str | None, rows: int | None = None) -> None:
    """Raise if people would be counted by how their ids are written, and nobody said why these differ."""
    if said is None and (found := written_ids(engine, relation, column, rows)) is not None:
        raise NotPublished(
            f"Withheld, and nothing was written: {found.sentence} Make them one, or say why they differ "
            f"(--acknowledge {column}=REASON, acknowledge)."
        )

"""What a column is like: counts over all records, and the shape of a stated number of its values.

Every column is counted once. Numbers of records, of distinct and of missing values, and everything that follows from how often
values occur, are exact. What values look like is judged by a stated number of distinct values of a column: all of them where there
are no more, otherwise some of those in a sample of records, chosen by their MD5, which is the same choice on every run. Where
records stay elsewhere and have no order, the sample has those whose MD5 comes first, and values are chosen among all of a column.

    source(c0, c1, ..)          the columns as they are
    record_sample(c0, c1, ..)   every so manieth record, the beginnings of its values as canonical text
    counted(v, n)               the values of one column, and how many records have each
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from anonscope.columns.as_seen import made_plain
from anonscope.columns.suggestion.terms import placeholders, plain
from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.values import canonical
from anonscope.errors import RoleError
from anonscope.io.sources import Relation
from anonscope.io.sources.unreadable import unreadable

# Distinct values looked at: per column, and over all columns of a wide table.
VALUES = 1_000
VALUES_IN_ALL = 100_000
_FEWEST_VALUES = 60
# Cells may be long; their beginning tells what they are.
_CUT = 200
# With more columns than this, opening a file or a frame anew for each of them takes longer than storing it once.
_WIDE = 100
# The sample: so many records, and fewer of a wide table.
_RECORDS = 20_000
_CELLS = 1_000_000
# So many columns are counted by one statement where records are few.
_TOGETHER = 25


@dataclass(frozen=True, slots=True)
class Looked:
    """One distinct value that was looked at: its beginning, how many records have it, how long it is."""

    text: str
    count: int
    length: int


@dataclass(frozen=True)
class Profile:
    """Facts about one column. `sizes` says how many values occur how often; a missing value counts as a value."""

    name: str
    position: int
    kind: str
    records: int
    missing: int
    sizes: tuple[tuple[int, int], ...]
    longest: int
    # Held only while the suggestion is made: these are values of the data.
    looked: tuple[Looked, ...] = field(repr=False)
    nested: bool = False
    # Whether the records are numbered by it, one after the other as they stand.
    running: bool = False

    @cached_property
    def distinct(self) -> int:
        """Distinct values, the missing one included."""
        return sum(values for _, values in self.sizes)

    @property
    def values(self) -> int:
        """Distinct values that are not missing."""
        return self.distinct - (1 if self.missing else 0)

    @property
    def missing_share(self) -> float:
        return self.missing / self.records

    @property
    def alone(self) -> int:
        """Records whose value nobody else has."""
        return sum(values for size, values in self.sizes if size == 1)

    @property
    def commonest_share(self) -> float:
        return max((size for size, _ in self.sizes), default=0) / self.records

    @property
    def constant(self) -> bool:
        return self.distinct <= 1

    @property
    def unique(self) -> bool:
        """Whether no two records share a value, missing ones aside."""
        return self.values > 1 and self.values == self.records - self.missing

    @property
    def complete(self) -> bool:
        """Whether every value was looked at."""
        return len(self.looked) == self.values

    @cached_property
    def telling(self) -> tuple[Looked, ...]:
        """The values looked at that do not stand for a missing one."""
        return tuple(v for v in self.looked if plain(v.text.strip()) not in placeholders())


def open_columns(engine: Engine, relation: Relation, rows: int | None) -> int:
    """Make `source` and `record_sample`, and return how many records there are. Text is stored, so that it is parsed once.

    Where records stay elsewhere a sample takes a pass over all of them, so who needs one calls `sample_records`.
    """
    names = ", ".join(f"c{i}" for i in range(len(relation.columns)))
    limit = f" LIMIT {rows}" if rows is not None else ""
    select = f"SELECT {names} FROM {relation.origin}{limit}"
    if not relation.stage and rows is None and (engine.remote or len(relation.columns) <= _WIDE):
        engine.define("source", select)
    else:
        try:
            # In order, so that the sample of records is the same on every run.
            engine.stage("source", select, large=relation.large and rows is None, ordered=True)
        except UnreadableLine as error:
            raise unreadable(relation, error) from None
    ((records,),) = engine.rows("SELECT COUNT(*) AS n FROM source")
    if not engine.remote:
        sample_records(engine, relation, int(records))
    return int(records)


def sample_records(engine: Engine, relation: Relation, records: int) -> None:
    """Make `record_sample` of `source`, which has so many records."""
    names = ", ".join(f"c{i}" for i in range(len(relation.columns)))
    wanted = max(1, min(records, _RECORDS, _CELLS // len(relation.columns)))
    step = -(-records // wanted)
    origin = "source"
    if step > 1 and engine.remote:
        # Records that are the same in everything come together; a set of columns tells them apart as little as the sample does.
        texts = [text for i in range(len(relation.columns)) if (text := _text(relation, i, f"c{i}"))]
        whole = " || ".join(f"COALESCE('x' || {text}, '') || ';'" for text in texts)
        origin = f"(SELECT {names} FROM source ORDER BY MD5({whole}) LIMIT {wanted}) AS chosen"
    elif step > 1:
        origin = f"(SELECT {names} FROM (SELECT {names}, ROW_NUMBER() OVER () AS r FROM source) AS numbered WHERE r % {step} = 0) AS chosen"
    cut = ", ".join(
        f"SUBSTR({text}, 1, {_CUT}) AS c{i}" if (text := _text(relation, i, f"c{i}")) else f"CAST(NULL AS VARCHAR) AS c{i}"
        for i in range(len(relation.columns))
    )
    engine.stage("record_sample", f"SELECT {cut} FROM {origin}", large=False, ordered=True)


def _text(relation: Relation, position: int, value: str) -> str | None:
    """Return the canonical text of a column, or None if its values are nested."""
    column = relation.columns[position]
    try:
        return canonical(value, column.type, column.name)
    except RoleError:
        return None


def profiles(engine: Engine, relation: Relation, records: int, *, stored: bool = False) -> Iterator[Profile]:
    """Yield the profile of every column of `source`; if `stored`, `counted` has the values of the column until the next is asked for."""
    wanted = values_per_column(len(relation.columns))
    texts = {position: text for position in range(len(relation.columns)) if (text := _text(relation, position, "v")) is not None}
    # No more values than are looked at: one statement tells all of many columns. Elsewhere nothing is fetched for several at once.
    few = records <= wanted and not engine.remote
    small = _small(engine, relation, texts) if few else {}
    for position, column in enumerate(relation.columns):
        if position not in texts:
            yield Profile(column.name, position, column.type, records, 0, (), 0, (), nested=True)
        elif few:
            if stored:
                engine.stage("counted", _counted(position, column.type, texts[position]), large=False, ordered=False)
            yield _of_all(column.name, position, column.type, small.get(position, []))
        else:
            yield _profile(engine, column.name, position, column.type, texts[position], wanted, records)


def _small(engine: Engine, relation: Relation, texts: Mapping[int, str]) -> dict[int, list[Any]]:
    """Return all values of columns with how many records have each, the commonest first, and how long they are."""
    found: dict[int, list[Any]] = {position: [] for position in texts}
    positions = list(texts)
    for start in range(0, len(positions), _TOGETHER):
        counts = " UNION ALL ".join(
            f"SELECT {p} AS i, v, n FROM ({_counted(p, relation.columns[p].type, texts[p])}) AS c{p}"
            for p in positions[start : start + _TOGETHER]
        )
        chosen = f"SELECT i, SUBSTR(v, 1, {_CUT}) AS b, n, LENGTH(v) AS length FROM ({counts}) AS counts ORDER BY i, n DESC, v"
        for position, *row in engine.rows(chosen):
            found[int(position)].append(row)
    return found


def _of_all(name: str, position: int, kind: str, every: Sequence[Sequence[Any]]) -> Profile:
    """Return the profile of a column of which all values were fetched."""
    counts = Counter(int(n) for _, n, _ in every)
    return Profile(
        name=name,
        position=position,
        kind=kind,
        records=sum(n * m for n, m in counts.items()),
        missing=sum(int(n) for v, n, _ in every if v is None),
        sizes=tuple(sorted(counts.items())),
        longest=max((int(length) for _, _, length in every if length is not None), default=0),
        looked=tuple(Looked(made_plain(v), int(n), int(length)) for v, n, length in every if v is not None),
    )


def values_per_column(columns: int) -> int:
    """Return how many distinct values of each column are looked at."""
    return max(_FEWEST_VALUES, min(VALUES, VALUES_IN_ALL // columns))


def _counted(position: int, kind: str, text: str) -> str:
    """Return the statement that counts the values of a column."""
    if kind in ("DOUBLE", "FLOAT", "REAL"):
        # Only here may different values of the engine be one value of ours: minus zero, NaN.
        return f"SELECT v, COUNT(*) AS n FROM (SELECT {text} AS v FROM (SELECT c{position} AS v FROM source) AS s) AS x GROUP BY v"
    return f"SELECT {text} AS v, n FROM (SELECT c{position} AS v, COUNT(*) AS n FROM source GROUP BY c{position}) AS x"


def _profile(engine: Engine, name: str, position: int, kind: str, text: str, wanted: int, records: int) -> Profile:
    # Counts need no order, and giving it up lets all cores write.
    engine.stage("counted", _counted(position, kind, text), large=False, ordered=False)
    beginning = f"SELECT SUBSTR(v, 1, {_CUT}) AS v, n, LENGTH(v) AS length FROM counted"
    facts = engine.rows(
        "SELECT n, COUNT(*) AS m, COALESCE(SUM(CASE WHEN v IS NULL THEN n ELSE 0 END), 0) AS missing, "
        "COALESCE(MAX(LENGTH(v)), 0) AS longest FROM counted GROUP BY n ORDER BY n"
    )
    sizes = tuple((int(n), int(m)) for n, m, _, _ in facts)
    values = sum(m for _, m in sizes)
    beginning += " WHERE v IS NOT NULL"
    if values <= wanted:
        chosen = f"{beginning} ORDER BY n DESC, v"
    elif engine.remote:
        chosen = f"{beginning} ORDER BY MD5(v) LIMIT {wanted}"
    else:
        chosen = (
            f"SELECT v, n, LENGTH(v) AS length FROM (SELECT c{position} AS v, COUNT(*) AS n FROM record_sample GROUP BY c{position}) AS x "
            f"WHERE v IS NOT NULL ORDER BY MD5(v) LIMIT {wanted}"
        )
    looked = engine.rows(chosen)
    return Profile(
        name=name,
        position=position,
        kind=kind,
        records=sum(n * m for n, m in sizes),
        missing=int(sum(missing for _, _, missing, _ in facts)),
        sizes=sizes,
        longest=int(max((longest for _, _, _, longest in facts), default=0)),
        looked=tuple(Looked(made_plain(v), int(n), int(length)) for v, n, length in looked),
    )

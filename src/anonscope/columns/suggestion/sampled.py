"""A sample of the records of a table, the same one for everything that looks at its columns in one run.

The sample is the same on every run. Of typed files and frames it is taken in three stretches, of text of up to 32 MB throughout, of
larger text, which would have to be parsed to its end, from the beginning. A column is read and thought about once, however many ask.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

from anonscope.columns.as_seen import decoded, made_plain
from anonscope.columns.suggestion.clues import Clues, clues_of
from anonscope.columns.suggestion.profile import Looked, Profile
from anonscope.columns.suggestion.vocabulary import Reader
from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.values import canonical
from anonscope.errors import RoleError
from anonscope.io.sources import Relation
from anonscope.io.sources.unreadable import unreadable

# So many records are looked at, and so many distinct values of a column among them; of wide tables fewer.
RECORDS = 1_000
_VALUES = 100
_ADDRESSES = 10
CELLS = 100_000
_FEWEST_RECORDS = 200
_STRETCHES = 3
_FEWEST_NUMBERED = 5
CUT = 200
# Of text that is parsed to its end: the first records, then every so manieth.
_FIRST, _STEP = 500, 211


class Sample:
    """Facts of columns in a sample of records, read where they are first asked for and kept."""

    def __init__(self, engine: Engine, relation: Relation, rows: int | None = None) -> None:
        self.engine, self.relation, self.rows = engine, relation, rows
        # Whether it has all records.
        self.whole = True
        self._profiles: dict[str, Profile | None] = {}
        self._clues: dict[str, Clues] = {}
        # The columns with a value in other letters than it seems to have.
        self.disguised: set[str] = set()

    @cached_property
    def reader(self) -> Reader:
        """What reads the names of the columns."""
        return Reader(self.relation.names)

    def profiles(self, columns: Iterable[str]) -> list[Profile]:
        """Return the facts of columns, but of nested ones."""
        wanted = tuple(dict.fromkeys(columns))
        if missing := [column for column in wanted if column not in self._profiles]:
            self._read(missing)
        return [found for column in wanted if (found := self._profiles[column]) is not None]

    def clues(self, columns: Iterable[str]) -> list[Clues]:
        """Return what names and values of columns say, but of nested ones."""
        profiles = self.profiles(columns)
        self._clues |= {p.name: clues_of(p, self.reader) for p in profiles if p.name not in self._clues}
        return [self._clues[profile.name] for profile in profiles]

    @cached_property
    def records(self) -> int:
        """How many records there are."""
        return int(self.engine.rows(f"SELECT COUNT(*) AS n FROM {self.origin}")[0][0])

    def values(self, texts: Sequence[str]) -> tuple[list[list[str | None]], bool]:
        """Return what SQL makes of columns in the sample, each a list, and whether these are all records."""
        wanted = max(_FEWEST_RECORDS, min(RECORDS, CELLS // len(texts)))
        listed = ", ".join(f"{text} AS v{i}" for i, text in enumerate(texts))
        try:
            if self.relation.stage and self.relation.large:
                found = _fetched(self.engine, [f"SELECT {listed} FROM {self.origin} LIMIT {wanted + 1}"])
                return found, len(found[0]) <= wanted
            if self.relation.stage:
                numbered = f"(SELECT *, ROW_NUMBER() OVER () AS r FROM {self.origin}) AS numbered"
                found = _fetched(self.engine, [f"SELECT {listed}, r FROM {numbered} WHERE r <= {_FIRST + 1} OR r % {_STEP} = 0"])
                return found, len(found.pop()) <= _FIRST
            return _fetched(self.engine, _stretches(listed, self.origin, self.records, wanted)), self.records <= wanted
        except UnreadableLine as error:
            raise unreadable(self.relation, error) from None

    def text(self, column: str) -> str:
        """Return the SQL of a column's canonical text."""
        position = self.relation.position(column)
        return canonical(f"c{position}", self.relation.columns[position].type, column)

    @property
    def origin(self) -> str:
        """The records that the sample is of, as a table of SQL."""
        origin = self.relation.origin
        return origin if self.rows is None else f"(SELECT * FROM {origin} LIMIT {self.rows}) AS limited"

    def _read(self, columns: Sequence[str]) -> None:
        texts = {column: text for column in columns if (text := _text(self.relation, column)) is not None}
        self._profiles |= dict.fromkeys(columns)
        if texts:
            sampled, whole = self.values(list(texts.values()))
            self.whole = self.whole and whole
            found = zip(texts, sampled, strict=True)
            self._profiles |= {column: _profile(self.relation, column, *self._plain(column, values)) for column, values in found}

    def _plain(self, column: str, values: Sequence[str | None]) -> tuple[Sequence[str | None], str]:
        """Return the values of a column in the letters that they seem to have, and their type; whoever looks at them sees no others."""
        kind = self.relation.columns[self.relation.position(column)].type
        if kind == "BLOB" and (texts := decoded(values)) is not None:
            return texts, "VARCHAR"
        if kind != "VARCHAR":
            return values, kind
        plain = [None if value is None else made_plain(value) for value in values]
        if plain != values:
            self.disguised.add(column)
        return plain, kind


def _running(values: Sequence[str | None]) -> bool:
    """Whether values number the records as they stand: the first ones step by one from 0 or 1 on, and later ones rise."""
    if len(values) < _FEWEST_NUMBERED or values[0] not in ("0", "1"):
        return False
    numbers = [int(value) if value is not None and value.isdecimal() else -1 for value in values]
    first = numbers[:_FEWEST_RECORDS]
    return first == list(range(first[0], first[0] + len(first))) and all(a < b for a, b in pairwise(numbers))


def _profile(relation: Relation, column: str, values: Sequence[str | None], kind: str) -> Profile:
    """Return the facts of a column in the sample."""
    counts = Counter(value for value in values if value is not None)
    missing = len(values) - counts.total()
    sizes = Counter(counts.values())
    if missing:
        sizes[missing] += 1
    known = sorted(counts)
    # Evenly among all values in their order, which is the same choice on every run.
    step = max(1, -(-len(known) // _VALUES))
    # One address that reaches somebody is enough, so none is left to chance.
    chosen = {*known[::step], *islice((value for value in known if "@" in value), _ADDRESSES)}
    position = relation.position(column)
    return Profile(
        name=column,
        position=position,
        kind=kind,
        records=len(values),
        missing=missing,
        sizes=tuple(sorted(sizes.items())),
        longest=max(map(len, known), default=0),
        looked=tuple(Looked(value, counts[value], len(value)) for value in known if value in chosen),
        running=_running(values),
    )


def _text(relation: Relation, column: str) -> str | None:
    """Return the beginning of a column's canonical text, or None if its values are nested."""
    position = relation.position(column)
    try:
        return f"SUBSTR({canonical(f'c{position}', relation.columns[position].type, column)}, 1, {CUT})"
    except RoleError:
        return None


def _stretches(listed: str, origin: str, records: int, wanted: int) -> list[str]:
    """Return the statements that read a few stretches of a table: its beginning, its end, and between."""
    if records <= wanted:
        return [f"SELECT {listed} FROM {origin}"]
    length = wanted // _STRETCHES
    starts = [(records - length) * i // (_STRETCHES - 1) for i in range(_STRETCHES)]
    return [f"SELECT {listed} FROM {origin} LIMIT {length} OFFSET {start}" for start in starts]


def _fetched(engine: Engine, selects: Iterable[str]) -> list[list[Any]]:
    """Return the columns of statements one below the other."""
    # In order, or which records are the first ones would be left to chance.
    listed = list(selects)
    engine.stage("unassigned", listed[0] if len(listed) == 1 else " UNION ALL ".join(f"({s})" for s in listed), large=False, ordered=True)
    return [list(column) for column in zip(*engine.rows("SELECT * FROM unassigned"), strict=True)]

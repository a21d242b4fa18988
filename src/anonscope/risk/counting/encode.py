"""From records to small integers, once.

Every quasi-identifier, sensitive attribute and person id is replaced by a code from a dictionary (0 is NULL), and
the codes of the quasi-identifiers are packed in mixed radix into as few 63-bit words as possible. From here on
table and column names are fixed whatever the user's are called, so every later statement is the same text for
every table and no user's text ever enters one.

    source(c0.., s0.., u, x, h)         the columns that have a role, as canonical text; the weight x as a number
    dictionary(attribute, v, code)      the only place where the data's own text lives
    radix(attribute, word, lo, hi)      how codes are packed; (w % hi) - (w % lo) is code * lo again
    weight(attribute, v, w)             w = code * lo, so that packing is adding
    record(w0.., t0.., u, n)            records that agree on everything, and how many they are
"""

from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.values import canonical, number
from anonscope.io.sources import Relation
from anonscope.io.sources.unreadable import unreadable
from anonscope.risk.counting.sweep import CountedRecords, Sweep, count_by_sorting, swept

if TYPE_CHECKING:
    from anonscope.risk.counting.kept import KeptCounts
    from anonscope.risk.counting.reading import CodedColumns

WORD = 2**63 - 1
# Up to so many columns a statement with a join a column is as quick as reading them in codes.
_MANY = 24


@dataclass(frozen=True, slots=True)
class Radix:
    """Where the code of one attribute sits: in which word, from `lo` up to `hi`."""

    attribute: int
    word: int
    lo: int
    hi: int


@dataclass(frozen=True, slots=True)
class Layout:
    """What was encoded: attributes are numbered as in the roles, then sensitive attributes, then the person."""

    attributes: tuple[str, ...]
    sensitive: tuple[str, ...]
    event_level: bool
    radices: tuple[Radix, ...]
    in_parts: bool = False  # whether there are records that do not stand in the source, whose counts were kept
    counted: CountedRecords | None = field(default=None, compare=False, repr=False)  # what sorting gave
    sweep: Sweep | None = field(default=None, compare=False, repr=False)  # its classes, with one sensitive attribute

    @property
    def words(self) -> int:
        return 1 + max(radix.word for radix in self.radices)

    def of(self, columns: tuple[str, ...]) -> tuple[Radix, ...]:
        """Return the radices of some attributes."""
        return tuple(radix for radix in self.radices if self.attributes[radix.attribute] in columns)

    def swept(self, columns: tuple[str, ...]) -> Sweep | None:
        """Return the classes of a scenario in order, if sorting gave them: it did for all attributes together."""
        return self.sweep if len(self.of(columns)) == len(self.radices) else None


@dataclass(frozen=True, slots=True)
class Words:
    """The words that tuples of a scenario are packed in, by number: how a statement takes them apart.

    A tuple that fits into one word is its q; otherwise `tuple_key(q, k0, k1..)` has the words behind q.
    """

    numbers: tuple[int, ...]

    @property
    def one(self) -> bool:
        return len(self.numbers) == 1

    def beside(self, table: str) -> str:
        """Return what goes behind FROM for the rows of a table with a q, as c, so that `holding` can see their words."""
        return f"{table} AS c" if self.one else f"{table} AS c JOIN tuple_key AS k ON c.q = k.q"

    def holding(self, number: str) -> str:
        """Return the expression for the word with a number that stands in a column."""
        if self.one:
            return "c.q"
        return f"CASE {' '.join(f'WHEN {number} = {word} THEN k.k{word}' for word in self.numbers)} END"

    def apart(self, table: str, also: str = "") -> str:
        """Return the SELECT of (attribute, a, n): every row of a table once for every attribute, with its value there.

        `also` is a column of the table that is kept. One pass over the table, however many attributes there are.
        """
        kept, taken = (f", {also}", f", c.{also}") if also else ("", "")
        held = f"SELECT r.attribute, r.lo, r.hi, {self.holding('r.word')} AS w{taken}, c.n FROM {self.beside(table)}"
        return f"SELECT attribute, (w % hi) - (w % lo) AS a{kept}, n FROM ({held} CROSS JOIN scenario_radix AS r) AS y"


def words_of(layout: Layout, columns: tuple[str, ...]) -> Words:
    """Return the words of a scenario."""
    return Words(tuple(sorted({radix.word for radix in layout.of(columns)})))


def encode(engine: Engine, relation: Relation, roles: Roles, rows: int | None = None, kept: "KeptCounts | None" = None) -> Layout:
    """Count the records of a relation into `record`, and return how they were packed; with `kept`, those of earlier parts go along."""
    attributes, sensitive = roles.attributes, roles.sensitive
    names = [f"c{i}" for i in range(len(attributes))] + [f"s{j}" for j in range(len(sensitive))]
    columns = [*attributes, *sensitive]
    if roles.person is not None:
        names.append("u")
        columns.append(roles.person)
    # Weight and household are not told apart by value, so they have no code; they wait in the source until they are needed.
    aside = {name: column for name, column in (("x", roles.weight), ("h", roles.household)) if column is not None}
    _open(engine, relation, [*columns, *aside.values()], [*names, *aside], rows)
    staged = relation.stage or rows is not None
    read: CodedColumns | None = None
    if kept is None and len(names) > _MANY:
        from anonscope.risk.counting.reading import read_codes  # late: most tables have fewer columns

        read = read_codes(engine, relation, columns, names, staged)
    distinct = _dictionary(engine, names, read) if kept is None else kept.dictionary(engine, columns, names)
    radices = pack([distinct[i] for i in range(len(attributes))])
    engine.constants("radix", table_of(radices))
    engine.materialise(
        "weight",
        "SELECT d.attribute, d.v, d.code * COALESCE(r.lo, 1) AS w FROM dictionary AS d LEFT JOIN radix AS r ON d.attribute = r.attribute",
    )
    layout = Layout(attributes, sensitive, roles.event_level, radices, kept is not None)
    sums = _sums(layout, names)
    keys, coded = ", ".join(sums), engine.coded("source", "weight", sums)
    select = f"SELECT {keys}, COUNT(*) AS n FROM {coded} GROUP BY {keys}"
    # A word holds all its attributes together; everything else has codes from 0 on.
    bounds = {name: prod(distinct[attribute] + 1 for attribute, _ in parts) for name, parts in sums.items()}
    if kept is not None:
        parts = kept.counted(engine, layout, list(sums), select)
        coded, select = f"({parts}) AS parts", f"SELECT {keys}, CAST(SUM(n) AS BIGINT) AS n FROM ({parts}) AS parts GROUP BY {keys}"
    factor = {radix.attribute: radix.lo for radix in radices}
    packed_here = read.packed({k: [(i, factor.get(i, 1)) for i, _ in parts] for k, parts in sums.items()}) if read is not None else None
    del read
    counted = count_by_sorting(engine, coded, bounds, select, counted=kept is not None, columns=packed_here)
    if counted is None:
        engine.materialise("record", select)
        return layout
    return replace(layout, counted=counted, sweep=swept(counted, bounds["t0"]) if len(sensitive) == 1 else None)


def missing_in_source(engine: Engine, layout: Layout) -> dict[int, int]:
    """Return how many records lack a value, by attribute number, where nothing was counted by attribute; only those that some lack."""
    if layout.in_parts:
        # The source is a part of the table.
        absent = (f"SUM(CASE WHEN w{r.word} % {r.hi} = w{r.word} % {r.lo} THEN n ELSE 0 END) AS n{r.attribute}" for r in layout.radices)
        (row,) = engine.rows(f"SELECT {', '.join(absent)} FROM record")
    else:
        (row,) = engine.rows(f"SELECT {', '.join(f'COUNT(*) - COUNT(c{i}) AS n{i}' for i in range(len(layout.attributes)))} FROM source")
    return {i: int(n) for i, n in enumerate(row) if n}


def pack(distinct: list[int]) -> tuple[Radix, ...]:
    """Return a place for every attribute, opening a new word when the next one would not fit into 63 bits."""
    radices: list[Radix] = []
    word, lo = 0, 1
    for attribute, count in enumerate(distinct):
        if lo * (count + 1) > WORD:
            word, lo = word + 1, 1
        hi = lo * (count + 1)
        radices.append(Radix(attribute, word, lo, hi))
        lo = hi
    return tuple(radices)


def table_of(radices: tuple[Radix, ...]) -> list[dict[str, int]]:
    """Return the radices as the rows of a table."""
    return [{"attribute": r.attribute, "word": r.word, "lo": r.lo, "hi": r.hi} for r in radices]


def _open(engine: Engine, relation: Relation, columns: list[str], names: list[str], rows: int | None) -> None:
    """Make `source`: the columns with a role, under fixed names. Text is stored, so that it is parsed once."""
    selected = ", ".join(
        # The weight is added up; everything else is told apart.
        f"{(number if name == 'x' else canonical)(f'c{position}', relation.columns[position].type, column)} AS {name}"
        for column, name, position in ((c, n, relation.position(c)) for c, n in zip(columns, names, strict=True))
    )
    limit = f" LIMIT {rows}" if rows is not None else ""
    select = f"SELECT {selected} FROM {relation.origin}{limit}"
    if not relation.stage and rows is None:
        engine.define("source", select)
        return
    try:
        engine.stage("source", select, large=relation.large and rows is None, ordered=rows is not None)
    except UnreadableLine as error:
        raise unreadable(relation, error) from None


def _dictionary(engine: Engine, names: list[str], read: "CodedColumns | None") -> dict[int, int]:
    """Give every value of every column a code, unless that is done, and return how many values each column has."""
    columns = dict(enumerate(names))
    person = names.index("u") if engine.remote and "u" in names else None
    if person is not None:
        del columns[person]
    counting = "SELECT attribute, v, ROW_NUMBER() OVER (PARTITION BY attribute ORDER BY v) AS code FROM"
    if read is not None:
        engine.keep("dictionary", f"{counting} {engine.distinct('source', columns)}", read.dictionary())
        return {i: len(texts) for i, texts in enumerate(read.texts)}
    engine.materialise("dictionary" if person is None else "value_code", f"{counting} {engine.distinct('source', columns)}")
    if person is not None:
        # One worker puts the values of a column in order. Persons may be too many for that, and their codes may have gaps.
        engine.number("person_code", "SELECT DISTINCT u AS v FROM source WHERE NOT u IS NULL", ["v"], "code")
        coded = f"SELECT CAST({person} AS INTEGER) AS attribute, v, code FROM person_code"
        engine.define("dictionary", f"SELECT attribute, v, code FROM value_code UNION ALL {coded}")
    counted = dict.fromkeys(range(len(names)), 0)
    counted.update(engine.rows("SELECT attribute, COUNT(*) AS n FROM dictionary GROUP BY attribute"))
    return counted


def _sums(layout: Layout, names: list[str]) -> dict[str, list[tuple[int, str]]]:
    """Return the columns that records are told apart by: a number each instead of a comparison of text per group."""
    first = len(layout.attributes)
    sums = packed(layout) | {f"t{j}": [(first + j, f"s{j}")] for j in range(len(layout.sensitive))}
    if layout.event_level:
        sums["u"] = [(len(names) - 1, "u")]
    return sums


def packed(layout: Layout) -> dict[str, list[tuple[int, str]]]:
    """Return which attributes are added up in which word, as `Engine.coded` wants it."""
    return {f"w{word}": [(r.attribute, f"c{r.attribute}") for r in layout.radices if r.word == word] for word in range(layout.words)}


def other_columns(layout: Layout) -> list[str]:
    """Return the key columns of `record` that are not quasi-identifiers."""
    return [f"t{j}" for j in range(len(layout.sensitive))] + (["u"] if layout.event_level else [])

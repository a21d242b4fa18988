"""From `record` to the aggregates every metric is arithmetic over, each rolled up from its smallest parent.

For one scenario:
    scenario_record(q, t0.., u, n)      as `record`, with the scenario's quasi-identifiers as one number q
    class(q, n, persons, kinds, t)      records that share a tuple; persons is n unless events are counted; else also how many values
                                        of the first sensitive attribute they have, and one of them
    class_size(n, m)                    how many classes there are of each size
    pair(q, u, n)                       event level: records of one person in one class
    kind_pair(q, u, n, class_n, persons, m)     event level: as `pair`, with all classes of one person and one size as one
    total(n, classes)
    attribute_class(attribute, a, n)    classes of each attribute on its own
    attribute_pair(attribute, a, u, n)  event level
For one sensitive attribute in it:
    cell(q, t, n)                       records of a class with one sensitive value
    triple(q, t, u, n)                  event level
    value(t, n)                         how often each sensitive value occurs
    person_value(t, u, n)               event level
    attribute_cell(attribute, a, t, n)
    class_kind(q, n, kinds, t)          how many values a class has, and one of them
    kind_cell(q, t, n, class_n, kinds, m)   the cells of one class for all classes that are alike to every measure, and how many those are

Most classes of a raw table are one record, and whatever is said of a class with one value follows from its size and that value. So
those that have both in common are counted and stand in `kind_cell` as one, with the q of one of them; only where values meet in a
class is every cell looked at.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.risk.counting.encode import Layout, Radix, other_columns, table_of, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SUM = "CAST(SUM(n) AS BIGINT) AS n"
_KINDS = "COUNT(*) AS kinds, MIN(t) AS t"
_KIND_PAIR = (
    "SELECT p.q, p.u, p.n, k.n AS class_n, k.persons, CAST(1 AS BIGINT) AS m FROM pair AS p JOIN class AS k ON p.q = k.q "
    "WHERE k.persons > 1 UNION ALL SELECT MIN(q) AS q, CAST(-1 AS BIGINT) AS u, n, n AS class_n, CAST(1 AS BIGINT) AS persons, "
    "COUNT(*) AS m FROM class WHERE persons = 1 GROUP BY n"
)
KIND_CELL = (
    "SELECT c.q, c.t, c.n, k.n AS class_n, k.kinds, CAST(1 AS BIGINT) AS m FROM cell AS c JOIN class_kind AS k ON c.q = k.q "
    "WHERE k.kinds > 1 UNION ALL "
    "SELECT MIN(q) AS q, t, n, n AS class_n, CAST(1 AS BIGINT) AS kinds, COUNT(*) AS m FROM class_kind WHERE kinds = 1 GROUP BY t, n"
)


def open_scenario(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make the tables of one scenario that need no sensitive attribute."""
    radices = layout.of(columns)
    engine.constants("scenario_radix", table_of(radices))
    _scenario_record(engine, layout, radices)
    if layout.event_level:
        _pairs(engine, layout)
        engine.materialise("class", f"SELECT q, {_SUM}, COUNT(*) AS persons FROM pair GROUP BY q")
        engine.materialise("kind_pair", _KIND_PAIR)
    elif layout.sensitive:
        open_sensitive(engine, layout, columns, 0)
        _classes(engine, layout, columns)
    else:
        engine.materialise("class", "SELECT q, n, n AS persons FROM scenario_record")
    engine.hold("class_size", "SELECT n, COUNT(*) AS m FROM class GROUP BY n")
    engine.hold("total", "SELECT CAST(SUM(n * m) AS BIGINT) AS n, CAST(SUM(m) AS BIGINT) AS classes FROM class_size")


def open_sensitive(engine: Engine, layout: Layout, columns: tuple[str, ...], j: int) -> None:
    """Make `cell`, `value` and their event-level companions for the j-th sensitive attribute."""
    alone, sweep = len(layout.sensitive) == 1, layout.swept(columns)
    if layout.event_level:
        if alone:
            engine.define("triple", "SELECT q, t0 AS t, u, n FROM scenario_record")
        else:
            engine.materialise("triple", f"SELECT q, t{j} AS t, u, {_SUM} FROM scenario_record GROUP BY q, t{j}, u")
        _made(engine, "cell", f"SELECT q, t, {_SUM} FROM triple GROUP BY q, t", sweep.cell_table() if sweep is not None else None)
        engine.materialise("person_value", f"SELECT t, u, {_SUM} FROM triple GROUP BY t, u")
    elif alone:
        engine.define("cell", "SELECT q, t0 AS t, n FROM scenario_record")
    else:
        engine.materialise("cell", f"SELECT q, t{j} AS t, {_SUM} FROM scenario_record GROUP BY q, t{j}")
    _made(engine, "value", f"SELECT t, {_SUM} FROM cell GROUP BY t", layout.sweep.value_table() if layout.sweep is not None else None)


def open_kinds(engine: Engine, layout: Layout, columns: tuple[str, ...], j: int) -> None:
    """Make `class_kind` and `kind_cell` for the j-th sensitive attribute, which is open."""
    sweep = layout.swept(columns)
    if j == 0 and not layout.event_level:
        engine.define("class_kind", "SELECT q, n, kinds, t FROM class")
    else:
        counted = f"SELECT q, {_SUM}, {_KINDS} FROM cell GROUP BY q"
        _made(engine, "class_kind", counted, sweep.kinds_table() if sweep is not None else None)
    _made(engine, "kind_cell", KIND_CELL, sweep.kind_table() if sweep is not None else None)


def open_attributes(engine: Engine, layout: Layout, columns: tuple[str, ...], *, with_cells: bool) -> None:
    """Make the tables of every attribute on its own, all attributes in one statement."""
    if with_cells:
        open_attribute_cells(engine, layout, columns)
        engine.materialise("attribute_class", f"SELECT attribute, a, {_SUM} FROM attribute_cell GROUP BY attribute, a")
    else:
        engine.materialise("attribute_class", _apart(engine, layout, columns, "class"))


def open_attribute_cells(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make `attribute_cell` for the sensitive attribute that is open."""
    select, sweep = _apart(engine, layout, columns, "cell", "t"), layout.swept(columns)
    _made(engine, "attribute_cell", select, sweep.attribute_table(layout.radices) if sweep is not None else None)


def open_attribute_pairs(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make `attribute_pair`: how often each person shows each value of each attribute."""
    engine.materialise("attribute_pair", _apart(engine, layout, columns, "pair", "u"))


def _made(engine: Engine, name: str, select: str, table: "Mapping[str, NDArray[Any]] | None") -> None:
    """Store what a SELECT gives, by sorting if that gave it."""
    if table is not None:
        engine.keep(name, select, table)
    else:
        engine.materialise(name, select)


def _scenario_record(engine: Engine, layout: Layout, radices: tuple[Radix, ...]) -> None:
    others = other_columns(layout)
    kept = ", ".join([*others, "n"])
    words = sorted({radix.word for radix in radices})
    if len(radices) == len(layout.radices) and layout.words == 1:
        engine.define("scenario_record", f"SELECT w0 AS q, {kept} FROM record")
        return
    kept_words = [masked(layout, radices, word) for word in words]
    grouped = ", ".join([f"k{word}" for word in words] + others)
    selected = ", ".join([f"{mask} AS k{word}" for word, mask in zip(words, kept_words, strict=True)] + [*others, "n"])
    counted = f"SELECT {grouped}, {_SUM} FROM (SELECT {selected} FROM record) AS x GROUP BY {grouped}"
    if len(words) == 1:
        renamed = ", ".join([f"k{words[0]} AS q", *others, "n"])
        engine.materialise("scenario_record", f"SELECT {renamed} FROM ({counted}) AS y")
        return
    # The tuple does not fit into one number: q becomes an id, and `tuple_key` remembers the words behind it.
    keys = ", ".join(f"k{word}" for word in words)
    same = " AND ".join(f"x.k{word} = k.k{word}" for word in words)
    distinct, chosen = f"SELECT DISTINCT {keys} FROM wide_record", ", ".join(f"x.{column}" for column in [*others, "n"])
    joined = f"SELECT k.q, {chosen} FROM wide_record AS x JOIN tuple_key AS k ON {same}"
    found = layout.counted
    if found is not None and found.wide is not None and len(radices) == len(layout.radices):
        # Sorting has numbered the tuples, in another order than the statement would.
        engine.define("wide_record", counted)
        engine.keep("tuple_key", f"SELECT {keys}, ROW_NUMBER() OVER (ORDER BY {keys}) AS q FROM ({distinct}) AS d", found.wide.key_table())
        engine.keep("scenario_record", joined, {"q": found.wide.q} | {name: found.columns[name] for name in [*others, "n"]})
        return
    engine.materialise("wide_record", counted)
    engine.number("tuple_key", distinct, [f"k{word}" for word in words], "q")
    engine.materialise("scenario_record", joined)


def masked(layout: Layout, radices: tuple[Radix, ...], word: int) -> str:
    """Return the expression that keeps the scenario's attributes of a word and forgets the others."""
    kept = [radix for radix in radices if radix.word == word]
    if len(kept) == sum(radix.word == word for radix in layout.radices):
        return f"w{word}"
    return " + ".join(f"((w{word} % {radix.hi}) - (w{word} % {radix.lo}))" for radix in kept)


def _classes(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    select, sweep = f"SELECT q, {_SUM}, CAST(SUM(n) AS BIGINT) AS persons, {_KINDS} FROM cell GROUP BY q", layout.swept(columns)
    _made(engine, "class", select, sweep.class_table() if sweep is not None else None)


def _pairs(engine: Engine, layout: Layout) -> None:
    if layout.sensitive:
        engine.materialise("pair", f"SELECT q, u, {_SUM} FROM scenario_record GROUP BY q, u")
    else:
        engine.define("pair", "SELECT q, u, n FROM scenario_record")


def _apart(engine: Engine, layout: Layout, columns: tuple[str, ...], table: str, also: str = "") -> str:
    """Return the statement that counts the rows of a table by attribute, value and one thing more."""
    words, kept = words_of(layout, columns), f", {also}" if also else ""
    if not engine.joins or not words.one:
        return f"SELECT attribute, a{kept}, {_SUM} FROM ({words.apart(table, also)}) AS x GROUP BY attribute, a{kept}"
    # One GROUP BY an attribute: a single one over tuples x attributes hashes a wider key and took a third longer. Where every pass
    # over a table has its price, it is the other way round.
    return " UNION ALL ".join(
        f"SELECT {radix.attribute} AS attribute, a{kept}, {_SUM} FROM (SELECT (q % {radix.hi}) - (q % {radix.lo}) AS a{kept}, n "
        f"FROM {table}) AS x{radix.attribute} GROUP BY a{kept}"
        for radix in layout.of(columns)
    )

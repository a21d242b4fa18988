"""From `record` to the aggregates every metric is arithmetic over, each rolled up from its smallest parent.

For one scenario:
    scenario_record(q, t0.., u, n)      as `record`, with the scenario's quasi-identifiers as one number q
    class(q, n, persons)                records that share a tuple; persons is n unless events are counted
    pair(q, u, n)                       event level: records of one person in one class
    total(n, classes)
    attribute_class(attribute, a, n)    classes of each attribute on its own
    attribute_pair(attribute, a, u, n)  event level
For one sensitive attribute in it:
    cell(q, t, n)                       records of a class with one sensitive value
    triple(q, t, u, n)                  event level
    value(t, n)                         how often each sensitive value occurs
    person_value(t, u, n)               event level
    attribute_cell(attribute, a, t, n)
"""

from anonscope.count.encode import Layout, Radix, other_columns, table_of
from anonscope.engines import Engine

_SUM = "CAST(SUM(n) AS BIGINT) AS n"


def open_scenario(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make the tables of one scenario that need no sensitive attribute."""
    radices = layout.of(columns)
    engine.materialise("scenario_radix", table_of(radices))
    _scenario_record(engine, layout, radices)
    if layout.event_level:
        _pairs(engine, layout)
        engine.materialise("class", f"SELECT q, {_SUM}, COUNT(*) AS persons FROM pair GROUP BY q")
    elif layout.sensitive:
        open_sensitive(engine, layout, 0)
        engine.materialise("class", f"SELECT q, {_SUM}, CAST(SUM(n) AS BIGINT) AS persons FROM cell GROUP BY q")
    else:
        engine.materialise("class", "SELECT q, n, n AS persons FROM scenario_record")
    engine.materialise("total", f"SELECT {_SUM}, COUNT(*) AS classes FROM class")


def open_sensitive(engine: Engine, layout: Layout, j: int) -> None:
    """Make `cell`, `value` and their event-level companions for the j-th sensitive attribute."""
    alone = len(layout.sensitive) == 1
    if layout.event_level:
        if alone:
            engine.define("triple", "SELECT q, t0 AS t, u, n FROM scenario_record")
        else:
            engine.materialise("triple", f"SELECT q, t{j} AS t, u, {_SUM} FROM scenario_record GROUP BY q, t{j}, u")
        engine.materialise("cell", f"SELECT q, t, {_SUM} FROM triple GROUP BY q, t")
        engine.materialise("person_value", f"SELECT t, u, {_SUM} FROM triple GROUP BY t, u")
    elif alone:
        engine.define("cell", "SELECT q, t0 AS t, n FROM scenario_record")
    else:
        engine.materialise("cell", f"SELECT q, t{j} AS t, {_SUM} FROM scenario_record GROUP BY q, t{j}")
    engine.materialise("value", f"SELECT t, {_SUM} FROM cell GROUP BY t")


def open_attributes(engine: Engine, layout: Layout, columns: tuple[str, ...], *, with_cells: bool) -> None:
    """Make the tables of every attribute on its own, all attributes in one statement."""
    unpacked = _unpacked(layout, columns)
    if with_cells:
        engine.materialise("attribute_cell", unpacked.format(table="cell", also=", c.t", keys=", t"))
        engine.materialise("attribute_class", f"SELECT attribute, a, {_SUM} FROM attribute_cell GROUP BY attribute, a")
    else:
        engine.materialise("attribute_class", unpacked.format(table="class", also="", keys=""))


def open_attribute_pairs(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make `attribute_pair`: how often each person shows each value of each attribute."""
    engine.materialise("attribute_pair", _unpacked(layout, columns).format(table="pair", also=", c.u", keys=", u"))


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
    # The tuple does not fit into one number: q becomes a dense id, and `key` remembers the words behind it.
    keys = ", ".join(f"k{word}" for word in words)
    same = " AND ".join(f"x.k{word} = k.k{word}" for word in words)
    engine.materialise("wide_record", counted)
    engine.materialise(
        "tuple_key", f"SELECT {keys}, ROW_NUMBER() OVER (ORDER BY {keys}) AS q FROM (SELECT DISTINCT {keys} FROM wide_record) AS d"
    )
    engine.materialise("key", " UNION ALL ".join(f"SELECT q, {word} AS word, k{word} AS w FROM tuple_key" for word in words))
    chosen = ", ".join(f"x.{column}" for column in [*others, "n"])
    engine.materialise("scenario_record", f"SELECT k.q, {chosen} FROM wide_record AS x JOIN tuple_key AS k ON {same}")


def masked(layout: Layout, radices: tuple[Radix, ...], word: int) -> str:
    """Return the expression that keeps the scenario's attributes of a word and forgets the others."""
    kept = [radix for radix in radices if radix.word == word]
    if len(kept) == sum(radix.word == word for radix in layout.radices):
        return f"w{word}"
    return " + ".join(f"((w{word} % {radix.hi}) - (w{word} % {radix.lo}))" for radix in kept)


def _pairs(engine: Engine, layout: Layout) -> None:
    if layout.sensitive:
        engine.materialise("pair", f"SELECT q, u, {_SUM} FROM scenario_record GROUP BY q, u")
    else:
        engine.define("pair", "SELECT q, u, n FROM scenario_record")


def _unpacked(layout: Layout, columns: tuple[str, ...]) -> str:
    """Return the statement that takes tuples apart, with places for the table and what is kept beside.

    One GROUP BY an attribute: a single one over tuples x attributes would hash a wider key and took a third longer.
    """
    radices = layout.of(columns)
    one_word = len({radix.word for radix in radices}) == 1
    return " UNION ALL ".join(
        f"SELECT {radix.attribute} AS attribute, a{{keys}}, {_SUM} FROM (SELECT {_part(radix, one_word)} AS a{{also}}, c.n "
        f"FROM {{table}} AS c{'' if one_word else f' JOIN key AS k ON c.q = k.q AND k.word = {radix.word}'}) AS x{radix.attribute} "
        f"GROUP BY a{{keys}}"
        for radix in radices
    )


def _part(radix: Radix, one_word: bool) -> str:
    word = "c.q" if one_word else "k.w"
    return f"({word} % {radix.hi}) - ({word} % {radix.lo})"

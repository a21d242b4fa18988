"""Every two attributes together, for those who ask for pairs; opened beside the tables of single attributes.

couple_class(attribute, other, a, b, n)         classes of two attributes, whatever the rest is
couple_cell(attribute, other, a, b, t, n)       with the sensitive attribute that is open
couple_person(attribute, other, a, b, u, n)     event level
"""

from anonscope.count.encode import Layout
from anonscope.engines import Engine

_ONE_WORD = """
SELECT r.attribute, s.attribute AS other, (c.q % r.hi) - (c.q % r.lo) AS a, (c.q % s.hi) - (c.q % s.lo) AS b{also}, c.n
FROM {table} AS c CROSS JOIN scenario_radix AS r JOIN scenario_radix AS s ON r.attribute < s.attribute
"""
_SEVERAL_WORDS = """
SELECT r.attribute, s.attribute AS other, (k.w % r.hi) - (k.w % r.lo) AS a, (l.w % s.hi) - (l.w % s.lo) AS b{also}, c.n
FROM {table} AS c JOIN key AS k ON c.q = k.q JOIN scenario_radix AS r ON k.word = r.word
JOIN key AS l ON c.q = l.q JOIN scenario_radix AS s ON l.word = s.word AND r.attribute < s.attribute
"""


def open_couples(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make `couple_class` and, at event level, `couple_person`."""
    _make(engine, layout, columns, "couple_class", "class")
    if layout.event_level:
        _make(engine, layout, columns, "couple_person", "pair", "u")


def open_couple_cells(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make `couple_cell` for the sensitive attribute that is open."""
    _make(engine, layout, columns, "couple_cell", "cell", "t")


def _make(engine: Engine, layout: Layout, columns: tuple[str, ...], name: str, table: str, also: str | None = None) -> None:
    parts = _ONE_WORD if len({radix.word for radix in layout.of(columns)}) == 1 else _SEVERAL_WORDS
    keys = ", ".join(["attribute", "other", "a", "b", *([also] if also else [])])
    unpacked = parts.format(table=table, also=f", c.{also}" if also else "")
    engine.materialise(name, f"SELECT {keys}, CAST(SUM(n) AS BIGINT) AS n FROM ({unpacked}) AS x GROUP BY {keys}")

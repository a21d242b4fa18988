"""Every two attributes together, for those who ask for pairs; opened beside the tables of single attributes.

couple_class(attribute, other, a, b, n)         classes of two attributes, whatever the rest is
couple_cell(attribute, other, a, b, t, n)       with the sensitive attribute that is open
couple_person(attribute, other, a, b, u, n)     event level
"""

from anonscope.engines import Engine
from anonscope.risk.counting.encode import Layout, words_of


def open_couples(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make `couple_class` and, at event level, `couple_person`."""
    _make(engine, layout, columns, "couple_class", "class")
    if layout.event_level:
        _make(engine, layout, columns, "couple_person", "pair", "u")


def open_couple_cells(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make `couple_cell` for the sensitive attribute that is open."""
    _make(engine, layout, columns, "couple_cell", "cell", "t")


def _make(engine: Engine, layout: Layout, columns: tuple[str, ...], name: str, table: str, also: str = "") -> None:
    words = words_of(layout, columns)
    kept, taken = (f", {also}", f", c.{also}") if also else ("", "")
    paired = (
        f"SELECT r.attribute, r.lo, r.hi, s.attribute AS other, s.lo AS other_lo, s.hi AS other_hi, {words.holding('r.word')} AS w, "
        f"{words.holding('s.word')} AS v{taken}, c.n FROM {words.beside(table)} CROSS JOIN scenario_radix AS r "
        "JOIN scenario_radix AS s ON r.attribute < s.attribute"
    )
    apart = f"SELECT attribute, other, (w % hi) - (w % lo) AS a, (v % other_hi) - (v % other_lo) AS b{kept}, n FROM ({paired}) AS y"
    keys = f"attribute, other, a, b{kept}"
    engine.materialise(name, f"SELECT {keys}, CAST(SUM(n) AS BIGINT) AS n FROM ({apart}) AS x GROUP BY {keys}")

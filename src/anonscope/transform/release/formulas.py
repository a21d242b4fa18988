"""Cells that an office program would take for formulas: a released text must not run anything on the recipient's machine."""

from collections.abc import Callable, Sequence
from typing import Literal

from anonscope.errors import NotPublished, shown

Formulas = Literal["refuse", "mark", "keep"]
FORMULAS: tuple[Formulas, ...] = ("refuse", "mark", "keep")
_BEGIN = ("=", "@", "\t", "\r")
# What begins with a sign and is made of these only is a number, a range or a sum: it calls nothing.
_HARMLESS = "0123456789 .,:;/–%eE+-()"
# Nor does a number without an end, as floats are written.
_ENDLESS = ("inf", "infinity")


def is_formula(cell: str, text: Callable[[str], str]) -> str:
    """Return the condition under which a cell of text begins as formulas do and could call something."""
    begins = ", ".join(text(sign) for sign in _BEGIN)
    rest = f"TRANSLATE({cell}, {text(_HARMLESS)}, '')"
    harmless = ", ".join(text(word) for word in ("", *_ENDLESS))
    signed = f"SUBSTRING({cell}, 1, 1) IN ('+', '-') AND LOWER({rest}) NOT IN ({harmless})"
    return f"(SUBSTRING({cell}, 1, 1) IN ({begins}) AND LENGTH({cell}) > 1 OR {signed})"


def marked(cell: str, text: Callable[[str], str]) -> str:
    """Return a cell of text with an apostrophe before what begins as formulas do: office programs then show it, and run nothing."""
    return f"CASE WHEN {is_formula(cell, text)} THEN CONCAT({text(chr(39))}, {cell}) ELSE {cell} END"


def taken_for_formulas(names: Sequence[str]) -> list[str]:
    """Return the names of columns that would be taken for formulas."""
    return [column for column in names if column.startswith((*_BEGIN, "+", "-")) and set(column) - set(_HARMLESS)]


def check_names(names: Sequence[str], name: str) -> None:
    """Raise if the name of a column would be taken for a formula; a name is never changed on the way."""
    if wrong := taken_for_formulas(names):
        raise NotPublished(
            f"{shown(name)} is not published: office programs take the names of columns {', '.join(map(shown, wrong[:12]))} for formulas. "
            "Rename them, write .parquet, or keep them as they are (--formulas keep, formulas='keep')."
        )


def refusal(name: str, found: Sequence[tuple[str, int]]) -> NotPublished:
    """Return why a release is not published: columns and numbers of cells, no values."""
    listed = ", ".join(f"{shown(column)} ({cells:,} {'cell' if cells == 1 else 'cells'})" for column, cells in found[:12])
    return NotPublished(
        f"{shown(name)} is not published: office programs would take cells of {listed} for formulas, because they begin with =, +, -, @, "
        "a tab or a carriage return. Nothing was written. Have an apostrophe written before them (--formulas mark, formulas='mark'), "
        "or write them as they are (--formulas keep), or write .parquet."
    )

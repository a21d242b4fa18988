"""A ready recipe for HIPAA's Safe Harbor, made from what its 18 checks look at.

45 CFR 164.514(b)(2)(i): the classes of identifiers go, dates become years, ages of 90 and above become one category, years of birth
that tell such an age become one too, and of a ZIP code stay the first three digits where more than 20,000 people live, else 000.
The recipe is about what columns are and not about the values they have today, so that it can be replayed on new data.
"""

from collections.abc import Mapping
from datetime import date

from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.propose import safe_harbor_remedies
from anonscope.columns.suggestion.safe_harbor import OLDEST, POPULATION_LIMIT, Remedy
from anonscope.engines import Engine
from anonscope.errors import RecipeError, shown
from anonscope.io.sources import Relation
from anonscope.transform.cells.dates import day, is_typed_date
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps.bottom_code import BottomCode
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.generalise_date import GeneraliseDate
from anonscope.transform.steps.generalise_mapping import GeneraliseMapping
from anonscope.transform.steps.mask import Mask
from anonscope.transform.steps.top_code import TopCode
from anonscope.transform.table import Table
from anonscope.transform.transformation import Otherwise, Transformation

_SMALL_AREA = "000"
# Five digits, or nine; three only where nothing else is in the column, because shorter codes may have lost zeros at their beginning.
_FIVE_DIGITS = r"^\s*([0-9]{3})[0-9]{2}(-?[0-9]{4})?\s*$"
_THREE_DIGITS = r"^\s*([0-9]{3})[*xX]*\s*$"
# Ways in which dates are written; of those that fit equally well the first is taken. Only the year is kept, so it does not matter
# which of two numbers is the day.
_DAYS = (
    "",
    "%Y%m%d",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%Y/%m/%d",
    "%d-%b-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%B %d, %Y",
    "%b %d, %Y",
)
_CLOCKS = ("", " %H:%M", " %H:%M:%S")
_FORMATS = (*(d + c if d else "" for c in _CLOCKS for d in _DAYS if d or not c), "%Y-%m", "%m/%Y", "%Y/%m", "%m-%Y")
# A column of which fewer values can be read as dates is dropped.
_MOSTLY = 0.9

Steps = list[tuple[Transformation, str]]


def make_safe_harbor_recipe(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    *,
    zip_populations: Mapping[str, int] | None = None,
    rows: int | None = None,
) -> Recipe:
    """Return the recipe after which a table passes the checks of the policy hipaa-safe-harbor."""
    found = safe_harbor_remedies(engine, relation, roles, rows=rows)
    if not found:
        raise RecipeError("No column falls under one of the 18 classes of Safe Harbor, so there is nothing to change.")
    table = Table.of(engine, relation, rows)
    written: Steps = []
    for remedy in found:
        written += _steps(table, remedy, zip_populations)
    title = (
        "HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i): the 18 classes of identifiers.\n"
        "Whoever releases must also know of no way in which what is left could identify somebody (164.514(b)(2)(ii))."
    )
    return Recipe(tuple(step for step, _ in written), tuple(comment for _, comment in written), title)


def _steps(table: Table, remedy: Remedy, populations: Mapping[str, int] | None) -> Steps:
    column, because = remedy.column, f"Class {remedy.number}: {shown(remedy.column)} holds {remedy.reason}"
    if remedy.what == "zip":
        return _zip_steps(table, column, because, populations)
    if remedy.what == "age":
        step = TopCode(column=column, ceiling=OLDEST + 1, label=True, otherwise=_otherwise(table, column))
        return [(step, f"{because}. Ages of {OLDEST + 1} and above become one category.")]
    if remedy.what == "birth year":
        return [_oldest_years(column, because, _otherwise(table, column))]
    if remedy.what in ("date", "birth date"):
        return _date_steps(table, column, because, born=remedy.what == "birth date")
    return [(DropColumn(column=column), f"{because}.")]


def _zip_steps(table: Table, column: str, because: str, populations: Mapping[str, int] | None) -> Steps:
    large = {area: area for area, people in sorted((populations or {}).items()) if people > POPULATION_LIMIT}
    if not large:
        step = GeneraliseMapping(column=column, mapping={_SMALL_AREA: _SMALL_AREA}, rest=_SMALL_AREA)
        missing = (
            "Without a table of populations nobody knows where"
            if populations is None
            else "According to the table of populations nowhere do"
        )
        return [(step, f"{because}. {missing} more than 20,000 people live, so all become {_SMALL_AREA}.")]
    text = table.text(column)
    longer = table.engine.rows(
        f"SELECT COUNT(*) FROM {table.origin} WHERE {text} IS NOT NULL AND NOT REGEXP_MATCHES({text}, '{_THREE_DIGITS}')"
    )
    pattern = _FIVE_DIGITS if longer[0][0] else _THREE_DIGITS
    return [
        # Codes of another form become empty, or some would pass for an area.
        (Mask(column=column, pattern=f"{pattern}|^(?s:.*)$", replacement="\\1"), f"{because}. Their first three digits may stay."),
        (
            GeneraliseMapping(column=column, mapping=large, rest=_SMALL_AREA),
            f"These are the areas where more than 20,000 people live; all others, and codes of another form, become {_SMALL_AREA}.",
        ),
    ]


def _date_steps(table: Table, column: str, because: str, *, born: bool) -> Steps:
    form = _date_format(table, column)
    if form is None:
        return [(DropColumn(column=column), f"{because}, and no year can be read from them.")]
    step = GeneraliseDate(column=column, part="year", format=form, otherwise="suppress")
    steps: Steps = [(step, f"{because}. Only their year may stay; what cannot be read as a date becomes *.")]
    if born:
        steps.append(_oldest_years(column, f"Class 3: {shown(column)} is about birth", "suppress"))
    return steps


def _oldest_years(column: str, because: str, otherwise: Otherwise) -> tuple[Transformation, str]:
    first = date.today().year - OLDEST
    step = BottomCode(column=column, floor=first, label=True, otherwise=otherwise)
    return step, f"{because}. Years before {first} tell ages over {OLDEST}, so they become one category; raise the floor every year."


def _date_format(table: Table, column: str) -> str | None:
    """Return the format by which most values can be read as dates, or None if few can be by any."""
    _, kind = table.at(column)
    if is_typed_date(kind):
        return ""
    text = table.text(column)
    wanted = ", ".join(f"COUNT({day(table, column, form)})" for form in _FORMATS)
    known, *counts = table.engine.rows(f"SELECT COUNT({text}), {wanted} FROM {table.origin}")[0]
    best = max(range(len(_FORMATS)), key=lambda i: (counts[i], -i))
    return _FORMATS[best] if counts[best] and counts[best] >= _MOSTLY * known else None


def _otherwise(table: Table, column: str) -> Otherwise:
    """Return what becomes of values that are no numbers: in a column of numbers they go, elsewhere (90+, under 20) they stay."""
    text = table.text(column)
    known, numbers = table.engine.rows(f"SELECT COUNT({text}), COUNT({table.number(column)}) FROM {table.origin}")[0]
    return "suppress" if numbers >= _MOSTLY * known else "keep"

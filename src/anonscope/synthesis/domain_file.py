"""The domain as a TOML file: read with every mistake named, written as a draft that says what came from the data."""

from collections.abc import Mapping
from datetime import date, datetime
from math import ceil, isfinite
from pathlib import Path
from typing import Any

from anonscope.errors import AnonscopeError, DomainError, shown
from anonscope.io.toml_file import TomlFile, read_toml
from anonscope.synthesis.domain import Categories, Condition, Constraint, Dates, DeclaredColumn, Domain, Implication, InOrder, Numbers

SCHEMA = "anonscope/domain/1"
BINS = 32  # of numbers, unless they are whole and no more than the next
SINGLE = 128  # whole numbers so few have a bin each
_TOP = (
    *("schema", "person", "household", "records_per_person", "records_per_household", "record_is_person"),
    *("columns", "constraints", "drafted_from_data"),
)
_TAKEN = ("take", "of", "value")
_KEYS = {
    "categories": ("categories", "other", "missing", *_TAKEN),
    "lower": ("lower", "upper", "bins", "edges", "whole", "decimals", "missing", *_TAKEN),
    "first": ("first", "last", "unit", "missing", *_TAKEN),
}
_CONDITION = ("in", "at_least", "at_most", "missing")


def load_domain(given: "Domain | str | Path") -> Domain:
    """Return a domain that was given as such, or as the file that declares it."""
    if isinstance(given, Domain):
        return given
    return domain_in(read_toml(Path(given), DomainError))


def parse_domain(text: str, name: str = "the domain") -> Domain:
    """Return the domain that a text declares."""
    return domain_in(TomlFile(text, name, DomainError))


def domain_in(document: TomlFile) -> Domain:
    """Return the domain of a parsed file, or say what is wrong with it."""
    content = document.of_keys(_TOP, SCHEMA)
    tables = content.get("columns")
    if not isinstance(tables, dict) or not tables:
        raise document.fail("no column is declared; write a table [columns.NAME] for each, with categories, or lower and upper")
    columns = tuple(_column(document, name, table) for name, table in tables.items())
    person, household = content.get("person"), content.get("household")
    if person is not None and household is not None:
        raise document.fail("declare a person or a household as what is protected, not both", "household")
    kind = "household" if household is not None else "person"
    unit = household if household is not None else person
    if unit is not None and (not isinstance(unit, str) or not unit):
        raise document.fail("must be the name of one column, in quotes", kind)
    other = "person" if kind == "household" else "household"
    if f"records_per_{other}" in content:
        raise document.fail(f"it is the {kind} that is declared; say records_per_{kind}", f"records_per_{other}")
    bound = content.get(f"records_per_{kind}")
    if unit is not None and bound is None and not any(column.take is not None for column in columns):
        raise document.fail(f"say records_per_{kind} as well: how many records of one {kind} may count", kind)
    if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int) or bound < 1):
        raise document.fail("must be a whole number from 1 on", f"records_per_{kind}")
    stated = content.get("record_is_person", False)
    if not isinstance(stated, bool):
        raise document.fail("is true where no two records are one person's, else false", "record_is_person")
    drafted = content.get("drafted_from_data", [])
    if not isinstance(drafted, list) or not all(isinstance(name, str) for name in drafted):
        raise document.fail("must be a list of what was read from the data", "drafted_from_data")
    try:
        return Domain(
            columns=columns,
            unit=unit,
            unit_kind="household" if household is not None else "person",
            records_per_unit=bound or 1,
            record_is_person=stated,
            constraints=_constraints(document, content.get("constraints", []), columns),
            drafted=tuple(drafted),
        )
    except AnonscopeError as error:
        if str(error).startswith(shown(document.name)):
            raise
        raise DomainError(f"{shown(document.name)}: {error}") from None


def _column(document: TomlFile, name: str, table: Any) -> DeclaredColumn:
    key = f"columns.{name}"
    if not isinstance(table, dict):
        raise document.fail(f"must be a table; write [{key}] and one entry a line", key)
    kind = next((kind for kind in _KEYS if kind in table), None)
    if kind is None:
        raise document.fail("declare categories = [...], or lower and upper of numbers, or first and last of dates", key)
    for entry in table:
        if entry not in _KEYS[kind]:
            raise document.fail(f"{entry}: no such key here; known are {', '.join(_KEYS[kind])}", key)
    missing = table.get("missing", False)
    if not isinstance(missing, bool):
        raise document.fail("missing is true or false", key)
    if not all(isinstance(table.get(word, ""), str) for word in _TAKEN):
        raise document.fail(f"{', '.join(_TAKEN)} are texts, in quotes", key)
    more = {"name": name, "missing": missing, **{word: table.get(word) for word in _TAKEN}}
    try:
        if kind == "categories":
            return _categories(document, key, table, more)
        return _numbers(document, key, table, more) if kind == "lower" else _dates(document, key, table, more)
    except DomainError as error:
        if str(error).startswith(shown(document.name)):
            raise
        raise document.fail(str(error).partition(": ")[2], key) from None


def _categories(document: TomlFile, key: str, table: Mapping[str, Any], more: Mapping[str, Any]) -> Categories:
    listed = table["categories"]
    if not isinstance(listed, list):
        raise document.fail('categories is a list, such as ["F", "M"]', key)
    other = table.get("other")
    if other is not None and not isinstance(other, str):
        raise document.fail("other is the name of a category, in quotes", key)
    return Categories(**more, categories=tuple(_text(document, key, value) for value in listed), other=other)


def _text(document: TomlFile, key: str, value: Any) -> str:
    """Return a category as the canonical text of such a value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, int | str | date):
        return str(value)
    raise document.fail("a category is a text or a number", key)


def _numbers(document: TomlFile, key: str, table: Mapping[str, Any], more: Mapping[str, Any]) -> Numbers:
    lower, upper = (_number(document, key, table, bound) for bound in ("lower", "upper"))
    whole, decimals = table.get("whole", False), table.get("decimals")
    if not isinstance(whole, bool) or (decimals is not None and (isinstance(decimals, bool) or not isinstance(decimals, int))):
        raise document.fail("whole is true or false, decimals a whole number", key)
    if "bins" in table and "edges" in table:
        raise document.fail("declare bins or edges, not both", key)
    decimals = 0 if whole else decimals
    if whole and (lower != int(lower) or upper != int(upper)):
        raise document.fail("bounds of whole numbers are whole numbers", key)
    if "edges" in table:
        edges = table["edges"]
        if not isinstance(edges, list) or not all(isinstance(e, int | float) and not isinstance(e, bool) for e in edges):
            raise document.fail("edges is a list of numbers", key)
        starts = tuple(float(edge) for edge in edges if edge != upper or edge == lower)
        starts = starts if starts[:1] == (lower,) else (lower, *starts)
    else:
        bins = table.get("bins")
        if bins is not None and (isinstance(bins, bool) or not isinstance(bins, int) or bins < 1):
            raise document.fail("bins is a whole number from 1 on", key)
        starts = equal_bins(lower, upper, bins, whole=decimals == 0)
    return Numbers(**more, lower=lower, upper=upper, starts=starts, decimals=decimals)


def equal_bins(lower: float, upper: float, bins: int | None, *, whole: bool) -> tuple[float, ...]:
    """Return where bins of one width begin; unless their number is said, few whole numbers have a bin each."""
    if lower >= upper:
        return (lower,)
    if not whole:
        count = bins or BINS
        return tuple(lower + (upper - lower) * i / count for i in range(count))
    span = int(upper - lower) + 1
    count = min(bins or (span if span <= SINGLE else BINS), span)
    return tuple(float(lower + ceil(span * i / count)) for i in range(count))


def _number(document: TomlFile, key: str, table: Mapping[str, Any], bound: str) -> float:
    value = table.get(bound)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise document.fail(f"{bound} must be a number", key)
    return float(value)


def _dates(document: TomlFile, key: str, table: Mapping[str, Any], more: Mapping[str, Any]) -> Dates:
    found = []
    for bound in ("first", "last"):
        value = table.get(bound)
        if isinstance(value, datetime) or not isinstance(value, date):
            raise document.fail(f"{bound} must be a date, such as 2020-01-31, without quotes", key)
        found.append(value)
    return Dates(**more, first=found[0], last=found[1], unit=table.get("unit", "month"))


def _constraints(document: TomlFile, listed: Any, columns: tuple[DeclaredColumn, ...]) -> tuple[Constraint, ...]:
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise document.fail("write [[constraints]] and, below it, when and then, or in_order", "constraints")
    known = {column.name: column for column in columns}
    found: list[Constraint] = []
    for i, one in enumerate(listed):
        if set(one) == {"in_order"}:
            names = one["in_order"]
            if not isinstance(names, list) or len(names) < 2 or not all(isinstance(name, str) for name in names):
                raise document.fail("in_order is a list of two columns or more", "constraints.in_order", i)
            kinds = {known[name].kind for name in names if name in known}
            if len(kinds) > 1 or "categories" in kinds:
                raise document.fail("in_order is about numbers only, or about dates only", "constraints.in_order", i)
            found.append(InOrder(tuple(names)))
        elif set(one) == {"when", "then"}:
            sides = [_conditions(document, f"constraints.{side}", i, one[side], known) for side in ("when", "then")]
            found.append(Implication(when=sides[0], then=sides[1]))
        else:
            raise document.fail("a constraint has when and then, or in_order", "constraints", i)
    return tuple(found)


def _conditions(document: TomlFile, key: str, entry: int, table: Any, known: Mapping[str, DeclaredColumn]) -> tuple[Condition, ...]:
    if not isinstance(table, dict) or not table:
        raise document.fail('must name columns, such as { married = ["yes"] } or { age = { at_least = 18 } }', key, entry)
    found = []
    for name, asked in table.items():
        column = known.get(name)
        if column is None:
            raise document.fail(f"no column {shown(name)} is declared", key, entry)
        asked = {"in": asked} if isinstance(asked, list) else asked
        if not isinstance(asked, dict) or not asked or any(word not in _CONDITION for word in asked):
            raise document.fail(f"{name} must be a list of categories, or have at_least, at_most, missing", key, entry)
        categories = tuple(_text(document, key, value) for value in asked["in"]) if "in" in asked else None
        if (categories is not None) != isinstance(column, Categories) and not (set(asked) == {"missing"}):
            raise document.fail(f"{name} has {column.kind}, so its condition is about those", key, entry)
        if categories is not None and not set(categories) <= set(column.labels):
            raise document.fail(f"{name} must be one of its declared categories", key, entry)
        kind: Any = date if isinstance(column, Dates) else int | float
        if any(bound in asked and not isinstance(asked[bound], kind) for bound in ("at_least", "at_most")):
            raise document.fail(f"the bound of {name} must be a {'date' if isinstance(column, Dates) else 'number'}", key, entry)
        found.append(
            Condition(
                column=name,
                categories=categories,
                at_least=asked.get("at_least"),
                at_most=asked.get("at_most"),
                missing=asked.get("missing"),
            )
        )
    return tuple(found)


def domain_text(domain: Domain) -> str:
    """Return a domain as the file that declares it."""
    import tomli_w

    document: dict[str, Any] = {"schema": SCHEMA}
    if domain.drafted:
        document["drafted_from_data"] = list(domain.drafted)
    if domain.unit is not None:
        document[domain.unit_kind] = domain.unit
        document |= {f"records_per_{domain.unit_kind}": domain.records_per_unit} if not domain.summarised else {}
    if domain.record_is_person:
        document["record_is_person"] = True
    document["columns"] = {column.name: _written(column) for column in domain.columns}
    if domain.constraints:
        document["constraints"] = [_constraint(constraint) for constraint in domain.constraints]
    said = "# The values that columns can have, and what one person contributes. Read by: anonscope synthesise SOURCE --domain THIS_FILE\n"
    if domain.drafted:
        said += (
            "# What drafted_from_data names was READ FROM THE DATA, so nothing is guaranteed with it. Replace it by what is known without\n"
            "# the data (a codebook, a form, a law), and take its name out of the list.\n"
        )
    return said + tomli_w.dumps(document)


def _written(column: DeclaredColumn) -> dict[str, Any]:
    found: dict[str, Any]
    if isinstance(column, Categories):
        found = {"categories": list(column.categories)} | ({"other": column.other} if column.other is not None else {})
    elif isinstance(column, Numbers):
        found = {"lower": _plain(column.lower), "upper": _plain(column.upper)}
        if column.starts != equal_bins(column.lower, column.upper, None, whole=column.decimals == 0):
            equal = column.starts == equal_bins(column.lower, column.upper, column.present, whole=column.decimals == 0)
            found |= {"bins": column.present} if equal else {"edges": [_plain(start) for start in column.starts]}
        found |= {"whole": True} if column.decimals == 0 else {"decimals": column.decimals} if column.decimals is not None else {}
    else:
        assert isinstance(column, Dates), "there is no other kind"
        found = {"first": column.first, "last": column.last, "unit": column.unit}
    taken = {word: value for word in _TAKEN if (value := getattr(column, word)) is not None}
    return found | ({"missing": True} if column.missing else {}) | taken


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _constraint(constraint: Constraint) -> dict[str, Any]:
    if isinstance(constraint, InOrder):
        return {"in_order": list(constraint.columns)}
    return {side: {c.column: _condition(c) for c in getattr(constraint, side)} for side in ("when", "then")}


def _condition(condition: Condition) -> dict[str, Any]:
    asked = {
        "in": list(condition.categories) if condition.categories is not None else None,
        "at_least": condition.at_least,
        "at_most": condition.at_most,
        "missing": condition.missing,
    }
    return {word: value for word, value in asked.items() if value is not None}

"""Columns of a domain as a codebook declares them: what is known without the data, and so may carry a guarantee.

Read are a Table Schema (the `enum`, `minimum` and `maximum` of its fields), a JSON object of columns with their `values`, and a CSV table
with a line for every value of a column, or with its minimum and maximum. What a codebook does not bound is not declared by it.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from anonscope.errors import DomainError, OptionError, shown
from anonscope.synthesis.domain import Categories, Dates, DeclaredColumn, Numbers
from anonscope.synthesis.domain_file import equal_bins

_NAMES = ("name", "column", "variable", "field")
_VALUES = ("value", "code", "category")
_BOUNDS = (("minimum", "maximum"), ("min", "max"), ("lower", "upper"), ("first", "last"))
_WANTED = (
    "A CSV table needs a column called name (or variable) and one called value, or minimum and maximum; a Table Schema fields with enum, "
    "or minimum and maximum; another JSON object columns with their values."
)


def read_codebook(path: str | Path) -> dict[str, DeclaredColumn]:
    """Return the columns that a codebook bounds, by their names; raise if it cannot be read or bounds none."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
        said = _of_json(json.loads(text)) if text.lstrip().startswith("{") else _of_table(text)
        found = {name: column for name, entry in said if (column := _declared(name, entry)) is not None}
    except FileNotFoundError:
        raise OptionError(f"There is no codebook {shown(str(path))}.") from None
    except (ValueError, RecursionError, csv.Error, OSError):
        raise OptionError(f"The codebook {shown(str(path))} cannot be read. {_WANTED}") from None
    if not found:
        raise OptionError(f"The codebook {shown(str(path))} bounds no column. {_WANTED}")
    return found


def of_values(name: str, values: Iterable[str], *, missing: bool = True) -> DeclaredColumn | None:
    """Return a column that has these values: whole numbers from the least to the largest where all are such, else categories."""
    listed = list(dict.fromkeys(str(value) for value in values if str(value)))
    if not listed:
        return None
    if len(listed) > 12 and all(value.lstrip("-").isdecimal() for value in listed):
        return _numbers(name, float(min(map(int, listed))), float(max(map(int, listed))), whole=True, missing=missing)
    return Categories(name=name, categories=tuple(listed), missing=missing)


def _numbers(name: str, lower: float, upper: float, *, whole: bool, missing: bool) -> Numbers:
    starts = equal_bins(lower, upper, None, whole=whole)
    return Numbers(name=name, lower=lower, upper=upper, starts=starts, decimals=0 if whole else None, missing=missing)


def _declared(name: str, entry: Mapping[str, Any]) -> DeclaredColumn | None:
    """Return a column by what is said of it; None where that bounds nothing."""
    missing = not entry.get("required", False)
    try:
        if entry.get("values"):
            return of_values(name, entry["values"], missing=missing)
        lower, upper = entry.get("lower"), entry.get("upper")
        if lower in (None, "") or upper in (None, ""):
            return None
        if _day(lower) is not None and (last := _day(upper)) is not None:
            first = _day(lower)
            assert first is not None, "that was asked"
            return Dates(name=name, first=first, last=last, unit="month" if (last - first).days > 62 else "day", missing=missing)
        whole = entry.get("type") in ("integer", "year") or all(float(bound).is_integer() for bound in (lower, upper))
        return _numbers(name, float(lower), float(upper), whole=whole, missing=missing)
    except (ValueError, TypeError, DomainError):
        return None


def _day(text: Any) -> date | None:
    try:
        return date.fromisoformat(str(text)[:10]) if len(str(text)) >= 10 else None
    except ValueError:
        return None


def _of_json(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(document.get("resources"), list):
        for resource in document["resources"]:
            yield from _of_json(resource.get("schema", {}) if isinstance(resource, dict) else {})
    elif isinstance(document.get("fields"), list):
        for field in document["fields"]:
            if isinstance(field, dict) and isinstance(field.get("name"), str):
                said = field.get("constraints")
                bounds: dict[str, Any] = said if isinstance(said, dict) else {}
                yield (
                    field["name"],
                    {
                        "values": bounds.get("enum"),
                        "lower": bounds.get("minimum"),
                        "upper": bounds.get("maximum"),
                        "required": bounds.get("required", False),
                        "type": field.get("type"),
                    },
                )
    else:
        for name, entry in document.items():
            if isinstance(entry, dict) and isinstance(entry.get("values"), dict | list):
                yield str(name), {"values": [str(value) for value in entry["values"]]}


def _of_table(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    delimiter = max(",;\t|", key=text[:4096].split("\n", 1)[0].count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    called = {name.strip().lower(): name for name in rows.fieldnames or () if name}
    names = next((called[name] for name in _NAMES if name in called), None)
    values = next((called[name] for name in _VALUES if name in called), None)
    bounds = next(((called[low], called[high]) for low, high in _BOUNDS if low in called and high in called), None)
    if names is None:
        return
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        entry = found.setdefault((row[names] or "").strip(), {})
        if values is not None and (row[values] or "").strip():
            entry.setdefault("values", []).append(row[values].strip())
        if bounds is not None and (row[bounds[0]] or "").strip():
            entry |= {"lower": (row[bounds[0]] or "").strip(), "upper": (row[bounds[1]] or "").strip()}
    yield from ((name, entry) for name, entry in found.items() if name)

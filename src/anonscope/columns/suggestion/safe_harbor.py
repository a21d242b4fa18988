"""HIPAA's Safe Harbor as a list of checks: which of its 18 classes of identifiers a table still has.

45 CFR 164.514(b)(2)(i). All columns are looked at, whatever role they were given: the rule is about the table. Areas must not be smaller
than a state, except the first three digits of a ZIP code where more than 20,000 people live; dates must not be finer than a year; ages
over 89 must be pooled. The 20,000 rule needs a table of populations, which is the user's to give.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.check import Check
from anonscope.columns.suggestion.clues import Clues
from anonscope.columns.suggestion.terms import concepts
from anonscope.columns.suggestion.vocabulary import Reader
from anonscope.engines import Engine
from anonscope.engines.values import number as as_number
from anonscope.engines.values import number_of
from anonscope.errors import OptionError, shown
from anonscope.io.sources import Relation

POPULATION_LIMIT = 20_000
OLDEST = 89
# Areas of three digits are at most a thousand, and years a few hundred, however they are written.
_MOST_FETCHED = 10_000
_AREAS, _DATES, _OTHER = 2, 3, 18
_TITLES = {_AREAS: "geographic subdivisions smaller than a state", _DATES: "dates finer than a year, and ages over 89"}
_ZIP_WORDS = {"zip", "zipcode", "postal", "postcode"}
_YEAR_WORDS = {"year", "jahr", "annee", "ano", "jaar"}
# A year, an open range of years, a decade, or nothing at all, as a release writes them.
_YEARS = re.compile(r"\*|<?(1[5-9]|20|21)\d\d\+?|(1[5-9]|20|21)\d0s")


@dataclass(frozen=True, slots=True)
class Remedy:
    """What Safe Harbor asks of a column, whatever its values are today: to go, or to become coarser in one of four ways."""

    column: str
    number: int
    what: Literal["drop", "zip", "date", "birth date", "birth year", "age"]
    reason: str


@dataclass(frozen=True, slots=True)
class _Fault:
    column: str
    reason: str
    unknown: bool = False


def safe_harbor(
    engine: Engine, relation: Relation, clues: Sequence[Clues], roles: Roles, zip_populations: Mapping[str, int] | None = None
) -> tuple[Check, ...]:
    """Return the 18 checks, in the order of the rule. `source` must hold all columns."""
    reader = Reader(relation.names)
    by_class: dict[int, list[_Fault]] = {}
    for clue in clues:
        for number, fault in _faults(engine, clue, reader, roles, zip_populations):
            by_class.setdefault(number, []).append(fault)
    titles = {c.safe_harbor: c.title for c in concepts().values() if c.domain == "identifier" and c.safe_harbor} | _TITLES
    return tuple(_check(number, titles[number], by_class.get(number, [])) for number in sorted(titles))


def remedies(clues: Sequence[Clues], reader: Reader, roles: Roles) -> tuple[Remedy, ...]:
    """Return what has to become of every column that falls under the rule, in the order of the table."""
    return tuple(remedy for clue in clues if clue.profile.values and (remedy := _remedy(clue, reader, roles)) is not None)


def _remedy(clue: Clues, reader: Reader, roles: Roles) -> Remedy | None:
    """The order is that of `_faults`: what a column is goes before what it is about."""
    name = clue.profile.name
    concept = clue.meaning.concept.name if clue.meaning else ""
    if clue.identifier is not None:
        return Remedy(name, clue.identifier.number, "drop", clue.identifier.concept.title)
    if name in roles.direct_identifiers:
        return Remedy(name, _OTHER, "drop", "what was given as a direct identifier")
    if name in (roles.person, roles.household) or clue.person is not None:
        return Remedy(name, _OTHER, "drop", "ids of persons; 164.514(c) allows a random code that means nothing elsewhere")
    if clue.type.kind == "free text":
        return Remedy(name, _OTHER, "drop", "free text, which may name anybody")
    if concept == "small_area" or reader.mentions(name, "small_area"):
        if _ZIP_WORDS & set(clue.words):
            return Remedy(name, _AREAS, "zip", "ZIP codes")
        return Remedy(name, _AREAS, "drop", "areas smaller than a state")
    if concept == "age":
        return Remedy(name, _DATES, "age", "ages")
    born = concept in ("birth_date", "birth_year")
    finer = clue.type.kind == "date" and clue.type.resolution != "year"
    yearly = not finer and (clue.type.resolution == "year" or concept == "birth_year" or bool(set(clue.words) & _YEAR_WORDS))
    if born and yearly:
        return Remedy(name, _DATES, "birth year", "years of birth")
    if finer or ((born or concept == "event_date") and not yearly):
        return Remedy(name, _DATES, "birth date" if born else "date", "dates, or parts of them")
    return None


def read_zip_populations(path: Path) -> dict[str, int]:
    """Read a table of populations: the first three digits of ZIP codes, and how many people live there."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError):
        raise OptionError(f"The table of ZIP code populations {shown(path)} cannot be read.") from None
    found: dict[str, int] = {}
    for line, row in enumerate(rows[1:], start=2):
        area, people = (row[0].strip().zfill(3), row[1].strip().replace(",", "")) if len(row) >= 2 else ("", "")
        if len(area) != 3 or not area.isdigit() or not people.isdigit():
            raise OptionError(
                f"{shown(path.name)}, line {line}: expected three digits of a ZIP code and a number of people, under a line of headings."
            )
        found[area] = int(people)
    if not found:
        raise OptionError(f"{shown(path.name)} has no line with three digits of a ZIP code and a number of people.")
    return found


def _check(number: int, title: str, faults: list[_Fault]) -> Check:
    if not faults:
        return Check(number=number, title=title, status="pass")
    certain = [fault for fault in faults if not fault.unknown]
    return Check(
        number=number,
        title=title,
        status="fail" if certain else "not measured",
        columns=tuple(dict.fromkeys(fault.column for fault in certain or faults)),
        reason="; ".join(dict.fromkeys(f"{fault.column}: {fault.reason}" for fault in faults)),
    )


def _faults(
    engine: Engine, clue: Clues, reader: Reader, roles: Roles, populations: Mapping[str, int] | None
) -> Iterator[tuple[int, _Fault]]:
    name = clue.profile.name
    if clue.profile.values == 0:
        return
    if clue.identifier is not None:
        yield clue.identifier.number, _Fault(name, "the table has it")
    elif name in roles.direct_identifiers:
        yield _OTHER, _Fault(name, "it was given as a direct identifier")
    elif name in (roles.person, roles.household) or clue.person is not None:
        yield _OTHER, _Fault(name, "an id of persons; allowed only as a random code that means nothing elsewhere (164.514(c))")
    elif clue.type.kind == "free text":
        yield _OTHER, _Fault(name, "free text may name anybody", unknown=True)
    concept = clue.meaning.concept.name if clue.meaning else ""
    if clue.identifier is None and (concept == "small_area" or reader.mentions(name, "small_area")):
        yield from ((_AREAS, fault) for fault in _area(engine, clue, populations))
    if concept in ("event_date", "birth_date") or clue.type.kind == "date":
        yield from ((_DATES, fault) for fault in _date(engine, clue))
    if concept in ("age", "birth_date", "birth_year"):
        yield from ((_DATES, fault) for fault in _age(engine, clue, born=concept != "age"))


def _area(engine: Engine, clue: Clues, populations: Mapping[str, int] | None) -> Iterator[_Fault]:
    name = clue.profile.name
    if not _ZIP_WORDS & set(clue.words):
        yield _Fault(name, "an area smaller than a state")
        return
    if _too_many(engine, clue):
        yield _Fault(name, "more than the first three digits of a ZIP code")
        return
    areas = {_digits(value) for value in _values(engine, clue)}
    if any(len(area) != 3 for area in areas):
        yield _Fault(name, "more than the first three digits of a ZIP code")
        return
    areas.discard("000")
    if not areas:
        return
    if populations is None:
        yield _Fault(name, "a table of populations is needed to know whether more than 20,000 people live in each area", unknown=True)
        return
    small = [area for area in areas if area in populations and populations[area] <= POPULATION_LIMIT]
    unknown = [area for area in areas if area not in populations]
    if small:
        yield _Fault(name, f"{len(small)} areas of at most 20,000 people must become 000")
    elif unknown:
        yield _Fault(name, f"the population of {len(unknown)} areas is not in the table", unknown=True)


def _date(engine: Engine, clue: Clues) -> Iterator[_Fault]:
    if clue.profile.constant or clue.type.resolution == "year":
        return
    if not _too_many(engine, clue) and all(_YEARS.fullmatch(value.strip()) for value in _values(engine, clue)):
        return
    if clue.type.kind == "date":
        yield _Fault(clue.profile.name, f"a date to the {clue.type.resolution or 'day'}")
    elif not set(clue.words) & _YEAR_WORDS:
        yield _Fault(clue.profile.name, "a part of a date that is finer than a year")


def _age(engine: Engine, clue: Clues, *, born: bool) -> Iterator[_Fault]:
    if _too_many(engine, clue):
        low, high = (1800, date.today().year - OLDEST) if born else (OLDEST, None)
        numbers = set(_numbers_between(engine, clue, low, high))
    else:
        numbers = {number for value in _values(engine, clue) if (number := number_of(value)) is not None}
    if born:
        first = date.today().year - OLDEST
        if any(1800 < number < first for number in numbers):
            yield _Fault(clue.profile.name, f"years of birth before {first} tell ages over {OLDEST}")
        return
    # One value of 90 and none above is how a pool of 90 and over is often written.
    if any(number > OLDEST for number in numbers - {OLDEST + 1.0}):
        yield _Fault(clue.profile.name, f"ages over {OLDEST} must be pooled as 90 and over")


def _too_many(engine: Engine, clue: Clues) -> bool:
    """Whether a column has more values than there are areas of three digits, or ways to write a year; then not all of them are fetched."""
    return engine.remote and clue.profile.values > _MOST_FETCHED


def _numbers_between(engine: Engine, clue: Clues, low: float, high: float | None) -> Iterator[float]:
    """Yield two numbers of a column above one and below another, if it has any: whether there is more than one is all that matters."""
    column = as_number(f"c{clue.profile.position}", clue.profile.kind, clue.profile.name)
    below = f" AND v < {high}" if high is not None else ""
    found = engine.rows(f"SELECT DISTINCT v FROM (SELECT {column} AS v FROM source) AS t WHERE v > {low}{below} ORDER BY v DESC LIMIT 2")
    yield from (float(value) for (value,) in found)


def _values(engine: Engine, clue: Clues) -> Iterator[str]:
    """Yield every distinct value of a column, not only those that were looked at."""
    if clue.profile.complete:
        yield from (v.text for v in clue.profile.telling)
        return
    column = f"c{clue.profile.position}"
    found = engine.rows(f"SELECT DISTINCT CAST({column} AS VARCHAR) AS v FROM source WHERE {column} IS NOT NULL ORDER BY v")
    yield from (value for (value,) in found)


def _digits(value: str) -> str:
    return value.strip().removesuffix(".0").rstrip("*xX").strip()

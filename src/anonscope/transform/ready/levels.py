"""Pseudonymisation levels as recipes: P1 weak, P2 moderate, P3 strong, for columns like ages, postcodes, incomes and diagnoses.

S. Kim (2025), "Quantitative Metrics for Balancing Privacy and Utility in Pseudonymized Big Data", Electronics 14, 4350, table
5: P1 keeps ages, postcodes and diagnoses as they are and rounds amounts to 1,000; P2 rounds ages to 5 years and amounts to
10,000, keeps four characters of a postcode and groups diagnoses into categories; P3 rounds to 10 years and 1,000,000, keeps
three characters and groups into the top level. Amounts are won there, about three million each: in other data the steps are
so much smaller or larger as its amounts are, by powers of ten, so that 41,000 dollars become 40,000 at P3 and not 0. Diagnoses
are grouped by their ICD-10 code: its first three characters are the category, its letter stands for the chapter. Names of
diagnoses are grouped by a hierarchy, where the roles have one, and common ones else by the blocks and chapters of ICD-10.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, log10
from os.path import relpath
from pathlib import Path
from typing import Literal, cast, get_args

from anonscope.columns.hierarchy import read_hierarchy
from anonscope.columns.hierarchy.diagnosis_names import grouped_names
from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.errors import OptionError, RecipeError, shown
from anonscope.io.sources import Relation
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.generalise_hierarchy import GeneraliseHierarchy
from anonscope.transform.steps.generalise_mapping import GeneraliseMapping
from anonscope.transform.steps.generalise_prefix import GeneralisePrefix
from anonscope.transform.steps.round import Round
from anonscope.transform.table import Table
from anonscope.transform.transformation import Otherwise, Transformation, listed

Kind = Literal["age", "zip", "income", "diagnosis"]
Level = Literal["P1", "P2", "P3"]
LEVELS: tuple[Level, ...] = get_args(Level)
# What each level does: a step to round to, or a number of characters to keep; None leaves the values alone.
STEPS: Mapping[str, tuple[float, float, float]] = {"age": (1, 5, 10), "income": (1_000, 10_000, 1_000_000)}
PREFIXES: Mapping[str, tuple[int | None, int, int]] = {"zip": (5, 4, 3), "diagnosis": (None, 3, 1)}
KINDS = (*STEPS, *PREFIXES)
CODE = r"^[A-Z][0-9][0-9A-Z]"
_WORDS: Mapping[Kind, tuple[str, ...]] = {
    "age": ("age", "agep", "years"),
    "zip": ("zip", "zipcode", "postcode", "postal", "plz"),
    "income": ("income", "pincp", "salary", "wage", "wages", "charges", "cost", "costs", "amount", "earnings"),
    "diagnosis": ("diagnosis", "diagnoses", "icd", "icd10", "disease"),
}
_STRENGTH = {"P1": "weak", "P2": "moderate", "P3": "strong"}
# Fewer numbers than this among the values, and the column is not one of numbers.
_MOSTLY = 0.9
# Fewer common names than this, and they are grouped by a hierarchy or not at all.
NAMES = 0.8


def kinds_of(columns: tuple[str, ...], given: Mapping[str, str]) -> dict[str, Kind]:
    """Return which columns have levels in table 5: those that were named, else those whose name says so."""
    kinds: dict[str, Kind] = {}
    for column, kind in given.items():
        if column not in columns:
            raise OptionError(f"Column {shown(column)} is not among the quasi-identifiers and sensitive attributes, so it has no level.")
        if kind not in KINDS:
            raise OptionError(f"A column can be like {', '.join(KINDS)}, not like {shown(kind)}.")
        kinds[column] = cast(Kind, kind)
    for column in columns:
        words = set(re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column).lower()))
        guess = next((kind for kind, names in _WORDS.items() if words & set(names)), None)
        if guess is not None and column not in kinds:
            kinds[column] = guess
    return kinds


@dataclass(frozen=True, slots=True)
class _Values:
    """How many values of a column are known, how many of them are numbers, how many look like ICD-10 codes, and how large numbers are."""

    known: int
    numbers: int
    codes: int
    size: float  # the mean of the numbers without their signs; 0 where there are none
    named: int = 0  # how many are common names of diagnoses

    @property
    def scale(self) -> float:
        """What the paper's steps are multiplied by: its amounts are millions, these are of the power of ten that their mean has."""
        return scale_of(self.size)


def scale_of(size: float) -> float:
    """Return what the paper's steps are multiplied by for amounts of this mean."""
    return 10.0 ** (floor(log10(size)) - 6) if size > 0 else 1.0


def step_of(kind: Kind, i: int, scale: float) -> float:
    """Return what a level rounds to."""
    to = STEPS[kind][i] * (scale if kind == "income" else 1)
    return int(to) if to == int(to) else to


def own_level(i: int, height: int) -> int:
    """Return the level of a hierarchy of its own that a column is grouped by; below 1, by none: the last is one label for all."""
    return 0 if LEVELS[i] == "P1" else min(1, height - 1) if LEVELS[i] == "P2" else height - 1


def make_level_recipe(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    level: str,
    *,
    like: Mapping[str, str] | None = None,
    rows: int | None = None,
    folder: Path | None = None,
) -> Recipe:
    """Return the recipe of a level for the columns that have one; files are named as seen from the folder it will be in."""
    if level not in LEVELS:
        raise OptionError(f"The level must be one of {', '.join(LEVELS)}, not {shown(str(level))}.")
    roles.check(relation.names)
    columns = (*roles.attributes, *roles.sensitive)
    kinds = kinds_of(columns, like or {})
    found = _look(engine, relation, {column: kinds[column] for column in columns if column in kinds}, rows)
    written: list[tuple[Transformation, str]] = [
        (DropColumn(column=column), f"{shown(column)} is a direct identifier; no level keeps those.") for column in roles.direct_identifiers
    ]
    notes: list[str] = []
    for column, values in found.items():
        step, comment = _step(column, kinds[column], LEVELS.index(level), values, roles.hierarchies.get(column), folder)
        if step is None:
            notes.append(comment)
        else:
            written.append((step, comment))
    notes += _left_alone(roles, kinds)
    if not written:
        raise RecipeError(f"Level {level} has nothing to change in this table. " + " ".join(notes))
    title = [f"Level {level} ({_STRENGTH[level]}) of S. Kim (2025), Electronics 14, 4350, table 5.", *notes]
    return Recipe(tuple(step for step, _ in written), tuple(comment for _, comment in written), "\n".join(title), folder)


def _look(engine: Engine, relation: Relation, columns: Mapping[str, Kind], rows: int | None) -> dict[str, _Values]:
    """Count, in one pass, what kind of values the columns hold."""
    if not columns:
        return {}
    table = Table.of(engine, relation, rows)
    wanted = []
    for i, (column, kind) in enumerate(columns.items()):
        text = table.text(column)
        number = table.number(column)
        name = engine.lookup(f"names_of_diagnoses_{i}", text, grouped_names(chapters=True)) if kind == "diagnosis" else "NULL"
        wanted += [f"COUNT({text})", f"COUNT({number})", f"COUNT(CASE WHEN REGEXP_MATCHES({text}, '{CODE}') THEN 1 END)"]
        wanted += [f"AVG(ABS({number}))", f"COUNT({name})"]
    found = engine.rows(f"SELECT {', '.join(wanted)} FROM {table.origin}")[0]
    parts = {column: found[5 * i : 5 * i + 5] for i, column in enumerate(columns)}
    return {column: _Values(int(p[0]), int(p[1]), int(p[2]), float(p[3] or 0), int(p[4])) for column, p in parts.items()}


def _step(
    column: str, kind: Kind, i: int, values: _Values, hierarchy: str | None, folder: Path | None
) -> tuple[Transformation | None, str]:
    """Return the step for a column and why it is there, or why there is none."""
    like = f"{shown(column)} is like {_article(kind)}"
    if kind in STEPS:
        if not values.known or values.numbers < _MOSTLY * values.known:
            return None, f"{like}, but holds no numbers, so it cannot be rounded and stays as it is."
        # What is no number is no year and no amount either, and may be anything.
        otherwise: Otherwise = "error" if values.numbers == values.known else "suppress"
        to = step_of(kind, i, values.scale)
        step = Round(column=column, to=to, otherwise=otherwise)
        return step, f"{like}: {LEVELS[i]} rounds to {to:,}{_unit(kind, values)}.{_about_others(values)}"
    kept = PREFIXES[kind][i]
    if kept is None:
        return None, f"{like}: {LEVELS[i]} keeps it as it is."
    if kind == "diagnosis" and values.codes < values.known:
        if hierarchy is None and values.named >= NAMES * values.known:
            return _by_names(column, like, i, values)
        return _by_hierarchy(column, like, i, hierarchy, folder)
    characters = "its first character" if kept == 1 else f"its first {kept} characters"
    meaning = {3: ", the ICD-10 category", 1: ", which stands for the ICD-10 chapter"}[kept] if kind == "diagnosis" else ""
    return GeneralisePrefix(column=column, characters=kept, stars="one"), f"{like}: {LEVELS[i]} keeps {characters}{meaning}."


def _by_names(column: str, like: str, i: int, values: _Values) -> tuple[Transformation, str]:
    """Return the step that groups common names of diagnoses; what is none of them may be anything, and says nothing."""
    chapters = LEVELS[i] == "P3"
    step = GeneraliseMapping(column=column, mapping=grouped_names(chapters=chapters), otherwise="suppress")
    other = values.known - values.named
    rest = f" {other:,} values are none of these names and become *." if other else ""
    return step, f"{like}: {LEVELS[i]} groups its names by the {'chapter' if chapters else 'block'} of ICD-10.{rest}"


def _by_hierarchy(column: str, like: str, i: int, hierarchy: str | None, folder: Path | None) -> tuple[Transformation | None, str]:
    if hierarchy is None:
        why = "holds no ICD-10 codes and few common names; grouping names needs a hierarchy in the roles"
        return None, f"{like}, but {why}, so it stays as it is."
    height = read_hierarchy(hierarchy, column).height
    level = own_level(i, height)
    if level < 1:
        return None, f"{like}, but its hierarchy has no level between the values and one label for all, so it stays as it is."
    file = relpath(hierarchy, folder or Path())
    step = GeneraliseHierarchy(column=column, file=file, level=level)
    return step, f"{like}: {LEVELS[i]} groups it by level {level} of {height} of its hierarchy."


def _left_alone(roles: Roles, kinds: Mapping[str, Kind]) -> list[str]:
    """Return what the level says nothing about although somebody should."""
    notes = []
    without = tuple(column for column in roles.attributes if column not in kinds)
    if without:
        notes.append(f"No rule of this level is about these quasi-identifiers, which stay as they are: {listed(without)}.")
    ids = tuple(column for column in (roles.person, roles.household) if column is not None)
    if ids:
        notes.append(f"Ids of persons and households stay as they are; pseudonymise them before any release: {listed(ids)}.")
    return notes


def _about_others(values: _Values) -> str:
    other = values.known - values.numbers
    return f" {other:,} values are no numbers and become *." if other else ""


def _unit(kind: Kind, values: _Values) -> str:
    if kind == "age":
        return " years"
    if values.scale == 1:
        return ", as in the study, whose amounts are as large"
    return f" (the study's step, in its currency, times {values.scale:g} as your amounts are so much smaller or larger)"


def _article(kind: Kind) -> str:
    return {"age": "an age", "zip": "a postcode", "income": "an income", "diagnosis": "a diagnosis"}[kind]

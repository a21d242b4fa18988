"""Codes and numbers that repeat and of which nothing says what they are: perhaps ids of people who have several records.

Then a group of eight records may be one person. What stays with a person tells: whoever shares a code of a municipality, a job or a
ward differs in sex and age, so a column whose groups differ is no id. Where groups agree by more than chance, or where the table has no
such column and the values are codes rather than a scale, it may be one, and somebody has to say a word. A class at school agrees in age
too: this is a doubt and no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.columns.suggestion.clues import FEWEST_CODES, Clues
from anonscope.columns.suggestion.codes import of_codes
from anonscope.columns.suggestion.evidence import GivenLook
from anonscope.columns.suggestion.own_values import places_of
from anonscope.columns.suggestion.sampled import Sample

# Fewer groups of several records prove nothing.
_FEWEST_GROUPS = 20
# More groups than this share that differ in what stays with a person are no people; a few may be slips.
_DIFFERING = 0.1
# Groups agree by a chance of less than this.
_CHANCE = 1e-4
# A person grows older between the first and the last record.
_YEARS = 3
# Amounts coincide by chance: more of the records than this share would have to share their value, the commonest ones aside, which stand
# for none.
_SHARED = 0.2
_COMMONEST = 3
# Numbers that fill more than this share of the places between them are a scale: points, counts, years.
_DENSE = 0.5
_STAYS = ("sex", "birth_date", "birth_year", "age")
_TOLD = "may be ids of people who have several records (if so, name it with -p, and people are counted)"
_AGREES = f"{_TOLD}: who shares a value agrees in {{own}}, and nothing else tells what it is"
_UNTOLD = f"{_TOLD}: its codes repeat, and neither its name nor its values nor another column tells what they are"


@dataclass(frozen=True, slots=True)
class _Company:
    """How many groups of several records a column makes, what share of them differs, and the chance that so many agree."""

    groups: int
    differing: float
    chance: float


def perhaps_people(sample: Sample, columns: Sequence[str]) -> tuple[GivenLook, ...]:
    """Return which of these columns, that were given a role, may be ids of people who have several records."""
    if sample.engine.remote:
        return ()
    likely = [clue for clue in sample.clues(columns) if clue.untold_codes and of_codes(clue.profile, clue.type) is None]
    if not likely:
        return ()
    staying = _what_stays(sample)
    found = (_doubt(sample, clue, staying) for clue in likely)
    return tuple(GivenLook(clue.profile.name, reason, doubtful=True) for clue, reason in zip(likely, found, strict=True) if reason)


def _what_stays(sample: Sample) -> dict[str, str]:
    """Return the columns that stay with a person by their plain names, and which of these each of them is."""
    matches = {name: sample.reader.match(name) for name in sample.relation.names}
    return {name: m.concept.name for name, m in matches.items() if m is not None and m.sure and m.concept.name in _STAYS}


def _doubt(sample: Sample, clue: Clues, staying: dict[str, str]) -> str | None:
    """Return why a column may be the id of people, if it may."""
    column = clue.profile.name
    values, records = _repeats(sample, column)
    if values < FEWEST_CODES or values == records:
        return None
    companies = {own: _company(sample, column, own, kind) for own, kind in staying.items() if own != column}
    told = {own: found for own, found in companies.items() if found.groups >= _FEWEST_GROUPS}
    if any(found.differing > _DIFFERING for found in told.values()):
        return None
    agreeing = [own for own, found in told.items() if found.chance < _CHANCE]
    if agreeing:
        return _AGREES.format(own=", ".join(staying[own].replace("_", " ") for own in agreeing))
    return None if told or values > (1 - _SHARED) * records or _a_scale(clue) else _UNTOLD


def _a_scale(clue: Clues) -> bool:
    """Whether numbers lie so close to each other that they may be points or counts."""
    if clue.type.kind != "integer":
        return False
    places = places_of(clue.profile)
    return places is None or clue.profile.values > _DENSE * places


def _repeats(sample: Sample, column: str) -> tuple[int, int]:
    """Return how many values there are in how many records, without the commonest ones."""
    cells = f"(SELECT {sample.text(column)} AS v FROM {sample.origin}) AS cells"
    counted = f"(SELECT COUNT(*) AS n FROM {cells} WHERE v IS NOT NULL GROUP BY v) AS counted"
    sizes = [
        (int(n), int(values)) for n, values in sample.engine.rows(f"SELECT n, COUNT(*) AS m FROM {counted} GROUP BY n ORDER BY n DESC")
    ]
    commonest = [n for n, values in sizes for _ in range(min(values, _COMMONEST))][:_COMMONEST]
    return sum(values for _, values in sizes) - len(commonest), sum(n * values for n, values in sizes) - sum(commonest)


def _company(sample: Sample, column: str, own: str, kind: str) -> _Company:
    """Return how those who share a value of a column agree in what stays with a person."""
    cells = f"SELECT {sample.text(column)} AS v, {sample.text(own)} AS s FROM {sample.origin}"
    both = f"({cells}) AS cells WHERE v IS NOT NULL AND s IS NOT NULL"
    numbers = kind in ("age", "birth_year") and _all_numbers(sample, both)
    differ = f"MAX(CAST(s AS DOUBLE)) - MIN(CAST(s AS DOUBLE)) > {_YEARS}" if numbers else "MIN(s) <> MAX(s)"
    grouped = f"SELECT CASE WHEN {differ} THEN 1 ELSE 0 END AS d FROM {both} GROUP BY v HAVING COUNT(*) > 1"
    ((groups, differing),) = sample.engine.rows(f"SELECT COUNT(*), COALESCE(SUM(d), 0) FROM ({grouped}) AS groups")
    if not groups:
        return _Company(0, 0.0, 1.0)
    alike = _alike(sample, both, near=numbers)
    agreeing = int(groups) - int(differing)
    return _Company(int(groups), int(differing) / int(groups), alike**agreeing)


def _all_numbers(sample: Sample, both: str) -> bool:
    ((others,),) = sample.engine.rows(f"SELECT COUNT(*) FROM {both} AND TRY_CAST(s AS DOUBLE) IS NULL")
    return not others


def _alike(sample: Sample, both: str, *, near: bool) -> float:
    """Return the chance that two records agree that have nothing to do with each other."""
    counts = [(value, int(n)) for value, n in sample.engine.rows(f"SELECT s, COUNT(*) AS n FROM {both} GROUP BY s")]
    total = sum(n for _, n in counts)
    if not near:
        return sum(n * n for _, n in counts) / total**2
    numbers = [(float(value), n) for value, n in counts]
    return sum(n * m for a, n in numbers for b, m in numbers if abs(a - b) <= _YEARS) / total**2

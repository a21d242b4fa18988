"""Date shifting: all dates of a person move by the same number of days, so what lies between them stays exact.

The number of days comes from a keyed hash of the person, so it is the same in every table that shares the key, and nobody without the
key can undo it. Without a key that tables share, a seed is drawn for the release.
Shifted dates are true of nobody, so the step counts as a perturbation.
"""

from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from typing import ClassVar

from anonscope.columns.images import EVERYTHING, Dates, Everything, Exactly, Image
from anonscope.errors import shown
from anonscope.transform.cells.dates import NOT_A_DATE, day, is_typed_date
from anonscope.transform.randomness.keys import derived_key, keyed_hash, read_key
from anonscope.transform.seeds import Seed, check_seed, drawn_seed
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import OTHERWISE, Effect, Otherwise, Transformation, check_types, listed, whole

# 15 hexadecimal digits fit into a BIGINT; the remainder is then uneven by less than one in 10^13.
_DIGITS = 15
_LONGEST = 36_525
_STUCK = "belong to records that name no person, or would leave the years 1 to 9999; a date is never kept as it is"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftDates(Transformation):
    """Shift dates by up to so many days to either side, by the same number for all records of a person."""

    name: ClassVar[str] = "shift_dates"
    title: ClassVar[str] = "Shift dates"
    standard: ClassVar[str] = "noise addition"
    effect: ClassVar[Effect] = "perturbation"

    dates: tuple[str, ...]
    person: str
    days: int
    zero: bool = True  # whether a person's dates may stay where they are
    key_file: str = ""
    key_variable: str = ""
    seed: Seed | None = None  # instead of a key that other tables share
    domain: str = ""
    otherwise: Otherwise = "error"

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        if not self.dates or not all(self.dates) or len(set(self.dates)) < len(self.dates):
            raise self.fail("dates must name at least one column, each once")
        if not self.person or self.person in self.dates:
            raise self.fail("person must name a column that is not shifted")
        whole(self, "days", self.days)
        if self.days > _LONGEST:
            raise self.fail(f"days must be at most {_LONGEST:,}, a hundred years")
        check_seed(self, self.seed)
        if sum(map(bool, (self.key_file, self.key_variable, self.seed is not None))) > 1:
            raise self.fail("key_file, key_variable or seed must say where the key is: one of them, or none, and then a seed is drawn")
        if self.otherwise not in OTHERWISE:
            raise self.fail(f"otherwise must be one of {', '.join(OTHERWISE)}")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.dates

    @property
    def words(self) -> str:
        return f"shift {listed(self.dates)} by up to {self.days:,} days for each {shown(self.person)}"

    def mixes(self, column: str) -> bool:
        return column == self.person

    def seeded(self) -> Transformation:
        keyed = self.key_file or self.key_variable or self.seed is not None
        return self if keyed else replace(self, seed=drawn_seed())

    @property
    def reproducible(self) -> bool:
        return bool(self.key_file or self.key_variable or self.seed is not None)

    def apply(self, table: Table) -> Table:
        # Hashed once, because that costs more than all else.
        prepared = table.computed("shift", self._shift(table)).stored()
        for i, column in enumerate(self.dates):
            prepared = prepared.computed(f"day_{i}", day(prepared, column))
        return prepared.replaced({column: self._shifted(prepared, column, f"day_{i}") for i, column in enumerate(self.dates)})

    def _shift(self, table: Table) -> str:
        """Return the SQL for the number of days of a record's person; NULL where the record names none."""
        key = derived_key(self._key(table), self, self.domain)
        drawn = f"CAST('0x' || SUBSTR({keyed_hash(table, key, table.text(self.person))}, 1, {_DIGITS}) AS BIGINT)"
        if self.zero:
            return f"CAST({drawn} % {2 * self.days + 1} - {self.days} AS INTEGER)"
        # One number fewer; those from 0 on move up by one.
        below = f"({drawn} % {2 * self.days} - {self.days})"
        return f"CAST({below} + CASE WHEN {below} >= 0 THEN 1 ELSE 0 END AS INTEGER)"

    def _key(self, table: Table) -> bytes:
        """Return the key that tables share, or the seed of this release; without either, one that nobody keeps."""
        if self.key_file or self.key_variable:
            return read_key(table, self.key_file, self.key_variable)
        return str(self.seed if self.seed is not None else drawn_seed()).encode()

    def _shifted(self, table: Table, column: str, found: str) -> Expression:
        place, kind = table.at(column)
        text = table.text(column)
        if kind == "DATE":
            change = Expression(f"({place} + shift)", "DATE")
        elif is_typed_date(kind):
            change = Expression(f"CAST({place} + TO_DAYS(shift) AS {kind})", kind)
        else:
            # What stands behind the day, the time and its zone, stays as it is written.
            change = Expression(f"CAST({found} + shift AS VARCHAR) || SUBSTR({text}, 11)", "VARCHAR")
        # Of a date that cannot be shifted, either because it is nobody's or because the calendar ends.
        stuck = f"(shift IS NULL OR EXTRACT(year FROM {found} + shift) NOT BETWEEN 1 AND 9999)"
        if self.otherwise == "error":
            return Expression(change.sql, change.type, f"{found} IS NULL OR {stuck}", f"{NOT_A_DATE}, or {_STUCK}")
        moved = f"CAST({change.sql} AS VARCHAR)"
        if self.otherwise == "suppress":
            return Expression(f"CASE WHEN {found} IS NULL OR {stuck} THEN '{EVERYTHING}' ELSE {moved} END", "VARCHAR")
        return Expression(f"CASE WHEN {found} IS NULL THEN {text} ELSE {moved} END", "VARCHAR", f"{found} IS NOT NULL AND {stuck}", _STUCK)

    def image(self, column: str, released: str | None) -> Image:
        if column not in self.dates or released is None:
            return Exactly(released)
        if released == EVERYTHING:
            return Everything()
        try:
            middle = date.fromisoformat(released[:10])
        except ValueError:
            return Exactly(released)
        before, after = (middle - date.min).days, (date.max - middle).days
        first, last = middle - timedelta(min(self.days, before)), middle + timedelta(min(self.days, after))
        return Dates(first, last, released)

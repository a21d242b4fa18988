"""The declared domain of a table: which values each column can have, and what one person can contribute. Never read from the data.

Whatever is counted with differential privacy is counted in the cells of this domain, numbered from 0; the last cell of a column that may
be missing is the missing value. A value outside has its place too, so that nothing depends on what the data happen to hold: numbers and
dates move to the nearest bound, categories go to `other`, else to the missing value, and a record that has neither is left out.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal

from anonscope.errors import ColumnNotFound, DomainError, shown

DateUnit = Literal["day", "month", "quarter", "year"]
RECORDS = "records_per_unit"  # what `drafted` calls the bound on records
UNIT = "unit"
_MOST_CELLS = 10_000  # of one column
_MOST_RECORDS = 1_000_000  # of one person: noise that hides more is wider than any count
# What can be taken of all records of a person, and for which kind of column.
TAKES = {
    "count": ("numbers",),
    "distinct": ("numbers",),
    "sum": ("numbers",),
    "mean": ("numbers",),
    "lowest": ("numbers",),
    "highest": ("numbers",),
    "earliest": ("dates",),
    "latest": ("dates",),
    "most": ("categories", "numbers", "dates"),
    "ever": ("categories",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredColumn:
    """One column: its cells are numbered from 0, and a missing value, if it is allowed, is the last of them."""

    kind: ClassVar[str]

    name: str
    missing: bool = False
    take: str | None = None  # what is taken of all records of a person, one of TAKES; None: records stay as they are
    of: str | None = None  # the column of the records that it is taken of; None: the one of the same name
    value: str | None = None  # of `ever`: what is looked for

    @property
    def present(self) -> int:
        """How many cells stand for a value."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """How many cells there are, the missing value among them."""
        return self.present + self.missing

    @property
    def ordered(self) -> bool:
        """Whether cells follow an order that means something."""
        return self.kind != "categories"

    @property
    def labels(self) -> tuple[str | None, ...]:
        """What every cell is called; None is the missing value."""
        raise NotImplementedError

    def _labelled(self, labels: Sequence[str]) -> tuple[str | None, ...]:
        return (*labels, None) if self.missing else tuple(labels)

    def fail(self, problem: str) -> DomainError:
        """Return the error for this column."""
        return DomainError(f"Column {shown(self.name)} of the domain: {problem}")

    def _check_size(self) -> None:
        if self.take is not None and (self.take not in TAKES or self.kind not in TAKES[self.take]):
            fitting = [take for take, kinds in TAKES.items() if self.kind in kinds]
            raise self.fail(f"of a person's records {self.kind} take {', '.join(fitting)}.")
        if (self.value is not None) != (self.take == "ever") or (self.take is None and self.of is not None):
            raise self.fail("value goes with take = 'ever', which needs one, and of goes with take.")
        if self.take == "ever" and set(self.labels) != {"yes", "no"}:
            raise self.fail("take = 'ever' has the categories yes and no.")
        if self.present < 1:
            raise self.fail("it has no value; declare categories, or a lower and an upper bound.")
        if self.present > _MOST_CELLS:
            raise self.fail(f"{self.present:,} cells are more than {_MOST_CELLS:,}. Declare fewer bins, or group its categories.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories(DeclaredColumn):
    """A column of categories; `other` is the category that everything else counts as."""

    kind: ClassVar[str] = "categories"

    categories: tuple[str, ...]
    other: str | None = None

    def __post_init__(self) -> None:
        if len(set(self.categories)) < len(self.categories):
            raise self.fail("a category is listed twice.")
        if self.other is not None and self.other in self.categories:
            raise self.fail("other must be a category of its own, not one of the list.")
        if any(not category for category in self.categories):
            raise self.fail("an empty text is a missing value, not a category; say missing = true.")
        self._check_size()

    @property
    def present(self) -> int:
        return len(self.categories) + (self.other is not None)

    @property
    def labels(self) -> tuple[str | None, ...]:
        return self._labelled([*self.categories, *([self.other] if self.other is not None else [])])


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers(DeclaredColumn):
    """A column of numbers from `lower` to `upper`, both included, in bins: `starts` is where each of them begins, the first at `lower`."""

    kind: ClassVar[str] = "numbers"

    lower: float
    upper: float
    starts: tuple[float, ...]
    decimals: int | None = None  # that a value has; 0: whole numbers only; None: as many as it likes

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:  # so that NaN fails
            raise self.fail("lower must not be above upper.")
        rising = all(a < b for a, b in zip(self.starts, self.starts[1:], strict=False))
        if not self.starts or self.starts[0] != self.lower or not rising or self.starts[-1] > self.upper:
            raise self.fail("edges must rise from lower, and stay at or below upper.")
        if self.decimals is not None and not 0 <= self.decimals <= 9:
            raise self.fail("decimals is a whole number from 0 to 9.")
        self._check_size()

    @property
    def present(self) -> int:
        return len(self.starts)

    @property
    def ends(self) -> tuple[float, ...]:
        """Where each bin ends: the largest value of the last, and where the next one begins."""
        return (*self.starts[1:], self.upper)

    @property
    def labels(self) -> tuple[str | None, ...]:
        single = self.decimals == 0 and all(b - a == 1 for a, b in zip(self.starts, self.starts[1:], strict=False))
        if single and self.upper - self.starts[-1] < 1:
            return self._labelled([f"{a:g}" for a in self.starts])
        last = len(self.starts) - 1
        texts = [f"[{a:g}, {b:g}{']' if i == last else ')'}" for i, (a, b) in enumerate(zip(self.starts, self.ends, strict=True))]
        return self._labelled(texts)

    def cell(self, value: float) -> int:
        """Return the cell of a number, which is moved into the bounds."""
        return max(0, bisect_right(self.starts, min(max(value, self.lower), self.upper)) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates(DeclaredColumn):
    """A column of dates from `first` to `last`, both included, in days, months, quarters or years."""

    kind: ClassVar[str] = "dates"

    first: date
    last: date
    unit: DateUnit = "month"

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise self.fail("first must not be after last.")
        if self.unit not in ("day", "month", "quarter", "year"):
            raise self.fail("unit is day, month, quarter or year.")
        self._check_size()

    @property
    def starts(self) -> tuple[date, ...]:
        """Where each period begins; the first at `first`."""
        if self.unit == "day":
            return tuple(date.fromordinal(day) for day in range(self.first.toordinal(), self.last.toordinal() + 1))
        step = {"month": 1, "quarter": 3, "year": 12}[self.unit]
        months = range(self.first.year * 12 + self.first.month - 1, self.last.year * 12 + self.last.month)
        return (self.first, *(date(m // 12, m % 12 + 1, 1) for m in months[1:] if m % step == 0))

    @property
    def present(self) -> int:
        if self.unit == "day":
            return self.last.toordinal() - self.first.toordinal() + 1
        return len(self.starts)

    @property
    def labels(self) -> tuple[str | None, ...]:
        return self._labelled([start.isoformat() for start in self.starts])


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a column must be: one of some categories, or within bounds; a missing value meets nothing but `missing`."""

    column: str
    categories: tuple[str, ...] | None = None
    at_least: float | date | None = None
    at_most: float | date | None = None
    missing: bool | None = None  # True: it must be; False: it must not


@dataclass(frozen=True, slots=True, kw_only=True)
class Implication:
    """Where all of `when` hold, all of `then` must."""

    when: tuple[Condition, ...]
    then: tuple[Condition, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is about."""
        return tuple(dict.fromkeys(condition.column for condition in (*self.when, *self.then)))


@dataclass(frozen=True, slots=True)
class InOrder:
    """Numbers or dates of one record that never fall, from the first column to the last; missing ones are passed over."""

    columns: tuple[str, ...]


Constraint = Implication | InOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The columns, what one privacy unit is and contributes, the constraints, and what of all this was drafted from the data."""

    columns: tuple[DeclaredColumn, ...]
    unit: str | None = None  # the column whose values tell people, or households, apart; None: every record is a person of its own
    unit_kind: Literal["person", "household"] = "person"
    records_per_unit: int = 1
    constraints: tuple[Constraint, ...] = ()
    record_is_person: bool = False  # whether somebody stated that no two records are one person's
    drafted: tuple[str, ...] = ()  # columns whose values, and `records_per_unit` if it, came from the data

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if not names:
            raise DomainError("The domain declares no column. Write a table [columns.NAME] for each, with categories, or lower and upper.")
        if len(set(names)) < len(names):
            raise DomainError("The domain declares a column twice.")
        if self.unit in names:
            raise DomainError(f"Column {shown(str(self.unit))} tells {self.unit_kind}s apart, so it is no column of the domain.")
        if self.records_per_unit < 1:
            raise DomainError(f"records_per_{self.unit_kind} is a whole number from 1 on, not {self.records_per_unit}.")
        if self.records_per_unit > _MOST_RECORDS:
            raise DomainError(
                f"records_per_{self.unit_kind} is at most {_MOST_RECORDS:,}: noise that hides more records of one {self.unit_kind} drowns "
                "everything. Nothing was spent."
            )
        if self.unit is None and self.records_per_unit != 1:
            raise DomainError("records_per_person is declared, but no column tells people apart: say person as well.")
        if self.unit is not None and self.record_is_person:
            raise DomainError(f"record_is_person says that no column tells people apart, and {self.unit_kind} names one. Leave one out.")
        if self.summarised:
            if self.unit is None:
                raise DomainError("Something is taken of all records of a person, and no column tells people apart: say person as well.")
            if alone := [column.name for column in self.columns if column.take is None]:
                raise DomainError(
                    f"{shown(alone[0])} does not say what it takes of all records of a {self.unit_kind}, and other columns do. Say it "
                    f"for each: {', '.join(TAKES)}."
                )
            if self.records_per_unit != 1:
                raise DomainError(f"All records of a {self.unit_kind} become one, so records_per_{self.unit_kind} is 1. Leave it out.")
        for constraint in self.constraints:
            for name in constraint.columns:
                if name not in names:
                    raise DomainError(f"A constraint is about {shown(name)}, which the domain does not declare.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple(column.name for column in self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cells every column has."""
        return tuple(column.size for column in self.columns)

    @property
    def summarised(self) -> bool:
        """Whether all records of a person become one."""
        return any(column.take is not None for column in self.columns)

    @property
    def protects(self) -> Literal["record", "person", "household"]:
        """Whom a guarantee is for; a record is a person only where somebody stated it."""
        if self.unit is not None:
            return self.unit_kind
        return "person" if self.record_is_person else "record"

    @property
    def declared(self) -> bool:
        """Whether nothing in it came from the data, without which nothing is guaranteed."""
        return not self.drafted

    def column(self, name: str) -> DeclaredColumn:
        """Return a column by its name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ColumnNotFound(name, self.names)

    def only(self, names: Sequence[str]) -> "Domain":
        """Return the domain of some columns, with the constraints that are about them alone."""
        from dataclasses import replace

        kept = tuple(self.column(name) for name in names)
        return replace(
            self,
            columns=kept,
            constraints=tuple(c for c in self.constraints if set(c.columns) <= set(names)),
            drafted=tuple(d for d in self.drafted if d in names or d in (RECORDS, UNIT)),
        )

"""Those whom an attack is about: people in the original, people of the control, and the released records, in codes.

Who becomes a target, and where an attacker errs, is drawn by a hash of what a record says and the seed, never by its place or by what its
columns are called: the same records in another order, or under other names, give the same result.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonscope.columns.images import number_in
from anonscope.columns.readings import LabelReading, ToldLabels
from anonscope.errors import AttackError, shown
from anonscope.io.figures import per_cent
from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.columns import CodedColumn, numbered

TARGETS = 2000
FEWEST_TARGETS = 20


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Records about people in codes; both tables of an attack share their dictionaries."""

    codes: Mapping[str, Integers]
    records: int
    # For every record the released one that was made of it, -1 where there is none; None where nobody knows.
    released: Integers | None = None
    person: Integers | None = None

    @property
    def people(self) -> int:
        """How many people they are: as many as records where nobody named the person."""
        return self.records if self.person is None else len(np.unique(self.person))

    def taken(self, rows: Integers) -> "People":
        return People(
            {name: codes[rows] for name, codes in self.codes.items()},
            len(rows),
            None if self.released is None else self.released[rows],
            None if self.person is None else self.person[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """A release, the people in it, people who are not, and what released labels stand for."""

    release: Mapping[str, CodedColumn]
    values: Mapping[str, tuple[str | None, ...]]  # of original and control together, sorted, the missing value first
    original: People
    control: People | None
    told: Mapping[str, ToldLabels]  # what is known of released labels beyond their notation
    perturbed: tuple[str, ...] = ()
    seed: int = 1
    grouping: str | None = None  # the column whose values are the groups; else by how many are alike
    mechanisms: Mapping[str, Any] = field(default_factory=dict)  # how values were disturbed, where the recipe states it
    readings: dict[str, list[LabelReading]] = field(default_factory=dict, repr=False)  # how labels were read, once they were

    @property
    def released(self) -> int:
        return len(next(iter(self.release.values())).codes)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that release and people have in common."""
        return tuple(name for name in self.release if name in self.values)

    def numbers(self, column: str) -> Floats:
        """Return the values of a column as numbers, NaN where one is none."""
        return np.array([np.nan if (x := number_in(value)) is None else x for value in self.values[column]])

    def numeric(self, column: str) -> bool:
        """Whether all values of a column are numbers, but for the missing one."""
        found = self.numbers(column)[1:]
        return len(found) > 0 and not np.isnan(found).any()


def together(
    original: Mapping[str, CodedColumn], control: Mapping[str, CodedColumn] | None
) -> tuple[dict[str, tuple[str | None, ...]], list[dict[str, Integers]]]:
    """Return one dictionary a column for both tables, and the codes of each table in it."""
    sides = [original] if control is None else [original, control]
    values: dict[str, tuple[str | None, ...]] = {}
    codes: list[dict[str, Integers]] = [{} for _ in sides]
    for name in original:
        texts = sorted({value for side in sides for value in side[name].values[1:] if value is not None})
        place = {text: i for i, text in enumerate(texts, start=1)}
        values[name] = (None, *texts)
        for found, side in zip(codes, sides, strict=True):
            lookup = np.array([0, *(place[value] for value in side[name].values[1:] if value is not None)])
            found[name] = lookup[side[name].codes]
    return values, codes


def targets(attacked: Attacked, people: People, wanted: int | None, salt: int) -> People:
    """Return a sample of people; of one with several records, one record."""
    marks = marked(people.codes, people.records, attacked.seed, salt)
    if people.released is not None:
        # Twins in the original may have become different records.
        made = {name: np.where(people.released >= 0, column.codes[people.released], -1) for name, column in attacked.release.items()}
        marks = _all_mixed(marks, made)
    order = np.argsort(marks, kind="stable")
    if people.person is not None:
        _, first = np.unique(people.person[order], return_index=True)
        order = order[first]
    order = order[np.argsort(told_apart(marks[order]), kind="stable")]
    return people.taken(order if wanted is None else order[:wanted])


def marked(codes: Mapping[str, Integers], records: int, seed: int, salt: int = 0) -> Integers:
    """Return a mark of 64 bits for every record that hangs on what it says and on the seed only."""
    marks = np.full(records, (seed * 1_000_003 + salt * 7919 + 1) % 2**63, dtype=np.uint64)
    return _all_mixed(marks, codes)


def column_salt(codes: Integers) -> int:
    """Return a number that hangs on how often a column has each of its values, not on its name or on the order of its records."""
    return int.from_bytes(hashlib.blake2b(np.bincount(codes + 1).astype(np.int64).tobytes(), digest_size=7).digest())


def told_apart(marks: Integers) -> Integers:
    """Return marks of which no two are the same: records that say the same are drawn one by one, and not all or none of them.

    The first of them keeps its mark. Which one is first makes no difference, for nothing else tells them apart.
    """
    order = np.argsort(marks, kind="stable")
    first = np.flatnonzero(np.diff(marks[order], prepend=marks[order[:1]] + np.uint64(1)) != 0)
    place = np.arange(len(marks)) - np.repeat(first, np.diff(first, append=len(marks)))
    nth = np.empty(len(marks), dtype=np.int64)
    nth[order] = place
    return np.where(nth == 0, marks, _mixed(marks, nth, 1))


def chances(marks: Integers) -> Floats:
    """Return marks as numbers from 0 to 1."""
    found: Floats = (marks >> np.uint64(11)).astype(np.float64) / 2.0**53
    return found


def check(attacked: Attacked, columns: Sequence[str], people: People, title: str) -> None:
    """Raise where too few people are left to say anything."""
    if people.records < FEWEST_TARGETS:
        raise AttackError(
            f"{title} has {people.records:,} people to attack, and a rate over fewer than {FEWEST_TARGETS} says nothing. Give more records."
        )
    if not columns:
        raise AttackError("The attacker knows no column that release and original have in common. Name some (--know COLUMN).")


def sizes(attacked: Attacked, people: People, columns: Sequence[str], *, inside: bool) -> Integers:
    """Return how many people of the original have the same known values, the person among them."""
    both = [np.concatenate([attacked.original.codes[name], people.codes[name]]) for name in columns]
    number, count = numbered(both, [len(attacked.values[name]) for name in columns])
    found = np.bincount(number[: attacked.original.records], minlength=count)[number[attacked.original.records :]]
    return found if inside else found + 1


BANDS = ("alone", "2 to 4 alike", "5 to 10 alike", "11 or more alike")


def groups_of(attacked: Attacked, people: People, columns: Sequence[str], *, inside: bool) -> Integers:
    """Return the group of everybody: the value of a column, or how many have the same known values."""
    if attacked.grouping is not None:
        return people.codes[attacked.grouping]
    return np.searchsorted(np.array([2, 5, 11]), sizes(attacked, people, columns, inside=inside), side="right")


def group_names(attacked: Attacked) -> tuple[str, ...]:
    """Return what the groups are called."""
    return BANDS if attacked.grouping is None else tuple("missing" if v is None else v for v in attacked.values[attacked.grouping])


def overlap(values: Mapping[str, tuple[str | None, ...]], original: People, control: People, columns: Sequence[str]) -> tuple[int, float]:
    """Return how many control records say the same as an original one in all columns, and the share of original ones with a twin there."""
    both = [np.concatenate([original.codes[name], control.codes[name]]) for name in columns]
    number, count = numbered(both, [len(values[name]) for name in columns])
    counts = np.bincount(number[: original.records], minlength=count)
    twins = float((counts[number[: original.records]] > 1).mean())
    return int((counts[number[original.records :]] > 0).sum()), twins


def check_control(
    values: Mapping[str, tuple[str | None, ...]], original: People, control: People, columns: Sequence[str]
) -> tuple[str, ...]:
    """Return what is to be said of a control that overlaps the original; raise where it is the original."""
    if original.person is not None and control.person is not None:
        shared = int(np.isin(np.unique(control.person), np.unique(original.person)).sum())
        if shared:
            raise AttackError(
                f"{shared:,} of the {len(np.unique(control.person)):,} people of the control are in the original too, by the column that "
                "tells people apart. A control must be of other people: leave them out."
            )
    same, twins = overlap(values, original, control, columns)
    share = same / control.records
    if share >= 0.5 and share > twins + 0.2:
        raise AttackError(
            f"{same:,} of the {control.records:,} control records say the same as a record of the original in all {len(columns)} columns, "
            f"where {per_cent(twins, 0)} of the original's own records have a twin. "
            "A control must be of people who are not in the original."
        )
    if not same:
        return ()
    return (
        f"{same:,} of {control.records:,} control records say the same as a record of the original in all {len(columns)} columns "
        f"(in the original {per_cent(twins)} have a twin); if they are the same people, the control is too good and the risk too low.",
    )


def unexplained(attacked: Attacked, column: str, read: Flags) -> None:
    """Raise where most labels of a column are explained by nothing; `read` says which are."""
    codes = attacked.release[column].codes
    unknown = ~read
    unknown[0] = False
    records = int(unknown[codes].sum())
    if records * 2 > len(codes):
        raise AttackError(
            f"Column {shown(column)}: {int(unknown.sum()):,} labels in {records:,} of {len(codes):,} released records stand for no value "
            "that original or control have, so nothing could be found by it. Say what they stand for: the recipe that made the release "
            "(--recipe FILE) or a hierarchy (--hierarchy COLUMN=FILE)."
        )


def _all_mixed(marks: Integers, codes: Mapping[str, Integers]) -> Integers:
    # Names decide only between columns that have the same values as often: which of them comes first must be said somehow.
    for salt, name in sorted((column_salt(found), name) for name, found in codes.items()):
        marks = _mixed(marks, codes[name], salt)
    return marks


def _mixed(marks: Integers, codes: Integers, salt: int) -> Integers:
    mixed = marks ^ ((codes.astype(np.int64) + 2).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Integers = mixed ^ (mixed >> np.uint64(31))
    return found

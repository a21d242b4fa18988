"""A hierarchy: what every value of a column is called on ever coarser levels.

Levels are counted in steps up: level 0 are the values themselves, level 1 the labels in `levels[0]`, and the last level is one label
for all. A missing value is in no hierarchy; whoever applies one keeps it missing below the last level.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from anonscope.columns.images import EVERYTHING
from anonscope.errors import HierarchyError, OptionError, shown
from anonscope.io.writing import write_text

# Readers tell the delimiter by looking; quoting all that it could be leaves no doubt.
_QUOTED = frozenset(';,\t"\r\n\ufeff')
SUFFIXES = (".csv", ".toml")


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Values and their labels: `levels[i][row]` is what `leaves[row]` is called i + 1 steps up; the last level is one label for all.

    `words` says what each level does, a phrase a level, or nothing. Values and labels are data, so they are not shown by `repr`.
    """

    name: str
    leaves: tuple[str, ...] = field(repr=False)
    levels: tuple[tuple[str, ...], ...] = field(repr=False)
    words: tuple[str, ...] = ()
    _rows: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_tree(self.name, self.leaves, self.levels)
        if not self.levels or len(set(self.levels[-1])) > 1:
            raise HierarchyError(f"The hierarchy {shown(self.name)} has no last level with one label for all values.")
        if self.words and len(self.words) != len(self.levels):
            raise HierarchyError(f"The hierarchy {shown(self.name)} has {len(self.levels)} levels, but words for {len(self.words)}.")
        object.__setattr__(self, "_rows", {leaf: row for row, leaf in enumerate(self.leaves)})

    @property
    def height(self) -> int:
        """How many steps lead from a value to the last level."""
        return len(self.levels)

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """How many distinct labels each level has, from level 0 on."""
        return tuple(len(set(self.labels(level))) for level in range(self.height + 1))

    def labels(self, level: int) -> tuple[str, ...]:
        """Return what every value is called so many steps up, in the order of `leaves`."""
        if not 0 <= level <= self.height:
            raise OptionError(f"The hierarchy {shown(self.name)} has levels from 0 to {self.height}, not {level}.")
        return self.levels[level - 1] if level else self.leaves

    def nodes(self, level: int) -> tuple[int, ...]:
        """Return the labels of a level as numbers from 0 on, in the order in which they first occur."""
        labels = self.labels(level)
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        return tuple(map(numbers.__getitem__, labels))

    def label(self, value: str, level: int) -> str:
        """Return what a value is called so many steps up."""
        row = self._rows.get(value)
        if row is None:
            raise HierarchyError(f"The hierarchy {shown(self.name)} does not cover this value.")
        return self.labels(level)[row]

    def under(self, label: str, level: int) -> tuple[str, ...]:
        """Return the values that are called so on a level: what a released label may stand for."""
        return tuple(leaf for leaf, named in zip(self.leaves, self.labels(level), strict=True) if named == label)

    def uncovered(self, values: Iterable[str]) -> int:
        """Return how many of these values the hierarchy has no row for."""
        return sum(value not in self._rows for value in values)

    def to_csv(self, delimiter: str = ";") -> str:
        """Return the hierarchy as ARX writes it: a line a value, without a header."""
        columns = [self.leaves, *self.levels]
        lines = [delimiter.join(map(_field, row)) for row in zip(*columns, strict=True)]
        if lines and is_header([column[0] for column in columns]):
            # A value that is called like the header of a file with one would be taken for it, unless there is one.
            lines.insert(0, delimiter.join(["value", *(f"level {i}" for i in range(1, len(columns)))]))
        return "".join(line + "\n" for line in lines)

    def to_toml(self) -> str:
        """Return the hierarchy as a TOML document, with what its levels do."""
        from anonscope.columns.hierarchy.mapping import document_of

        return document_of(self)

    def save(self, path: str | Path) -> Path:
        """Write the hierarchy in the format of the file's name: .csv as ARX reads it, or .toml."""
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix not in SUFFIXES:
            raise OptionError(f"A hierarchy is written as {' or '.join(SUFFIXES)}, not as {suffix or 'a file without ending'}.")
        if not self.leaves:
            raise HierarchyError(f"The hierarchy {shown(self.name)} has no value, so there is nothing to write.")
        write_text(target, self.to_toml() if suffix == ".toml" else self.to_csv())
        return target


def check_tree(name: str, leaves: Sequence[str], levels: Sequence[Sequence[str]], lines: Sequence[int] | None = None) -> None:
    """Raise unless every value has one row and every level coarsens the one below; `lines` says where rows stand in a file."""
    if any(len(level) != len(leaves) for level in levels):
        raise HierarchyError(f"The hierarchy {shown(name)} has levels that are not as long as its list of values.")
    if len(set(leaves)) < len(leaves):
        seen: dict[str, int] = {}
        row = next(row for row, leaf in enumerate(leaves) if seen.setdefault(leaf, row) != row)
        raise HierarchyError(f"{_place(name, row, lines)}: this value has a line already. Every value has one line.")
    for level, (below, above) in enumerate(pairwise(levels), start=2):
        last = dict(zip(below, above, strict=True))
        if all(last[node] == parent for node, parent in zip(below, above, strict=True)):
            continue
        first: dict[str, str] = {}
        row = next(row for row, (node, parent) in enumerate(zip(below, above, strict=True)) if first.setdefault(node, parent) != parent)
        raise HierarchyError(
            f"{_place(name, row, lines)}: what stands in field {level} has two different parents in field {level + 1}. "
            "Names within a level must be told apart."
        )


def rooted(leaves: Sequence[str], levels: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the levels with one label for all values above them, where the last does not have it."""
    found = tuple(map(tuple, levels))
    return found if found and len(set(found[-1])) <= 1 else (*found, (EVERYTHING,) * len(leaves))


def is_header(row: Sequence[str]) -> bool:
    """Return whether a first line names the columns: value, label; or value, level 1, level 2 and so on."""
    above = list(row[1:])
    return row[0] == "value" and bool(above) and above in (["label"], [f"level {i}" for i in range(1, len(above) + 1)])


def _place(name: str, row: int, lines: Sequence[int] | None) -> str:
    return f"{shown(name)}, line {row + 1 if lines is None else lines[row]}"


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if not text or not _QUOTED.isdisjoint(text) else text

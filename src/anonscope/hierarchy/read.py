"""Read a hierarchy from the file format of ARX: a row a value, from the value itself to ever coarser names for it.

flu;respiratory infection;respiratory;*
bronchitis;respiratory infection;respiratory;*
gastritis;stomach;digestive;*
"""

import csv
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from anonscope.errors import HierarchyError, shown

_DELIMITERS = ";,\t"


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A tree over values: `leaves` are the rows of the file, `levels[i][row]` is the number of a row's node i + 1 steps up.

    All rows reach the same height, and the last level is the root.
    """

    name: str
    leaves: tuple[str, ...]
    levels: tuple[tuple[int, ...], ...]

    @property
    def height(self) -> int:
        """How many steps lead from a leaf to the root."""
        return len(self.levels)


def read_hierarchy(path: Path) -> Hierarchy:
    """Read a hierarchy file, or say in which line it is no tree."""
    lines = _lines(path)
    seen: set[str] = set()
    for number, row in lines:
        if len(row) != len(lines[0][1]):
            raise HierarchyError(f"{shown(path.name)}, line {number}: {len(row)} fields, but the first line has {len(lines[0][1])}.")
        if row[0] in seen:
            raise HierarchyError(f"{shown(path.name)}, line {number}: this value has a line already. Every value has one line.")
        seen.add(row[0])
    names = list(zip(*(row for _, row in lines), strict=True))
    for level, (below, above) in enumerate(pairwise(names[1:]), start=2):
        parents: dict[str, str] = {}
        for (number, _), node, parent in zip(lines, below, above, strict=True):
            if parents.setdefault(node, parent) != parent:
                raise HierarchyError(
                    f"{shown(path.name)}, line {number}: what stands in field {level} has two different parents in field {level + 1}. "
                    "Names within a level must be told apart."
                )
    levels = [_numbered(level) for level in names[1:]]
    if not levels or len(set(levels[-1])) > 1:
        levels.append((0,) * len(lines))
    return Hierarchy(path.name, names[0], tuple(levels))


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of the file with their line numbers."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise HierarchyError(f"No such file: {shown(path)}.") from None
    except UnicodeDecodeError:
        raise HierarchyError(f"{shown(path)} is not UTF-8 text.") from None
    except OSError as problem:
        raise HierarchyError(f"{shown(path)} cannot be read: {problem.strerror}.") from None
    first = re.sub('"[^"]*"', "", text.partition("\n")[0])
    reader = csv.reader(text.splitlines(), delimiter=max(_DELIMITERS, key=first.count))
    lines = [(reader.line_num, row) for row in reader if row]
    if not lines:
        raise HierarchyError(f"{shown(path.name)} has no line. A hierarchy has a line for every value.")
    return lines


def _numbered(names: tuple[str, ...]) -> tuple[int, ...]:
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return tuple(numbers[name] for name in names)

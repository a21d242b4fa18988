"""Hierarchies of several columns in one TOML file that people read and change: groups of every level, the finest level first.

schema = "anonscope/edited-hierarchies/1"

[columns.age]
values = ["31", "38", "52"]

[[columns.age.levels]]
words = "decades"
[columns.age.levels.groups]
"thirties" = "30 to 39"
"fifties" = "50 to 59"

A group is a range of numbers or dates, both ends included (a month or a year stands for all its days), or a list of what it takes from
the level below. Above the last level stands "*" for everything.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from anonscope.columns.hierarchy.hierarchy import Hierarchy, rooted
from anonscope.columns.images import EVERYTHING
from anonscope.errors import AnonscopeError, HierarchyError, shown
from anonscope.io.toml_file import TomlFile

SCHEMA = "anonscope/edited-hierarchies/1"
_HEAD = f"""# How columns become coarser: for every column its values, and its levels from the finest to the coarsest.
# A group is a range of numbers or dates, both ends included ("30 to 39", "2023-01 to 2023-03", "2023"),
# or a list of values, on higher levels of groups of the level below. Names of groups are what a release will say.
# Every value is in one group of every level; what is together stays together. Above the last level stands "*".
# The file holds values of the table: keep it where the table is kept.
schema = "{SCHEMA}"
"""
_COLUMN_KEYS, _LEVEL_KEYS = ("values", "levels"), ("words", "groups")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2}([ T].*)?)?", re.DOTALL)
_PERIOD = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")
_BAND = re.compile(r"\[(-?[0-9]+)-(-?[0-9]+)\]")
_TO = " to "

Fail = Callable[[str], AnonscopeError]


def edited_document(hierarchies: Mapping[str, Hierarchy], labels: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Return the document that `read_edited` reads back, column by column; `labels` say what codes stand for, to name groups by."""
    named = labels or {}
    return "\n".join(
        [_HEAD, *(line for column, hierarchy in hierarchies.items() for line in _written(column, hierarchy, named.get(column, {})))]
    )


def is_edited(document: TomlFile) -> bool:
    """Return whether a document holds hierarchies of several columns."""
    return "columns" in document.content or document.content.get("schema") == SCHEMA


def read_edited(document: TomlFile, column: str | None) -> Hierarchy:
    """Return the hierarchy of one column, or say in which level and group the document is wrong."""
    content = document.content
    if content.get("schema", SCHEMA) != SCHEMA:
        raise document.fail(f"this version reads {SCHEMA}", "schema")
    if any(key not in ("schema", "columns") for key in content):
        raise document.fail("there is a key that is not known; known are schema, columns.")
    columns = content.get("columns")
    if not isinstance(columns, dict) or not columns or not all(isinstance(entry, dict) for entry in columns.values()):
        raise document.fail("there is no column; write [columns.NAME], and its levels below it.")
    if column is None and len(columns) == 1:
        column = next(iter(columns))
    if column is None:
        raise document.fail(f"the file is about {len(columns)} columns; say about which: COLUMN=FILE, or read_hierarchy(path, column).")
    if column not in columns:
        raise document.fail(f"the file says nothing about column {shown(column)}; it is about {', '.join(map(shown, columns))}.")
    return _Column(document, column, columns[column]).hierarchy()


def _written(column: str, hierarchy: Hierarchy, labels: Mapping[str, str]) -> Iterator[str]:
    key = _quoted(column)
    yield f"[columns.{key}]"
    for leaf in hierarchy.leaves:
        if leaf in labels:
            yield f"# {_quoted(leaf)} stands for {_quoted(labels[leaf])}"
    yield f"values = {_listed(hierarchy.leaves)}"
    yield ""
    below = hierarchy.leaves
    for number, above in enumerate(hierarchy.levels):
        joins = number == 0 or len(set(below)) > 1
        if number == hierarchy.height - 1 and joins and set(above) == {EVERYTHING}:
            # It is there whether it is written or not.
            break
        yield f"[[columns.{key}.levels]]"
        if hierarchy.words:
            yield f"words = {_quoted(hierarchy.words[number])}"
        yield f"[columns.{key}.levels.groups]"
        under: dict[str, dict[str, None]] = {}
        members: dict[str, list[str]] = {}
        for leaf, node, label in zip(hierarchy.leaves, below, above, strict=True):
            under.setdefault(label, {})[node] = None
            members.setdefault(label, []).append(leaf)
        for label, leaves in members.items():
            found = _range_of(label, leaves, hierarchy.leaves)
            yield f"{_quoted(label)} = {_quoted(found) if found is not None else _listed(list(under[label]))}"
        yield ""
        below = above


def _range_of(label: str, members: Sequence[str], leaves: Sequence[str]) -> str | None:
    """Return the range that takes just these values of a column, if they are numbers or dates."""
    wanted = set(members)
    candidates: list[str] = []
    if "*" not in label and all(map(_NUMBER.fullmatch, members)):
        if band := _BAND.fullmatch(label):
            candidates.append(_TO.join(band.groups()))
        candidates.append(_ends(min(members, key=float), max(members, key=float)))
    elif all(map(_DATE.fullmatch, members)):
        candidates += [_ends(min(members)[:size], max(members)[:size]) for size in (4, 7, 10)]
    for candidate in candidates:
        takes = _taking(candidate)
        if takes is not None and {leaf for leaf in leaves if takes(leaf)} == wanted:
            return candidate
    return None


def _ends(first: str, last: str) -> str:
    return first if first == last else f"{first}{_TO}{last}"


def _taking(text: str) -> Callable[[str], bool] | None:
    """Return what tells whether a value is in a range, or None if the text is none."""
    first, _, last = (part.strip() for part in text.partition(_TO))
    last = last or first

    def numbered(value: str) -> bool:
        return _NUMBER.fullmatch(value) is not None and float(first) <= float(value) <= float(last)

    def dated(value: str) -> bool:
        return _DATE.fullmatch(value) is not None and first <= value[: len(first)] and value[: len(last)] <= last

    numbers = bool(_NUMBER.fullmatch(first) and _NUMBER.fullmatch(last)) and float(first) <= float(last)
    dates = bool(_PERIOD.fullmatch(first) and _PERIOD.fullmatch(last)) and first[: len(last)] <= last[: len(first)]
    if numbers and dates:
        # "2019 to 2021" is about whole numbers and about the days of these years.
        return lambda value: numbered(value) or dated(value)
    return numbered if numbers else dated if dates else None


class _Column:
    """The entry of one column on its way to a hierarchy."""

    def __init__(self, document: TomlFile, column: str, entry: dict[str, Any]) -> None:
        self.document, self.column, self.entry = document, column, entry
        self.names: list[str] = []  # of the groups of the level below, as they stand in the file

    def hierarchy(self) -> Hierarchy:
        if any(key not in _COLUMN_KEYS for key in self.entry):
            raise self._fail(f"there is a key that is not known; known are {', '.join(_COLUMN_KEYS)}.")
        entries = self.entry.get("levels", [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self._fail(f"levels are written one after another, each under [[columns.{self.column}.levels]].")
        leaves = self._leaves(entries)
        levels: list[tuple[str, ...]] = []
        below = leaves
        for number, entry in enumerate(entries, start=1):
            levels.append(self._level(number, entry, leaves, below))
            below = levels[-1]
        whole = rooted(leaves, levels)
        words = tuple(entry.get("words", "") for entry in entries) + ("everything",) * (len(whole) - len(levels))
        return Hierarchy(self.document.name, leaves, whole, words if any(words) else ())

    def _leaves(self, entries: Sequence[dict[str, Any]]) -> tuple[str, ...]:
        values = self.entry.get("values")
        if values is None:
            groups = entries[0].get("groups") if entries else None
            if not isinstance(groups, dict) or not all(isinstance(group, list) for group in groups.values()):
                raise self._fail("values are missing: ranges need the list of the values that the column has.")
            values = list(dict.fromkeys(value for group in groups.values() for value in group))
        if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
            raise self._fail("values must be a list of all values of the column, each in quotes.")
        if twice := len(values) - len(set(values)):
            raise self._fail(f"{twice:,} of the values are listed twice.")
        return tuple(values)

    def _level(self, number: int, entry: dict[str, Any], leaves: tuple[str, ...], below: tuple[str, ...]) -> tuple[str, ...]:
        """Return what every value is called on a level."""
        if any(key not in _LEVEL_KEYS for key in entry):
            raise self._fail(f"there is a key that is not known; known are {', '.join(_LEVEL_KEYS)}.", number)
        if not isinstance(entry.get("words", ""), str):
            raise self._fail("words must be one phrase, in quotes.", number)
        groups = entry.get("groups")
        if not isinstance(groups, dict) or not groups:
            raise self._fail("there is no group; write a name and a range or a list a line.", number)
        places: dict[str, int] = {}  # of what is on the level below, in which group it is
        for place, group in enumerate(groups.values(), start=1):
            for node in self._taken(number, place, group, leaves, below):
                if places.setdefault(node, place) != place:
                    raise self._fail(f"takes something that group {places[node]} has already. Everything is in one group.", number, place)
        if missing := len({node for node in below if node not in places}):
            what = "values" if number == 1 else f"groups of level {number - 1}"
            raise self._fail(f"{missing:,} of the {what} are in no group. Put each into one, or let a range reach them.", number)
        self.names = list(groups)
        return tuple(self.names[places[node] - 1] for node in below)

    def _taken(self, number: int, place: int, group: Any, leaves: tuple[str, ...], below: tuple[str, ...]) -> Iterator[str]:
        """Yield what a group takes from the level below."""
        if isinstance(group, list) and group and all(isinstance(node, str) for node in group):
            known = set(below)
            what = "among the values" if number == 1 else f"a group of level {number - 1}"
            if strangers := sum(node not in known for node in group):
                raise self._fail(f"{strangers:,} of what it lists is not {what}.", number, place)
            if len(set(group)) < len(group):
                raise self._fail("lists something twice.", number, place)
            yield from group
            return
        takes = _taking(group) if isinstance(group, str) else None
        if takes is None:
            raise self._fail(
                'must be a range from the smaller to the larger ("30 to 39", "2023-01 to 2023-03", "2023"), or a list of texts in quotes.',
                number,
                place,
            )
        inside: dict[str, bool] = {}
        for leaf, node in zip(leaves, below, strict=True):
            if inside.setdefault(node, takes(leaf)) != takes(leaf):
                parted = self.names.index(node) + 1
                raise self._fail(
                    f"takes a part of group {parted} of level {number - 1}. What is together on one level is together on all above.",
                    number,
                    place,
                )
        yield from (node for node, taken in inside.items() if taken)

    def _fail(self, problem: str, level: int | None = None, group: int | None = None) -> HierarchyError:
        """Return the error at a place; groups are told by their number, because a name may be a value."""
        where = [f"column {shown(self.column)}"]
        where += [f"level {level}"] if level is not None else []
        where += [f"group {group}"] if group is not None else []
        return HierarchyError(f"{shown(self.document.name)}: {', '.join(where)}: {problem}")


def _listed(values: Sequence[str]) -> str:
    """Return a list in one line, or in lines of about a hundred characters."""
    quoted = [_quoted(value) for value in values]
    if sum(map(len, quoted)) <= 100:
        return f"[{', '.join(quoted)}]"
    lines, width = [""], 0
    for text in quoted:
        if width and width + len(text) > 100:
            lines.append("")
            width = 0
        lines[-1] += f" {text}," if lines[-1] else f"    {text},"
        width += len(text) + 2
    return "\n".join(["[", *lines, "]"])


def _quoted(text: str) -> str:
    """Return text as TOML's: JSON's escapes are its escapes too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

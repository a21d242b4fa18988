"""Read a hierarchy from a file: delimited text, a row a value, or a TOML document.

ARX writes text without a header, from the value itself to ever coarser names for it; a mapping has a header, value and label:

flu;respiratory infection;respiratory;*             value,label
bronchitis;respiratory infection;respiratory;*      flu,respiratory
gastritis;stomach;digestive;*                       gastritis,digestive
"""

import csv
import re
from io import StringIO
from pathlib import Path

from anonscope.columns.hierarchy.edited import is_edited, read_edited
from anonscope.columns.hierarchy.hierarchy import Hierarchy, check_tree, is_header, rooted
from anonscope.columns.hierarchy.mapping import read_document
from anonscope.errors import HierarchyError, shown
from anonscope.io.toml_file import TomlFile, readable

# In this order: labels often hold commas ("[0, 5)", "{1, 2, 3}"), and hardly ever semicolons.
_DELIMITERS = ";\t,"
_QUOTATION = re.compile('"[^"]*"')

Lines = list[tuple[int, list[str]]]


def read_hierarchy(path: str | Path, column: str | None = None) -> Hierarchy:
    """Return the hierarchy in a file (.toml, or delimited text), or say in which line it is none.

    `column` says which one is meant, where a TOML file is about several columns.
    """
    source = Path(path)
    text = _text(source)
    if source.suffix.lower() == ".toml":
        document = TomlFile(text.removeprefix("\ufeff"), source.name, HierarchyError)
        return read_edited(document, column) if is_edited(document) else read_document(document)
    return _delimited(text.removeprefix("\ufeff"), source.name)


def parse_hierarchy(text: str, name: str) -> Hierarchy:
    """Return the hierarchy in delimited text, or say in which line it is none."""
    return _delimited(text, name)


def _delimited(text: str, name: str) -> Hierarchy:
    lines = _lines(text, name)
    if lines and is_header(lines[0][1]):
        lines = lines[1:]
    if not lines:
        raise HierarchyError(f"{shown(name)} has no line. A hierarchy has a line for every value.")
    for number, row in lines:
        if len(row) != len(lines[0][1]):
            raise HierarchyError(f"{shown(name)}, line {number}: {len(row)} fields, but the first line has {len(lines[0][1])}.")
    leaves, *levels = zip(*(row for _, row in lines), strict=True)
    check_tree(name, leaves, levels, [number for number, _ in lines])
    return Hierarchy(name, leaves, rooted(leaves, levels))


def _lines(text: str, name: str) -> Lines:
    """Return the rows of the file with their line numbers, split where all lines have as many fields; else where most could be."""
    problem: HierarchyError | None = None
    for delimiter in _DELIMITERS:
        try:
            lines = _split(text, name, delimiter)
        except HierarchyError as error:
            problem = problem or error
            continue
        widths = {len(row) for _, row in lines}
        if len(widths) == 1 and widths != {1}:
            return lines
    if problem is not None:
        raise problem
    first = _QUOTATION.sub("", text).partition("\n")[0]
    return _split(text, name, max(_DELIMITERS, key=first.count))


def _split(text: str, name: str, delimiter: str) -> Lines:
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error:
        raise HierarchyError(f"{shown(name)}, line {reader.line_num}: a quoted field is not closed, or the line is too long.") from None


def _text(path: Path) -> str:
    with readable(path, HierarchyError):
        # As bytes, because a value may hold any line break.
        return path.read_bytes().decode("utf-8")

"""A hierarchy as a TOML document: for every level, which values or lower labels each label stands for.

schema = "anonscope/hierarchy/1"

[[levels]]
words = "kind of illness"
[levels.labels]
respiratory = ["flu", "bronchitis"]
digestive = ["gastritis"]
"""

from typing import Any

from anonscope.columns.hierarchy.hierarchy import Hierarchy, rooted
from anonscope.io.toml_file import TomlFile

SCHEMA = "anonscope/hierarchy/1"
_KEYS = ("schema", "values", "levels")
_LEVEL_KEYS = ("words", "labels")


def document_of(hierarchy: Hierarchy) -> str:
    """Return the document that `read_document` reads back."""
    import tomli_w

    levels: list[dict[str, Any]] = []
    below = hierarchy.leaves
    for i, above in enumerate(hierarchy.levels):
        labels: dict[str, list[str]] = {}
        for node, label in dict(zip(below, above, strict=True)).items():
            labels.setdefault(label, []).append(node)
        levels.append(({"words": hierarchy.words[i]} if hierarchy.words else {}) | {"labels": labels})
        below = above
    document: dict[str, Any] = {"schema": SCHEMA}
    if tuple(value for values in levels[0]["labels"].values() for value in values) != hierarchy.leaves:
        document["values"] = list(hierarchy.leaves)
    return tomli_w.dumps(document | {"levels": levels})


def read_document(document: TomlFile) -> Hierarchy:
    """Return the hierarchy in a document, or say which level is none."""
    content = document.content
    if content.get("schema", SCHEMA) != SCHEMA:
        raise document.fail(f"this version reads {SCHEMA}", "schema")
    for key in content:
        if key not in _KEYS:
            # What a key is called may be a value of the data, put at the wrong place.
            raise document.fail(f"there is a key that is not known; known are {', '.join(_KEYS)}.")
    entries = content.get("levels")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise document.fail("a hierarchy has at least one level; write [[levels]], [levels.labels], and a label a line.")
    parents = [_parents(document, number, entry) for number, entry in enumerate(entries)]
    leaves = _leaves(document, tuple(parents[0]))
    levels, below = [], leaves
    for number, above in enumerate(parents):
        missing = sum(node not in above for node in dict.fromkeys(below))
        if missing:
            raise document.fail(f"{missing:,} of the labels of the level below are in none of the lists.", "levels", number)
        if number and (extra := len(above) - len(set(below))):
            raise document.fail(f"{extra:,} of the listed labels are not on the level below.", "levels", number)
        levels.append(tuple(above[node] for node in below))
        below = levels[-1]
    words = tuple(entry.get("words", "") for entry in entries)
    whole = rooted(leaves, levels)
    if any(words):
        return Hierarchy(document.name, leaves, whole, words + ("everything",) * (len(whole) - len(levels)))
    return Hierarchy(document.name, leaves, whole)


def _parents(document: TomlFile, number: int, entry: dict[str, Any]) -> dict[str, str]:
    """Return the label above every value or label that a level lists."""
    if any(key not in _LEVEL_KEYS for key in entry):
        raise document.fail(f"there is a key that is not known; known are {', '.join(_LEVEL_KEYS)}.", "levels", number)
    if not isinstance(entry.get("words", ""), str):
        raise document.fail("words must be one phrase, in quotes.", "levels", number)
    labels = entry.get("labels")
    if not isinstance(labels, dict) or not labels:
        raise document.fail("a level has labels; write [levels.labels], and a label a line.", "levels", number)
    parents: dict[str, str] = {}
    for label, listed in labels.items():
        if not isinstance(listed, list) or not listed or not all(isinstance(node, str) for node in listed):
            raise document.fail('a label has a list of values in quotes, such as low = ["1", "2"].', "levels", number)
        for node in listed:
            if node in parents:
                raise document.fail("something is listed twice. Every value and every label has one label above it.", "levels", number)
            parents[node] = label
    return parents


def _leaves(document: TomlFile, listed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values in the order that `values` gives, else as the first level lists them."""
    values = document.content.get("values")
    if values is None:
        return listed
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise document.fail("must be a list of all values, in quotes", "values")
    if len(set(values)) < len(values) or set(values) != set(listed):
        raise document.fail("must have every value of the first level, each once", "values")
    return tuple(values)

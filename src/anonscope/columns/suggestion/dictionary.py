"""What a dictionary says of columns: labels from a CSV table, a Table Schema, a DDI Codebook, or a file of SPSS, SAS or Stata.

A label is read as a name is, where the name itself says nothing plainly. No value of the table is read here.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anonscope.columns.suggestion.ddi import labels_of_codebook
from anonscope.columns.suggestion.terms import plain
from anonscope.errors import OptionError, shown
from anonscope.io.formats import endings

# What the columns of a dictionary are called that hold the names of columns, and those that say what they are, the best first.
_NAMES = ("name", "column", "columnname", "variable", "variablename", "varname", "field", "fieldname", "feature", "attribute", "kolom")
_LABELS = ("label", "title", "description", "meaning", "definition", "variablelabel", "varlabel", "omschrijving", "beschreibung", "libelle")
_LABELS_TOO = ("descripcion", "etiqueta", "descricao", "descrizione", "opis", "beskrivning", "text", "question", "comment", "notes")
_LONGEST = 200
_LABELLED = ("spss", "sas", "stata")
_WANTED = (
    "A table needs a column called name (or variable) and one called label (or description); "
    "a Table Schema needs fields with name and title, a DDI Codebook variables with labels."
)


def read_dictionary(path: str | Path) -> dict[str, str]:
    """Return the label of every column a dictionary names: a CSV or TSV table, a Table Schema in JSON, DDI, SPSS, SAS, Stata."""
    file = Path(path)
    if not file.is_file():
        raise OptionError(f"There is no dictionary {shown(str(path))}.")
    ending = file.suffix.lower()
    try:
        if endings().get(ending) in _LABELLED:
            found = _of_statistics(file)
        elif ending == ".xml":
            found = labels_of_codebook(file.read_bytes())
        elif ending == ".json":
            found = dict(_of_schema(json.loads(file.read_text(encoding="utf-8-sig"))))
        else:
            found = _of_table(file.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError, csv.Error, OSError):
        raise OptionError(
            f"The dictionary {shown(str(path))} cannot be read: it must be CSV, TSV or JSON in UTF-8, a DDI Codebook in XML, or a file "
            "of SPSS, SAS or Stata."
        ) from None
    if not found:
        raise OptionError(f"The dictionary {shown(str(path))} names no column. {_WANTED}")
    return {name: label[:_LONGEST] for name, label in found.items()}


def labels_in(text: str) -> dict[str, str]:
    """Return the label of every column that the text of a dictionary names: a CSV or TSV table, a Table Schema in JSON, or DDI."""
    text = text.removeprefix("\ufeff")
    try:
        if text.lstrip().startswith("<"):
            found = labels_of_codebook(text.encode())
        else:
            found = dict(_of_schema(json.loads(text))) if text.lstrip().startswith("{") else _of_table(text)
    except (ValueError, RecursionError, csv.Error):
        raise OptionError("The dictionary cannot be read: it must be CSV, TSV, JSON or a DDI Codebook in XML.") from None
    if not found:
        raise OptionError(f"The dictionary names no column. {_WANTED}")
    return {name: label[:_LONGEST] for name, label in found.items()}


def _of_table(text: str) -> dict[str, str]:
    delimiter = max(",;\t|", key=text[:4096].split("\n", 1)[0].count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    called = {plain(name).replace(" ", "").replace("_", ""): name for name in rows.fieldnames or () if name}
    names = next((called[name] for name in _NAMES if name in called), None)
    labels = [called[name] for name in (*_LABELS, *_LABELS_TOO) if name in called and called[name] != names]
    if names is None or not labels:
        return {}
    return {row[names].strip(): _first(row, labels) for row in rows if (row[names] or "").strip() and _first(row, labels)}


def _first(row: Mapping[str, Any], labels: list[str]) -> str:
    return next((str(row[label]).strip() for label in labels if row[label] and str(row[label]).strip()), "")


def _of_schema(schema: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields of a Table Schema, of every resource of a Data Package, or of a plain mapping of names to labels."""
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("resources"), list):
        for resource in schema["resources"]:
            yield from _of_schema(resource.get("schema", {}) if isinstance(resource, dict) else {})
    elif isinstance(schema.get("fields"), list):
        for field in schema["fields"]:
            if isinstance(field, dict) and isinstance(field.get("name"), str):
                label = field.get("title") or field.get("label") or field.get("description")
                if isinstance(label, str):
                    yield field["name"], label
    else:
        for name, label in schema.items():
            said = label.get("label") or label.get("description") if isinstance(label, dict) else label
            if isinstance(said, str):
                yield name, said


def _of_statistics(file: Path) -> dict[str, str]:
    from anonscope.io.sources.statistical import read_statistical  # late: most dictionaries are tables

    _, told = read_statistical(file, file.name)
    return {str(name): str(label) for name, label in told.column_names_to_labels.items() if label}

"""A release as Table Schema (Frictionless): its columns, and beside them what was found."""

from typing import Any

from anonscope.operations.describing.known import DescribedRelease

_TYPES = {
    "BIGINT": "integer",
    "INTEGER": "integer",
    "DOUBLE": "number",
    "FLOAT": "number",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "datetime",
    "TIME": "time",
}


def table_schema(known: DescribedRelease) -> dict[str, Any]:
    """Return the document; what is ours in it stands under one key."""
    fields = [
        {"name": column.name, "type": _TYPES.get(column.type, "string")}
        | ({"description": f"Judged as a {column.role}."} if column.role else {})
        for column in known.columns
    ]
    found = {"about": known.about, "release": known.name, "sha256": known.sha256, "records": known.records, "epsilon": known.epsilon}
    return {"fields": fields, "missingValues": [""], "title": known.title, "anonscope": found | {"verdicts": list(known.verdicts)}}

"""A table as a process that can be spared has read it: a file that our own engine wrote, and what there is to tell of it.

Whoever works with the table opens this file and never the one that somebody sent.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anonscope.engines import DuckDB
from anonscope.io.sources.relation import Column, FileLabels, Relation, positional


@dataclass(frozen=True, slots=True)
class KeptRelation:
    """Where the records are, in their order and with their types, and the rest of what a relation tells."""

    file: Path
    told: Mapping[str, Any]

    def relation(self, engine: DuckDB, name: str) -> Relation:
        """Return the table on an engine."""
        told, labels = self.told, self.told["labels"]
        columns = tuple(Column(*column) for column in told["columns"])
        return Relation(
            name,
            columns,
            f"{engine.attach(self.file)} AS t({positional(len(columns))})",
            notes=tuple(told["notes"]),
            delimited=told["delimited"],
            delimiter=told["delimiter"],
            labels=FileLabels(labels["columns"], labels["values"], tuple(labels["missing"])) if labels is not None else None,
            also_held=tuple(told["also_held"]),
        )


def keep(relation: Relation, engine: DuckDB, file: Path) -> dict[str, Any]:
    """Write every record of a relation to a file, as it is stored, and return what else it tells."""
    types = relation.stored_types or tuple(column.type for column in relation.columns)
    engine.save(f"SELECT {positional(len(types))} FROM {relation.stored or relation.origin}", file)
    return {
        "columns": list(zip(relation.names, types, strict=True)),
        "notes": relation.notes,
        "delimited": relation.delimited,
        "delimiter": relation.delimiter,
        "labels": asdict(relation.labels) if relation.labels is not None else None,
        "also_held": relation.also_held,
    }

"""What hierarchies do, level by level, and how many distinct values are left: no value and no label of any of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonscope.columns.hierarchy import Hierarchy
from anonscope.report.sheet import Section, Sheet, render_sheet, row

SCHEMA = "anonscope/hierarchies/1"
_AS_IT_IS = "as in the table"


@dataclass(frozen=True, slots=True)
class Ladders:
    """Hierarchies of a table, which write themselves like any other result."""

    source: str
    hierarchies: Mapping[str, Hierarchy]

    def render(self, format: str = "text") -> str:
        """Return their levels as text, json, markdown or html."""
        if format == "json":
            return json.dumps(hierarchies_to_dict(self.source, self.hierarchies), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return render_sheet(hierarchies_sheet(self.source, self.hierarchies), format)


def hierarchies_to_dict(source: str, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Any]:
    """Return the levels of hierarchies as plain data."""
    return {
        "schema": SCHEMA,
        "source": source,
        "columns": [
            {
                "column": column,
                "hierarchy": hierarchy.name,
                "levels": [{"level": level, "words": words, "values": left} for level, words, left in _levels(hierarchy)],
            }
            for column, hierarchy in hierarchies.items()
        ],
    }


def ladders_sheet(ladders: Ladders) -> Sheet:
    """Return the levels of hierarchies as one table."""
    return hierarchies_sheet(ladders.source, ladders.hierarchies)


def hierarchies_sheet(source: str, hierarchies: Mapping[str, Hierarchy]) -> Sheet:
    """Return the levels of hierarchies as one table."""
    lines = tuple(
        row(column if level == 0 else "", str(level), words, f"{left:,}")
        for column, hierarchy in hierarchies.items()
        for level, words, left in _levels(hierarchy)
    )
    combinations = 1
    for hierarchy in hierarchies.values():
        combinations *= hierarchy.height + 1
    return Sheet(
        title="Hierarchies",
        source=source,
        lead="How each column can be made coarser, and how many distinct values each step leaves. Missing values stay missing.",
        sections=(Section("Levels", ("column", "level", "what it does", "values left"), lines),),
        notes=(f"One level for each column can be chosen in {combinations:,} ways.",),
    )


def _levels(hierarchy: Hierarchy) -> list[tuple[int, str, int]]:
    words = hierarchy.words or tuple(f"level {level} of the file" for level in range(1, hierarchy.height + 1))
    return list(zip(range(hierarchy.height + 1), (_AS_IT_IS, *words), hierarchy.cardinalities, strict=True))

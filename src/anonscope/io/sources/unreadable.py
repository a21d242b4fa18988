"""What to say of a line that cannot be read, wherever somebody comes upon it."""

from anonscope.engines.duckdb import NESTED, UnreadableLine
from anonscope.errors import SourceError, shown
from anonscope.io.sources.relation import Relation


def unreadable(relation: Relation, error: UnreadableLine) -> SourceError:
    """Return what to say when a line of a table cannot be read."""
    part = dict(relation.parts).get(error.file) if error.file is not None else None
    return unreadable_line(f"{part} in {shown(relation.name)}" if part is not None else shown(relation.name), error)


def unreadable_line(name: str, error: UnreadableLine) -> SourceError:
    """Return what to say when a line of a file of this name cannot be read."""
    where = f" on line {error.line:,}" if error.line else ""
    if error.reason == "invalid encoding":
        return SourceError(f"{name} is not UTF-8{where}. Say its encoding, for instance windows-1252.")
    if error.reason == NESTED:
        return SourceError(f"{name} cannot be read{where}: {error.reason}. A cell of a table is one value; flatten what is nested.")
    advice = "Mend the file, or say its delimiter or its quote if they were taken wrongly."
    return SourceError(f"{name} cannot be read{where}: {error.reason}. {advice}")

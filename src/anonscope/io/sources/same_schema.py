"""Whether the parts of a table fit together, and in which words they do not."""

from collections.abc import Sequence

from anonscope.errors import SourceError, shown
from anonscope.io.sources.parts import PartFile, PartFiles

Schema = dict[str, str]  # name of a column -> its type
# Whole numbers of any width are the same values; every other pair of types would change how values are written.
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
# A column without a value anywhere in a part has a type of its own.
_NOTHING = {'"NULL"', "null"}
_SENTENCES = 3


def check_same_schema(parts: Sequence[tuple[PartFile, Schema]], folder: str) -> None:
    """Raise if parts differ in their columns or types from the first one; their order may differ."""
    first, columns = parts[0]
    known: dict[str, tuple[str, PartFile]] = {name: (kind, first) for name, kind in columns.items()}
    differences: list[str] = []
    for part, schema in parts[1:]:
        differences += _columns(part, schema, first, columns)
        for name in (name for name in schema if name in columns):
            kind, since = known[name]
            if kind in _NOTHING:
                known[name] = (schema[name], part)
            elif schema[name] not in _NOTHING and schema[name] != kind and not {schema[name], kind} <= _WHOLE:
                differences.append(f"Column {shown(name)} is {schema[name]} in {part.shown} and {kind} in {since.shown}.")
    if differences:
        told = " ".join(differences[:_SENTENCES])
        left = len(differences) - _SENTENCES
        more = f" There {'is 1 more difference' if left == 1 else f'are {left:,} more differences'}." if left > 0 else ""
        raise SourceError(
            f"The parts of {shown(folder)} do not fit together. {told}{more} Mend them, or choose some by a pattern such as 'folder/*.csv'."
        )


def _columns(part: PartFile, schema: Schema, first: PartFile, columns: Schema) -> list[str]:
    lacking = [name for name in columns if name not in schema]
    further = [name for name in schema if name not in columns]
    if not lacking and not further:
        return []
    if len(lacking) > len(columns) / 2:
        # What looks like a header may be a record, so nothing of it is said.
        return [
            f"{part.shown} has {len(columns) - len(lacking)} of the {len(columns)} columns of {first.shown}; it may lack a header line."
        ]
    found = []
    if lacking:
        found.append(f"{part.shown} lacks {_listed(lacking)}, which {first.shown} has.")
    if further:
        found.append(f"{part.shown} has {_listed(further)}, which {first.shown} lacks.")
    return found


def _listed(names: list[str]) -> str:
    told = ", ".join(shown(name) for name in names[:_SENTENCES])
    more = f" and {len(names) - _SENTENCES:,} more" if len(names) > _SENTENCES else ""
    return f"{'column' if len(names) == 1 else 'columns'} {told}{more}"


def check_keys(found: PartFiles) -> tuple[str, ...]:
    """Return the columns that folders named key=value stand for; raise unless all parts lie in folders of the same keys."""
    first = found.files[0]
    keys = [key for key, _ in first.keys]
    if len({key.lower() for key in keys}) < len(keys):
        raise SourceError(f"{first.shown} in {shown(found.name)} lies in two folders that are named by the same key.")
    for part in found.files:
        if [key for key, _ in part.keys] != keys:
            raise SourceError(
                f"{first.shown} and {part.shown} in {shown(found.name)} lie in folders that are named by different keys (key=value), "
                "so they are not parts of one table."
            )
    return tuple(keys)


def check_no_collision(keys: Sequence[str], names: Sequence[str], folder: str) -> None:
    """Raise if the parts have a column that is called like a key of their folders."""
    taken = {name.lower(): name for name in names}
    for key in keys:
        if key.lower() in taken:
            raise SourceError(
                f"Folders in {shown(folder)} are named {shown(key + '=…')}, and the parts have a column {shown(taken[key.lower()])} too; "
                "which of the two counts is not certain. Rename the folders, or drop the column."
            )

"""The parts of a folder as one table: records in the order of the parts, columns matched by name.

Parts that are written alike are read by one reader. Where dialects, compression or the order of columns differ, stretches of parts
have readers of their own, and the whole is stored once, in order, before anything is counted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.errors import EngineError, NoRecords, SourceError, shown
from anonscope.io.formats import KNOWN, format_of
from anonscope.io.sources import encoding
from anonscope.io.sources.columnar import read_arrow, top_level
from anonscope.io.sources.delimited import LARGE, Delimited, about_quotes, csv_reader, prepare
from anonscope.io.sources.delimited_dialect import Dialect
from anonscope.io.sources.frames import from_arrow
from anonscope.io.sources.json_lines import json_reader, keys_of
from anonscope.io.sources.parts import PartFile, PartFiles, check_plain
from anonscope.io.sources.relation import Column, ReadOptions, Relation, named_columns, positional
from anonscope.io.sources.same_schema import Schema, check_keys, check_no_collision, check_same_schema
from anonscope.io.sources.unreadable import unreadable

_FEW = 3
_GLANCE = 4096  # bytes that tell a format


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring parts that one reader takes: `read` makes its FROM clause, `places` tells where each column of the table stands."""

    parts: tuple[PartFile, ...]
    files: tuple[Path, ...]
    read: Callable[[bool], str]  # takes whether the name of the file is wanted as a last column
    places: tuple[int, ...]


Opened = tuple[Relation, Sequence[PartFile]]


def open_parts(found: PartFiles, engine: Engine, options: ReadOptions) -> Relation:
    """Return all parts as one relation; what does not fit together is named."""
    check_plain(found)
    keys = check_keys(found)
    try:
        filled = replace(found, files=tuple(part for part in found.files if part.path.stat().st_size))
        opened: Opened | None = None
        if filled.files:
            form = one_format(filled, options)
            opened = KNOWN[form].parts_opener()(filled, keys, engine, options.of_format(form))
    except PermissionError as error:
        raise SourceError(f"{shown(Path(str(error.filename)).name)} in {shown(found.name)} may not be read: permission denied.") from None
    if opened is None:
        raise NoRecords(f"{shown(found.name)} has {_counted(len(found.files))}, and none has records.")
    relation, read = opened
    return replace(relation, notes=(*_about_empty(found, read), *relation.notes))


def one_format(found: PartFiles, options: ReadOptions) -> str:
    """Return the format that all parts have; comma or tab makes no difference."""
    first, form = None, options.format or ""
    for part in found.files if not options.format else ():
        here = format_of(part.path, encoding.head_of(part.path, _GLANCE), part.path.name)
        kind = "csv" if KNOWN[here].delimiter else here
        if first is not None and kind != form:
            raise SourceError(
                f"{shown(found.name)} holds more than one format: {first.shown} is {form} and {part.shown} is {kind}. "
                "Choose the parts by a pattern such as 'folder/*.parquet'."
            )
        first, form = first or part, kind
    if KNOWN[form].parts is None:
        held = KNOWN[form].plural
        raise SourceError(f"{shown(found.name)} holds {held}, which cannot be parts of a table. Export them as CSV, or give one only.")
    return form


def open_parquet_parts(found: PartFiles, keys: Sequence[str], engine: Engine, options: ReadOptions) -> Opened | None:
    """Parquet is read where it lies; which parts have records stands in their own footers."""
    schemas, records = footers(found, engine)
    parts = tuple(part for part in found.files if records[part])
    if not parts:
        return None
    check_same_schema([(part, schemas[part]) for part in parts], found.name)
    files = tuple(part.path for part in parts)
    first = schemas[parts[0]]
    # Columns are matched by name anyway; without this the types of the first part would be forced on all others.
    unified = any(schemas[part] != first for part in parts)
    settings = f"{_listed(files, engine)}, hive_partitioning = false, union_by_name = {'true' if unified else 'false'}"

    def read(named: bool) -> str:
        return f"read_parquet({settings}{', filename = true' if named else ''})"

    types = [kind for _, kind in engine.columns(f"SELECT * FROM {read(False)}")]
    columns = tuple(Column(name, kind) for name, kind in zip(first, types, strict=True))
    relation = _together(found.name, [Stretch(parts, files, read, tuple(range(len(columns))))], columns, keys, engine)
    return replace(relation, stage=False), parts


def footers(found: PartFiles, engine: Engine) -> tuple[dict[PartFile, Schema], dict[PartFile, int]]:
    """Return the columns and the number of records of every part."""
    by_path = {str(part.path): part for part in found.files}
    listed = _listed([part.path for part in found.files], engine)
    try:
        described = engine.rows(f"SELECT file_name, name, num_children, duckdb_type FROM parquet_schema({listed})")
        counted = engine.rows(f"SELECT file_name, num_rows FROM parquet_file_metadata({listed})")
    except EngineError:
        raise SourceError(f"{_damaged(found, engine).shown} in {shown(found.name)} is not a readable Parquet file.") from None
    schemas: dict[PartFile, Schema] = {}
    for path, rows in groupby(described, key=lambda row: row[0]):
        elements = list(rows)
        top = [elements[i] for i in top_level([children for _, _, children, _ in elements])]
        names = named_columns([name for _, name, _, _ in top], Path(path).name)
        schemas[by_path[path]] = dict(zip(names, (str(kind) for _, _, _, kind in top), strict=True))
    return schemas, {by_path[path]: int(rows) for path, rows in counted}


def _damaged(found: PartFiles, engine: Engine) -> PartFile:
    """Return the first part whose footer cannot be read."""
    for part in found.files:
        try:
            engine.rows(f"SELECT COUNT(*) FROM parquet_file_metadata({engine.text(str(part.path))})")
        except EngineError:
            return part
    return found.files[0]


def open_delimited_parts(found: PartFiles, keys: Sequence[str], engine: Engine, options: ReadOptions) -> Opened | None:
    """Every part is looked at as a file of its own, so dialect and encoding may differ from part to part."""
    prepared: list[tuple[PartFile, Delimited]] = []
    made = len(engine.statements)
    for part in found.files:
        try:
            prepared.append((part, prepare(part.path, engine, options, part.path.name, f"part-{made}-{part.number}.csv")))
        except NoRecords:
            continue
        except SourceError as error:
            raise SourceError(str(error).replace(shown(part.path.name), f"{part.shown} in {shown(found.name)}")) from None
    if not prepared:
        return None
    check_same_schema([(part, dict.fromkeys(file.names, "VARCHAR")) for part, file in prepared], found.name)
    names = prepared[0][1].names
    stretches = []
    for (written, ordered), neighbours in groupby(prepared, key=lambda pair: (replace(pair[1].written, header=()), pair[1].names)):
        alike = list(neighbours)
        files = tuple(file.path for _, file in alike)
        read = partial(_read_csv, files, engine, written, len(names))
        stretches.append(Stretch(tuple(part for part, _ in alike), files, read, tuple(ordered.index(name) for name in names)))
    relation = _together(found.name, stretches, tuple(Column(name, "VARCHAR") for name in names), keys, engine)
    notes = () if options.encoding else _about_encodings([file.encoding for _, file in prepared])
    notes = (*notes, *about_quotes(sum(file.late_quotes for _, file in prepared)))
    return replace(relation, notes=notes, delimited=True, delimiter=prepared[0][1].written.delimiter), [part for part, _ in prepared]


def _read_csv(files: Sequence[Path], engine: Engine, written: Dialect, width: int, named: bool) -> str:
    return csv_reader(files, engine, written, width, named=named)


def open_json_lines_parts(found: PartFiles, keys: Sequence[str], engine: Engine, options: ReadOptions) -> Opened | None:
    """A key that a part lacks is missing there, as it is in a line that lacks it."""
    stretches = [(tuple(parts), packed) for packed, parts in groupby(found.files, key=lambda part: encoding.is_packed(part.path))]
    objects: dict[str, None] = {}
    for parts, packed in stretches:
        try:
            objects |= dict.fromkeys(keys_of([part.path for part in parts], engine, packed=packed, name=found.name))
        except SourceError:
            # All at once is quick, one by one tells which.
            for part in parts:
                keys_of([part.path], engine, packed=packed, name=part.path.name)
            raise
    if not objects:
        return None
    columns = tuple(Column(name, "VARCHAR") for name in named_columns(list(objects), found.name))
    opened = []
    for parts, packed in stretches:
        files = tuple(part.path for part in parts)
        opened.append(Stretch(parts, files, partial(_read_json, files, engine, list(objects), packed), tuple(range(len(columns)))))
    return _together(found.name, opened, columns, keys, engine), found.files


def _read_json(files: Sequence[Path], engine: Engine, objects: Sequence[str], packed: bool, named: bool) -> str:
    return json_reader(files, engine, objects, packed=packed, named=named)


def open_arrow_parts(found: PartFiles, keys: Sequence[str], engine: Engine, options: ReadOptions) -> Opened | None:
    """Arrow files are tables in memory, so they are put together there."""
    import pyarrow as pa

    tables = [(part, read_arrow(part.path, part.path.name)) for part in found.files]
    tables = [(part, table) for part, table in tables if table.num_rows]
    if not tables:
        return None
    schemas = []
    for part, table in tables:
        names = named_columns([str(name) for name in table.column_names], part.path.name)
        schemas.append((part, {name: str(kind) for name, kind in zip(names, table.schema.types, strict=True)}))
    check_same_schema(schemas, found.name)
    names = tuple(schemas[0][1])
    check_no_collision(keys, names, found.name)
    pieces = []
    for (part, table), (_, schema) in zip(tables, schemas, strict=True):
        # A dictionary of one value: a text for every record would be as long as the table.
        codes = pa.repeat(pa.scalar(0, pa.int8()), table.num_rows)
        repeated = [pa.DictionaryArray.from_arrays(codes, pa.array([value], pa.string())) for _, value in part.keys]
        ordered = table.rename_columns(list(schema)).select(list(names))
        pieces.append(pa.Table.from_arrays([*ordered.columns, *repeated], names=[*names, *keys]))
    relation = from_arrow(pa.concat_tables(pieces, promote_options="permissive"), engine, found.name)
    return relation, [part for part, _ in tables]


def _together(name: str, stretches: Sequence[Stretch], columns: tuple[Column, ...], keys: Sequence[str], engine: Engine) -> Relation:
    """Return the stretches as one relation, with a text column for every key of the folders."""
    check_no_collision(keys, [column.name for column in columns], name)
    selects = [_select(stretch, len(columns), keys, engine) for stretch in stretches]
    everything = (*columns, *(Column(key, "VARCHAR") for key in keys))
    labels = tuple((str(file), part.shown) for stretch in stretches for part, file in zip(stretch.parts, stretch.files, strict=True))
    large = sum(file.stat().st_size for stretch in stretches for file in stretch.files) > LARGE
    if len(selects) == 1:
        # The first part says in which order columns stand, so here they stand in theirs.
        origin = f"({selects[0]}) AS t" if keys else f"{stretches[0].read(False)} AS t({positional(len(columns))})"
        return Relation(name, everything, origin, stage=True, large=large, parts=labels)
    # Stored in order: side by side the stretches would be read in any order, and steps that work by position would mix records up.
    stored = f"parts_{len(engine.statements)}"
    relation = Relation(name, everything, f"{stored} AS t", parts=labels)
    try:
        engine.stage(stored, " UNION ALL ".join(selects), large=large, ordered=True)
    except UnreadableLine as error:
        raise unreadable(relation, error) from None
    return relation


def _select(stretch: Stretch, width: int, keys: Sequence[str], engine: Engine) -> str:
    listed = [f"c{place} AS c{i}" for i, place in enumerate(stretch.places)]
    made = len(engine.statements)
    for i, key in enumerate(keys):
        values = {str(file): dict(part.keys)[key] for part, file in zip(stretch.parts, stretch.files, strict=True)}
        known = {file: value for file, value in values.items() if value is not None}
        looked_up = engine.lookup(f"part_{made}_{i}", "file", known) if known else "CAST(NULL AS VARCHAR)"
        listed.append(f"{looked_up} AS c{width + i}")
    names = positional(width) + (", file" if keys else "")
    return f"SELECT {', '.join(listed)} FROM {stretch.read(bool(keys))} AS t({names})"


def _listed(files: Sequence[Path], engine: Engine) -> str:
    return f"[{', '.join(engine.text(str(path)) for path in files)}]"


def _about_empty(found: PartFiles, read: Sequence[PartFile]) -> tuple[str, ...]:
    known = {part.number for part in read}
    empty = [part.shown for part in found.files if part.number not in known]
    if not empty:
        return ()
    more = f" and {len(empty) - _FEW:,} more" if len(empty) > _FEW else ""
    return (f"Of {_counted(len(found.files))}, {len(empty):,} without records left out: {', '.join(empty[:_FEW])}{more}.",)


def _about_encodings(found: Sequence[str]) -> tuple[str, ...]:
    counts = {name: found.count(name) for name in ("cp1252", "latin-1")}
    return tuple(
        f"{_counted(count)} {'is' if count == 1 else 'are'} not UTF-8 and read as {encoding.NAMES[name]}. Say its encoding if it is wrong."
        for name, count in counts.items()
        if count
    )


def _counted(parts: int) -> str:
    return "1 part" if parts == 1 else f"{parts:,} parts"

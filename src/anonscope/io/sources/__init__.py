"""From a file, a folder of parts, standard input or a frame to a relation on an engine."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.engines import DuckDB, Engine
from anonscope.engines.duckdb import parse_bytes
from anonscope.errors import NoRecords, OptionError, SourceError, shown
from anonscope.io.formats import KNOWN, format_names, format_of
from anonscope.io.sources.encoding import head_of
from anonscope.io.sources.frames import is_frame, open_frame
from anonscope.io.sources.parts import find_parts, is_pattern
from anonscope.io.sources.relation import Column, ReadOptions, Relation, in_one_form

if TYPE_CHECKING:
    from anonscope.io.sources.apart import ReadingLimits

__all__ = ["FORMATS", "Column", "ReadOptions", "Relation", "open_source"]

FORMATS = format_names()


def open_source(source: Any, engine: Engine, options: ReadOptions | None = None) -> Relation:
    """Return whatever was given as a relation: a file, a folder or a pattern of parts, '-' for standard input, or a frame."""
    return in_one_form(_open(source, engine, options or ReadOptions()))


def _open(source: Any, engine: Engine, options: ReadOptions) -> Relation:
    if isinstance(source, str) and source.lower().startswith("jdbc:"):
        raise SourceError("Addresses of JDBC are not read. Give the database as postgresql://user@host/database or sqlite:///file.db.")
    if engine.remote:
        from anonscope.io.sources.remote import open_remote  # late: most tables are read where we are

        return open_remote(source, engine, options)
    if is_frame(source):
        return open_frame(source, engine, "the data frame")
    if not isinstance(source, str | Path):
        raise SourceError(f"A table cannot be read from a {type(source).__name__}. Give a path, a data frame or an Arrow table.")
    if str(source) == "-":
        spooled = _spooled(engine)
        return _kept_apart(spooled, engine, options, "standard input") or _open_file(spooled, engine, options, "standard input")
    if isinstance(source, str) and "://" in source:
        raise SourceError(f"{shown(source)} is not on this machine. Read it with Spark (--engine spark), or fetch it first.")
    path = Path(source)
    if path.is_dir() or is_pattern(path):
        _check_format(options)
        if (kept := _kept_apart(path, engine, options, find_parts(path).name)) is not None:
            return kept
        from anonscope.io.sources.one_table import open_parts  # late: most tables are one file

        return open_parts(find_parts(path), engine, options)
    if not path.exists():
        raise SourceError(f"No such file: {shown(path)}.")
    _check_format(options)
    return _kept_apart(path, engine, options, path.name) or _open_file(path, engine, options, path.name)


def _kept_apart(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation | None:
    """Return a table as a process that can be spared has read it, if the engine was asked for that: the file is not opened here."""
    if not isinstance(engine, DuckDB) or not engine.limits["isolate"]:
        return None
    from anonscope.io.sources.apart import keep_apart  # late: most files are read here

    return keep_apart(path, options, _reading_limits(engine), name=name, folder=engine.scratch).relation(engine, name)


def look_apart(path: Path, engine: DuckDB, options: ReadOptions, name: str) -> None:
    """Have a process that can be spared read a file first that another reader is to read here, if the engine was asked for that."""
    if engine.limits["isolate"]:
        from anonscope.io.sources.apart import read_apart  # late: most files are read here

        read_apart(path, options, _reading_limits(engine), name=name, scratch=engine.scratch)


def _reading_limits(engine: DuckDB) -> "ReadingLimits":
    from anonscope.io.sources.apart import ReadingLimits  # late: most files are read here

    memory = engine.limits["memory_limit"]
    return ReadingLimits(memory=parse_bytes(memory)) if memory else ReadingLimits()


def _open_file(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    _check_format(options)
    try:
        if path.stat().st_size == 0:
            raise NoRecords(f"{shown(name)} is empty.")
        form = options.format or format_of(path, head_of(path), path.name)
        relation: Relation = KNOWN[form].opener()(path, engine, options.of_format(form), name)
        return relation
    except PermissionError:
        raise SourceError(f"{shown(name)} may not be read: permission denied.") from None
    except OSError as error:
        raise SourceError(f"{shown(name)} cannot be read, or not be kept in the temporary folder: {error.strerror}.") from None


def _check_format(options: ReadOptions) -> None:
    if options.format is not None and options.format not in format_names():
        raise OptionError(f"No input format is called {options.format!r}. There are: {', '.join(format_names())}.")


def _spooled(engine: Engine) -> Path:
    """Copy standard input to the private folder: formats need more than one look."""
    target = engine.scratch / "standard-input"
    try:
        with open(target, "wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
    except OSError as error:
        raise SourceError(
            f"What came by standard input cannot be kept in the temporary folder: {error.strerror}. Make room, or name another folder "
            "(--temp-folder)."
        ) from None
    return target

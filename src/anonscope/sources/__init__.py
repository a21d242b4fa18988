"""From a file, standard input or a frame to a relation on an engine."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anonscope.engines import Engine
from anonscope.errors import OptionError, SourceError, shown
from anonscope.sources.columnar import open_arrow, open_parquet
from anonscope.sources.delimited import open_delimited
from anonscope.sources.encoding import head_of
from anonscope.sources.excel import open_excel
from anonscope.sources.frames import is_frame, open_frame
from anonscope.sources.json_lines import open_json_lines
from anonscope.sources.relation import Column, ReadOptions, Relation

__all__ = ["FORMATS", "Column", "ReadOptions", "Relation", "open_source"]

_OPENERS: dict[str, Callable[[Path, Engine, ReadOptions, str], Relation]] = {
    "csv": open_delimited,
    "tsv": open_delimited,
    "parquet": lambda path, engine, options, name: open_parquet(path, engine, name),
    "arrow": lambda path, engine, options, name: open_arrow(path, engine, name),
    "jsonl": lambda path, engine, options, name: open_json_lines(path, engine, name),
    "excel": open_excel,
}
FORMATS = tuple(_OPENERS)
_SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "excel",
    ".xls": "excel",
    ".xlsb": "excel",
    ".ods": "excel",
}


def open_source(source: Any, engine: Engine, options: ReadOptions | None = None) -> Relation:
    """Return whatever was given as a relation: a path, '-' for standard input, or a frame."""
    options = options or ReadOptions()
    if is_frame(source):
        return open_frame(source, engine, "the data frame")
    if not isinstance(source, str | Path):
        raise SourceError(f"A table cannot be read from a {type(source).__name__}. Give a path, a data frame or an Arrow table.")
    if str(source) == "-":
        return _open_file(_spooled(engine), engine, options, "standard input")
    path = Path(source)
    if not path.exists():
        raise SourceError(f"No such file: {shown(path)}.")
    if path.is_dir():
        raise SourceError(f"{shown(path)} is a folder, not a file.")
    return _open_file(path, engine, options, path.name)


def _open_file(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    if options.format is not None and options.format not in FORMATS:
        raise OptionError(f"No input format is called {options.format!r}. There are: {', '.join(FORMATS)}.")
    try:
        if path.stat().st_size == 0:
            raise SourceError(f"{shown(name)} is empty.")
        form = options.format or _format(path, head_of(path))
        if form == "tsv" and options.delimiter is None:
            options = ReadOptions("tsv", "\t", options.quote, options.encoding, options.sheet)
        return _OPENERS[form](path, engine, options, name)
    except PermissionError:
        raise SourceError(f"{shown(name)} may not be read: permission denied.") from None


def _format(path: Path, head: bytes) -> str:
    """What the bytes say counts more than the name; the name decides between kinds of text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")):
        return "arrow"
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return "excel"
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    by_name = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if by_name in ("csv", "tsv", "jsonl"):
        return by_name
    if by_name is not None:
        raise SourceError(f"{shown(path.name)} is not a readable {by_name} file, whatever its name says.")
    return "jsonl" if head.lstrip().startswith(b"{") else "csv"


def _spooled(engine: Engine) -> Path:
    """Copy standard input to the private folder: formats need more than one look."""
    target = engine.scratch / "standard-input"
    with open(target, "wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out)
    return target

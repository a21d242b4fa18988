"""A table as other libraries read it, to hold beside what we read: nothing here shares a parser with anonscope.

Delimited text is read by Python's csv with strict=True, JSON lines by its json, Parquet by pyarrow (ours by DuckDB), Arrow and Feather by
polars (ours by pyarrow), workbooks by openpyxl (ours by calamine), SAS and Stata by what pandas wrote itself (ours by ReadStat). Nobody
else reads SPSS files: pandas asks the same library as we do.
"""

import contextlib
import csv
import gzip
import io
import json
import math
import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

_SECONDS, _BYTES = 20, 4 << 30
_ZERO = 1e-70  # pandas reads some zeros of SAS as 5e-79
SAME, NOT_READ = "same", "not read"
_WORKERS: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True, slots=True)
class Read:
    """A table: the names of its columns and its records."""

    names: tuple[str, ...]
    records: list[Sequence[Any]]


def _delimited(path: Path) -> Read:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = content.decode("utf-16" if "16" in path.name else "utf-8-sig")
    lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    if any(len(line) != len(lines[0]) for line in lines):
        raise ValueError("records of different lengths")
    # A column without a name is called by its place, as docs/io/sources.md says.
    return Read(
        tuple(name or f"column_{i}" for i, name in enumerate(lines[0], start=1)), [[field or None for field in line] for line in lines[1:]]
    )


def _json_lines(path: Path) -> Read:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    records = [json.loads(line) for line in content.decode().split("\n") if line.strip()]
    names = tuple(dict.fromkeys(name for record in records for name in record))
    return Read(names, [[record.get(name) for name in names] for record in records])


def _parquet(path: Path) -> Read:
    from pyarrow import parquet

    return _arrow_table(parquet.read_table(path, use_threads=False))


def _arrow_table(table: Any) -> Read:
    return Read(tuple(table.column_names), list(zip(*(column.to_pylist() for column in table.columns), strict=True)))


def _arrow(path: Path) -> Read:
    import polars

    frame = polars.read_ipc_stream(path) if path.name == "stream.arrow" else polars.read_ipc(path.read_bytes())
    return Read(tuple(frame.columns), frame.rows())


def _workbook(path: Path) -> Read:
    import openpyxl

    book = openpyxl.load_workbook(path, data_only=True)
    head, *records = [list(record) for record in book.worksheets[0].iter_rows(values_only=True)]
    return Read(tuple(str(name) for name in head), [record for record in records if any(value is not None for value in record)])


def _with_pandas(path: Path) -> Read:
    import pandas as pd

    frame = (
        pd.read_stata(path, convert_categoricals=False, convert_dates=False, convert_missing=False)
        if path.suffix == ".dta"
        else pd.read_sas(path, encoding="utf-8")
    )
    # To ReadStat, which is written in C, a text ends at its first NUL.
    records = [
        [value.partition("\0")[0] if isinstance(value, str) else value for value in record]
        for record in frame.itertuples(index=False, name=None)
    ]
    return Read(tuple(frame.columns), records)


READERS: dict[str, Callable[[Path], Read]] = {
    **dict.fromkeys(("csv", "csv.gz", "utf-16"), _delimited),
    **dict.fromkeys(("jsonl", "jsonl.gz"), _json_lines),
    "parquet": _parquet,
    **dict.fromkeys(("arrow", "stream", "feather"), _arrow),
    **dict.fromkeys(("excel", "sheet"), _workbook),
    **dict.fromkeys(("dta", "xpt", "sas7bdat"), _with_pandas),
}
_LIBRARIES = {_parquet: "pyarrow.parquet", _arrow: "polars", _workbook: "openpyxl", _with_pandas: "pandas"}
# What the csv module refuses we must refuse too; other readers may be stricter than a format asks for.
STRICT = ("csv", "csv.gz", "utf-16")


def compared(form: str, path: Path, ours: Read) -> str:
    """Return `same`, `not read` where the other library cannot, or what differs; the other library may crash, so it has a process.

    That process is begun anew, not forked from this one: a library that keeps threads, as polars does, never answers in a fork of a process
    that had used it.
    """
    worker = _WORKERS.get(os.getpid())
    if worker is None or worker.poll() is not None:
        here = [sys.executable, "-m", "benchmarks.second_reader"]
        worker = subprocess.Popen(here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[1])
        _WORKERS[os.getpid()] = worker
    assert worker.stdin and worker.stdout
    asked = pickle.dumps((form, path.resolve(), ours))
    worker.stdin.write(len(asked).to_bytes(8, "little") + asked)
    worker.stdin.flush()
    return worker.stdout.readline().decode(errors="replace").rstrip("\n") or NOT_READ


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer one request after the other until there are no more; every file is read in a fork of this process, which itself reads none."""
    while size := requests.read(8):
        form, path, ours = pickle.loads(requests.read(int.from_bytes(size, "little")))
        answers.write(_in_a_child(form, path, ours).replace("\n", " ").encode() + b"\n")
        answers.flush()


def _in_a_child(form: str, path: Path, ours: Read) -> str:
    if library := _LIBRARIES.get(READERS[form]):
        import_module(library)  # once, and not in every child
    answers = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            # Beside what a process with such a library has already, which its child inherits.
            most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + _BYTES
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            signal.alarm(_SECONDS)
            os.write(answers[1], _compare(form, path, ours).encode()[:4000])
        os._exit(0)
    os.close(answers[1])
    try:
        said = os.read(answers[0], 4096).decode(errors="replace")
    finally:
        os.close(answers[0])
        os.waitpid(child, 0)
    return said or NOT_READ


def _compare(form: str, path: Path, ours: Read) -> str:
    try:
        theirs = READERS[form](path)
    except UnicodeDecodeError:
        return NOT_READ
    except Exception:
        return "they refuse it" if form in STRICT else NOT_READ
    return difference(ours, theirs)


def difference(ours: Read, theirs: Read) -> str:
    """Return what differs between two readings, without a value."""
    if set(ours.names) != set(theirs.names) or len(ours.names) != len(theirs.names):
        return f"columns: {len(ours.names)} of ours, {len(theirs.names)} of theirs"
    if len(ours.records) != len(theirs.records):
        return f"records: {len(ours.records)} of ours, {len(theirs.records)} of theirs"
    for name in ours.names:
        i, j = ours.names.index(name), theirs.names.index(name)
        wrong = sum(not same(a[i], b[j]) for a, b in zip(ours.records, theirs.records, strict=True))
        if wrong:
            return f"cells: {wrong} of column {ours.names.index(name)}"
    return SAME


def same(text: str | None, value: Any) -> bool:
    """Whether a value of ours, which is always a text, is the other library's value."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return not (text or "").strip() or (isinstance(value, float) and str(text).lower() == "nan")
    if text is None:
        return False
    if isinstance(value, bool):
        return text.lower() in ((str(value).lower()), str(int(value)))
    if isinstance(value, int | float):
        with contextlib.suppress(ValueError):
            return math.isclose(float(text), value, rel_tol=1e-12, abs_tol=_ZERO)
        return False
    # Texts of a fixed width end in blanks that mean nothing; dates, lists and the like are written in more than one way.
    return text.strip() == value.strip() if isinstance(value, str) else True


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)

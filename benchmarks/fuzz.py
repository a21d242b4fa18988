"""Damaged files of every format, made by seeded mutations: python -m benchmarks.fuzz [--seconds 600] [--seed 0] [--format NAME].

Every file is read to its last cell in a process of its own kind. Fine is what is read or refused in a sentence; everything else is
counted: an error that is none of ours, a process that dies, one that takes over thirty seconds, and a message that repeats a value.
"""

import argparse
import contextlib
import gzip
import io
import json
import os
import random
import re
import select
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anonscope as an
from anonscope.engines import DuckDB
from anonscope.errors import AnonscopeError, EngineError
from anonscope.io.sources import open_source

CANARY = "canary-8d1f"
_SECONDS = 30.0
_RECORDS = 40


def _columns() -> dict[str, list[Any]]:
    chance = random.Random(7)
    return {
        "age": [chance.randint(20, 80) for _ in range(_RECORDS)],
        "zip": [f"{chance.randint(0, 99999):05}" for _ in range(_RECORDS)],
        "note": [f"{CANARY}-{i % 9}" if i % 5 else None for i in range(_RECORDS)],
    }


def _csv() -> bytes:
    columns = _columns()
    lines = [
        ",".join("" if v is None else f'"{v}"' if isinstance(v, str) else str(v) for v in record)
        for record in zip(*columns.values(), strict=True)
    ]
    return ("age,zip,note\n" + "\n".join(lines) + "\n").encode()


def _json_lines() -> bytes:
    columns = _columns()
    records = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    return "".join(json.dumps({**record, "more": {"a": [1, 2]}}) + "\n" for record in records).encode()


def _arrow(write: str) -> bytes:
    import pyarrow as pa
    from pyarrow import feather, parquet

    columns = _columns()
    table = pa.table(
        {**columns, "group": pa.array([v[:2] for v in columns["zip"]]).dictionary_encode(), "parts": [[i, i] for i in columns["age"]]}
    )
    sink = io.BytesIO()
    match write:
        case "stream":
            with pa.ipc.new_stream(sink, table.schema) as out:
                out.write_table(table)
        case "feather":
            feather.write_feather(table, sink, compression="lz4")
        case "arrow":
            with pa.ipc.new_file(sink, table.schema) as out:
                out.write_table(table)
        case "parquet":
            parquet.write_table(table, sink)
    return sink.getvalue()


def _workbook() -> bytes:
    import openpyxl

    book, columns = openpyxl.Workbook(), _columns()
    book.active.append(list(columns))
    for record in zip(*columns.values(), strict=True):
        book.active.append(record)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


_ROLES = """
schema = "anonscope/roles/1"
quasi_identifiers = ["age", "zip"]
sensitive = ["note"]
insensitive = []
[hierarchies]
zip = "zip.csv"
"""
_POLICY = """
schema = "anonscope/policy/1"
name = "mine"
title = "Mine"
version = "1.0"
origin = "a test"
jurisdiction = "none"
summary = "Of a test."
[[rules]]
metric = "k_anonymity"
minimum = 5
label = "groups of five"
[[rules]]
metric = "records_at_risk"
threshold = 5
maximum = 0.05
label = "few in smaller groups"
"""
_RECIPE = f"""
schema = "anonscope/recipe/1"
[[steps]]
apply = "generalise_interval"
column = "age"
width = 10
[[steps]]
apply = "generalise_prefix"
column = "zip"
characters = 2
[[steps]]
apply = "suppress_cells"
column = "note"
values = ["{CANARY}-1"]
"""
_HIERARCHY = "".join(f"{i:05};{i // 10:04}*;{i // 100:03}**;*\n" for i in range(0, 400, 7))
_VALUES = (
    b"1",
    b"-1",
    b"0",
    b"1e999",
    b"nan",
    b"-inf",
    b'""',
    b'"\\u0000"',
    b"[]",
    b"{}",
    b"true",
    b"1979-05-27",
    b"9" * 5000,
    b"[" * 3000,
    b'{"a": ' * 3000,
)


def _with_roles(path: Path) -> None:
    from anonscope.columns.roles import load

    load(path)


def _with_policy(path: Path) -> None:
    from anonscope.risk.policy import load

    load(path)


def _with_recipe(path: Path) -> None:
    import pyarrow as pa

    recipe = an.load_recipe(path)
    with an.read(pa.table(_columns()), quasi_identifiers=["age", "zip"], sensitive=["note"], threads=1) as data:
        an.apply(recipe, data)


def _with_hierarchy(path: Path) -> None:
    an.read_hierarchy(path)


def _with_manifest(path: Path) -> None:
    release = path.with_name("release.csv")
    if not release.exists():
        release.write_bytes(_RELEASE["release.csv"])
    an.verify(release, threads=1)
    with an.read(release, threads=1):
        pass


_RELEASE: dict[str, bytes] = {}


def _manifest() -> bytes:
    """Return the manifest of a release that was really made."""
    import pyarrow as pa

    if not _RELEASE:
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "release.csv"
            table = pa.table({"age": [30, 30, 30, 30] * 3, "zip": ["1", "1", "1", "1"] * 3, "note": ["a", "b", "c", "d"] * 3})
            with an.read(table, quasi_identifiers=["age", "zip"], sensitive=["note"], threads=1) as data:
                an.anonymise(data, limits={"k_anonymity": 3}).write(target)
            _RELEASE.update({path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()})
    return _RELEASE["release.csv.manifest.json"]


READERS: dict[str, Callable[[Path], None]] = {
    "roles": _with_roles,
    "policy": _with_policy,
    "recipe": _with_recipe,
    "hierarchy": _with_hierarchy,
    "manifest": _with_manifest,
}
SEEDS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "roles": ("roles.toml", _ROLES.encode),
    "policy": ("policy.toml", _POLICY.encode),
    "recipe": ("recipe.toml", _RECIPE.encode),
    "hierarchy": ("zip.csv", _HIERARCHY.encode),
    "manifest": ("release.csv.manifest.json", _manifest),
    "csv": ("people.csv", _csv),
    "utf-16": ("people16.csv", lambda: _csv().decode().encode("utf-16")),
    "csv.gz": ("people.csv.gz", lambda: gzip.compress(_csv(), mtime=0)),
    "jsonl": ("people.jsonl", _json_lines),
    "jsonl.gz": ("people.jsonl.gz", lambda: gzip.compress(_json_lines(), mtime=0)),
    "parquet": ("people.parquet", lambda: _arrow("parquet")),
    "arrow": ("people.arrow", lambda: _arrow("arrow")),
    "stream": ("stream.arrow", lambda: _arrow("stream")),
    "feather": ("people.feather", lambda: _arrow("feather")),
    "excel": ("people.xlsx", _workbook),
    "sheet": ("sheet.xlsx", _workbook),  # mutations inside of the packed sheet
}


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return bytes with a few faults: bits turned, pieces cut out, doubled, moved or overwritten, numbers made extreme, the end missing."""
    made = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        if not made:
            break
        at = chance.randrange(len(made))
        length = min(chance.choice([1, 2, 4, 8, 64, 512]), len(made) - at)
        match chance.randrange(8):
            case 0:
                made[at] ^= 1 << chance.randrange(8)
            case 1:
                made[at : at + length] = chance.randbytes(length)
            case 2:
                del made[at : at + length]
            case 3:
                made[at:at] = made[at : at + length]
            case 4:
                made[at : at + length] = chance.choice([b"\x00", b"\xff", b"\x7f", b"\x80"]) * length
            case 5:
                del made[at:]
            case 6:
                other = chance.randrange(len(made))
                made[at : at + length] = made[other : other + length]
            case 7:
                made[at : at + 1] = chance.choice(
                    [b'"', b"\n", b"\r", b",", b"{", b"[", b"<", b"]", b"}", b"\\", b"-1", b"99999999999999999999"]
                )
    return bytes(made)


def damaged(form: str, chance: random.Random) -> bytes:
    """Return a damaged file of a format; of a packed one also what is damaged inside of the package."""
    content = _seed(form)
    if form.endswith(".gz") and chance.random() < 0.5:
        return gzip.compress(mutated(gzip.decompress(content), chance), mtime=0)
    if form in READERS and chance.random() < 0.6:
        return _other_value(content, chance)
    return _inside_of_workbook(content, chance) if form == "sheet" else mutated(content, chance)


def _other_value(content: bytes, chance: random.Random) -> bytes:
    """Return a document in which one value is of another kind, or a key is gone."""
    places = [match.span() for match in re.finditer(rb"(?<=[=:;,])[^=:;,\n]+", content)]
    start, end = chance.choice(places)
    return content[:start] + chance.choice(_VALUES) + content[end:] if chance.random() < 0.8 else content[:start] + content[end + 1 :]


def _inside_of_workbook(content: bytes, chance: random.Random) -> bytes:
    import zipfile

    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as target:
        broken = chance.choice(
            [name for name in source.namelist() if name.startswith(("xl/workbook", "xl/worksheets", "xl/shared", "xl/_rels"))]
        )
        for name in source.namelist():
            target.writestr(name, mutated(source.read(name), chance) if name == broken else source.read(name))
    return sink.getvalue()


_MADE: dict[str, bytes] = {}


def _seed(form: str) -> bytes:
    if form not in _MADE:
        _MADE[form] = SEEDS[form][1]()
    return _MADE[form]


_ENGINES: list[DuckDB] = []


def read_to_the_end(path: Path) -> None:
    """Read every cell of a table, as an audit would, on an engine that outlives those tables that do it no harm."""
    if not _ENGINES:
        _ENGINES.append(DuckDB(threads=1))
    engine = _ENGINES[0]
    try:
        relation = open_source(path, engine)
        origin = relation.origin
        if relation.stage:
            engine.stage("fuzzed", f"SELECT * FROM {origin}", large=False, ordered=False)
            origin = "fuzzed"
        engine.rows(f"SELECT {', '.join(f'MAX(CAST(c{i} AS VARCHAR))' for i in range(len(relation.columns)))}, COUNT(*) FROM {origin}")
    except EngineError:
        _ENGINES.pop().close()
        raise


@dataclass
class Outcome:
    """How many files ended how, and the faults: the number of the mutation and what went wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, int, str]] = field(default_factory=list)


def fuzz(
    form: str, numbers: Iterator[int], seed: int, until: float, outcome: Outcome, *, read: Callable[[Path], None] = read_to_the_end
) -> None:
    """Read damaged files one after the other in a child; one that dies or hangs is counted, and another goes on."""
    _seed(form)
    left = True
    while left and time.monotonic() < until:
        left = _child(form, numbers, seed, until, outcome, read)


def _child(form: str, numbers: Iterator[int], seed: int, until: float, outcome: Outcome, read: Callable[[Path], None]) -> bool:
    """Run one child until it dies, hangs or nothing is left, and return whether something is."""
    requests, answers = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(requests[1])
        os.close(answers[0])
        _answer(form, seed, requests[0], answers[1], read)
    os.close(requests[0])
    os.close(answers[1])
    try:
        for number in numbers:
            if time.monotonic() > until:
                return False
            os.write(requests[1], number.to_bytes(8, "little"))
            if not select.select([answers[0]], [], [], _SECONDS)[0]:
                os.kill(child, signal.SIGKILL)
                outcome.counts["hang"] += 1
                outcome.faults.append((form, number, "hang"))
                return True
            said = os.read(answers[0], 4096).decode(errors="replace")
            if not said:
                _, status = os.waitpid(child, 0)
                child = 0
                outcome.counts["crash"] += 1
                outcome.faults.append((form, number, f"crash, status {status}"))
                return True
            kind = said.partition(":")[0]
            outcome.counts[kind] += 1
            if kind not in ("read", "refused"):
                outcome.faults.append((form, number, said))
        return False
    finally:
        os.close(requests[1])
        os.close(answers[0])
        if child:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def _answer(form: str, seed: int, requests: int, answers: int, read: Callable[[Path], None]) -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / SEEDS[form][0]
        while asked := os.read(requests, 8):
            path.write_bytes(damaged(form, random.Random(f"{seed}/{form}/{int.from_bytes(asked, 'little')}")))
            os.write(answers, _tried(path, READERS.get(form, read)).encode())
        while _ENGINES:
            _ENGINES.pop().close()
    os._exit(0)


def _tried(path: Path, read: Callable[[Path], None]) -> str:
    try:
        read(path)
    except AnonscopeError as error:
        if CANARY in str(error):
            return "canary: in a message"
        return f"refused: {type(error).__name__}"
    except BaseException as error:
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else ""
        return f"defect: {type(error).__name__} {str(error)[:200]} {where}"
    return "read:"


def main() -> None:
    """Print a table: a line for every format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--mutations", type=int, default=None, help="so many of every format, however long it takes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=list(SEEDS), action="append")
    given = parser.parse_args()
    forms, begun = given.format or list(SEEDS), time.monotonic()
    print(f"{'format':10} {'files':>7} {'read':>7} {'refused':>8} {'defect':>7} {'crash':>6} {'hang':>5} {'canary':>7}")
    worst = 0
    for form in forms:
        outcome = Outcome()
        numbers = iter(range(given.mutations if given.mutations is not None else sys.maxsize))
        until = time.monotonic() + (given.seconds / len(forms) if given.mutations is None else 10**6)
        fuzz(form, numbers, given.seed, until, outcome)
        c = outcome.counts
        print(f"{form:10} {c.total():7,} {c['read']:7,} {c['refused']:8,} {c['defect']:7,} {c['crash']:6,} {c['hang']:5,} {c['canary']:7,}")
        for fault in outcome.faults[:5]:
            print("   ", *fault)
        worst += len(outcome.faults)
    print(f"{worst} faults, {time.monotonic() - begun:.0f} s, seed {given.seed}")
    sys.exit(1 if worst else 0)


if __name__ == "__main__":
    main()

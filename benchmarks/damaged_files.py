"""Files of every format that anonscope reads, and what damage does to them: seeded mutations, in packed ones also inside of the package."""

import gzip
import io
import json
import random
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anonscope as an
from benchmarks import damaged_documents
from benchmarks.sas_table import sas_table

CANARY = "canary-8d1f"
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


def _open_document() -> bytes:
    import zipfile

    columns = _columns()
    cells = [[*columns], *zip(*columns.values(), strict=True)]
    typed = [
        "".join(
            f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>'
            if isinstance(value, int)
            else f'<table:table-cell office:value-type="string"><text:p>{value or ""}</text:p></table:table-cell>'
            for value in record
        )
        for record in cells
    ]
    names = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text"))
    rows = "".join(f"<table:table-row>{record}</table:table-row>" for record in typed)
    sheet = f'<office:body><office:spreadsheet><table:table table:name="people">{rows}</table:table></office:spreadsheet></office:body>'
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        target.writestr(
            "content.xml", f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names}>{sheet}</office:document-content>'
        )
        target.writestr("META-INF/manifest.xml", "<manifest/>")
    return sink.getvalue()


def _statistical(ending: str, version: int = 5) -> bytes:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame(_columns())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"people{ending}"
        match ending:
            case ".sav" | ".zsav":
                labels = {
                    "column_labels": {"age": "Age"},
                    "variable_value_labels": {"age": {20.0: CANARY}},
                    "missing_ranges": {"age": [80]},
                }
                pyreadstat.write_sav(frame, str(path), compress=ending == ".zsav", **labels)
            case ".por":
                pyreadstat.write_por(frame, str(path))
            case ".xpt":
                pyreadstat.write_xport(frame, str(path), file_format_version=version)
            case ".dta":
                pyreadstat.write_dta(frame, str(path), column_labels={"age": "Age"}, variable_value_labels={"age": {20: CANARY}})
        return path.read_bytes()


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
    b'"1e999999999"',
    b'"/dev/zero"',
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
    **damaged_documents.READERS,
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
    **{ending[1:]: (f"people{ending}", partial(_statistical, ending)) for ending in (".sav", ".zsav", ".por", ".xpt", ".dta")},
    "xpt 8": ("people8.xpt", partial(_statistical, ".xpt", 8)),
    "sas7bdat": ("people.sas7bdat", lambda: sas_table(_columns())),
    "sheet": ("sheet.xlsx", _workbook),  # mutations inside of the packed sheet
    "ods": ("people.ods", _open_document),
    "ods sheet": ("sheet.ods", _open_document),  # the same
    **damaged_documents.SEEDS,
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
    content = whole(form)
    if form.endswith(".gz") and chance.random() < 0.5:
        return gzip.compress(mutated(gzip.decompress(content), chance), mtime=0)
    if form in READERS and chance.random() < 0.6:
        made = _other_value(content, chance)
        return damaged_documents.rehashed(made, chance) if form == "register" else made
    return _inside_of_workbook(content, chance) if form in ("sheet", "ods sheet") else mutated(content, chance)


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
            [
                name
                for name in source.namelist()
                if name.startswith(("xl/workbook", "xl/worksheets", "xl/shared", "xl/_rels", "content.xml"))
            ]
        )
        for name in source.namelist():
            target.writestr(name, mutated(source.read(name), chance) if name == broken else source.read(name))
    return sink.getvalue()


_MADE: dict[str, bytes] = {}


def whole(form: str) -> bytes:
    """Return a file of a format before anything is damaged; made once."""
    if form not in _MADE:
        _MADE[form] = SEEDS[form][1]()
    return _MADE[form]

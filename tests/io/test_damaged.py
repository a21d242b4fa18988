"""Damaged files of every format are read or refused in a sentence: no defect, no crash, no hang, no value in a message."""

import gzip
import io
import itertools
import random
import subprocess
import sys
import time
import zipfile

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import SourceError
from benchmarks.damaged_files import CANARY, SEEDS, damaged
from benchmarks.fuzz import Outcome, fuzz

HERE = [sys.executable, "-m", "anonscope"]


@pytest.mark.parametrize("form", SEEDS)
def test_seeded_mutations_do_no_harm(form):
    """Two hundred of each format and of each document that a person may write; for longer: python -m benchmarks.fuzz --seconds 600."""
    outcome = Outcome()
    fuzz(form, iter(range(200)), 25, time.monotonic() + 300, outcome)

    assert outcome.faults == []
    assert outcome.counts["read"] + outcome.counts["refused"] == 200
    assert outcome.counts["refused"] > 10 and outcome.counts["read"] > 0


def test_mutations_differ_and_can_be_made_again():
    """A fault is told by its number, so its file must come out the same on every run."""
    made = [damaged("parquet", random.Random(f"1/{i}")) for i in itertools.chain(range(20), range(20))]
    assert made[:20] == made[20:] and len(set(made)) > 15


@pytest.mark.parametrize("where", range(0, 300, 29))
def test_a_gzip_file_that_is_damaged_anywhere_is_told(tmp_path, where):
    """In its first bytes and in its last."""
    packed = bytearray(gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(200)), mtime=0))
    packed[10 + where : 14 + where] = b"\xff\x00\xff\x00"
    (tmp_path / "a.csv.gz").write_bytes(packed)
    try:
        an.read(tmp_path / "a.csv.gz").close()
    except SourceError as error:
        assert "a.csv.gz" in str(error)


def run(*arguments, **options):
    return subprocess.run([*HERE, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def test_the_command_line_ends_with_two(tmp_path):
    """A damaged table, roles file, policy and recipe, and a target that cannot be written: one sentence each."""
    table = tmp_path / "people.csv"
    table.write_text(f"age,zip,note\n30,1,{CANARY}\n30,1,b\n")
    broken = tmp_path / "broken.arrow"
    broken.write_bytes(b"ARROW1\x00\x00" + bytes(range(256)))
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 5000)
    for arguments in (
        ("audit", broken, "-q", "age"),
        ("audit", table, "--roles", deep),
        ("audit", table, "-q", "age", "--policy", deep),
        ("apply", deep, table, "-o", tmp_path / "out.csv"),
        ("audit", table, "-q", "age", "-o", "/proc/report.html"),
    ):
        done = run(*arguments)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1 and CANARY not in done.stderr and "defect" not in done.stderr


def test_standard_input_with_a_full_disk_is_told(tmp_path):
    """The copy in the private folder does not fit: exit 2, and why."""
    import resource

    content = "age,zip\n" + "30,1\n" * 100_000
    done = run("audit", "-", "-q", "age", input=content, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)))
    assert done.returncode == 2 and "standard input" in done.stderr


def workbook(sheet: str, part: str = "worksheets/sheet1.xml") -> bytes:
    """Return the smallest workbook with a sheet of this XML."""
    office = "http://schemas.openxmlformats.org"
    relations, main = f"{office}/package/2006/relationships", f"{office}/spreadsheetml/2006/main"
    kinds = f"{office}/officeDocument/2006/relationships"
    sheets = '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{office}/package/2006/content-types"/>')
        for name, id, kind, target in (
            ("_rels/.rels", "r0", "officeDocument", "xl/workbook.xml"),
            ("xl/_rels/workbook.xml.rels", "r1", "worksheet", part),
        ):
            related = f'<Relationship Id="{id}" Type="{kinds}/{kind}" Target="{target}"/>'
            archive.writestr(name, f'<Relationships xmlns="{relations}">{related}</Relationships>')
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{kinds}">{sheets}</workbook>')
        archive.writestr(f"xl/{part}", f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>')
    return made.getvalue()


HEADER = '<row r="1"><c r="A1" t="str"><v>age</v></c></row>'


@pytest.mark.parametrize(
    ("rows", "part", "size"),
    [
        ('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "worksheets/sheet1.xml", "16,384 by 1,048,576"),
        ('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "elsewhere/data.bin", "16,384 by 1,048,576"),
        ("<row r='2'><c r = '&#88;FD1048576'><v>1</v></c></row>", "worksheets/sheet1.xml", "16,384 by 1,048,576"),
        ('<row r="1000000"><c><v>1</v></c></row>', "worksheets/sheet1.xml", "1 by 1,000,000"),
        ('<row r="4000000000"><c><v>1</v></c></row>', "worksheets/sheet1.xml", "1 by 4,000,000,000"),
    ],
)
def test_a_workbook_of_a_kilobyte_that_would_be_half_a_terabyte_is_refused(tmp_path, rows, part, size):
    """Wherever the workbook says its sheet is, and however a cell says where it stands."""
    content = workbook(HEADER + rows, part)
    assert len(content) < 1_500
    (tmp_path / "far.xlsx").write_bytes(content)
    with pytest.raises(SourceError, match=f"its sheet is {size}, of which 2 are filled"):
        an.read(tmp_path / "far.xlsx")


def test_cells_that_are_only_formatted_take_no_room(tmp_path):
    """Office programs leave such cells far outside of a table, and a dimension that covers them."""
    rows = '<row r="2"><c r="A2"><v>40</v></c></row><row r="1048576"><c r="XFD1048576" s="1"/></row>'
    (tmp_path / "fine.xlsx").write_bytes(workbook(HEADER + rows))
    with an.read(tmp_path / "fine.xlsx", quasi_identifiers=["age"]) as data:
        assert an.audit(data).rows == 1


def test_a_workbook_that_defines_entities_is_refused(tmp_path):
    """They could become anything."""
    source, made = zipfile.ZipFile(io.BytesIO(workbook(HEADER))), io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in source.namelist():
            declared = b'<!DOCTYPE x [<!ENTITY a "b">]>' if "sheet1" in name else b""
            archive.writestr(name, declared + source.read(name))
    (tmp_path / "entities.xlsx").write_bytes(made.getvalue())
    with pytest.raises(SourceError, match="not a readable workbook"):
        an.read(tmp_path / "entities.xlsx")


def test_arrow_that_points_beyond_its_end_is_refused(tmp_path):
    """Offsets of texts that lead out of their buffer: read as they come they are the memory of the process."""
    table = pa.table({"name": pa.array(["ann", "bob", "cyd"]), "age": [1, 2, 3]})
    for form in ("file", "stream"):
        sink = io.BytesIO()
        with (pa.ipc.new_file if form == "file" else pa.ipc.new_stream)(sink, table.schema) as out:
            out.write_table(table)
        offsets = (0).to_bytes(4, "little") + (3).to_bytes(4, "little") + (6).to_bytes(4, "little") + (9).to_bytes(4, "little")
        assert sink.getvalue().count(offsets) == 1
        wrong = offsets[:12] + (2**30).to_bytes(4, "little")
        (tmp_path / "a.arrow").write_bytes(sink.getvalue().replace(offsets, wrong))
        with pytest.raises(SourceError, match="not a readable Arrow"):
            an.read(tmp_path / "a.arrow")

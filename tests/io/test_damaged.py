"""Damaged files of every format are read or refused in a sentence: no defect, no crash, no hang, no value in a message."""

import gzip
import io
import itertools
import random
import subprocess
import sys
import time
import zipfile

import polars
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import SourceError
from benchmarks import second_reader
from benchmarks.damaged_files import CANARY, SEEDS, damaged, whole
from benchmarks.fuzz import Outcome, fuzz, read_to_the_end

HERE = [sys.executable, "-m", "anonscope"]


@pytest.mark.parametrize("form", SEEDS)
def test_seeded_mutations_do_no_harm(form):
    """Two hundred of each format and of each document that a person may write; for longer: python -m benchmarks.fuzz --seconds 600."""
    outcome = Outcome()
    fuzz(form, iter(range(200)), 25, time.monotonic() + 300, outcome)

    assert outcome.faults == []
    assert outcome.counts["read"] + outcome.counts["refused"] == 200
    assert outcome.counts["refused"] > 10 and outcome.counts["read"] > 0


@pytest.mark.parametrize("form", second_reader.READERS)
def test_what_is_not_damaged_is_the_same_to_a_second_reader(form, tmp_path):
    """Every cell of a whole file; and one cell more or less would be told, so that the comparison of damaged ones means something."""
    path = tmp_path / SEEDS[form][0]
    path.write_bytes(whole(form))
    ours = read_to_the_end(path)
    fewer = second_reader.Read(ours.names, [*ours.records[:-1], [None] * len(ours.names)])

    assert second_reader.compared(form, path, ours) == second_reader.SAME
    assert second_reader.compared(form, path, fewer).startswith("cells")


def test_a_second_reader_answers_where_this_process_has_used_its_threads(tmp_path):
    """In a fork of a process that had asked polars for anything it waited for a thread that was not there."""
    polars.DataFrame({"a": range(1000)}).group_by("a").len()
    path = tmp_path / SEEDS["arrow"][0]
    path.write_bytes(whole("arrow"))

    assert second_reader.compared("arrow", path, read_to_the_end(path)) == second_reader.SAME


@pytest.mark.parametrize("wrong", [b't="{nlineStr"', b'tt="inlineStr"'])
def test_a_cell_of_a_kind_that_there_is_not_is_refused(tmp_path, wrong):
    """One program would read it and another would leave it empty."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole("excel"))) as source, zipfile.ZipFile(sink, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b't="inlineStr"', wrong, 1))
    (tmp_path / "people.xlsx").write_bytes(sink.getvalue())

    with pytest.raises(SourceError, match="not a readable workbook"):
        an.read(tmp_path / "people.xlsx")


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


@pytest.mark.parametrize(("form", "place"), [("sav", 80), ("zsav", 80)])
def test_a_header_that_promises_more_records_than_the_file_has_bytes_is_refused_at_once(tmp_path, form, place):
    """Two kilobytes that promise 808,924,978 records made their reader keep a place for each of them, in all memory there was."""
    made = bytearray(whole(form))
    made[place : place + 4] = (808_924_978).to_bytes(4, "little")
    path = tmp_path / f"people.{form}"
    path.write_bytes(made)
    began = time.process_time()

    with pytest.raises(SourceError, match="not a readable file of SPSS"):
        an.read(path)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("nested", ['{"age": ' + "[" * 5000 + "]" * 5000 + "}", '{"age":' * 5000 + "1" + "}" * 5000])
def test_json_that_is_nested_without_end_is_refused_in_a_sentence(tmp_path, nested):
    """The engine's refusal named a kind of error of its own, and not what is wrong with the file."""
    path = tmp_path / "people.jsonl"
    path.write_text(nested + "\n")
    with pytest.raises(SourceError, match="cannot be read: a value is nested more than 128 deep"):
        an.audit(path, quasi_identifiers=["age"])


@pytest.mark.parametrize("left", [1412, 2239])
def test_a_sas_transport_file_that_is_cut_off_is_refused(tmp_path, left):
    """One of 1,412 bytes was read as its first eight records by us and as its first seven by pandas; neither is the table."""
    path = tmp_path / "people.xpt"
    path.write_bytes(whole("xpt")[:left])
    with pytest.raises(SourceError, match="is cut off or damaged"):
        an.read(path)


def test_what_is_called_gzip_and_is_not_is_refused(tmp_path):
    """Five bytes that were once the beginning of a packed table were read as a table of one cell."""
    (tmp_path / "a.csv.gz").write_bytes(b"\x1d\xff\r\xff\xff")
    with pytest.raises(SourceError, match=r"called \.gz and does not begin"):
        an.read(tmp_path / "a.csv.gz")


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

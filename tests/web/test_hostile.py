"""Hostile files are refused in one sentence, quickly, and without filling memory or disk."""

import gzip
import io
import resource
import zipfile
from dataclasses import replace

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from anonscope.errors import RequestRefused
from anonscope.io.sources import apart
from anonscope.web import hostile
from support.served import API, finished, result, sent, served

SCRIPT = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("private")


@pytest.fixture(scope="module")
def client(folder):
    with served(folder=folder, upload_limit=200 * 2**20) as server:
        yield server.browser()


@pytest.fixture(autouse=True)
def nothing_stays(client, folder):
    """Whatever a test sends, what was refused is gone, and memory has not grown by a gigabyte."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    known = {table["id"] for table in client.get(f"{API}/tables").json()["tables"]}
    yield
    for table in client.get(f"{API}/tables").json()["tables"]:
        if table["id"] not in known:
            client.delete(f"{API}/tables/{table['id']}")
    assert [path for path in folder.rglob("*") if path.is_file() and path.name != "in-use"] == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**20


def workbook(**entries: bytes) -> bytes:
    """Return a workbook of one small sheet, with entries replaced or added."""
    buffer = io.BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["age", "sex"])
    book.active.append([34, "f"])
    book.save(buffer)
    made = io.BytesIO()
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            if name not in entries:
                target.writestr(name, source.read(name))
        for name, content in entries.items():
            target.writestr(name, content)
    return made.getvalue()


def test_an_honest_workbook_is_taken(client):
    """The checks do not stand in its way."""
    assert sent(client, workbook(), "people.xlsx").json()["records"] == 1


def test_a_gzip_bomb_is_refused(client):
    """A megabyte that unpacks to a gigabyte."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as out:
        for _ in range(1024):
            out.write(b"1,2\n" * 2**18)
    assert len(packed.getvalue()) < 2 * 2**20
    answer = sent(client, packed.getvalue(), "bomb.csv.gz")
    assert answer.status_code == 413 and "unpacks" in answer.json()["error"]


def test_a_zip_bomb_in_a_workbook_is_refused(client):
    """Whatever its directory says, what comes out is counted."""
    bomb = workbook(**{"xl/worksheets/sheet1.xml": b"<worksheet>" + b" " * 300 * 2**20})
    assert len(bomb) < 2**20
    answer = sent(client, bomb, "bomb.xlsx")
    assert answer.status_code == 413 and "unpacks" in answer.json()["error"]


def test_a_workbook_with_cells_far_apart_is_refused(client):
    """Two cells in opposite corners of a sheet would be seventeen billion in memory."""
    sheet = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    )
    answer = sent(client, workbook(**{"xl/worksheets/sheet1.xml": sheet}), "sparse.xlsx")
    assert answer.status_code == 413 and "16,384 by 1,048,576" in answer.json()["error"]


@pytest.mark.parametrize("name", ["a.zip", "a.csv", "a.ods"])
def test_an_archive_that_is_no_workbook_is_refused(client, name):
    """By any name."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("../../evil.csv", "a,b\n1,2\n")
    assert sent(client, made.getvalue(), name).status_code == 415


def test_damaged_packed_files_are_told(client):
    """A gzip file that ends too early, and one that was never one."""
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    assert sent(client, whole[:-20], "a.csv.gz").status_code == 422
    assert sent(client, b"\x1f\x8b" + b"nonsense" * 10, "a.csv.gz").status_code == 422


def test_a_hundred_thousand_columns_are_refused(client):
    """By the first line, before any engine sees them."""
    wide = ",".join(f"c{i}" for i in range(100_000)) + "\n" + ",".join("1" * 100_000) + "\n"
    answer = sent(client, wide.encode(), "wide.csv")
    assert answer.status_code == 413 and "columns" in answer.json()["error"]


def test_a_cell_of_a_hundred_megabytes_is_in_no_answer(client):
    """It is a value like any other: the table is audited, or refused in a sentence, and nothing quotes it."""
    answer = sent(client, b"age,note\n34,f\n35," + b"Z" * 100 * 2**20 + b"\n", "long.csv")
    answers = [answer]
    if answer.status_code == 201:
        address = f"{API}/tables/{answer.json()['id']}"
        job = finished(client, client.post(f"{address}/audit", json={"roles": {"quasi_identifiers": ["age", "note"]}}))
        assert job["state"] in ("done", "failed") and "ZZZ" not in str(job) and "defect" not in str(job["error"])
        answers += [client.get(f"{address}/audit.{ending}") for ending in ("json", "html", "md")]
    assert all("ZZZ" not in found.text for found in answers)


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 1000, b"\xff\xfe\x00", b"a,a\n1,2\n", b"only a header\n", b"PAR1nonsense", b"PK\x03\x04nonsense"]
)
def test_what_is_no_table_is_told_in_one_sentence(client, content):
    """Under the name that its owner knows."""
    answer = sent(client, content, "mine.csv")
    assert answer.status_code in (413, 415, 422)
    assert list(answer.json()) == ["error"] and "table.csv" not in answer.text


def test_script_in_names_and_values_stays_text(client):
    """Column names are escaped in the report, and values are in no answer at all."""
    rows = "".join(f'"{SCRIPT}{i % 7}",{i % 3}\n' for i in range(60))
    table = sent(client, f'"{SCRIPT}",sex\n{rows}'.encode(), f"{SCRIPT}.csv").json()
    assert table["columns"][0]["name"] == SCRIPT and "<" not in table["name"]
    address = f"{API}/tables/{table['id']}"
    found = result(client, client.post(f"{address}/audit", json={"roles": {"quasi_identifiers": [SCRIPT, "sex"]}}))
    assert found["roles"]["quasi_identifiers"] == [SCRIPT, "sex"]
    page = client.get(f"{address}/audit.html")
    assert SCRIPT not in page.text and "&lt;script&gt;" in page.text
    assert page.headers["content-disposition"].startswith("attachment")
    for path in (f"/table/{table['id']}", f"/table/{table['id']}/results", f"{address}/audit.json", address):
        assert f"{SCRIPT}3" not in client.get(path).text


def test_a_failing_job_quotes_no_value(client):
    """A file that turns out unreadable in the middle is told by line."""
    rows = b"".join(b"%d,f\n" % (i % 90) for i in range(20_000))
    answer = sent(client, b"age,sex\n" + rows + b"secret,value,too many\n" + rows, "broken.csv")
    said = (
        answer.json()["error"]
        if answer.status_code != 201
        else finished(client, client.post(f"{API}/tables/{answer.json()['id']}/suggest"))["error"]
    )
    assert "secret" not in said and "20,002" in said


def test_the_width_of_json_lines_is_no_number_of_columns(tmp_path):
    """Commas inside objects are not columns."""
    (tmp_path / "a.jsonl").write_text('{"a": "' + "," * 100_000 + '"}\n')
    hostile.check_width(tmp_path / "a.jsonl", "a.jsonl", 10)
    (tmp_path / "a.csv").write_text("," * 100 + "\n")
    with pytest.raises(RequestRefused):
        hostile.check_width(tmp_path / "a.csv", "a.csv", 10)


def test_what_kills_its_reader_does_not_kill_the_server(client, monkeypatch):
    """The file is refused in a sentence, and the next one is taken."""
    monkeypatch.setattr(
        hostile,
        "keep_apart",
        lambda path, options, limits, **named: apart.keep_apart(path, options, replace(limits, memory=2**21), **named),
    )
    answer = sent(client, b"age,sex\n" + b"34,f\n" * 100_000, "people.csv")
    assert answer.status_code == 422 and "people.csv" in answer.json()["error"] and "table.csv" not in answer.text
    monkeypatch.undo()
    assert sent(client, b"age,sex\n34,f\n", "people.csv").status_code == 201


def test_a_small_parquet_file_of_gigabytes_is_refused(client, tmp_path):
    """What comes out counts, whatever the file says of itself."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 1500, pa.int32()), pa.array(["x" * 1_000_000]))
    parquet.write_table(pa.table({"note": texts}), tmp_path / "long.parquet", compression="zstd")
    answer = sent(client, (tmp_path / "long.parquet").read_bytes(), "long.parquet")
    assert answer.status_code == 413 and "unpacks" in answer.json()["error"]


def test_a_sheet_that_is_elsewhere_is_looked_at_too(client):
    """Wherever the workbook says that it is, two cells far apart are refused."""
    sheet = b'<worksheet><sheetData><row r="1"><c><v>1</v></c></row><row r="1000000"><c><v>1</v></c></row></sheetData></worksheet>'
    answer = sent(client, workbook(**{"xl/worksheets/sheet1.xml": sheet}), "rows.xlsx")
    assert answer.status_code == 413 and "1 by 1,000,000" in answer.json()["error"]

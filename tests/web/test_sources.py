"""Tables on the machine of the server: below what it was started with, and nowhere else."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from anonscope.errors import AnonscopeError, OptionError, RequestRefused
from anonscope.web.allowed import copied
from support.browsing import Visitor, needs_browser
from support.served import API, result, served

LINES = "age,sex,diagnosis\n" + "".join(f"{20 + i % 30},{'F' if i % 2 else 'M'},{'gout' if i % 3 else 'flu'}\n" for i in range(90))


@pytest.fixture
def root(tmp_path):
    """A folder that is allowed, with a table, a table in parts, and a link that leads out of it."""
    folder = tmp_path / "allowed"
    (folder / "parts" / "sex=secret").mkdir(parents=True)
    (folder / "people.csv").write_text(LINES)
    (folder / "notes.txt.bak").write_text("no table")
    for i in range(2):
        (folder / "parts" / f"part-{i}.csv").write_text(LINES)
    (tmp_path / "outside.csv").write_text(LINES)
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    return folder


@pytest.fixture
def client(root):
    with served(sources=(root,)) as server:
        yield server.browser()


def test_what_lies_below_is_listed_and_opened(client, root):
    """Files by their endings and folders; links, other files and names that hold a value are not told. A copy is read."""
    assert client.get(f"{API}/sources").json() == {"roots": ["allowed"]}
    listed = [(entry["name"], entry["kind"]) for entry in client.get(f"{API}/sources/0").json()["entries"]]
    assert listed == [("parts", "folder"), ("people.csv", "file")]
    inside = client.get(f"{API}/sources/0", params={"path": "parts"}).json()["entries"]
    assert [entry["name"] for entry in inside] == ["part-0.csv", "part-1.csv"]
    table = client.post(f"{API}/sources", json={"root": 0, "path": "people.csv"}).json()
    assert (table["name"], table["records"]) == ("people.csv", 90)
    (root / "people.csv").write_text("changed\n")
    assert client.get(f"{API}/tables/{table['id']}/reading").json()["records"] == 90
    assert client.post(f"{API}/tables/{table['id']}/preview").status_code == 200


def test_a_folder_of_parts_is_one_table(client, root):
    """With the records of all of them; how it was read is told by its first part."""
    (root / "parts" / "sex=secret").rmdir()
    answer = client.post(f"{API}/sources", json={"root": 0, "path": "parts"})
    assert answer.status_code == 201, answer.text
    table = answer.json()
    assert table["records"] == 180 and table["bytes"] == 2 * len(LINES)
    assert client.get(f"{API}/tables/{table['id']}/reading").json()["delimiter"] == ","


@pytest.mark.parametrize("path", ["../outside.csv", "/etc/passwd", "link.csv", "parts/../../outside.csv", "nothing.csv", "\x00", "notes/x"])
def test_nothing_else_is_reached(client, path):
    """Neither by dots nor by links nor by a whole path; what is refused tells nothing of whether it is there."""
    for answer in (client.post(f"{API}/sources", json={"root": 0, "path": path}), client.get(f"{API}/sources/0", params={"path": path})):
        assert answer.status_code == 404 and answer.json()["error"] == "There is nothing at this place."
    assert client.get(f"{API}/sources/1").status_code == 404


def test_a_link_among_parts_leads_nowhere(tmp_path):
    """A folder is copied part by part; one that lies elsewhere stops it before it is read."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "outside.csv").write_text("a\n1\n")
    (tmp_path / "parts" / "1.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(RequestRefused, match="leads out of it"):
        copied(tmp_path / "parts", tmp_path / "copy", 1000)
    assert not (tmp_path / "copy").exists()


def test_a_server_reads_nothing_unasked():
    """Without the option there is no root; one that is no folder stops the start."""
    with served() as server:
        client = server.browser()
        assert client.get(f"{API}/sources").json() == {"roots": []}
        assert client.post(f"{API}/sources", json={"root": 0, "path": "people.csv"}).status_code == 404
    with pytest.raises(OptionError, match="no such folder"), served(sources=(Path("/nowhere/at/all"),)):
        pass


def test_tables_of_a_database_are_listed_and_opened(root, tmp_path):
    """Of the one that the server was started with, behind its folders; they measure as the same file does, the address is not told."""
    pytest.importorskip("sqlalchemy")
    address = tmp_path / "hospital.db"
    with closing(sqlite3.connect(address)) as database:
        database.execute("CREATE TABLE people (age INTEGER, sex TEXT, diagnosis TEXT)")
        rows = [line.split(",") for line in LINES.splitlines()[1:]]
        database.executemany("INSERT INTO people VALUES (?, ?, ?)", [(int(age), sex, diagnosis or None) for age, sex, diagnosis in rows])
        database.execute("CREATE VIEW women AS SELECT * FROM people WHERE sex = 'F'")
        database.commit()
    with served(sources=(root, f"sqlite:///{address}")) as server:
        client = server.browser()
        assert client.get(f"{API}/sources").json()["roots"] == ["allowed", "SQLite: hospital.db"]
        entries = client.get(f"{API}/sources/1").json()["entries"]
        assert [(entry["name"], entry["kind"]) for entry in entries] == [("people", "table"), ("women", "table")]
        opened = [client.post(f"{API}/sources", json=asked) for asked in ({"root": 1, "path": "people"}, {"root": 0, "path": "people.csv"})]
        assert [answer.json()["records"] for answer in opened] == [90, 90] and str(tmp_path) not in opened[0].text
        roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["diagnosis"]}
        wish = {"roles": roles, "plan": False}
        audits = [result(client, client.post(f"{API}/tables/{answer.json()['id']}/audit", json=wish)) for answer in opened]
        assert audits[0]["measurements"] == audits[1]["measurements"]
        for path in ("nothing", "people; DROP TABLE people", "sqlite_master", "../people"):
            assert client.post(f"{API}/sources", json={"root": 1, "path": path}).status_code == 404
        assert client.get(f"{API}/sources/2").status_code == 404
    with pytest.raises(AnonscopeError), served(sources=(f"sqlite:///{tmp_path}/none.db",)):
        pass


def test_what_is_too_large_is_not_copied(root):
    """Neither a file nor the parts of a folder together."""
    with served(sources=(root,), upload_limit=len(LINES) + 10) as server:
        client = server.browser()
        assert client.post(f"{API}/sources", json={"root": 0, "path": "parts"}).status_code == 413
        assert client.post(f"{API}/sources", json={"root": 0, "path": "people.csv"}).status_code == 201


def test_a_project_knows_where_the_file_was(root, tmp_path):
    """It is read from there again if it is allowed and the same; if it has changed, or is not allowed, the table waits and says why."""
    folder = tmp_path / "project"
    with served(sources=(root,), project=folder) as server:
        id = server.browser().post(f"{API}/sources", json={"root": 0, "path": "people.csv"}).json()["id"]
    (table,) = folder.glob("tables/*/table.json")
    assert json.loads(table.read_text())["data"]["path"] == str(root.resolve() / "people.csv")

    def reopened(**options):
        with served(project=folder, **options) as server:
            (told,) = server.browser().get(f"{API}/project").json()["tables"]
            return told["state"], told["reason"]

    assert reopened(sources=(root,)) == ("open", None)
    state, reason = reopened()
    assert state == "waiting" and "--allow-sources" in reason
    (root / "people.csv").write_text(LINES + "30,F,flu\n")
    state, reason = reopened(sources=(root,))
    assert state == "waiting" and "SHA-256" in reason
    assert json.loads(table.read_text())["id"] == id


@needs_browser
def test_a_table_is_opened_on_the_first_page(root, chromium):
    """A folder is unfolded, and the table is opened with one click."""
    with served(sources=(root,)) as server:
        context = chromium.new_context()
        visitor = Visitor(context)
        visitor.page.goto(f"{server.base}/enter?token={server.settings.token}")
        visitor.click("#places summary")
        visitor.click("[aria-label='Open people.csv']")
        visitor.page.wait_for_selector("#row-hint:not(:empty)")
        assert visitor.page.inner_text("#file-name") == "people.csv" and visitor.complaints == []
        while visitor.told("workspace")["jobs"]:
            visitor.page.wait_for_timeout(50)
        context.close()

"""Tables are kept in a private folder only for as long as they are wanted, and outlive neither the server nor its death."""

import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from anonscope.engines.scratch import PREFIX, Scratch
from anonscope.errors import RequestRefused
from anonscope.web.settings import ServerSettings
from anonscope.web.storage import Storage, shown_name, suffix_of
from support.served import API, finished, sent, served

PEOPLE = b"age,sex,zip\n" + b"".join(b"%d,%s,%05d\n" % (20 + i % 60, b"fm"[i % 2 : i % 2 + 1], i % 97) for i in range(5_000))


def files_of(folder):
    return [path for path in folder.rglob("*") if path.is_file() and path.name != "in-use"]


@pytest.mark.parametrize(
    ("sent_as", "shown"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("..\\..\\boot.ini.csv", "boot.ini.csv"),
        ("/absolute/people.csv", "people.csv"),
        ("....", "table"),
        ("", "table"),
        ("people\x00.csv", "people.csv"),
        ("a\nb\r.csv", "ab.csv"),
        ("<script>alert(1)</script>.csv", "script>.csv"),
        ("Größe.csv.gz", "Größe.csv.gz"),
        ("x" * 500 + ".parquet", "x" * 112 + ".parquet"),
    ],
)
def test_a_file_name_is_text_and_never_a_path(sent_as, shown):
    """Only its last part is kept, without what a path or a page could mean."""
    found = shown_name(sent_as)
    assert found == shown.replace(">", "")
    assert "/" not in found and "\\" not in found and len(found) <= 120


def test_only_known_endings_reach_the_disk():
    """The stored file is called by us, and has an ending that says what it is, or none."""
    assert [suffix_of(name) for name in ("a.CSV", "a.csv.gz", "a.exe", "a", "a.tar.gz")] == [".csv", ".csv.gz", "", "", ".gz"]


def test_a_table_lies_in_a_private_folder_under_a_random_name(tmp_path):
    """Readable by its owner only, and nowhere by the name it was sent with."""
    with served(folder=tmp_path) as server:
        assert sent(server.browser(), PEOPLE, "../secret-name.csv").json()["name"] == "secret-name.csv"
        path, read = sorted(files_of(tmp_path), key=lambda file: file.suffix)
        assert "secret" not in str(path.relative_to(tmp_path)) and path.name == "table.csv"
        assert read.parent == path.parent and read.suffix == ".duckdb"
        for folder in path.relative_to(tmp_path).parents[:-1]:
            assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700


def test_forgetting_deletes_the_table_and_its_release(tmp_path):
    """Everything that was made of it goes too."""
    with served(folder=tmp_path) as server:
        client = server.browser()
        id = sent(client, PEOPLE).json()["id"]
        roles = {"quasi_identifiers": ["age", "sex"], "insensitive": ["zip"]}
        finished(client, client.post(f"{API}/tables/{id}/audit", json={"roles": roles}))
        assert (
            finished(
                client, client.post(f"{API}/tables/{id}/anonymise", json={"limits": {"k_anonymity": 3}, "acknowledge_rest": "a test"})
            )["state"]
            == "done"
        )
        assert len(files_of(tmp_path)) > 1
        assert client.delete(f"{API}/tables/{id}").status_code == 204
        assert files_of(tmp_path) == []


def test_the_end_of_the_server_deletes_everything(tmp_path):
    """Nothing is left in the folder."""
    with served(folder=tmp_path) as server:
        sent(server.browser(), PEOPLE)
        assert files_of(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_nobody_uses_expires(tmp_path):
    """A workspace that was not used for so long is deleted, one with work under way is not."""
    storage = Storage(ServerSettings(folder=tmp_path, expiry=1))
    old, busy, new = storage.open(), storage.open(), storage.open()
    old.last_used -= 61
    busy.last_used -= 61
    assert storage.expired(frozenset({busy.id})) == [old]
    assert not old.folder.exists() and busy.folder.exists() and new.folder.exists()
    storage.close()


def test_an_expired_session_is_none(tmp_path):
    """Its cookie opens nothing any more."""
    with served(folder=tmp_path, expiry=1) as server:
        client = server.browser()
        sent(client, PEOPLE)
        for workspace in server.app.state.storage._workspaces.values():
            workspace.last_used -= 61
        server.app.state.sessions.expire()
        assert files_of(tmp_path) == []
        assert client.get(f"{API}/tables").status_code == 401


def test_an_upload_above_the_limit_is_cut_off_while_it_comes_in(tmp_path):
    """Whether its length is told or not; nothing of it stays."""
    with served(folder=tmp_path, upload_limit=100_000) as server:
        client = server.browser()
        told = sent(client, b"a,b\n" + b"1,2\n" * 100_000)
        head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        pieces = (piece for piece in [head, *[b"1,2\n" * 10_000] * 20, b"\r\n--x--\r\n"])
        untold = client.post(f"{API}/tables", content=pieces, headers={"Content-Type": "multipart/form-data; boundary=x"})
        assert (told.status_code, untold.status_code) == (413, 413)
        assert "100,000" in untold.json()["error"]
        assert files_of(tmp_path) == []


def test_a_table_above_the_row_limit_is_refused(tmp_path):
    """It is not cut: a verdict on the first records would not be one on the table."""
    with served(folder=tmp_path, row_limit=100) as server:
        answer = sent(server.browser(), PEOPLE)
        assert answer.status_code == 413 and "100 records" in answer.json()["error"]
        assert files_of(tmp_path) == []


def test_somebody_elses_table_is_none(tmp_path):
    """Not even by its exact name."""
    storage = Storage(ServerSettings(folder=tmp_path))
    mine, other = storage.open(), storage.open()
    incoming = mine.place() / "incoming"
    incoming.write_bytes(PEOPLE)
    table = mine.take(incoming, "people.csv")
    assert mine.table(table.id) is table
    with pytest.raises(RequestRefused):
        other.table(table.id)
    storage.close()


def test_parallel_uploads_arrive_whole(tmp_path):
    """Eight files of two megabytes at once; each is its own."""
    with served(folder=tmp_path) as server:
        client = server.browser()
        contents = [b"n,x\n" + b"".join(b"%d,%07d\n" % (n, i) for i in range(200_000)) for n in range(8)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda content: sent(client, content), contents))
        assert [answer.status_code for answer in answers] == [201] * 8
        assert {answer.json()["records"] for answer in answers} == {200_000}
        assert sorted(path.read_bytes() for path in files_of(tmp_path) if path.name == "table.csv") == sorted(contents)


@pytest.mark.skipif(sys.platform == "win32", reason="needs file locks that end with their process")
def test_a_killed_server_leaves_nothing_after_the_next_start(tmp_path):
    """kill -9 in the middle of a job: the next private folder that is made sweeps the dead one's."""
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "anonscope", "serve", "--no-browser"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        base, token = address.split("/enter?token=")
        with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
            until = time.monotonic() + 30
            while time.monotonic() < until:
                try:
                    client.get(f"{API}/tables")
                    break
                except httpx.ConnectError:
                    time.sleep(0.05)
            id = sent(client, PEOPLE).json()["id"]
            client.post(f"{API}/tables/{id}/audit", json={"roles": {"quasi_identifiers": ["age", "sex", "zip"]}})
            process.send_signal(signal.SIGKILL)
        process.wait(10)
    left = [path for folder in tmp_path.glob(PREFIX + "*") for path in files_of(folder)]
    assert left, "the table was on disk when the server died"
    Scratch(tmp_path).close()
    assert list(tmp_path.glob(PREFIX + "*")) == []

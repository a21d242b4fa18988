"""Register, seal and intruder test over REST: the register and the key are those of whoever runs the server, and never sent."""

import io
import json
import stat
import zipfile
from pathlib import Path

import pytest

import anonscope as an
from anonscope.errors import OptionError, SealError
from anonscope.io.samples import write_hospital
from anonscope.operations.signing.questions import parse_answers, questions_text
from anonscope.web.settings import ServerSettings
from support.served import API, finished, result, sent, served

ROLES = {"quasi_identifiers": ["sex", "age", "zip"], "sensitive": ["diagnosis"], "direct_identifiers": ["name", "patient_id"]}


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A folder with a register and a key."""
    pytest.importorskip("cryptography")
    folder = tmp_path_factory.mktemp("kept")
    (folder / "register").mkdir()
    an.seal_key(folder / "officer.key")
    return folder


@pytest.fixture(scope="module")
def client(kept):
    with served(register=kept / "register", seal_key=kept / "officer.key", seal_name="The officer") as server:
        yield server.browser()


@pytest.fixture(scope="module")
def table(client, tmp_path_factory):
    """An audited table with two versions, of different levels."""
    patients = write_hospital(tmp_path_factory.mktemp("hospital"), people=200).patients
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    found = f"{API}/tables/{id}"
    result(client, client.post(f"{found}/audit", json={"roles": ROLES, "acknowledge_rest": "a test"}))
    for levels in ({"age": 9, "zip": 0}, {"age": 0, "zip": 9}):
        heights = {ladder["column"]: len(ladder["levels"]) - 1 for ladder in _ladders(client, found)}
        asked = {"limits": {"k_anonymity": 2}, "method": "global", "levels": {c: min(v, heights[c]) for c, v in levels.items()}}
        job = finished(client, client.post(f"{found}/anonymise", json=asked | {"suppression": 0.9}))
        assert job["state"] == "done", job
    return found


def _ladders(client, table):
    done = finished(client, client.post(f"{table}/explorer", json={}))
    assert done["state"] == "done", done
    return [{"column": c["column"], "levels": c["levels"]} for c in client.get(f"{table}/explorer").json()["columns"]]


def test_a_release_is_registered_and_the_next_one_refused(client, table, kept):
    """Held against what is kept in the register's own folder; what is refused leaves nothing there."""
    assert client.get(f"{API}/register").json()["entries"] == []
    who = {"population_name": "patients", "recipient": "University", "review": "2031-01-01"}
    first = finished(client, client.post(f"{table}/register", json=who | {"version": 1}))
    assert first["state"] == "done", first
    (entry,) = client.get(first["location"]).json()["entries"]
    assert entry["recipient"] == "University" and entry["k"] == 2
    # A version may go when its table does; what the register needs stays, for its owner's eyes only.
    there = kept / "register" / entry["path"]
    assert an.verify(there).holds and stat.S_IMODE(there.parent.stat().st_mode) == 0o700
    second = finished(client, client.post(f"{table}/register", json=who | {"version": 2}))
    assert second["state"] == "failed" and "somebody is left with 1 candidate, and nobody with fewer" in second["error"]
    assert len(list((kept / "register" / "releases").iterdir())) == 1
    again = finished(client, client.post(f"{table}/register", json=who | {"version": 1}))
    assert again["state"] == "failed" and "already, for the same recipient" in again["error"] and there.exists()
    assert client.post(f"{table}/register", json={"version": 1}).status_code == 422
    spent = client.post(f"{API}/register/budget", json={"population_name": "patients", "epsilon": 2}).json()
    assert spent["populations"][0]["budget"] == "2" and spent["fine"]
    assert client.post(f"{API}/register/budget", json={"population_name": "patients", "epsilon": 0}).status_code == 422
    assert an.register(kept / "register").fine


def test_a_release_is_sealed_by_the_key_of_the_server(client, table, kept, tmp_path):
    """Both formats; who receives the bundle can tell by whom it is, and the private key is in no answer."""
    assert client.get(f"{table}/release.manifest.json.sig").status_code == 409
    found = client.post(f"{table}/seal").json()
    assert found["by"] == "The officer" and found["files"] == ["release.csv", "release.csv.manifest.json"]
    assert found["public_key"] == (kept / "officer.key.pub").read_text().strip()
    for format in ("csv", "parquet"):
        folder = tmp_path / format
        answer = client.get(f"{table}/release-for-recipient.zip", params={"format": format})
        zipfile.ZipFile(io.BytesIO(answer.content)).extractall(folder)
        verified = an.verify(folder / f"release.{format}", signer=kept / "officer.key.pub")
        assert verified.holds and "sealed by The officer" in verified.sentence
    told = client.get(f"{table}/release.manifest.json.sig").text
    assert "PRIVATE" not in told and json.loads(told)["by"] == "The officer"


def test_an_intruder_test_is_set_up_handed_on_and_judged(client, table):
    """The intruder's part has no value; the form is judged, is kept only where it says something, and gets into the dossier."""
    assert client.get(f"{table}/intruder-test-for-intruder.zip").status_code == 409
    job = finished(client, client.post(f"{table}/intruder-test", json={"questions": 3, "seed": 1}))
    assert job["state"] == "done", job
    parts = {}
    for whom in ("intruder", "archive"):
        with zipfile.ZipFile(io.BytesIO(client.get(f"{table}/intruder-test-for-{whom}.zip").content)) as packed:
            parts[whom] = {name: packed.read(name).decode() for name in packed.namelist()}
    assert set(parts["intruder"]) == {"protocol.md", "sheet.csv"} and "sealed.json" in parts["archive"]
    names = [question["values"]["name"] for question in json.loads(parts["archive"]["sealed.json"])["questions"]]
    assert len(names) == 6 and not any(name in text for name in names for text in parts["intruder"].values())
    empty = client.post(f"{table}/intruder-test/judge", json={"form": parts["archive"]["outcome.toml"]})
    assert empty.status_code == 422 and "is not filled in" in empty.json()["error"]
    form = parts["archive"]["outcome.toml"]
    for i in range(1, 4):
        form = form.replace(f'R{i} = ""', f'R{i} = "wrong"').replace(f'P{i} = ""', f'P{i} = "not tried"')
    judged = client.post(f"{table}/intruder-test/judge", json={"form": form}).json()
    assert judged["result"]["tried"] == 3 and judged["result"]["right"] == 0
    dossier = finished(client, client.post(f"{table}/sign-off", json={"intruder_test": True}), patience=180)
    assert dossier["state"] == "done", dossier
    assert "0 of 3 questions that were tried" in client.get(dossier["location"].replace(".json", ".md")).text


def test_the_questions_are_handed_out(client, table):
    """As the command line writes them, so that they can be filled in and sent back; as they are, nothing is answered."""
    text = client.get(f"{table}/questions.toml").text
    assert text == questions_text() and parse_answers(text).open_questions


def test_a_server_without_them_says_so(tmp_path):
    """No register, no key: 409 with what would help; and a server does not start with half of it."""
    with served() as server:
        client = server.browser()
        refused = client.get(f"{API}/register")
        assert refused.status_code == 409 and "--register FOLDER" in refused.json()["error"]
        id = sent(client, b"age,ill\n1,a\n2,b\n").json()["id"]
        refused = client.post(f"{API}/tables/{id}/seal")
        assert refused.status_code == 409 and "--seal-key FILE" in refused.json()["error"]
        assert client.post(f"{API}/tables/{id}/intruder-test").status_code == 409
    with pytest.raises(OptionError, match="does not exist"):
        ServerSettings(register=tmp_path / "nowhere")
    with pytest.raises(OptionError, match="--seal-name NAME"):
        ServerSettings(seal_key=tmp_path / "officer.key")
    with pytest.raises(SealError, match="No such file"):
        ServerSettings(seal_key=tmp_path / "officer.key", seal_name="N")

"""A project: what was said and found out is there again after a restart, and no password, value or foreign file gets in its way."""

import json
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anonscope.errors import OptionError
from anonscope.web.project.folder import ProjectFolder
from support.served import API, finished, result, sent, served

# Values that occur nowhere by chance.
JOBS = ("zymurgist", "quartermaster", "xylographer")
PEOPLE = b"id,age,sex,job,diagnosis\n" + b"".join(
    b"P%03dX,%d,%s,%s,%s\n" % (i, 20 + i % 30, b"FM"[i % 2 : i % 2 + 1], JOBS[i % 3].encode(), (b"goutyness", b"fluzone")[i % 2])
    for i in range(240)
)
ROLES = {"quasi_identifiers": ["age", "sex", "job"], "sensitive": ["diagnosis"], "direct_identifiers": ["id"]}
OWN = "".join(f"{20 + i};{'low' if i < 15 else 'high'};*\n" for i in range(30))


def state(client, id):
    return client.get(f"{API}/tables/{id}/workspace").json()


def settled(client, id, patience=60):
    """Return the workspace once no job is under way."""
    end = time.monotonic() + patience
    while (told := state(client, id))["jobs"]:
        assert time.monotonic() < end
        time.sleep(0.05)
    return told


def furnish(client):
    """Do one of everything with a table, and return its id."""
    id = sent(client, PEOPLE).json()["id"]
    at = f"{API}/tables/{id}"
    result(client, client.post(f"{at}/suggest", json={}))
    client.patch(f"{at}/workspace", json={"row": "person", "notes": "ask the registry", "wished": {"suppression": 0.1}})
    client.patch(f"{at}/workspace", json={"assign": {"job": "insensitive"}})
    client.patch(f"{at}/workspace", json={"answers": {"receiver": "agreement", "harm": "little", "rules": "statistics"}})
    result(client, client.post(f"{at}/audit", json={"roles": ROLES, "policy": "research-shared"}))
    assert client.put(f"{at}/hierarchies/1", json={"csv": OWN}).status_code == 200
    assert result(client, client.post(f"{at}/anonymise", json={}))["met"]
    finished(client, client.post(f"{at}/sign-off", json={"edition": "publishable"}))
    return id


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A project in which everything was done once by a server that has ended, and what it told then."""
    folder = tmp_path_factory.mktemp("kept") / "hospital"
    with served(project=folder) as server:
        client = server.browser()
        id = furnish(client)
        told = settled(client, id)
        release = client.get(f"{API}/tables/{id}/versions/1/release.csv").content
        manifest = client.get(f"{API}/tables/{id}/versions/1/release.manifest.json").content
    return folder, id, told, release, manifest


@pytest.fixture
def copy(kept, tmp_path):
    """A copy of the project that a test may change."""
    import shutil

    return Path(shutil.copytree(kept[0], tmp_path / "copy"))


def test_a_reopened_project_gives_the_same_verdicts(kept, copy):
    """The file is asked for; then roles, notes, wishes, ladders, verdicts, and every byte of the release and its papers are as before."""
    _, id, told, release, manifest = kept
    with served(project=copy) as server:
        client = server.browser()
        (waiting,) = client.get(f"{API}/project").json()["tables"]
        assert waiting["state"] == "waiting" and state(client, id)["error"].startswith("The table waits")
        answer = client.post(f"{API}/project/tables/{id}/file", files={"file": ("renamed.csv", PEOPLE)})
        assert answer.status_code == 201, answer.text
        now = settled(client, id)
        same = ("roles", "row", "policy", "notes", "reason", "wished", "hierarchies", "shown", "verdict", "original", "measured", "signed")
        same += ("answers", "undoable")
        assert now["answers"] == {"receiver": "agreement", "harm": "little", "rules": "statistics"} and now["undoable"] > 0
        assert {name: now[name] for name in same} == {name: told[name] for name in same}
        assert now["versions"] == told["versions"] and now["notice"] == ""
        assert client.get(f"{API}/tables/{id}/versions/1/release.csv").content == release
        assert client.get(f"{API}/tables/{id}/versions/1/release.manifest.json").content == manifest
        assert client.get(f"{API}/tables/{id}/versions/1/report.json").json()["met"] is True
        assert client.get(f"{API}/tables/{id}/signed/1.json").json()["schema"].startswith("anonscope/")
        verified = result(client, client.post(f"{API}/tables/{id}/versions/1/verify"))
        assert {check["status"] for check in verified["checks"]} == {"holds"}, verified
        assert client.post(f"{API}/tables/{id}/workspace/undo").json()["roles"] != now["roles"]


def test_another_file_is_said_and_never_used_silently(kept, copy):
    """It is refused; if its owner says that it is another one, what people said stays, and no verdict or version is about it."""
    _, id, _, _, _ = kept
    with served(project=copy) as server:
        client = server.browser()
        address = f"{API}/project/tables/{id}/file"
        refused = client.post(address, files={"file": ("people.csv", PEOPLE + b"P999X,30,F,zymurgist,fluzone\n")})
        assert refused.status_code == 409 and "SHA-256" in refused.json()["error"]
        assert client.get(f"{API}/project").json()["tables"][0]["state"] == "waiting"
        other = b"id,age,sex,diagnosis\n" + b"".join(b"Q%03d,%d,F,gout\n" % (i, 20 + i % 3) for i in range(60))
        assert client.post(address, files={"file": ("people.csv", other)}, data={"changed": "true"}).status_code == 201
        now = settled(client, id)
        assert now["roles"]["quasi_identifiers"] == ["age", "sex"] and now["notes"] == "ask the registry"
        assert not now["measured"] and now["verdict"]["tone"] == "none" and "another one" in now["notice"]
        assert now["versions"][0]["files"] == [] and now["versions"][0]["verdict"]["outcome"] is None
        assert client.get(f"{API}/tables/{id}/versions/1/release.csv").status_code == 409
    with served(project=copy) as server:  # and it is about that file from now on
        client = server.browser()
        assert client.post(f"{API}/project/tables/{id}/file", files={"file": ("people.csv", PEOPLE)}).status_code == 409
        assert client.post(f"{API}/project/tables/{id}/file", files={"file": ("people.csv", other)}).status_code == 201
        assert settled(client, id)["versions"][0]["files"] == []


def test_only_its_owner_may_look_and_no_value_lies_where_none_must(kept):
    """Folders are 0700 and files 0600; original values stand in hierarchies only, and neither data nor token are there."""
    folder, _, _, release, _ = kept
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
        if path.is_file() and "hierarchies" not in path.relative_to(folder).parts:
            text = path.read_bytes()
            assert not any(value.encode() in text for value in (*JOBS, "goutyness", "P007X")), path
            assert text != release


def test_an_export_has_neither_original_values_nor_seeds_nor_hashes(kept, tmp_path):
    """Nor a path, a recipe or a hierarchy; it is a project itself, whose versions are told of but not offered."""
    folder, id, told, _, _ = kept
    target = tmp_path / "for a colleague"
    command = [sys.executable, "-m", "anonscope", "serve", "--project", str(folder), "--export", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Exported 1 table," in done.stdout
    assert subprocess.run(command, capture_output=True, text=True).returncode == 2  # never over what is there
    sha256 = json.loads((folder / "tables" / id / "table.json").read_text())["data"]["sha256"]
    everything = b"".join(path.read_bytes() for path in target.rglob("*") if path.is_file())
    for secret in (sha256, *JOBS, "goutyness", "P007X", str(tmp_path), '"seed'):
        assert secret.encode() not in everything, secret
    assert not [path for path in target.rglob("*") if "hierarchies" in path.name or path.name == "recipe.toml"]
    with served(project=target) as server:
        client = server.browser()
        address = f"{API}/project/tables/{id}/file"
        assert "cannot be told" in client.post(address, files={"file": ("people.csv", PEOPLE)}).json()["error"]
        assert client.post(address, files={"file": ("people.csv", PEOPLE)}, data={"changed": "true"}).status_code == 201
        now = settled(client, id)
        assert now["roles"] == told["roles"] and now["notes"] == told["notes"] and now["versions"][0]["files"] == []


def test_all_who_may_come_in_share_it_and_leaving_deletes_nothing(tmp_path):
    """Two sessions see one table; what is forgotten is gone from the folder, too; nothing waits for a file that was kept."""
    folder = tmp_path / "shared"
    with served(project=folder, keep_data=True) as server:
        one, two = server.browser(), server.browser()
        id = sent(one, PEOPLE).json()["id"]
        gone = sent(two, PEOPLE).json()["id"]
        assert {table["id"] for table in two.get(f"{API}/tables").json()["tables"]} == {id, gone}
        # What the foot of a page promises must be true here.
        pages = [one.get(path).text for path in ("/", f"/w/{id}/data")]
        assert all("until you forget them" in page and "when it stops" not in page for page in pages)
        one.post("/leave")
        assert two.get(f"{API}/tables/{id}").status_code == 200
        assert two.delete(f"{API}/tables/{gone}").status_code == 204
    with served(project=folder) as server:
        client = server.browser()
        (table,) = client.get(f"{API}/project").json()["tables"]
        assert (table["id"], table["state"]) == (id, "open") and "when it stops" not in client.get("/").text
        with pytest.raises(OptionError, match="Another server"):
            ProjectFolder(folder)


@pytest.mark.parametrize("damage", ["{", "[]", '{"id": "x"}'])
def test_what_is_damaged_stops_the_start(kept, copy, damage):
    """With a sentence that names the table and quotes nothing of it."""
    (copy / "tables" / kept[1] / "table.json").write_text(damage)
    with pytest.raises(OptionError, match="damaged"), served(project=copy):
        pass


def test_a_folder_that_holds_other_things_is_left_alone(tmp_path):
    """Nor is a link followed, or a recipe carried out that names files elsewhere."""
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OptionError, match="holds other things"):
        ProjectFolder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_links_and_recipes_that_lead_elsewhere_are_not_followed(kept, copy, tmp_path):
    """A project may come from somebody else."""
    _, id, _, _, _ = kept
    recipe = copy / "tables" / id / "versions" / "1" / "release.csv.archive" / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("hierarchies/01", "../../../../../../etc/hierarchies/01"))
    with served(project=copy) as server:
        client = server.browser()
        client.post(f"{API}/project/tables/{id}/file", files={"file": ("people.csv", PEOPLE)})
        (version,) = settled(client, id)["versions"]
        assert version["files"] == [] and "outside its archive" in version["verdict"]["reason"]
    recipe.unlink()
    recipe.symlink_to("/etc/passwd")
    with pytest.raises(OptionError, match="damaged"), served(project=copy):
        pass

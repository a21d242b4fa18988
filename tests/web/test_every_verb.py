"""Verbs that the pages do not show are on the server all the same: what they answer is what the command line prints."""

import io
import json
import zipfile

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.io.samples import write_hospital
from support.served import API, finished, result, sent, served

ROLES = {"quasi_identifiers": ["sex", "age", "zip"], "sensitive": ["diagnosis"], "direct_identifiers": ["name", "patient_id"]}
SAID = ("-q", "sex", "-q", "age", "-q", "zip", "-s", "diagnosis", "-d", "name", "-d", "patient_id")


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    return write_hospital(tmp_path_factory.mktemp("hospital"), people=200).patients


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture(scope="module")
def table(client, patients):
    """An audited table."""
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    result(client, client.post(f"{API}/tables/{id}/audit", json={"roles": ROLES, "acknowledge_rest": "a test"}))
    return f"{API}/tables/{id}"


def printed(*arguments):
    """Return the JSON that a command prints."""
    ran = CliRunner().invoke(app, [*map(str, arguments), "--format", "json"])
    assert ran.exit_code in (0, 1), ran.output
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    ("verb", "wish", "options"),
    [
        (
            "precheck",
            {"like": {"charges": "income"}, "roles": ROLES | {"sensitive": ["charges"]}},
            ("-s", "charges", "--like", "charges=income"),
        ),
        ("precheck", {}, ("-s", "diagnosis")),
        (
            "check",
            {"policy": "ema-0070", "acknowledge_rest": "a test"},
            ("-s", "diagnosis", "--policy", "ema-0070", "--acknowledge-rest", "a test"),
        ),
        ("associations", {"columns": ["age", "sex", "diagnosis"]}, ("-c", "age", "-c", "sex", "-c", "diagnosis")),
        (
            "fragmentation",
            {"fragments": [["age", "sex"], ["zip"]], "target": "diagnosis"},
            ("-f", "age,sex", "-f", "zip", "-t", "diagnosis"),
        ),
        ("hierarchy", {}, ("-s", "diagnosis")),
    ],
)
def test_a_question_is_answered_as_at_the_prompt(client, patients, table, verb, wish, options):
    """The same JSON; and as a page to keep."""
    roles = SAID[:6] + SAID[8:] if verb in ("precheck", "hierarchy", "check") else ()
    job = finished(client, client.post(f"{table}/{verb}", json=wish))
    assert job["state"] == "done", job
    answer = client.get(job["location"]).json()
    expected = printed(verb, patients, *roles, *options)
    for document in (answer, expected):
        document.pop("cpu_seconds", None)
        document.pop("generated", None)
    assert answer == expected
    assert client.get(job["location"].replace(".json", ".html")).text.startswith("<!doctype html>")


def test_a_ready_recipe_is_made_and_carried_out(client, patients, table):
    """What comes back can be sent as it is, and the release stands where an anonymised one does."""
    assert client.post(f"{table}/recipe", json={}).status_code == 422
    job = finished(client, client.post(f"{table}/recipe", json={"level": "P1"}))
    recipe = client.get(job["location"]).text
    printed = CliRunner().invoke(app, ["recipe", str(patients), "--level", "P1", *SAID])
    assert recipe == printed.stdout
    done = finished(client, client.post(f"{table}/apply", json={"recipe": recipe}))
    assert done["state"] == "done", done
    assert client.get(done["location"]).json()["schema"].startswith("anonscope/manifest")
    header = client.get(f"{table}/release.csv").text.splitlines()[0]
    assert "name" not in header.split(",")
    step = 'apply = "generalise_hierarchy"\ncolumn = "age"\nfile = "/etc/passwd"\nlevel = 1\n'
    files = f'schema = "anonscope/recipe/1"\n[[steps]]\n{step}'
    refused = client.post(f"{table}/apply", json={"recipe": files})
    assert refused.status_code == 422 and "names files" in refused.json()["error"]


def test_safe_harbor_needs_no_roles(client, patients):
    """It looks at all columns."""
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    job = finished(client, client.post(f"{API}/tables/{id}/recipe", json={"safe_harbor": True}))
    assert job["state"] == "done", job
    assert client.post(f"{API}/tables/{id}/precheck").status_code == 409


def test_fragments_are_made_and_packed(client, table):
    """Others get files and manifests, the owner also the archives."""
    assert client.get(f"{table}/fragments-for-recipient.zip").status_code in (200, 409)
    job = finished(client, client.post(f"{table}/fragment", json={"limits": {"k_anonymity": 3}, "number": 2}))
    assert job["state"] == "done", job
    assert client.get(job["location"]).json()["met"]
    names = {}
    for whom in ("recipient", "archive"):
        with zipfile.ZipFile(io.BytesIO(client.get(f"{table}/fragments-for-{whom}.zip").content)) as packed:
            names[whom] = set(packed.namelist())
    assert {"fragment-1.csv", "fragment-2.csv"} < names["recipient"] < names["archive"]
    assert not any("archive" in name for name in names["recipient"])


def test_a_pipeline_runs(client, table):
    """Its report is there whether or not the policy is met."""
    wish = {"roles": ROLES, "acknowledge_rest": "a test", "beta": 5.0}
    job = finished(client, client.post(f"{table}/pipeline", json=wish))
    assert job["state"] == "done", job
    assert client.get(job["location"]).json()["schema"].startswith("anonscope/pipeline")


@pytest.mark.parametrize("address", ["results/x.json", "recipes/x.toml"])
def test_what_nobody_asked_is_not_there(client, address):
    """Nobody else's answers can be guessed at."""
    assert client.get(f"{API}/{address}").status_code == 404


def test_next_months_delivery_is_planned_like_the_last(client, patients, table):
    """`like` is the table whose release was made here; the same delivery still does, and a table without a release has no recipe."""
    wish = {"limits": {"k_anonymity": 5}, "method": "global", "acknowledge_rest": "a test"}
    result(client, client.post(f"{table}/anonymise", json=wish))
    june = sent(client, patients.read_bytes(), "june.csv").json()["id"]
    result(client, client.post(f"{API}/tables/{june}/audit", json={"roles": ROLES, "acknowledge_rest": "a test"}))
    finished(client, client.post(f"{API}/tables/{june}/plan", json={"like": table.rpartition("/")[2]}))
    found = client.get(f"{API}/tables/{june}/plan.json").json()
    assert found["last_time"]["holds"] is True
    assert client.post(f"{table}/plan", json={"like": june}).status_code == 409


def test_a_dossier_of_a_release_is_made(client, patients):
    """With answers as text; without a release, or with answers that mean nothing, it is refused before a job runs."""
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    place = f"{API}/tables/{id}"
    result(client, client.post(f"{place}/audit", json={"roles": ROLES, "acknowledge_rest": "a test"}))
    assert client.post(f"{place}/sign-off", json={}).status_code == 409
    wish = {"limits": {"k_anonymity": 3}, "method": "mondrian", "acknowledge_rest": "a test"}
    assert finished(client, client.post(f"{place}/anonymise", json=wish))["state"] == "done"
    answers = 'schema = "anonscope/answers/1"\npurpose = "Teaching"\n[[recipients]]\nname = "University"\n'
    assert client.post(f"{place}/sign-off", json={"answers": "no TOML"}).status_code in (400, 422)
    job = finished(client, client.post(f"{place}/sign-off", json={"answers": answers, "edition": "publishable"}))
    assert job["state"] == "done", job
    found = client.get(job["location"]).json()
    assert (found["edition"], found["answers"]["purpose"], found["released"]) == ("publishable", "Teaching", True)
    assert "13. How to reproduce it" in client.get(job["location"].replace(".json", ".html")).text

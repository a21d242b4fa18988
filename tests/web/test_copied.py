"""What a room offers to copy does the same: the command and the Python lines are run, and their JSON is compared."""

import json
import shlex

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from support.served import API, result, sent, served

ROWS = "".join(
    f"P{i:03};{20 + i % 30};{'F' if i % 2 else 'M'};{10000 + i % 7};{('gout', 'flu', 'flu')[i % 3]};{i % 2}\n" for i in range(240)
)
ROLES = {
    "quasi_identifiers": ["age", "sex"],
    "sensitive": ["diagnosis"],
    "direct_identifiers": ["id"],
    "scenarios": {"neighbour": ["zip", "sex"]},
    "distance": {"diagnosis": "ordered"},
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A client, the address of a table that was measured with a word about a column, and the folder where its file lies."""
    folder = tmp_path_factory.mktemp("copied")
    (folder / "people.csv").write_text(f"id;age;sex;zip;diagnosis;open\n{ROWS}")
    with served() as server:
        client = server.browser()
        table = f"{API}/tables/{sent(client, (folder / 'people.csv').read_bytes()).json()['id']}"
        result(client, client.post(f"{table}/suggest", json={}))
        wish = {
            "roles": ROLES,
            "policy": "research-shared",
            "acknowledge": {"open": "says nothing of anybody"},
            "explain": False,
            "plan": False,
        }
        result(client, client.post(f"{table}/audit", json=wish))
        yield client, table, folder


def copied(client, table, room):
    """Return the command and the lines of Python that a room offers."""
    command, python, *_ = (line["text"] for line in client.get(f"{table}/copy?room={room}").json()["lines"])
    return command, python


def printed(command, *more):
    ran = CliRunner().invoke(app, [*shlex.split(command)[1:], "--format", "json", "--quiet", *more])
    assert ran.stdout.startswith("{"), ran.output
    return json.loads(ran.stdout)


def ran(python):
    space = {}
    exec(python, space)
    return space["found"].to_dict()


def some(document, *keys):
    return {key: document[key] for key in keys}


def test_an_audit_is_copied(workspace, monkeypatch):
    """Roles, attackers, distances, words and policy."""
    client, table, folder = workspace
    monkeypatch.chdir(folder)
    command, python = copied(client, table, "risk")
    told = client.get(f"{table}/audit.json").json()
    for again in (printed(command), ran(python)):
        assert again["verdict"] == told["verdict"] and again["measurements"] == told["measurements"] and again["roles"] == told["roles"]


def test_a_what_if_and_a_version_are_copied(workspace, monkeypatch):
    """First what the sliders ask, with limits beside the policy; then what makes the version that is shown."""
    client, table, folder = workspace
    monkeypatch.chdir(folder)
    client.patch(f"{table}/workspace", json={"wished": {"levels": {"age": 2, "zip": 1}, "suppression": 0.1, "limits": {"k_anonymity": 7}}})
    result(client, client.post(f"{table}/explorer", json={"policy": "research-shared", "limits": {"k_anonymity": 7}}))
    told = client.post(f"{table}/explore", json={"levels": {"age": 2, "zip": 1}, "suppression": 0.1}).json()
    command, python = copied(client, table, "repair")
    for again in (printed(command), ran(python)):
        assert {key: again[key] for key in ("outcome", "loss", "rules", "levels")} == {
            k: told[k] for k in ("outcome", "loss", "rules", "levels")
        }

    made = result(client, client.post(f"{table}/anonymise", json={"untouched": ["sex"], "weights": {"age": 2.0}, "suppression": 0.02}))
    command, python = copied(client, table, "repair")
    assert "--untouched sex" in command and "--attribute-weight age=2" in command
    for again in (printed(command, "-o", "by-prompt.csv"), ran(python)):
        assert {key: again[key] for key in ("met", "loss", "columns", "method")} == {
            k: made[k] for k in ("met", "loss", "columns", "method")
        }
    assert (folder / "release.csv").exists()

"""An audit that attacks the table as a release of its original, asked for over the wire: what comes back is what the prompt prints."""

import json

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from attacks.attacking import drawn
from support.served import API, finished, result, sent, served

ROLES = {"quasi_identifiers": ["age", "sex", "zip"], "sensitive": ["ill"]}


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """People, others, and a release with ages by twenty and no zip."""
    folder = tmp_path_factory.mktemp("attacked")
    people, others = (drawn(seed, 600, age=40, sex=2, zip=30, ill=3) for seed in (1, 2))
    coarse = {**people, "age": [f"[{x // 20 * 20}-{x // 20 * 20 + 19}]" for x in people["age"]], "zip": ["*"] * 600}
    found = {}
    for name, table in (("people", people), ("others", others), ("coarse", coarse)):
        found[name] = folder / f"{name}.csv"
        rows = zip(*table.values(), strict=True)
        found[name].write_text("\n".join([",".join(table), *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def ids(client, files):
    return {name: sent(client, path.read_bytes(), path.name).json()["id"] for name, path in files.items()}


def test_an_audit_is_attacked_as_at_the_prompt(client, files, ids):
    """The same results, verdict and names of tables; on the page too, and without an original nothing is attacked."""
    wish = {"roles": ROLES, "policy": "research-attacked", "explain": False, "plan": False}
    audit = f"{API}/tables/{ids['coarse']}/audit"
    unattacked = result(client, client.post(audit, json=wish))
    found = result(client, client.post(audit, json=wish | {"original": ids["people"], "control": ids["others"]}))
    options = ["-q", "age", "-q", "sex", "-q", "zip", "-s", "ill", "--policy", "research-attacked", "--format", "json"]
    tables = ["--original", str(files["people"]), "--control", str(files["others"])]
    printed = json.loads(CliRunner().invoke(app, ["audit", str(files["coarse"]), *options, *tables]).stdout)

    def timeless(attacks):
        return [{key: value for key, value in one.items() if key != "cpu_seconds"} for one in attacks["results"]]

    ours, theirs = found["attack_results"], printed["attack_results"]
    assert timeless(ours) == timeless(theirs)
    assert [ours[key] for key in ("release", "original", "control")] == ["coarse.csv", "people.csv", "others.csv"]
    assert found["verdict"]["attack_rules"] == printed["verdict"]["attack_rules"]
    assert {rule["status"] for rule in unattacked["verdict"]["attack_rules"]} == {"not measured"}
    assert "What attacks find out" in client.get(f"{audit}.html").text


def test_attacks_by_themselves_name_tables_as_their_owner_does(client, ids):
    """And not as they are stored."""
    result(client, client.post(f"{API}/tables/{ids['people']}/audit", json={"roles": ROLES, "explain": False, "plan": False}))
    wish = {"original": ids["people"], "release": ids["coarse"], "control": ids["others"], "attacks": ["linkability"]}
    job = finished(client, client.post(f"{API}/attack", json=wish))
    found = client.get(job["location"]).json()
    assert [found[key] for key in ("release", "original", "control")] == ["coarse.csv", "people.csv", "others.csv"]


@pytest.mark.parametrize(
    ("wish", "status", "said"), [({"control": "others"}, 422, "made of"), ({"original": "nobody"}, 404, ""), ({"attack": True}, 422, "")]
)
def test_what_cannot_be_attacked_is_refused_at_once(client, ids, wish, status, said):
    """One sentence, and no job."""
    asked = {key: ids.get(value, value) if isinstance(value, str) else value for key, value in wish.items()}
    answer = client.post(f"{API}/tables/{ids['coarse']}/audit", json={"roles": ROLES} | asked)
    assert answer.status_code == status and said in answer.json()["error"]

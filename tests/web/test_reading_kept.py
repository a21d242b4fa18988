"""What somebody said of how a file is read holds wherever the table is used: as a release, as an external table, as a control."""

import pytest

from support.served import API, finished, sent, served

PEOPLE = [(str(30 + i % 12), "a|b" if i % 3 else "c") for i in range(24)]
OTHERS = [(str(50 + i % 20), "x|y" if i % 3 else "z") for i in range(24)]


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture(scope="module")
def tables(client):
    """An audited original, and the same people in a file that is read rightly only as its owner says."""
    plain = "age,kind\n" + "".join(f'{age},"{kind}"\n' for age, kind in PEOPLE)
    original = sent(client, plain.encode(), "people.csv").json()["id"]
    roles = {"quasi_identifiers": ["age", "kind"]}
    assert finished(client, client.post(f"{API}/tables/{original}/audit", json={"roles": roles}))["state"] == "done"
    return original, oddly(client, PEOPLE)


def oddly(client, people):
    """Send people in a file that is read rightly only as its owner says."""
    content = "age|kind\n" + "".join(f"{age}|'{kind}'\n" for age, kind in people)
    files = {"file": ("odd.csv", content.encode()), "delimiter": (None, "|"), "quote": (None, "'")}
    told = client.post(f"{API}/tables", files=files).json()
    assert [column["name"] for column in told["columns"]] == ["age", "kind"]
    return told["id"]


def report(client, answer):
    job = finished(client, answer)
    assert job["state"] == "done", job["error"]
    return client.get(job["location"]).json()


def test_a_release_is_compared_as_its_owner_reads_it(client, tables):
    """Nothing was changed, so nothing is lost."""
    original, odd = tables
    found = report(client, client.post(f"{API}/compare", json={"original": original, "releases": [odd], "external": odd}))
    version = found["versions"][1]
    assert (version["version"], version["unread_share"]) == ("odd.csv", 0.0)
    assert {u["value"] for u in version["utilities"] if u["utility"] == "ncp"} == {0.0}


def test_a_release_is_attacked_as_its_owner_reads_it(client, tables):
    """All of its records are found, and the control is read too."""
    original, odd = tables
    control = oddly(client, OTHERS)
    asked = {"original": original, "release": odd, "control": control, "external": odd, "attacks": ["singling_out"]}
    assert report(client, client.post(f"{API}/attack", json=asked))["release"]


def test_an_external_table_is_linked_as_its_owner_reads_it(client, tables):
    """Whoever holds the same table finds everybody."""
    original, odd = tables
    found = report(client, client.post(f"{API}/link", json={"release": original, "external": odd}))
    assert found["external"] == "odd.csv" and found["average_risk"] is not None

"""How a file is read, tables beside it, and how values coarsen, over REST."""

import pytest

from support.served import API, finished, result, sent, served

LINES = "".join(f"{20 + i % 30};{'F' if i % 2 else 'M'};{'gout' if i % 3 else 'flu'}\n" for i in range(120))
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["diagnosis"]}


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture
def table(client):
    """The address of a table that was audited."""
    address = f"{API}/tables/{sent(client, f'age;sex;diagnosis{chr(10)}{LINES}'.encode()).json()['id']}"
    result(client, client.post(f"{address}/suggest", json={}))
    result(client, client.post(f"{address}/audit", json={"roles": ROLES, "policy": "research-shared"}))
    return address


def test_a_file_is_read_again_as_its_owner_says(client, table):
    """What was found is told; another delimiter gives another table, what cannot be read changes nothing, versions stay."""
    told = client.get(f"{table}/reading").json()
    assert (told["format"], told["delimiter"], told["encoding"], told["records"]) == ("csv", ";", "utf-8", 120)
    result(client, client.post(f"{table}/anonymise", json={}))
    assert client.put(f"{table}/reading", json={"encoding": "no such encoding"}).status_code == 422
    assert client.get(f"{table}/reading").json() == told
    again = client.put(f"{table}/reading", json={"delimiter": ","}).json()
    assert [column["name"] for column in again["columns"]] == ["age;sex;diagnosis"]
    state = client.get(f"{table}/workspace").json()
    assert not state["table"]["audited"] and state["roles"] is None and [v["number"] for v in state["versions"]] == [1]
    assert client.put(f"{table}/reading", json={}).json() == told


def test_a_preview_has_no_value_until_that_is_confirmed(client, table):
    """Not even how long one is."""
    hidden = client.post(f"{table}/preview", json={"rows": 3}).json()
    assert hidden == {"columns": ["age", "sex", "diagnosis"], "rows": [["•••"] * 3] * 3}
    assert client.post(f"{table}/preview", json={"values": True}).status_code == 422
    shown = client.post(f"{table}/preview", json={"rows": 1, "values": True, "confirm": True}).json()
    assert shown["rows"] == [["20", "M", "flu"]]


def test_columns_of_a_population_are_proposed_and_counted(client, table):
    """By names that are like; the audit then measures what needs everybody, and says so when it is behind."""
    everybody = "Age_,SEX,town\n" + "".join(f"{20 + i % 30},{'F' if i % 2 else 'M'},x\n" for i in range(600))
    other = sent(client, everybody.encode(), "everybody.csv").json()["id"]
    proposed = client.get(f"{table}/mapping/{other}").json()
    assert proposed["columns"] == {"age": "Age_", "sex": "SEX"}
    assert client.put(f"{table}/beside/population", json={"table": other, "columns": {"age": "nothing"}}).status_code == 422
    client.put(f"{table}/beside/population", json={"table": other, "columns": proposed["columns"]})
    assert client.get(f"{table}/workspace").json()["measured"] is False
    found = result(client, client.post(f"{table}/audit", json={"roles": ROLES, "policy": "research-shared"}))
    k_map = next(m for m in found["measurements"] if m["metric"] == "k_map")
    counts = [(20 + i % 30, i % 2) for i in range(600)]
    assert k_map["value"] == min(counts.count((20 + i % 30, i % 2)) for i in range(120))
    assert client.get(f"{table}/workspace").json()["measured"]


def test_a_ladder_is_changed_and_searches_go_by_it(client, table):
    """Labels only if confirmed; a merged group is in the release; a ladder that lacks a value is refused."""
    ladder = f"{table}/hierarchies/0"
    assert client.get(f"{ladder}?values=true").status_code == 422
    assert all(rung["labels"] is None for rung in client.get(ladder).json()["levels"])
    assert client.put(ladder, json={"csv": "20;young;*\n21;young;*\n"}).status_code == 422
    own = "".join(f"{20 + i};{'low' if i < 10 else 'mid' if i < 20 else 'high'};*\n" for i in range(30))
    assert client.put(ladder, json={"csv": own}).json()["automatic"] is False
    wish = {"change": "merge", "level": 1, "labels": ["mid", "high"], "name": "older"}
    told = client.post(f"{ladder}/change", json=wish).json()
    assert [group["label"] for group in told["levels"][1]["labels"]] == ["low", "older"]
    assert client.post(f"{ladder}/change", json=wish).status_code == 422
    assert client.get(f"{ladder}/hierarchy.csv").text.splitlines()[15] == "35;older;*"
    job = finished(client, client.post(f"{table}/anonymise", json={"method": "global", "levels": {"age": 1, "sex": 0}}))
    assert job["state"] == "done"
    release = client.get(f"{table}/versions/1/release.csv").text
    assert {line.split(";")[0] for line in release.splitlines()[1:]} <= {"low", "older", "*"}
    assert client.delete(ladder).json()["automatic"] is True


def test_a_column_that_is_no_quasi_identifier_has_no_ladder(client, table):
    """Nor one that is not there."""
    assert client.get(f"{table}/hierarchies/2").status_code == 404
    assert client.get(f"{table}/hierarchies/9").status_code == 404

"""A dictionary in the web app: its text, or names with labels, is read as a file of it is on the command line."""

import json

import pytest

from support.served import API, finished, result, sent, served

ROWS = "q17a,vvx\n" + "".join(f"{i % 4},{1000 + 37 * i}\n" for i in range(60))
LABELS = {"q17a": "Marital status", "vvx": "Net monthly income"}
TEXTS = {
    "table": "name;label\nq17a;Marital status\nvvx;Net monthly income\n",
    "schema": json.dumps({"fields": [{"name": name, "title": label} for name, label in LABELS.items()]}),
}


@pytest.fixture(scope="module")
def client():
    with served() as found:
        yield found.browser()


@pytest.mark.parametrize("given", [LABELS, *TEXTS.values()], ids=["labels", *TEXTS])
def test_a_dictionary_says_what_columns_are(client, given):
    address = f"{API}/tables/{sent(client, ROWS.encode(), 'survey.csv').json()['id']}"
    found = result(client, client.post(f"{address}/suggest", json={"dictionary": given}))

    assert {column["name"]: column["role"] for column in found["columns"]} == {"q17a": "quasi-identifier", "vvx": "sensitive"}


@pytest.mark.parametrize("given", ["/etc/passwd", "name\nx\n", "{", ""])
def test_what_is_no_dictionary_is_refused_and_no_file_is_opened(client, given):
    address = f"{API}/tables/{sent(client, ROWS.encode(), 'survey.csv').json()['id']}"
    job = finished(client, client.post(f"{address}/suggest", json={"dictionary": given}))

    assert job["state"] == "failed" and "dictionary" in str(job["error"])

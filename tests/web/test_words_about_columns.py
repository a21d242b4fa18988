"""Columns without a role in the REST interface and in the browser: asked about, answered, recorded."""

import pytest

from support.browsing import Visitor as Guest
from support.browsing import needs_browser, server
from support.served import API, finished, result, sent, served

FIRST = ("Anna", "David", "Maria", "Peter", "Laura", "Thomas", "Emma", "Michael")
LAST = ("Smith", "Miller", "Jones", "Brown", "Taylor", "Wilson", "Evans", "Meyer")
PEOPLE = "name,age,illness,xqz\n" + "".join(
    f"{FIRST[i % 8]} {'AB'[i // 64]}. {LAST[i // 8 % 8]},{30 + 10 * (i % 2)},{('flu', 'gout')[i % 2]},{'abc'[i % 3]}\n" for i in range(128)
)
ROLES = {"quasi_identifiers": ["age"], "sensitive": ["illness"]}


@pytest.fixture(scope="module")
def client():
    with served() as running:
        yield running.browser()


def audited(client, **roles):
    id = sent(client, PEOPLE.encode()).json()["id"]
    found = result(client, client.post(f"{API}/tables/{id}/audit", json={"roles": ROLES | roles, "policy": "research-shared"}))
    return f"{API}/tables/{id}", found["verdict"]


def test_an_audit_tells_and_a_release_waits(client):
    address, verdict = audited(client)
    assert verdict["outcome"] == "withhold"
    assert [(c["column"], c["looks_like"]) for c in verdict["columns_without_role"]] == [("name", "direct identifier"), ("xqz", "unknown")]
    job = finished(client, client.post(f"{address}/anonymise", json={"acknowledge_rest": "a game"}))
    assert job["state"] == "failed" and "'name' looks like a direct identifier" in job["error"]
    assert client.get(f"{address}/release.csv").status_code == 409


def test_one_reason_is_enough_and_is_kept(client):
    address, verdict = audited(client, direct_identifiers=["name"])
    assert verdict["outcome"] == "release with acknowledgement"
    assert finished(client, client.post(f"{address}/anonymise", json={}))["state"] == "failed"
    made = result(client, client.post(f"{address}/anonymise", json={"acknowledge": {"xqz": "letters of a game"}}))
    assert made["met"]
    (kept,) = client.get(f"{address}/release.manifest.json").json()["columns_without_role"]
    assert (kept["column"], kept["word"], kept["reason"]) == ("xqz", "acknowledged", "letters of a game")


def test_the_word_insensitive_and_what_is_no_reason(client):
    address, verdict = audited(client, insensitive=["name", "xqz"])
    assert verdict["outcome"] == "release"
    assert client.post(f"{address}/anonymise", json={"acknowledge_rest": " "}).status_code == 422
    assert result(client, client.post(f"{address}/anonymise", json={}))["met"]


@needs_browser
def test_a_visitor_is_asked_for_one_reason(tmp_path, chromium):
    """Not said among the columns, named with the verdict, asked for in one field; without it nothing is released."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    with server(tmp_path) as url:
        visitor = Guest(chromium.new_context())
        page = visitor.page
        page.goto(url)
        visitor.brings(path)
        page.select_option("tr:has(.name:text-is('xqz')) select", "unknown")
        page.select_option("#policy", "research-shared")
        visitor.audits()
        assert "'xqz' cannot be told" in page.inner_text("#report .verdict")
        visitor.sees_sliders()
        assert "Why may xqz be released as it is?" in page.inner_text(".question")
        visitor.click("#best")
        page.wait_for_selector("#explorer .problem:not([hidden])")
        assert "reason is missing" in page.inner_text("#explorer .problem:not([hidden])")
        page.fill("#reason", "letters of a game")
        visitor.click("#best")
        page.wait_for_selector("#made .links")
        assert "letters of a game" in page.text_content("#made")
        assert visitor.complaints == []

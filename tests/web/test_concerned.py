"""Whom a finding is about, which weights make which version the best, and what words mean, over REST."""

from collections import Counter

import pytest

from anonscope.report.glossary import glossary
from anonscope.risk.metrics import METRICS
from support.served import API, finished, result, sent, served

ROWS = [(20 + i % 13, "FM"[i % 2], ("gout", "flu", "mumps")[i % 3]) for i in range(100)]
PEOPLE = "age,sex,diagnosis\n" + "".join(f"{age},{sex},{what}\n" for age, sex, what in ROWS)
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["diagnosis"], "scenarios": {"neighbour": ["sex"]}}


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture(scope="module")
def table(client):
    """The id of a table that was audited by two attackers."""
    id = sent(client, PEOPLE.encode()).json()["id"]
    result(client, client.post(f"{API}/tables/{id}/audit", json={"roles": ROLES, "policy": "research-shared", "plan": False}))
    return id


def test_the_groups_of_an_attacker_are_counted(client, table):
    """As somebody counts who goes through the list; another attacker sees other groups."""
    told = client.post(f"{API}/tables/{table}/groups", json={}).json()
    sizes = Counter(Counter((age, sex) for age, sex, _ in ROWS).values())
    assert [(one["size"], one["groups"], one["records"]) for one in told["sizes"]] == [(s, n, s * n) for s, n in sorted(sizes.items())]
    assert (told["records"], told["of"], told["larger"]) == (100, 100, 0)
    neighbour = client.post(f"{API}/tables/{table}/groups", json={"scenario": "neighbour"}).json()
    assert [(one["size"], one["groups"]) for one in neighbour["sizes"]] == [(50, 2)]
    assert "gout" not in str(told) and client.post(f"{API}/tables/{table}/groups", json={"scenario": "x"}).status_code == 422


def test_the_groups_of_a_rule_are_those_that_break_it(client, table):
    """By k = 5 those of fewer than five; a rule that holds has all records, and says so."""
    broken = client.post(f"{API}/tables/{table}/groups", json={"rule": "k_anonymity"}).json()
    sizes = Counter((age, sex) for age, sex, _ in ROWS)
    small = sum(sizes[age, sex] < 5 for age, sex, _ in ROWS)
    assert broken["broken"] and broken["records"] == small and all(one["size"] < 5 for one in broken["sizes"])
    listed = client.post(f"{API}/tables/{table}/records", json={"rule": "k_anonymity", "top": 1000}).json()["records"]
    assert len(listed) == small
    assert client.post(f"{API}/tables/{table}/groups", json={"rule": "no metric"}).status_code == 422


def test_the_weight_of_utility_moves_the_balance(client, table):
    """RUT is alpha U + (1 - alpha) (1 - R) of what the comparison says; only what meets the policy is recommended."""
    coarse = "age,sex,diagnosis\n" + "".join(f"{age // 20 * 20},{sex},{what}\n" for age, sex, what in ROWS)
    other = sent(client, coarse.encode(), "coarse.csv").json()["id"]
    job = finished(client, client.post(f"{API}/compare", json={"original": table, "releases": [other], "unknown": "observed"}))
    compared = client.get(job["location"]).json()["versions"]
    at = job["location"].removesuffix(".json")
    for alpha in (0.0, 0.35, 1.0):
        told = client.get(f"{at}/balance", params={"alpha": alpha}).json()
        for one, version in zip(told["versions"], compared, strict=True):
            parts = version["balance"]
            assert one["balance"] == pytest.approx(alpha * parts["utility"] + (1 - alpha) * (1 - parts["risk"]), abs=1e-6)
        met = compared[1]["outcome"].startswith("release") and "exception" not in compared[1]["outcome"]
        assert (told["best"] == compared[1]["version"]) == met
    assert client.get(f"{at}/balance", params={"alpha": 1.2}).status_code == 422
    assert set(compared[1]["kept"]) == {"values", "distributions", "relations"}


def test_every_word_of_the_glossary_and_every_metric_is_explained(client):
    """With a meaning each, once."""
    told = client.get(f"{API}/terms").json()["terms"]
    words = [one["term"].lower() for one in told]
    assert len(words) == len(set(words)) and all(one["meaning"] for one in told)
    assert {term.term.lower() for term in glossary()} | {metric.title.lower() for metric in METRICS.values()} <= set(words)

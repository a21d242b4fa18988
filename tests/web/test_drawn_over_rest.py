"""Drawn versions over REST: the methods, and what each version promises and still tells."""

import pytest

from anonscope.synthesis.methods import METHODS
from support.served import API, result, sent, served

DOMAIN = "record_is_person = true\n[columns.age]\nlower = 0\nupper = 99\nwhole = true\nbins = 5\n[columns.sex]\ncategories = ['F', 'M']\n"
CSV = "age,sex,ill\n" + "".join(f"{i * 7 % 100},{'FM'[i % 2]},{'yes' if i % 3 else 'no'}\n" for i in range(300))


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


def test_the_methods_are_those_of_the_registry(client):
    """With which of them are private, and their parameters."""
    found = client.get(f"{API}/synthesis/methods").json()

    assert [one["name"] for one in found] == list(METHODS)
    assert {one["name"] for one in found if one["private"]} == {"tree", "adaptive", "private_pca"}
    assert all(one["source"] and one["promise"] == ("epsilon and delta" if one["private"] else "no guarantee") for one in found)
    assert next(one for one in found if one["name"] == "cart")["parameters"] == {"leaf": 200, "smoothing": 0.0}


def test_versions_say_what_they_promise_and_tell(client):
    """One with an epsilon, one without; both have a report, and one that was searched for has neither."""
    id = sent(client, CSV.encode(), "people.csv").json()["id"]
    at = f"{API}/tables/{id}"
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}
    result(client, client.post(f"{at}/audit", json={"roles": roles}))
    result(client, client.post(f"{at}/synthesise", json={"domain": DOMAIN, "epsilon": 2, "hold_out": 0.2}))
    result(client, client.post(f"{at}/synthesise", json={"method": "copula"}))
    private, other = client.get(f"{at}/versions").json()

    assert private["promise"] == "epsilon 2, delta 1/1000000000" and other["promise"] == "no guarantee"
    assert private["tells"].startswith("pairs of columns are ") and other["tells"].startswith("pairs of columns are ")
    assert private["reported"] and other["reported"]
    page = client.get(f"{at}/versions/1/report.html").text
    assert "a factor 7.39" in page and "Attack on membership" in page and "What it still tells" in page

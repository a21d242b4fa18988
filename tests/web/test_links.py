"""The document of the interface says what can be asked next about a table that was sent and a job that was begun."""

import pytest

from support.served import API, sent, served


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


def test_links_lead_to_operations_that_there_are_and_answer(client):
    """Every operation about a table is reached from the answer to an upload, and every job from what began it."""
    document = client.get(f"{API}/openapi.json").json()
    known = {op["operationId"]: (method, path, op) for path, methods in document["paths"].items() for method, op in methods.items()}
    upload = document["paths"][f"{API}/tables"]["post"]["responses"]["201"]["links"]
    about = {name for name, (_, path, _) in known.items() if path.startswith(f"{API}/tables/{{id}}")}
    began = [op for methods in document["paths"].values() for op in methods.values() if "202" in op["responses"]]
    jobs = [name for op in began for name in op["responses"]["202"]["links"]]

    assert {link["operationId"] for link in upload.values()} == about and len(about) > 30
    assert len(began) > 15 and {known[name][1] for name in jobs} >= {f"{API}/jobs/{{id}}"}
    table = sent(client, b"age,zip\n30,1\n31,2\n", "people.csv").json()
    for link in upload.values():
        method, path, operation = known[link["operationId"]]
        assert any((one["name"], one["in"]) == ("id", "path") for one in operation["parameters"])
        if method == "get" and path.count("{") == 1:
            assert client.get(path.replace("{id}", table["id"])).status_code in (200, 404, 409)

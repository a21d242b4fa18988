"""The document that describes the interface: every body has an example, which fits its schema and which a server understands."""

import jsonschema
import pytest

from anonscope.io.samples import write_hospital
from anonscope.web.examples import EXAMPLES
from support.served import API, result, sent, served


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture(scope="module")
def document(client):
    return client.get(f"{API}/openapi.json").json()


def bodies(document):
    """Return the JSON bodies of operations: method, path, and the name of the schema."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if schema is not None:
                references = [part.get("$ref", "") for part in (schema, *schema.get("anyOf", ()))]
                yield method, path, next(reference for reference in references if reference).rpartition("/")[2]


def test_every_body_has_an_example_that_fits(document):
    """By a validator that shares nothing with what wrote the document; and no example is of a body that there is not."""
    named = {name for _, _, name in bodies(document)}
    assert named == set(EXAMPLES)
    for name in named:
        schema = {**document["components"]["schemas"][name], "components": document["components"]}
        (example,) = schema["examples"]
        jsonschema.Draft202012Validator(schema).validate(example)


# Work that is cancelled may be tidying up just then, which Python tells of and goes on with.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_examples_about_the_sample_are_understood(client, document, tmp_path):
    """Whoever copies one gets an answer, or a job; what needs other tables, a release or a set-up of its own is left out."""
    patients = write_hospital(tmp_path, people=300).patients
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    result(client, client.post(f"{API}/tables/{id}/audit", json={**EXAMPLES["AuditAsked"], "plan": False}))
    result(client, client.post(f"{API}/tables/{id}/explorer", json=EXAMPLES["ExplorerAsked"]))
    result(client, client.post(f"{API}/tables/{id}/anonymise", json=EXAMPLES["AnonymiseAsked"]))
    left_out = {"BesideAsked", "RegisterAsked", "SealAsked", "OutcomeSent", "IntruderTestAsked", "ReadingSent"}
    asked = 0
    for method, path, name in bodies(document):
        if path.count("{") == 1 and "tables/{id}/" in path and name not in left_out:
            answer = client.request(method.upper(), path.replace("{id}", id), json=EXAMPLES[name])
            assert answer.status_code in (200, 202), (path, answer.text)
            if answer.status_code == 202:
                client.post(f"{API}/jobs/{answer.json()['id']}/cancel")
            asked += 1
    assert asked >= 20
    assert client.put(f"{API}/tables/{id}/reading", json=EXAMPLES["ReadingSent"]).status_code == 200


def test_operations_have_names_of_their_own(document):
    """A client that is made from the document calls its functions by them."""
    names = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(names) == len(set(names)) and all(name.isidentifier() for name in names)

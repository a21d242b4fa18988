"""Over REST a name under another role or another name stops a release as it does at the prompt."""

import pytest

from support.served import API, finished, result, sent, served

NAMES = [
    f"{given} {family}" for given in ("Anna", "Peter", "Maria", "Thomas") for family in ("Schmidt", "Meyer", "Weber", "Wagner", "Koch")
]
TABLE = "age,ill,result\n" + "".join(f"{20 + i % 2},{'flu' if i % 3 else 'gout'},{name}\n" for i, name in enumerate(NAMES))
RECODED = """schema = "anonscope/recipe/1"
[[steps]]
apply = "recode"
quasi_identifiers = ["result"]
[[steps.rules]]
metric = "k_anonymity"
minimum = 1
"""


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive"])
def test_a_name_is_withheld_whatever_it_is_called(role):
    roles = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    roles[role] = [*roles[role], "result"]
    with served() as server:
        client = server.browser()
        table = f"{API}/tables/{sent(client, TABLE.encode()).json()['id']}"
        found = result(client, client.post(f"{table}/audit", json={"roles": roles, "acknowledge_rest": "a test"}))
        assert found["verdict"]["outcome"] == "withhold"
        assert [c["column"] for c in found["verdict"]["identifying_attributes"]] == ["result"]
        assert finished(client, client.post(f"{table}/apply", json={"recipe": RECODED}))["state"] != "done"

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


ALIKE = "age,ill\n" + "".join(f"{age},{ill}\n" for age in (30, 40) for ill in ("flu", "Flu", "FLU", "flu "))
SHORT = "age,points\n" + "".join(f"{30 + i % 2},{1 + i * 37 % 101}\n" for i in range(100))


@pytest.mark.parametrize(("table", "secret"), [(ALIKE, "ill"), (SHORT, "points")], ids=["alike", "short"])
def test_what_needs_a_word_needs_it_over_rest(table, secret):
    """Values that look alike, and short numbers that nobody shares: no file in either format without a word, and with one both."""
    roles = {"quasi_identifiers": ["age"], "sensitive": [secret]}
    with served() as server:
        client = server.browser()
        for words, made in (({}, False), ({"acknowledge": {secret: "a test"}}, True)):
            address = f"{API}/tables/{sent(client, table.encode()).json()['id']}"
            found = result(client, client.post(f"{address}/audit", json={"roles": roles, **words}))
            assert found["verdict"]["words_missing"] == ([] if made else [secret])
            asked = {"limits": {"k_anonymity": 2, "l_diversity": 2}, **words}
            assert (finished(client, client.post(f"{address}/anonymise", json=asked))["state"] == "done") == made
            for form in ("csv", "parquet"):
                assert (client.get(f"{address}/release.{form}").status_code == 200) == made

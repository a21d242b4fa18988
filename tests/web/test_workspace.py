"""The workspace of a table over REST: what is said of it stays, what is wrong changes nothing, and versions outlive what comes after."""

import pytest

from support.served import API, result, sent, served

PEOPLE = b"id,age,sex,zip,diagnosis\n" + b"".join(
    b"P%03d,%d,%s,%05d,%s\n" % (i, 20 + i % 30, b"FM"[i % 2 : i % 2 + 1], 10000 + i % 7, (b"gout", b"flu", b"flu")[i % 3])
    for i in range(240)
)
ROLES = {"quasi_identifiers": ["age", "sex", "zip"], "sensitive": ["diagnosis"], "direct_identifiers": ["id"]}


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture
def table(client):
    """The address of a table for which roles were proposed."""
    address = f"{API}/tables/{sent(client, PEOPLE).json()['id']}"
    result(client, client.post(f"{address}/suggest", json={}))
    return address


def state(client, table):
    return client.get(f"{table}/workspace").json()


def test_roles_begin_with_what_is_proposed(client, table):
    """They are those of the suggestion, and nothing is measured yet."""
    told = state(client, table)
    assert told["roles"]["quasi_identifiers"] and told["undoable"] == 0
    assert told["measured"] is False and told["verdict"]["outcome"] is None and told["verdict"]["tone"] == "none"


def test_what_is_wrong_changes_nothing(client, table):
    """A column, a role, a policy or a version that there is not; the rest of the request is not done either."""
    before = state(client, table)
    for wrong in (
        {"assign": {"nothing": "sensitive"}},
        {"assign": {"age": "king"}},
        {"policy": "/etc/passwd"},
        {"shown": 7},
        {"answers": {"harm": "much"}},
    ):
        answer = client.patch(f"{table}/workspace", json={"notes": "a note", **wrong})
        assert answer.status_code in (404, 422), answer.text
    assert state(client, table) == before


def test_one_column_says_whose_a_row_is(client, table):
    """A second one takes the role over; and where a row is a person, the id is a direct identifier."""
    client.patch(f"{table}/workspace", json={"row": "event", "person": "zip"})
    told = client.patch(f"{table}/workspace", json={"assign": {"id": "person"}}).json()
    assert told["roles"]["person"] == "id" and "zip" not in str(told["roles"])
    told = client.patch(f"{table}/workspace", json={"row": "person"}).json()
    assert told["row"] == "person" and "person" not in told["roles"] and "id" in told["roles"]["direct_identifiers"]


def test_changes_of_roles_are_taken_back_one_by_one(client, table):
    """Until there is none."""
    first = state(client, table)["roles"]
    for role in ("sensitive", "insensitive", None):
        client.patch(f"{table}/workspace", json={"assign": {"zip": role}})
    for _ in range(3):
        client.post(f"{table}/workspace/undo")
    assert state(client, table)["roles"] == first
    assert client.post(f"{table}/workspace/undo").status_code == 409


def test_who_is_alone_is_counted(client, table):
    """As somebody counts who goes through the list: records, and people where one may have several rows."""
    roles = {"quasi_identifiers": ["age", "zip"], "sensitive": ["diagnosis"], "direct_identifiers": ["id"], "insensitive": ["sex"]}
    result(client, client.post(f"{table}/audit", json={"roles": roles}))
    alone = client.get(f"{table}/alone").json()
    assert alone["people"] == 240
    keys = [(20 + i % 30, 10000 + i % 7) for i in range(240)]
    assert alone["alone"] == sum(keys.count(key) == 1 for key in keys)
    client.patch(f"{table}/workspace", json={"assign": {"sex": "person"}})
    alone = client.get(f"{table}/alone").json()
    owners = {}
    for i, key in enumerate(keys):
        owners.setdefault(key, set()).add(i % 2)
    assert (alone["people"], alone["alone"]) == (2, len({min(who) for who in owners.values() if len(who) == 1}))


def test_answers_choose_the_policy_and_stay(client, table):
    """Several sets of answers choose one policy: which were given is known, until another policy is chosen."""
    answers = {"receiver": "agreement", "harm": "little", "rules": "europe"}
    told = client.patch(f"{table}/workspace", json={"answers": answers}).json()
    assert (told["policy"], told["answers"]) == ("research-shared", answers) and state(client, table)["answers"] == answers
    assert client.patch(f"{table}/workspace", json={"policy": "scorr"}).json()["answers"] == {}


def test_versions_stay_when_the_table_is_measured_anew(client, table):
    """By other roles or another policy; each is judged by the policy of the workspace, and says for which it was made."""
    result(client, client.post(f"{table}/audit", json={"roles": ROLES, "policy": "research-shared"}))
    assert result(client, client.post(f"{table}/anonymise", json={}))["met"]
    first = client.get(f"{table}/versions/1/release.csv").content
    result(client, client.post(f"{table}/audit", json={"roles": ROLES, "policy": "public-strict"}))
    told = state(client, table)
    (version,) = told["versions"]
    assert (version["policy"], told["policy"], told["shown"]) == ("research-shared", "public-strict", 1)
    assert version["verdict"]["outcome"] is not None and version["audited"]
    audited = client.get(f"{table}/versions/1/audit.json").json()
    assert (audited["verdict"]["policy"], audited["verdict"]["outcome"]) == ("public-strict", version["verdict"]["outcome"])
    result(client, client.post(f"{table}/anonymise", json={"limits": {"k_anonymity": 10_000}}))
    assert [v["number"] for v in state(client, table)["versions"]] == [1]
    assert client.get(f"{table}/versions/1/release.csv").content == client.get(f"{table}/release.csv").content == first


def test_what_was_asked_beside_a_policy_is_no_verdict_by_it(client, table):
    """A release by limits alone is judged by the policy of the workspace, not by its own limits."""
    result(client, client.post(f"{table}/audit", json={"roles": ROLES, "policy": "public-strict"}))
    result(client, client.post(f"{table}/anonymise", json={"limits": {"k_anonymity": 2}}))
    (version,) = state(client, table)["versions"]
    with_roles = {"quasi_identifiers": ["age", "sex", "zip"], "sensitive": ["diagnosis"]}
    id = sent(client, client.get(f"{table}/versions/1/release.csv").content, "release.csv").json()["id"]
    judged = result(client, client.post(f"{API}/tables/{id}/audit", json={"roles": with_roles, "policy": "public-strict"}))
    assert version["verdict"]["outcome"] == judged["verdict"]["outcome"]


def test_a_verdict_about_other_roles_is_none(client, table):
    """Who says that outsiders know one column more has no verdict on a version until it is measured so; it comes back with the roles."""
    result(client, client.post(f"{table}/audit", json={"roles": ROLES, "policy": "research-shared"}))
    assert result(client, client.post(f"{table}/anonymise", json={}))["met"]
    before = state(client, table)["versions"][0]["verdict"]
    assert before["outcome"] == "release"
    told = client.patch(f"{table}/workspace", json={"assign": {"diagnosis": "quasi_identifiers"}}).json()
    assert (told["measured"], told["verdict"]["outcome"], told["verdict"]["tone"]) == (False, None, "none")
    assert "changed" in told["verdict"]["reason"] and told["versions"][0]["verdict"] == told["verdict"]
    assert client.get(f"{table}/versions/1/audit.json").status_code == 409
    # A name that was dropped is not in it, whatever it is said to be.
    client.post(f"{table}/workspace/undo")
    told = client.patch(f"{table}/workspace", json={"assign": {"id": "insensitive"}}).json()
    assert told["measured"] is False and told["versions"][0]["verdict"] == before

    known = {"quasi_identifiers": ["age", "sex", "zip", "diagnosis"], "direct_identifiers": ["id"]}
    result(client, client.post(f"{table}/audit", json={"roles": known, "policy": "research-shared", "plan": False}))
    told = state(client, table)
    audited = client.get(f"{table}/versions/1/audit.json").json()
    assert "diagnosis" in audited["roles"]["quasi_identifiers"]
    assert audited["verdict"]["outcome"] == told["verdict"]["outcome"] == "withhold"
    made = client.get(f"{table}/copy?room=repair").json()["lines"][0]["text"]
    assert "--sensitive diagnosis" in made and "--quasi-identifier diagnosis" not in made
    result(client, client.post(f"{table}/audit", json={"roles": ROLES, "policy": "research-shared", "plan": False}))
    assert state(client, table)["verdict"]["outcome"] == "release"


def test_people_are_counted_in_a_version_that_does_not_say_whose_a_row_is(client):
    """Their id is left out because all of somebody's records together find them; another policy still counts people, not rows."""
    visits = b"id,age,sex,ward,diagnosis\n" + b"".join(
        b"P%03d,%d,%s,%d,%s\n" % (p, 20 + p % 40, (b"F", b"M")[p % 2], p // 7 ** (v // 2) % 7, (b"gout", b"flu", b"cold")[(p + v * v) % 3])
        for p in range(120)
        for v in range(6)
    )
    table = f"{API}/tables/{sent(client, visits).json()['id']}"
    roles = {"quasi_identifiers": ["age", "sex", "ward"], "sensitive": ["diagnosis"], "person": "id"}
    result(client, client.post(f"{table}/audit", json={"roles": roles, "policy": "research-shared", "plan": False}))
    assert result(client, client.post(f"{table}/anonymise", json={}))["met"]
    assert client.get(f"{table}/versions/1/release.csv").text.splitlines()[0] == "age,sex,ward,diagnosis"

    def sizes():
        found = client.get(f"{table}/versions/1/audit.json").json()["measurements"]
        return {m["level"]: m["value"] for m in found if m["metric"] == "k_anonymity" and m["attributes"] is None}

    by_people = sizes()
    assert by_people["person"] < by_people["record"]
    result(client, client.post(f"{table}/audit", json={"roles": roles, "policy": "public-strict", "plan": False}))
    assert state(client, table)["versions"][0]["verdict"]["outcome"] is not None
    assert sizes() == by_people


def test_what_a_room_found_stays(client, table):
    """A comparison and what was added to it, and the control of an attack, are there for whoever reloads; with other roles they are not."""
    result(client, client.post(f"{table}/audit", json={"roles": ROLES, "policy": "research-shared", "plan": False}))
    result(client, client.post(f"{table}/anonymise", json={}))
    id, other = table.rpartition("/")[2], sent(client, client.get(f"{table}/versions/1/release.csv").content, "theirs.csv").json()["id"]
    before = state(client, table)
    assert before["results"] == {} and before["added"] == [] and before["control"] is None
    for wrong in ({"added": ["nobody's"]}, {"control": "nobody's"}):
        assert client.patch(f"{table}/workspace", json={"notes": "a note", **wrong}).status_code == 404
    assert state(client, table) == before
    told = client.patch(f"{table}/workspace", json={"added": [other], "left_out": [1], "control": other}).json()
    named = {"id": other, "name": "theirs.csv"}
    assert (told["added"], told["left_out"], told["control"]) == ([named], [1], named)

    result(client, client.post(f"{API}/compare", json={"original": id, "releases": [other]}))
    kept = state(client, table)["results"]["compare"]
    assert kept["version"] == "Version 1" and client.get(kept["location"]).json()["versions"][1]["version"] == "theirs.csv"
    result(client, client.post(f"{table}/audit", json={"roles": {**ROLES, "insensitive": []}, "policy": "research-shared", "plan": False}))
    assert state(client, table)["results"]["compare"] == kept
    result(client, client.post(f"{table}/audit", json={"roles": ROLES, "policy": "public-strict", "plan": False}))
    client.delete(f"{API}/tables/{other}")
    told = state(client, table)
    assert told["results"] == {} and told["added"] == [] and told["control"] is None

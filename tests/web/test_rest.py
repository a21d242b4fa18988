"""The REST interface: every operation answers as the OpenAPI document says, with the JSON of the command line."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.io.samples import write_hospital
from support.served import API, finished, result, sent, served

DROP = 'schema = "anonscope/recipe/1"\n' + "".join(
    f'[[steps]]\napply = "drop_column"\ncolumn = "{column}"\n' for column in ("name", "patient_id")
)
QUERIES = 'epsilon = 1\n[columns.sex]\ncategories = ["F", "M"]\nother = "other"\n[[queries]]\nkind = "histogram"\nby = ["sex"]\n'
DOMAIN = '[columns.sex]\ncategories = ["F", "M"]\nother = "X"\n\n[columns.age]\nlower = 0\nupper = 120\nbins = 6\n'
ROLES = {"quasi_identifiers": ["sex", "age", "zip"], "sensitive": ["diagnosis"], "direct_identifiers": ["name", "patient_id"]}


@pytest.fixture(scope="module")
def server():
    with served() as found:
        yield found


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    return write_hospital(tmp_path_factory.mktemp("hospital"), people=300).patients


@pytest.fixture(scope="module")
def client(server):
    return server.browser()


@pytest.fixture(scope="module")
def table(client, patients):
    """A table that was audited, prepared, anonymised."""
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    address = f"{API}/tables/{id}"
    result(client, client.post(f"{address}/suggest", json={}))
    result(client, client.post(f"{address}/audit", json={"roles": ROLES, "policy": "research-shared"}))
    result(client, client.post(f"{address}/explorer"))
    found = result(client, client.post(f"{address}/anonymise", json={"limits": {"k_anonymity": 5}, "acknowledge_rest": "a test"}))
    assert found["met"]
    return id


def fits(value, schema, document):
    """Return what is wrong with a value by a JSON schema, as far as our document uses the language."""
    if "$ref" in schema:
        return fits(value, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], document)
    if "anyOf" in schema:
        return [] if any(not fits(value, option, document) for option in schema["anyOf"]) else [f"{value!r} fits none"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{value!r} is not one of {schema['enum']}"]
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return [f"{value!r} is no {schema['type']}"]
    wrong = [f"{key} is missing" for key in schema.get("required", ()) if key not in value]
    if isinstance(value, dict):
        more = schema.get("additionalProperties", {})
        for key, part in value.items():
            known = schema.get("properties", {}).get(key, more if isinstance(more, dict) else {})
            wrong += [f"{key}: {text}" for text in fits(part, known, document)]
    if isinstance(value, list):
        wrong += [text for part in value for text in fits(part, schema.get("items", {}), document)]
    return wrong


# What needs a server or a release of another kind, and who asks for it there.
ELSEWHERE = {
    "/project": "test_project",
    "/sources": "test_sources",
    "/register": "test_sign_off_over_rest",
    "/seal": "test_sign_off_over_rest",
    "/release.manifest.json.sig": "test_sign_off_over_rest",
    "/intruder-test": "test_sign_off_over_rest",
    "/signed/": "test_project",
    "/questions.toml": "test_sign_off_over_rest",
}


def calls(table, job, comparison, release, attack, answers):
    """Return a request for every operation: method, path template, path, and what is sent."""
    t = f"{API}/tables/{{id}}"
    at = {"{id}": table}
    first, age = at | {"{number}": "1"}, at | {"{position}": "3"}
    ladder = "".join(f"{years};{'young' if years < 40 else 'old'};*\n" for years in range(130))
    return [
        ("GET", f"{API}/policies", {}, {}),
        ("GET", f"{API}/project", {}, {}),
        ("GET", f"{API}/sources", {}, {}),
        ("GET", f"{API}/tables", {}, {}),
        ("POST", f"{API}/tables", {}, {"files": {"sample": (None, "visits")}}),
        ("GET", t, at, {}),
        ("POST", f"{t}/suggest", at, {"json": {}}),
        ("GET", f"{t}/suggestion", at, {}),
        *(("GET", f"{t}/audit.{{ending}}", at | {"{ending}": ending}, {}) for ending in ("json", "html", "md")),
        ("GET", f"{t}/roles.toml", at, {}),
        ("POST", f"{t}/records", at, {"json": {"top": 3}}),
        ("POST", f"{t}/groups", at, {"json": {"rule": "k_anonymity"}}),
        ("GET", f"{t}/explorer", at, {}),
        ("POST", f"{t}/explore", at, {"json": {"levels": {"age": 1}, "suppression": 0.1}}),
        *(("GET", f"{t}/anonymisation.{{ending}}", at | {"{ending}": ending}, {}) for ending in ("json", "html", "md")),
        *(("GET", f"{t}/release{end}", at, {}) for end in (".csv", ".parquet", ".recipe.toml", ".manifest.json")),
        *(("GET", f"{t}/release-for-{whom}.zip", at, {}) for whom in ("recipient", "archive")),
        ("POST", f"{t}/verify", {"{id}": release}, {}),
        *(("GET", f"{t}/verification.{{ending}}", {"{id}": release, "{ending}": ending}, {}) for ending in ("json", "html", "md")),
        ("GET", f"{t}/workspace", at, {}),
        ("PATCH", f"{t}/workspace", at, {"json": {"assign": {"zip": "insensitive"}, "notes": "a note", "wished": {"levels": {"age": 1}}}}),
        ("POST", f"{t}/workspace/undo", at, {}),
        ("GET", f"{t}/alone", at, {}),
        ("GET", f"{API}/terms", {}, {}),
        ("GET", f"{API}/synthesis/methods", {}, {}),
        ("GET", f"{API}/comparisons/{{id}}/balance", {"{id}": comparison}, {}),
        ("GET", f"{t}/copy", at, {}),
        ("GET", f"{t}/reading", at, {}),
        ("POST", f"{t}/preview", at, {"json": {"rows": 2}}),
        ("GET", f"{t}/beside", at, {}),
        ("GET", f"{t}/mapping/{{other}}", at | {"{other}": release}, {}),
        ("PUT", f"{t}/beside/outside", at, {"json": {"table": release, "columns": {"age": "age"}}}),
        ("PUT", f"{t}/beside/population", at, {"json": {}}),
        ("GET", f"{t}/hierarchies/{{position}}", age, {}),
        ("POST", f"{t}/hierarchies/{{position}}/change", age, {"json": {"change": "move", "level": 1, "labels": ["[20-24]"], "by": 1}}),
        ("GET", f"{t}/hierarchies/{{position}}/hierarchy.csv", age, {}),
        ("DELETE", f"{t}/hierarchies/{{position}}", age, {}),
        ("PUT", f"{t}/hierarchies/{{position}}", age, {"json": {"csv": ladder}}),
        ("POST", f"{t}/sign-off", at, {}),
        ("GET", f"{t}/signed/{{number}}.{{ending}}", first | {"{ending}": "json"}, {}),
        ("GET", f"{t}/versions", at, {}),
        ("DELETE", f"{t}/versions/{{number}}", first, {}),
        ("POST", f"{t}/versions/{{number}}/restore", first, {}),
        ("POST", f"{t}/versions/{{number}}/verify", first, {}),
        *(("GET", f"{t}/versions/{{number}}/report.{{ending}}", first | {"{ending}": ending}, {}) for ending in ("json", "html", "md")),
        ("GET", f"{t}/versions/{{number}}/audit.{{ending}}", first | {"{ending}": "json"}, {}),
        *(("GET", f"{t}/versions/{{number}}/release{end}", first, {}) for end in (".csv", ".parquet", ".recipe.toml", ".manifest.json")),
        *(("GET", f"{t}/versions/{{number}}/release-for-{whom}.zip", first, {}) for whom in ("recipient", "archive")),
        ("POST", f"{API}/compare", {}, {"json": {"original": table, "own_release": True}}),
        *(("GET", f"{API}/comparisons/{{id}}.{{ending}}", {"{id}": comparison, "{ending}": e}, {}) for e in ("json", "html", "md")),
        ("POST", f"{API}/link", {}, {"json": {"release": release, "external": table}}),
        ("POST", f"{API}/attack", {}, {"json": {"original": table, "own_release": True, "policy": "synthetic"}}),
        *(("GET", f"{API}/attacks/{{id}}.{{ending}}", {"{id}": attack, "{ending}": e}, {}) for e in ("json", "html", "md")),
        ("POST", f"{t}/unicity", at, {"json": {"person": "patient_id", "points": ["age", "sex"], "coarsen": {"age": "10"}, "most": 1}}),
        ("POST", f"{t}/answer", at, {"json": {"queries": QUERIES}}),
        *(
            ("POST", f"{t}/{verb}", at, {})
            for verb in ("precheck", "approximate", "check", "describe", "associations", "fragmentation", "hierarchy")
        ),
        ("POST", f"{t}/recipe", at, {"json": {"level": "P1"}}),
        ("POST", f"{t}/apply", at, {"json": {"recipe": DROP}}),
        ("POST", f"{t}/synthesise", at, {"json": {"method": "tree", "epsilon": 1, "domain": DOMAIN}}),
        ("GET", f"{t}/domain.toml", at, {}),
        ("POST", f"{t}/pipeline", at, {"json": {"roles": ROLES, "acknowledge_rest": "a test"}}),
        ("POST", f"{t}/fragment", at, {"json": {"limits": {"k_anonymity": 3}, "acknowledge_rest": "a test"}}),
        ("GET", f"{API}/recipes/{{id}}.toml", {"{id}": answers["recipe"]}, {}),
        *(("GET", f"{API}/results/{{id}}.{{ending}}", {"{id}": answers["fragment"], "{ending}": e}, {}) for e in ("json", "html", "md")),
        *(("GET", f"{t}/fragments-for-{whom}.zip", at, {}) for whom in ("recipient", "archive")),
        ("GET", f"{API}/jobs/{{id}}", {"{id}": job}, {}),
        ("GET", f"{API}/jobs/{{id}}/events", {"{id}": job}, {}),
        ("POST", f"{API}/jobs/{{id}}/cancel", {"{id}": job}, {}),
        ("POST", f"{t}/anonymise", at, {"json": {"limits": {"k_anonymity": 3}, "acknowledge_rest": "a test"}}),
        *(("GET", f"{t}/plan.{{ending}}", {**at, "{ending}": e}, {}) for e in ("json", "html", "md")),
        ("POST", f"{t}/plan", at, {"json": {"limits": {"k_anonymity": 3}}}),
        ("POST", f"{t}/plan", at, {"json": {"like": table, "suppressed": "drop"}}),
        ("POST", f"{t}/explorer", at, {}),
        ("POST", f"{t}/audit", at, {"json": {"roles": ROLES}}),
        ("PUT", f"{t}/reading", at, {"json": {"delimiter": ","}}),
        ("DELETE", t, at, {}),
    ]


def test_every_operation_answers_as_the_document_says(client, patients, table):
    """Status, media type and every field; and no operation of the document is left out."""
    document = client.get(f"{API}/openapi.json").json()
    compared = finished(client, client.post(f"{API}/compare", json={"original": table, "own_release": True}))
    comparison = compared["location"].rpartition("/")[2].removesuffix(".json")
    wish = {"original": table, "own_release": True, "attackers": [{"name": "n", "columns": ["sex", "age"], "within": {"age": 1}}]}
    attacked = finished(client, client.post(f"{API}/attack", json=wish))
    attack = attacked["location"].rpartition("/")[2].removesuffix(".json")
    other = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    files = {"file": ("release.csv", client.get(f"{API}/tables/{table}/release.csv").content)}
    files["manifest"] = (None, client.get(f"{API}/tables/{table}/release.manifest.json").text)
    release = client.post(f"{API}/tables", files=files).json()["id"]
    assert client.post(f"{API}/tables/{other}/verify").status_code == 409
    verified = result(client, client.post(f"{API}/tables/{release}/verify"))
    assert (verified["release"], verified["holds"]) == ("release.csv", True)
    called = set()
    asked = {"recipe": {"level": "P1"}, "fragment": {"limits": {"k_anonymity": 3}, "acknowledge_rest": "a test"}}
    made = {verb: finished(client, client.post(f"{API}/tables/{table}/{verb}", json=wish)) for verb, wish in asked.items()}
    answers = {verb: job["location"].rpartition("/")[2].partition(".")[0] for verb, job in made.items()}
    for method, template, values, given in calls(table, compared["id"], comparison, release, attack, answers):
        path = template
        for key, value in values.items():
            path = path.replace(key, other if (method, template) == ("DELETE", f"{API}/tables/{{id}}") and key == "{id}" else value)
        answer = client.request(method, path, **given)
        expected = document["paths"][template][method.lower()]["responses"]
        assert str(answer.status_code) in [code for code in expected if code.startswith("2")], (path, answer.text)
        called.add((method, template))
        content = expected[str(answer.status_code)].get("content", {})
        kind = answer.headers.get("content-type", "").partition(";")[0]
        assert kind in content or not content, (path, kind)
        if kind == "application/json" and "schema" in content[kind] and content[kind]["schema"].get("format") != "binary":
            assert fits(answer.json(), content[kind]["schema"], document) == [], path
        if answer.status_code == 202:
            finished(client, answer)
    known = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert known >= called
    left = {(method, path) for method, path in known - called if not any(part in path for part in ELSEWHERE)}
    assert left == set()
    for part, file in ELSEWHERE.items():
        assert any(part in path for _, path in known) and part in (Path(__file__).parent / f"{file}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path",
    ["tables/x", "tables/x/suggestion", "tables/x/audit.json", "jobs/x", "comparisons/x.json", "attacks/x.json", "tables/x/release.csv"],
)
def test_what_is_not_there_is_said_in_one_sentence(client, path):
    """404 and an error, as the document says."""
    answer = client.get(f"{API}/{path}")
    assert answer.status_code == 404
    assert list(answer.json()) == ["error"]


def test_the_audit_is_the_one_of_the_command_line(client, patients):
    """The same JSON, but for what depends on the moment."""
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    found = result(client, client.post(f"{API}/tables/{id}/audit", json={"roles": ROLES, "policy": "scorr", "explain": True}))
    given = ("-q", "sex", "-q", "age", "-q", "zip", "-s", "diagnosis", "--direct-identifier", "name", "--direct-identifier", "patient_id")
    printed = json.loads(CliRunner().invoke(app, ["audit", str(patients), *given, "--explain", "--format", "json", "--quiet"]).stdout)

    assert list(found) == list(printed)
    for key in ("schema", "roles", "verdict", "measurements"):
        assert found[key] == printed[key]


def test_the_suggestion_is_accepted_when_no_roles_are_given(client, patients):
    """The report says that the roles were proposed."""
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    found = result(client, client.post(f"{API}/tables/{id}/audit", json={}))
    assert found["roles"]["quasi_identifiers"]
    assert "Roles were proposed by anonscope" in client.get(f"{API}/tables/{id}/audit.md").text


def test_values_of_records_need_a_second_word(client, table):
    """Without it they are refused; the list itself has row numbers."""
    address = f"{API}/tables/{table}"
    result(client, client.post(f"{address}/audit", json={"roles": ROLES, "policy": "research-shared"}))
    listed = client.post(f"{address}/records", json={"top": 2}).json()
    assert listed["columns"][:2] == ["row", "class_size"] and len(listed["records"]) == 2
    assert client.post(f"{address}/records", json={"values": True}).status_code == 422
    shown = client.post(f"{address}/records", json={"top": 2, "values": True, "confirm": True}).json()
    assert set(ROLES["quasi_identifiers"]) <= set(shown["columns"])


def test_the_bundle_for_others_holds_nothing_of_the_original(client, patients):
    """The recipient gets the release and its manifest; the archive also the recipe, and the hierarchies that it names."""
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    address = f"{API}/tables/{id}"
    result(client, client.post(f"{address}/audit", json={"roles": ROLES}))
    assert client.get(f"{address}/release.csv").status_code == 409
    result(client, client.post(f"{address}/anonymise", json={"limits": {"k_anonymity": 5}, "acknowledge_rest": "a test"}))
    recipient, archive = (
        zipfile.ZipFile(io.BytesIO(client.get(f"{address}/release-for-{whom}.zip").content)) for whom in ("recipient", "archive")
    )
    assert set(recipient.namelist()) == {"release.csv", "release.csv.manifest.json"}
    names = set(archive.namelist())
    assert {"release.csv", "release.csv.manifest.json", "release.csv.archive/manifest.json", "release.csv.archive/recipe.toml"} <= names
    assert any(name.startswith("release.csv.archive/hierarchies/") for name in names)
    assert recipient.read("release.csv") == archive.read("release.csv") == client.get(f"{address}/release.csv").content
    told, kept = json.loads(recipient.read("release.csv.manifest.json")), json.loads(archive.read("release.csv.archive/manifest.json"))
    assert not {"source", "recipe", "seeds", "hierarchies"} & set(told) and set(told["files"]) == {"release.csv"}
    assert {"source", "recipe", "seeds", "hierarchies", "files"} <= set(kept)
    for secret in (kept["source"]["sha256"], kept["recipe"]["sha256"], "recipe.toml"):
        assert secret not in recipient.read("release.csv.manifest.json").decode()
    assert told["verdicts"][0]["outcome"] == "release with acknowledgement"


@pytest.mark.parametrize("policy", ["/etc/passwd", "../x.toml", "./mine.toml", "nothing"])
def test_a_policy_is_a_name_and_never_a_file_of_the_server(client, table, policy):
    """The error does not say whether there is such a file."""
    for what in ("audit", "anonymise"):
        answer = client.post(f"{API}/tables/{table}/{what}", json={"policy": policy})
        assert (answer.status_code, answer.json()["error"][:25]) == (422, "There is no such policy. ")


@pytest.mark.parametrize("k", [0, -2, 2.5])
def test_limits_that_are_no_counts_are_refused(client, table, k):
    """The sentence of the command line and of Python, and no release."""
    job = client.post(f"{API}/tables/{table}/anonymise", json={"limits": {"k_anonymity": k}})
    while job.status_code < 300 and job.json()["state"] in ("queued", "running"):
        job = client.get(f"{API}/jobs/{job.json()['id']}")
    assert "its limit is a whole number from 1 on" in job.json()["error"], job.text


def test_roles_cannot_name_files(client, table):
    """Hierarchies are files of the server's machine on the command line; here they are not known."""
    roles = ROLES | {"hierarchies": {"age": "/etc/passwd"}}
    assert client.post(f"{API}/tables/{table}/audit", json={"roles": roles}).status_code == 422


def test_events_end_with_the_last_state(client, patients):
    """A stream of events tells the steps of a job and then closes."""
    id = sent(client, patients.read_bytes(), "patients.csv").json()["id"]
    job = client.post(f"{API}/tables/{id}/audit", json={"roles": ROLES}).json()["id"]
    with client.stream("GET", f"{API}/jobs/{job}/events") as stream:
        told = [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line.startswith("data: ")]
    assert told[-1]["state"] == "done" and all(t["id"] == job for t in told)


def test_a_comparison_is_told_what_values_stand_for(client):
    """By a recipe, by a hierarchy, or by what they replaced; a recipe that names files of the server is refused."""
    people = "age,job\n" + "".join(f"{20 + i},{'nurse' if i % 2 else 'clerk'}\n" for i in range(12))
    original = client.post(f"{API}/tables", files={"file": ("people.csv", people)}).json()["id"]
    released = people.replace("nurse", "care").replace("clerk", "office")
    release = client.post(f"{API}/tables", files={"file": ("release.csv", released)}).json()["id"]
    asked = {"roles": {"quasi_identifiers": ["age", "job"]}}
    assert finished(client, client.post(f"{API}/tables/{original}/audit", json=asked))["state"] == "done"
    begin = 'schema = "anonscope/recipe/1"\n\n[[steps]]\n'
    recipe = begin + 'apply = "generalise_mapping"\ncolumn = "job"\nmapping = {nurse = "care", clerk = "office"}\n'
    shares = []
    for told in ({}, {"recipes": {release: recipe}}, {"hierarchies": {"job": "nurse;care;*\nclerk;office;*\n"}}, {"unknown": "observed"}):
        job = finished(client, client.post(f"{API}/compare", json={"original": original, "releases": [release], **told}))
        assert job["state"] == "done", job
        shares.append(client.get(job["location"]).json()["versions"][1]["unread_share"])
    assert shares == [0.5, 0, 0, 0]
    naming = begin + 'apply = "generalise_hierarchy"\ncolumn = "job"\nfile = "/etc/passwd"\nlevel = 1\n'
    asked = {"original": original, "releases": [release], "recipes": {release: naming}}
    refused = finished(client, client.post(f"{API}/compare", json=asked))
    assert refused["state"] == "failed" and "names files" in refused["error"]


def test_a_release_is_linked_with_another_table(client):
    """As the command links: by a recipe, by a hierarchy; what nothing explains is not measured, and zeros that are lost are no finding."""
    people = "zip,job\n" + "".join(f"{'01067' if i % 2 else '10115'},{'nurse' if i % 3 else 'clerk'}\n" for i in range(12))
    there = people.replace("01067", "1067")
    released = people.replace("01067", "010**").replace("10115", "101**").replace("nurse", "care").replace("clerk", "office")
    release, whole, lost = (
        client.post(f"{API}/tables", files={"file": (name, text)}).json()["id"]
        for name, text in (("release.csv", released), ("people.csv", people), ("register.csv", there))
    )
    job = 'schema = "anonscope/recipe/1"\n\n[[steps]]\napply = "generalise_mapping"\ncolumn = "job"\n'
    recipe = (
        job + 'mapping = {nurse = "care", clerk = "office"}\n\n[[steps]]\napply = "generalise_prefix"\ncolumn = "zip"\ncharacters = 3\n'
    )
    ladder = {"job": "nurse;care;*\nclerk;office;*\n"}
    found = {}
    for name, asked in (
        ("nothing", {"external": whole}),
        ("recipe", {"external": whole, "recipe": recipe}),
        ("hierarchy", {"external": whole, "hierarchies": ladder}),
        ("zeros lost", {"external": lost, "recipe": recipe}),
        ("as told", {"external": lost, "recipe": recipe, "unknown": "itself"}),
    ):
        found[name] = result(client, client.post(f"{API}/link", json={"release": release, **asked}))
    status = {name: one["status"] for name, one in found.items()}
    assert status == {
        "nothing": "not measured",
        "recipe": "measured",
        "hierarchy": "measured",
        "zeros lost": "not measured",
        "as told": "measured",
    }
    assert found["recipe"]["average_risk"] == found["hierarchy"]["average_risk"] == pytest.approx(4 / 12, abs=1e-4)
    assert found["zeros lost"]["matched_share"] == 1 and found["as told"]["matched_share"] == 0.5
    assert (found["recipe"]["release"], found["recipe"]["external"]) == ("release.csv", "people.csv")
    for wrong in ({"external": whole, "only": True}, {"external": "x"}, {"external": whole, "missing": "nobody"}):
        answer = client.post(f"{API}/link", json={"release": release, **wrong})
        assert answer.status_code in (404, 422) or finished(client, answer)["state"] == "failed"

"""Whether a third party can use the interface: a client made from the OpenAPI document walks from a file to a verified release.

It runs in a process of its own, which never imports anonscope. `python -m benchmarks.client` does the same with a generator that others
maintain; it cannot be installed beside our own command line, because it asks for an older Typer.
"""

import json
import subprocess
import sys

import anonscope as an
from anonscope.io.samples import write_hospital
from support.client_maker import client_of
from support.served import API, served

WALK = """
import json, sys, time
from stranger import Client

base, token, path = sys.argv[1:]
client = Client(base, token)

def done(job):
    while job["state"] in ("queued", "running"):
        time.sleep(0.05)
        job = client.job(job["id"])
    assert job["state"] == "done", job
    return job

with open(path, "rb") as file:
    id = client.upload(file=("patients.csv", file.read()))["id"]
done(client.suggest(id))
roles = client.workspace_state(id)["roles"]
client.change_workspace(id, row="person", notes="from outside")
done(client.audit(id, policy="ema-0070"))
found = {"audit": client.audit_report(id, "json"), "alone": client.how_many_are_alone(id)["alone"], "roles": roles}
done(client.plan(id, seconds=1))
found["plan"] = client.plan_report(id, "json")["schema"]
done(client.prepare_explorer(id))
explorer = client.explorer(id)
found["explored"] = client.explore(id, levels={explorer["columns"][0]["column"]: 1})["outcome"]
position = [column["name"] for column in client.table_info(id)["columns"]].index("age")
csv = client.ladder_file(id, position)
csv = csv if isinstance(csv, bytes) else csv.encode()
found["ladder"] = client.give_ladder(id, position, csv=csv.decode())["column"]
done(client.anonymise(id, limits={"k_anonymity": 3}))
(version,) = client.versions(id)
found["version"] = version["number"]
verified = done(client.verify_version(id, version["number"]))
found["checks"] = client.result_report(verified["location"].rpartition("/")[2].removesuffix(".json"), "json")["checks"]
found["records"] = len(client.version_release(id, version["number"]).splitlines()) - 1
found["bundle"] = client.version_for_recipient(id, version["number"])[:2].decode()
found["project"] = client.project_info()
client.forget(id)
found["left"] = client.tables()["tables"]
found["imported"] = sorted(name for name in sys.modules if name.partition(".")[0] == "anonscope")
print(json.dumps(found))
"""


def test_a_generated_client_walks_from_a_file_to_a_verified_release(tmp_path):
    """With the verdict and the figures of `an.audit`; bodies and answers are what the document says."""
    patients = write_hospital(tmp_path, people=300).patients
    with served() as server:
        client = server.browser()
        (tmp_path / "stranger.py").write_text(client_of(client.get(f"{API}/openapi.json").json()), encoding="utf-8")
        (tmp_path / "walk.py").write_text(WALK)
        command = [sys.executable, "walk.py", server.base, server.settings.token, str(patients)]
        walked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert walked.returncode == 0, walked.stderr[-2000:]
    found = json.loads(walked.stdout)
    with an.read(patients) as data:
        data.accept(an.suggest(data))
        audit = an.audit(data, "ema-0070").to_dict()
    assert found["audit"]["verdict"]["outcome"] == audit["verdict"]["outcome"]
    assert found["audit"]["measurements"] == json.loads(json.dumps(audit["measurements"]))
    assert found["roles"] == audit["roles"] and found["plan"].startswith("anonscope/plan/")
    assert found["version"] == 1 and found["records"] == 300 and found["bundle"] == "PK" and found["ladder"] == "age"
    assert {check["status"] for check in found["checks"]} == {"holds"}
    assert found["project"]["tables"] == [] and found["left"] == [] and found["imported"] == []


def test_every_operation_becomes_a_function():
    """Also those that no walk comes by: the client is Python, and has a function for each."""
    import ast

    with served() as server:
        document = server.browser().get(f"{API}/openapi.json").json()
    made = ast.walk(ast.parse(client_of(document)))
    names = {node.name for node in made if isinstance(node, ast.FunctionDef)}
    asked = {operation["operationId"] for methods in document["paths"].values() for operation in methods.values()}
    assert asked <= names and len(asked) > 90

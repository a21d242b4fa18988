"""The Action, the hook and the examples for pipelines, carried out as far as that goes without their services."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import duckdb
import pytest
import yaml

from anonscope.io.formats import endings
from anonscope.io.samples import write_hospital
from support.documentation import DOCS, ROOT, blocks

SHOWN = {title: content for _, title, content in blocks(DOCS / "commands" / "check-in-ci.md") if title}
ACTION = yaml.safe_load((ROOT / "action" / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The files of the page, and the table that its model makes."""
    monkeypatch.chdir(tmp_path)
    for name in ("anonscope.toml", "people.roles.toml", "models/people.sql"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(SHOWN[name], encoding="utf-8")
    patients = write_hospital(tmp_path / "sample", people=400).patients
    query = Path("models/people.sql").read_text(encoding="utf-8")
    target = re.search(r"location='([^']+)'", query).group(1)
    Path(target).parent.mkdir()
    statement = re.sub(r"\{\{ config.*?\}\}", "", query).replace("{{ ref('patients') }}", f"read_csv('{patients}')")
    with duckdb.connect() as own:  # the shared connection may be in the middle of another test's result
        own.sql(statement).write_parquet(target)
    return tmp_path


def ran(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script in bash, where `anonscope` is this one."""
    folder = Path("bin")
    folder.mkdir(exist_ok=True)
    (folder / "anonscope").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m anonscope "$@"\n')
    (folder / "anonscope").chmod(0o755)
    environment = os.environ | {"PATH": f"{folder.absolute()}:{os.environ['PATH']}"} | variables
    return subprocess.run(["bash", "-e", "-c", script], env=environment, capture_output=True, text=True, timeout=120)


def inputs(**given: str) -> dict[str, str]:
    """Return the variables of the step, as the service would set them from the inputs."""
    (step,) = [step for step in ACTION["runs"]["steps"] if step["id"] == "check"]
    values = {name: entry["default"] for name, entry in ACTION["inputs"].items()} | given
    return {name: values[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text).group(1)] for name, text in step["env"].items()}


def test_the_action_fails_as_the_command_does(project):
    """It writes both files, the summary and its output, and takes inputs as text only."""
    (install, step) = ACTION["runs"]["steps"]
    assert "${{" not in step["run"] + install["run"]
    service = {"GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "output"}
    done = ran(step["run"], **inputs(), **service)
    code = 0 if "met." in Path("summary.md").read_text() and "not met" not in Path("summary.md").read_text() else 1
    assert done.returncode == code, done.stderr
    assert Path("output").read_text() == f"exit-code={code}\n"
    assert Path("anonscope-junit.xml").exists() and Path("anonscope.sarif").exists()
    Path("output").unlink()
    wrong = ran(step["run"], **inputs(source="target/people.parquet", roles="none.toml", policy="$(touch made)"), **service)
    assert wrong.returncode == 2 and not Path("made").exists()
    assert Path("output").read_text() == "exit-code=2\n"


def test_the_action_gates_a_source_where_that_is_said(project):
    """A direct identifier shuts the gate, and only the input that names a source opens it."""
    step = ACTION["runs"]["steps"][1]
    Path("leaky.csv").write_text("patient_id,age,ill\n" + "".join(f"P{i:06},40,{'ab'[i % 2]}\n" for i in range(20)))
    Path("leaky.toml").write_text(
        'schema = "anonscope/roles/1"\ndirect_identifiers = ["patient_id"]\nquasi_identifiers = ["age"]\nsensitive = ["ill"]\n'
    )
    given = {"source": "leaky.csv", "roles": "leaky.toml", "policy": "ema-0070"}
    for said, code in (({}, 1), ({"before_release": "true"}, 0)):
        done = ran(step["run"], **inputs(**given, **said), GITHUB_STEP_SUMMARY="summary.md", GITHUB_OUTPUT="output")
        assert done.returncode == code, done.stderr


def test_the_workflow_names_the_action_and_inputs_that_it_has():
    """What a reader copies fits the action."""
    workflow = yaml.safe_load(SHOWN[".github/workflows/release.yml"])
    (used,) = [step for step in workflow["jobs"]["tables"]["steps"] if "anonscope" in step["uses"]]
    assert used["uses"].partition("@")[0].endswith("/action") and set(used["with"]) <= set(ACTION["inputs"])


def test_the_hook_runs_what_it_says_for_every_format(project):
    """Its entry is a command that works here, and every format that can be read sets it off."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert ran(hook["entry"]).returncode in (0, 1) and hook["pass_filenames"] is False
    config = yaml.safe_load(SHOWN[".pre-commit-config.yaml"])
    assert config["repos"][0]["hooks"][0]["id"] == hook["id"]
    assert [ending for ending in endings() if not re.search(hook["files"], f"table{ending}")] == []


def test_the_airflow_task_is_a_command_that_works(project, monkeypatch):
    """Airflow itself is not needed to see what the task would run."""
    tasks = []

    class Dag:
        def __init__(self, **said):
            assert said["dag_id"]

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    for name, content in {
        "airflow": {"DAG": Dag},
        "airflow.operators": {},
        "airflow.operators.bash": {"BashOperator": lambda **said: tasks.append(said)},
    }.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    exec(SHOWN["dags/people.py"], {})
    assert ran(tasks[0]["bash_command"]).returncode in (0, 1) and Path("may_leave.xml").exists()


def test_the_dagster_check_says_what_is_in_the_way(project, monkeypatch):
    """The same with the function that Dagster would call."""
    module = ModuleType("dagster")
    vars(module).update(AssetCheckResult=SimpleNamespace, asset_check=lambda **said: lambda function: function)
    monkeypatch.setitem(sys.modules, "dagster", module)
    place = {}
    exec(SHOWN["checks.py"], place)
    found = place["may_leave"]()
    assert found.passed == (found.metadata["in the way"] == "")

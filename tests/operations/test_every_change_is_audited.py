"""Whatever a recipe did, its release can be audited, compared and linked, in every format, by every face; and where values were made
up, no rule that rests on groups of equal values is shown as met."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import OptionError
from anonscope.risk.metrics import METRICS
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.manifest import manifest_path
from anonscope.transform.steps import TRANSFORMATIONS, PermuteColumn
from anonscope.transform.transformation import Transformation
from support.changed import KEY, QUASI_IDENTIFIERS, STEPS, write_people
from support.said import all_said
from support.served import API, finished, result, sent, served

FORMATS = ("csv", "tsv", "parquet", "arrow")
ROLES = {"quasi_identifiers": [*QUASI_IDENTIFIERS], "sensitive": ["ill"]}
# The names of this file are no secret; a step may drop them, which roles of a file may live with.
KNOWN = an.Roles(quasi_identifiers=tuple(QUASI_IDENTIFIERS), sensitive=("ill",), insensitive=("name",))
REPORTS = ("text", "json", "markdown", "html")
# So weak that every table meets it: what is refused here is refused because it was not measured.
POLICY = """schema = "anonscope/policy/1"
name = "weak"
title = "A policy that everybody meets"
version = "1"
origin = "tests"

[[rules]]
metric = "k_anonymity"
minimum = 1

[[rules]]
metric = "uniqueness"
maximum = 1

[[rules]]
metric = "prosecutor"
maximum = 1

[[rules]]
metric = "l_diversity"
minimum = 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("changed")
    write_people(found)
    (found / "weak.toml").write_text(POLICY, encoding="utf-8")
    (found / "roles.toml").write_text(KNOWN.to_toml(), encoding="utf-8")
    return found


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "a key that is long enough")


def made_up(step: Transformation) -> bool:
    return step.perturbative and bool({*step.columns} & {*QUASI_IDENTIFIERS})


def check_document(found: dict[str, Any], step: Transformation) -> None:
    """Hold the JSON of an audit to the law."""
    rules = found["verdict"]["rules"]
    if not made_up(step):
        # The law is no law if nothing is ever met.
        assert {rule["status"] for rule in rules} == {"pass"}
        assert found["verdict"]["outcome"] == "release"
        return
    assert {rule["status"] for rule in rules} == {"not measured"}
    assert found["verdict"]["outcome"] == "withhold"
    assert found["data"]["perturbed"] == [*step.columns]
    assert (found["data"]["classes"], found["data"]["scenarios"][0]["class_sizes"]) == (None, [])
    for m in found["measurements"]:
        if m["attributes"] is None or {*m["attributes"]} & {*step.columns}:
            assert m["status"] == "not measured", m
            assert m.get("value", m.get("max")) is None, m


def check_report(text: str, step: Transformation) -> None:
    """Hold an audit that people read to the law: neither verdict nor sentence nor picture says that somebody is safe in a group."""
    assert ("do not release" in text) == made_up(step)
    if made_up(step):
        assert "so how many people look alike does not tell how well they are protected" in text
        for said in ("Everybody shares", "Nobody stands alone", "No record stands alone", "by the size of the group they share"):
            assert said not in text
        assert not re.search(r"^\s*pass\b", text, re.MULTILINE) and not re.search(r"\| pass \|", text)


def test_there_is_one_for_every_transformation():
    """So that a new one cannot be forgotten."""
    assert set(STEPS) == set(TRANSFORMATIONS)


@pytest.mark.parametrize("name", STEPS)
def test_in_python_in_every_format(name, folder):
    """Written, read again, audited, linked and compared; every report of one of them."""
    step, people = STEPS[name], folder / "people.csv"
    known = QUASI_IDENTIFIERS
    with an.read(people, roles=KNOWN) as data:
        made = an.apply(Recipe((step,), folder=folder), data)
        for i, form in enumerate(FORMATS):
            release = Path(made.save(folder / f"python-{name}.{form}"))
            with an.read(release, roles=KNOWN) as left:
                audited = an.audit(left, folder / "weak.toml", explain=made_up(step) or (i - len(name)) % len(FORMATS) == 3)
                linked = an.link(left, people, columns={column: column for column in known})
                check_document(audited.to_dict(), step)
                if made_up(step):
                    for refused in (audited.why, audited.records, lambda left=left: an.anonymise(left, limits={"k_anonymity": 1})):
                        with pytest.raises(OptionError, match="made up values of"):
                            refused()
            # The formats that neither the command line nor the server compares below; of what is not made up one is enough.
            if (i - len(name)) % len(FORMATS) < (2 if made_up(step) else 3):
                continue
            compared = an.compare(data, release, policy=folder / "weak.toml")
            check_comparison(compared.to_dict(), step)
            if (i - len(name)) % len(FORMATS) == 3:
                for report in REPORTS:
                    linked.render(report), compared.render(report)
                    if report != "json":
                        check_report(audited.render(report), step)


def check_comparison(found: dict[str, Any], step: Transformation) -> None:
    _, release = found["versions"]
    if made_up(step):
        assert release["outcome"] == "withhold"
        assert release["risks"]["k_anonymity"] is None and release["balance"] is None
        assert release["version"] not in found["pareto"] and release["version"] not in found["best"].values()


@pytest.mark.parametrize("name", STEPS)
def test_on_the_command_line(name, folder):
    """Applied, audited, compared and linked: exit 0 or 1, never 3; a format for every step."""
    step, place = STEPS[name], len(name) % len(FORMATS)
    release, recipe, people = folder / f"cli-{name}.{FORMATS[place]}", folder / f"{name}.toml", str(folder / "people.csv")
    recipe.write_text(Recipe((step,)).to_toml(), encoding="utf-8")
    roles = ["--roles", str(folder / "roles.toml")]
    policy = ["--policy", str(folder / "weak.toml"), "--quiet"]
    run = CliRunner().invoke
    assert run(app, ["apply", str(recipe), people, "-o", str(release), "-i", "name", "--quiet"]).exit_code == 0
    audited = run(app, ["audit", str(release), *roles, *policy, "--format", "json"])
    assert audited.exit_code == (1 if made_up(step) else 0), audited.stderr
    check_document(json.loads(audited.stdout), step)
    page = run(app, ["audit", str(release), *roles, *policy, "-o", str(folder / "page.html")])
    assert page.exit_code == audited.exit_code, page.stderr
    check_report((folder / "page.html").read_text(encoding="utf-8"), step)
    if made_up(step):
        # Whoever has the release without its manifest may still have the recipe.
        manifest_path(release).unlink()
        told = run(app, ["audit", str(release), *roles, *policy, "--recipe", str(recipe), "--explain"])
        assert told.exit_code == 1, told.stderr
        check_report(told.stdout, step)
    assert run(app, ["compare", people, str(release), *roles, *policy]).exit_code in (0, 1)
    columns = [word for column in QUASI_IDENTIFIERS for word in ("--column", f"{column}={column}")]
    # Without its recipe a release may say what nothing explains, which is not measured; with it, only what noise made of a value may be.
    assert run(app, ["link", str(release), people, *columns]).exit_code in (0, 1)
    assert run(app, ["link", str(release), people, *columns, "--recipe", str(recipe)]).exit_code in ((0, 1) if made_up(step) else (0,))


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture(scope="module")
def original(client, folder):
    """The table as it was, audited."""
    id = sent(client, (folder / "people.csv").read_bytes()).json()["id"]
    result(client, client.post(f"{API}/tables/{id}/audit", json={"roles": ROLES, "policy": "pipeline"}))
    return id


@pytest.mark.parametrize("name", STEPS)
def test_over_rest(name, folder, client, original):
    """A release is sent with its manifest, audited, looked at and compared; a format for every step, another one than above."""
    step, people = STEPS[name], folder / "people.csv"
    with all_said(an.read(people)) as data:
        release = Path(an.apply(Recipe((step,), folder=folder), data).save(folder / f"rest-{name}.{FORMATS[(len(name) + 1) % 4]}"))
    files = {"file": (release.name, release.read_bytes()), "manifest": (None, manifest_path(release).read_text(encoding="utf-8"))}
    table = client.post(f"{API}/tables", files=files).json()
    assert table["perturbed"] == ([*step.columns] if step.perturbative else [])
    address = f"{API}/tables/{table['id']}"
    found = result(client, client.post(f"{address}/audit", json={"roles": ROLES, "policy": "pipeline"}))
    for ending in ("html", "md"):
        assert client.get(f"{address}/audit.{ending}").status_code == 200
    classes = [rule for rule in found["verdict"]["rules"] if METRICS[rule["metric"]].family != "population"]
    assert not made_up(step) or {rule["status"] for rule in classes} == {"not measured"}
    assert client.post(f"{address}/records", json={"top": 3}).status_code == (422 if made_up(step) else 200)
    for work in ("explorer", "anonymise") if made_up(step) else ():
        job = finished(client, client.post(f"{address}/{work}", json={"limits": {"k_anonymity": 2}} if work == "anonymise" else None))
        assert job["state"] == "failed" and "made up values of" in job["error"], job
    check_comparison(result(client, client.post(f"{API}/compare", json={"original": original, "releases": [table["id"]]})), step)
    assert client.delete(f"{address}").status_code == 204


def test_a_manifest_of_another_file_is_refused(folder, client):
    """It would say of one table what is true of another."""
    with all_said(an.read(folder / "people.csv")) as data:
        release = Path(an.apply(STEPS["generalise_interval"], data).save(folder / "another.csv"))
    manifest = manifest_path(release).read_text(encoding="utf-8")
    for text in (manifest, "{}", "no manifest"):
        files = {"file": ("people.csv", (folder / "people.csv").read_bytes()), "manifest": (None, text)}
        answer = client.post(f"{API}/tables", files=files)
        assert (answer.status_code, "manifest" in answer.json()["error"]) == (422, True)


@pytest.mark.parametrize("column", ["who", "ill"])
def test_a_person_or_a_secret_that_was_made_up_counts_too(column, folder):
    """Groups are counted in persons, and diversity is that of sensitive values."""
    lines = "".join(f"{i // 2},{'ab'[i % 2]},{'xy'[i // 2 % 2]}\n" for i in range(12))
    (folder / "visits.csv").write_text("who,sex,ill\n" + lines, encoding="utf-8")
    with all_said(an.read(folder / "visits.csv")) as data:
        an.apply(PermuteColumn(column=column, seed=1), data).save(folder / f"visits-{column}.csv")
    found = an.audit(folder / f"visits-{column}.csv", "pipeline", quasi_identifiers=["sex"], person="who", sensitive=["ill"])
    assert found["l_diversity"].status == "not measured"
    assert (found["k_anonymity"].status == "not measured") == (column == "who")


def test_a_release_of_a_release_remembers(folder):
    """What one recipe made up is not made true by the next."""
    with all_said(an.read(folder / "people.csv")) as data:
        an.apply(STEPS["add_noise"], data).save(folder / "first.csv")
    with all_said(an.read(folder / "first.csv", quasi_identifiers=QUASI_IDENTIFIERS, insensitive=["name", "ill"])) as data:
        second = an.apply(STEPS["round"], data)
        assert second.perturbed == ("age",)
        second.save(folder / "second.csv")
        with second.read() as left:
            assert an.audit(left, folder / "weak.toml")["k_anonymity"].status == "not measured"
    with all_said(an.read(folder / "second.csv", quasi_identifiers=QUASI_IDENTIFIERS)) as data:
        assert data.perturbed == ("age",)

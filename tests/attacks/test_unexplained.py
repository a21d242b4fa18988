"""Labels that nothing explains never make a release look safer, and columns that nobody used are named with the reason."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from attacks.attacking import attack, drawn, only, rows_of, texts

GROUPS = {"a": {"a"}, "b": {"b"}, "North": {"c", "d"}, "South": {"e", "f"}}


def grouped(seed: int, rows: int = 120):
    """Return people, and a release with ages by ten and rare regions under names that nothing explains."""
    chance = np.random.default_rng(seed)
    original = {
        "age": chance.integers(20, 60, rows).tolist(),
        "region": chance.choice(list("abcdef"), rows, p=[0.3, 0.3] + [0.1] * 4).tolist(),
    }
    label = {value: name for name, values in GROUPS.items() for value in values}
    release = {"age": [f"[{x // 10 * 10}-{x // 10 * 10 + 9}]" for x in original["age"]], "region": [label[r] for r in original["region"]]}
    return original, release


def found_by(images, original, release) -> float:
    """Return how often one of all records that somebody may be is the right one, person by person."""
    people, records = rows_of(original), rows_of(release)
    hits = []
    for i, person in enumerate(people):
        fit = [j for j, r in enumerate(records) if r["age"][1] == str(person["age"])[0] and person["region"] in images(r["region"])]
        hits.append((i in fit) / max(len(fit), 1))
    return float(np.mean(hits))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_who_knows_how_the_release_was_made_is_not_misled_by_names(seed):
    """Names taken for anything hide everybody among them, names that fit nobody lose their own people: both say half of what is found."""
    original, release = grouped(seed)
    informed = found_by(GROUPS.get, original, release)
    anything = found_by(lambda label: GROUPS[label] if len(label) == 1 else set("abcdef"), original, release)
    nobody = found_by(lambda label: GROUPS[label] if len(label) == 1 else set(), original, release)
    found = attack(release, original, attacks=["linkability"])

    assert max(anything, nobody) < 0.6 * informed
    for variant in ("candidates", "nearest"):
        assert only(found, "linkability", variant).success == pytest.approx(informed)
    assert any("'region'" in note and "attackers are taken to know" in note for note in found.notes)


def test_where_nobody_knows_whose_record_it_is_names_leave_it_open():
    """Neither number would be right, so there is none."""
    original, release = grouped(1)
    result = only(attack(release, original, attacks=["linkability"], paired=False), "linkability", "candidates")

    assert (result.status, result.success) == ("not measured", None)
    assert "'region'" in result.reason


def test_a_sensitive_column_that_nothing_explains_is_not_measured():
    """Its values were renamed: nothing that was guessed could be right, and nothing was safe."""
    original = {**drawn(1, 100, age=9), "ill": [f"ill{x}" for x in drawn(2, 100, ill=3)["ill"]]}
    release = {**original, "ill": [f"code {x[-1]}" for x in original["ill"]]}
    found = attack(release, original, sensitive=["ill"], attacks=["inference"])

    assert [(r.status, r.success) for r in found.results] == [("not measured", None)]
    assert "100 of 100" in found.results[0].reason


def test_every_column_that_nobody_used_is_named_with_the_reason():
    """In the result, in JSON and on the page."""
    original = {"id": list(range(60)), **drawn(1, 60, age=30, sex=2, zip=9, job=4, ill=3)}
    release = {name: original[name] for name in ("age", "sex", "job", "ill")}
    with (
        an.read(texts(original), quasi_identifiers=["age", "sex"], sensitive=["ill"], direct_identifiers=["id"]) as data,
        an.read(texts(release)) as released,
    ):
        found = an.attack(released, data, attacks=["linkability"])

    said = {column.column: column.reason for column in found.left_out}
    assert set(said) == {"id", "zip", "job"}
    assert ("direct identifier" in said["id"], said["zip"]) == (True, "the release lacks it")
    assert "no attacker knows it" in said["job"]
    assert found.to_dict()["left_out"][1] == {"column": "zip", "reason": "the release lacks it"}
    assert "Left out: zip (the release lacks it)." in found.render()


def test_an_external_table_is_linked_by_what_is_named_only(tmp_path):
    """The prompt and Python agree; what was not linked is named."""
    table = drawn(1, 60, age=30, sex=2)
    files = {name: tmp_path / f"{name}.csv" for name in ("original", "release", "external")}
    for file in files.values():
        file.write_text("age,sex\n" + "\n".join(f"{a},{s}" for a, s in zip(*table.values(), strict=True)) + "\n", encoding="utf-8")
    with an.read(files["original"], quasi_identifiers=["age", "sex"]) as data:
        options = {"external": files["external"], "attacks": ["linkability"], "external_columns": {"sex": "sex"}}
        (both,) = an.attack(files["release"], data, **options).select("linkability", "external table")
        (one,) = an.attack(files["release"], data, **options, external_only=True).select("linkability", "external table")
    asked = ["attack", str(files["release"]), "--original", str(files["original"]), "--external", str(files["external"]), "-q", "age"]
    asked += ["-q", "sex", "--external-column", "sex=sex", "--only-columns", "--attack", "linkability", "--format", "json"]
    printed = json.loads(CliRunner().invoke(app, asked).stdout)["results"][-1]

    assert (both.columns, one.columns, printed["columns"]) == (("sex", "age"), ("sex",), ["sex"])
    assert one.success < both.success
    assert "age" in one.notes[-1]

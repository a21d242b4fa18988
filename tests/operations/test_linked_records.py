"""What all records of a person tell together: no release is called met because each record by itself hides among others."""

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import ColumnsWithoutRole, RecordsLinked
from anonscope.risk.policy import from_limits
from anonscope.transform.steps import Pseudonymise, SuppressColumn

_QUASI = ["age", "sex", "region"]
_K = 5


def _visits(people: int = 60, seed: int = 1) -> dict[str, list[Any]]:
    drawn, columns = Random(seed), defaultdict(list)
    for person in range(people):
        sex = drawn.choice("mf")
        for _ in range(drawn.randint(1, 4)):
            row = (f"P{person * 37:05d}", drawn.choice([30, 40, 50]), sex, drawn.choice("nesw"), drawn.choice(["flu", "cold", "none"]))
            for name, value in zip(("patient_id", *_QUASI, "diagnosis"), row, strict=True):
                columns[name].append(value)
    return dict(columns)


def _opened(columns: dict[str, list[Any]], **also: Any) -> an.Data:
    return an.read(pa.table(columns), quasi_identifiers=_QUASI, sensitive=["diagnosis"], person="patient_id", **also)


def _alike(people: list[Any], records: list[tuple[Any, ...]], size: int) -> tuple[int, int]:
    """Count slowly who shares all that their records say with nobody, and with fewer than so many."""
    profiles = defaultdict(list)
    for person, record in zip(people, records, strict=True):
        profiles[person].append(record)
    shared = Counter(tuple(sorted(profile)) for profile in profiles.values())
    return sum(n for n in shared.values() if n == 1), sum(n for n in shared.values() if n < size)


@pytest.mark.parametrize("seed", range(5))
def test_profiles_are_those_that_a_slow_count_finds(seed: int) -> None:
    """How many people share the classes of all of their records is what going through them one by one finds."""
    columns = _visits(seed=seed)
    with _opened(columns) as data:
        (linked,) = an.audit(data, from_limits({"k_anonymity": _K})).verdict.linked
    alone, below = _alike(columns["patient_id"], list(zip(*(columns[c] for c in _QUASI), strict=True)), _K)
    assert (linked.alone, linked.below, linked.people) == (alone, below, len(set(columns["patient_id"])))


def test_one_record_each_ties_nothing_together() -> None:
    """Where nobody has two records there is nothing to link, and nothing is said of it."""
    columns = _visits()
    first = [columns["patient_id"].index(p) for p in dict.fromkeys(columns["patient_id"])]
    with _opened({name: [values[i] for i in first] for name, values in columns.items()}) as data:
        assert an.audit(data).verdict.linked == ()


def test_profiles_that_are_shared_by_enough_people_need_no_word() -> None:
    """Six people with the same two visits hide among each other however much is known of these."""
    rows = [(f"P{p:05d}", *visit) for p in range(6) for visit in ((30, "m", "n", "flu"), (40, "m", "s", "cold"))]
    columns = dict(zip(("patient_id", *_QUASI, "diagnosis"), map(list, zip(*rows, strict=True)), strict=True))
    with _opened(columns) as data:
        found = an.anonymise(data, limits={"k_anonymity": _K})
        assert found.after is not None and found.release is not None
        assert found.after.verdict.linked[0].below == 0 and found.after.verdict.outcome == "release"
        assert "patient_id" in found.release.columns


def test_a_release_leaves_out_what_ties_records_that_find_people(tmp_path: Path) -> None:
    """Unless somebody says why records may stay together, nothing in the file says which are one person's, not even their order."""
    columns = _visits()
    target = tmp_path / "release.csv"
    with _opened(columns) as data:
        found = an.anonymise(data, limits={"k_anonymity": _K})
        found.write(target)
    assert found.met and found.after is not None and found.after.verdict.outcome == "release"
    assert found.after.verdict.linked[0].left_out and any("left out" in note for note in found.notes)
    with target.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert "patient_id" not in header and rows == sorted(rows)
    (verdict,) = json.loads((tmp_path / "release.csv.manifest.json").read_bytes())["verdicts"]
    assert verdict["linked_records"][0]["left_out"] is True
    assert [rule["value"] >= _K for rule in verdict["counted_before"]] == [True]
    checked = an.verify(target)
    assert checked.holds and any(c.status == "not checked" and "in persons" in c.detail for c in checked.checks)


def test_records_stay_together_by_a_word_and_are_never_simply_met(tmp_path: Path) -> None:
    """With a reason the pseudonym stays, the verdict says acknowledgement, and manifest and report have the reason."""
    columns = _visits()
    target = tmp_path / "release.csv"
    with _opened(columns, acknowledge={"patient_id": "Agreement 7."}) as data:
        found = an.anonymise(data, limits={"k_anonymity": _K})
        found.write(target)
    assert found.after is not None and found.after.verdict.outcome == "release with acknowledgement"
    assert found.to_dict()["outcome"] == "release with acknowledgement" and "Agreement 7." in found.render("text")
    assert "The policy is met, with acknowledgement of records of one person that stay together" in found.render("text")
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    alone, below = _alike([r["patient_id"] for r in rows], [tuple(r[c] for c in _QUASI) for r in rows], _K)
    (verdict,) = json.loads((tmp_path / "release.csv.manifest.json").read_bytes())["verdicts"]
    assert below > 0 and (verdict["linked_records"][0]["alone"], verdict["linked_records"][0]["below"]) == (alone, below)
    assert verdict["acknowledged"] == {"patient_id": "Agreement 7."} and an.verify(target).holds


def test_pipeline_and_assembled_fragments_leave_it_out_too(tmp_path: Path) -> None:
    """Every verb that makes a release goes by the same rule."""
    columns = _visits()
    with _opened(columns) as data:
        made = an.pipeline(data, from_limits({"k_anonymity": 2}))
        assert made.release is not None and "patient_id" not in made.release.columns
        made.write(tmp_path / "pipeline.csv")
    with _opened(columns) as data:
        parts = an.fragment(data, limits={"k_anonymity": 2}, fragments=[["age"], ["sex", "region"]], assemble=True)
        assert parts.release is not None and "patient_id" not in parts.release.columns
        parts.write(tmp_path / "assembled.csv")
    for name in ("pipeline.csv", "assembled.csv"):
        assert "patient_id" not in (tmp_path / name).read_text().splitlines()[0]


def test_a_recipe_that_keeps_them_together_needs_the_word(tmp_path: Path) -> None:
    """What a recipe pseudonymises is published under a policy only if somebody answers for what the pseudonyms tie together."""
    columns = _visits(people=200)
    steps = [Pseudonymise(column="patient_id"), SuppressColumn(column="age")]
    with _opened(columns) as data, pytest.raises(RecordsLinked, match="Leave the column out"):
        an.apply(steps, data).save(tmp_path / "release.csv", policy=from_limits({"k_anonymity": 2}))
    assert list(tmp_path.iterdir()) == []
    with _opened(columns, acknowledge={"patient_id": "Agreement 7."}) as data:
        an.apply(steps, data).save(tmp_path / "release.csv", policy=from_limits({"k_anonymity": 2}))


def test_audits_and_releases_have_one_rule_of_exit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a word is missing an audit exits with 1, and a release is not made; with the word both exit with 0."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{age},{sex},{score}" for age in (30, 40) for sex in "mf" for score in (1.5, 2.5, 3.25, 4.75, 5.5)]
    Path("table.csv").write_text("age,sex,measured\n" + "\n".join(lines) + "\n")
    Path("k.toml").write_text(
        'schema = "anonscope/policy/1"\nname = "k"\ntitle = "k"\nversion = "1"\norigin = "x"\n'
        '[[rules]]\nmetric = "k_anonymity"\nminimum = 2\n'
    )
    asked = ["table.csv", "-q", "age", "-q", "sex", "--policy", "k.toml", "--quiet"]
    word = ["--acknowledge-rest", "A measurement."]
    run = CliRunner()
    assert run.invoke(app, ["audit", *asked]).exit_code == 1
    assert isinstance(run.invoke(app, ["anonymise", *asked, "-o", "a.csv"]).exception, ColumnsWithoutRole) and not Path("a.csv").exists()
    assert run.invoke(app, ["audit", *asked, *word]).exit_code == 0
    done = run.invoke(app, ["anonymise", *asked, *word, "-o", "a.csv"])
    assert done.exit_code == 0 and "The policy is met, with acknowledgement of 1 column not judged" in done.stdout

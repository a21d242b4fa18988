"""A release audited on its own against the table of everybody: labels count for all that they may stand for, as where it was made."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.transform.steps import AddNoise, GeneraliseInterval, GeneraliseMapping, GeneralisePrefix

CHANCE = np.random.default_rng(5)
AGES = CHANCE.integers(20, 90, 600).tolist()
ZIPS = [f"{x:05d}" for x in CHANCE.choice([1067, 1069, 10115, 10117, 80331], 600)]
JOBS = CHANCE.choice(["nurse", "carer", "clerk", "mayor"], 600).tolist()
EVERYBODY = pa.table({"age": AGES, "zip": ZIPS, "job": JOBS})
SAMPLE = EVERYBODY.slice(0, 120)
GROUPS = {"nurse": "care", "carer": "care", "clerk": "office", "mayor": "office"}
STEPS = (
    GeneraliseInterval(column="age", width=10),
    GeneralisePrefix(column="zip", characters=3),
    GeneraliseMapping(column="job", mapping=GROUPS),
)
ROLES = {"quasi_identifiers": ["age", "zip", "job"]}


def coarse(age: int, code: str, job: str) -> tuple[int, str, str]:
    return age // 10, code[:3], GROUPS[job]


PEOPLE = Counter(map(coarse, AGES, ZIPS, JOBS))
FEWEST = min(PEOPLE[coarse(*one)] for one in list(zip(AGES, ZIPS, JOBS, strict=True))[:120])


@pytest.fixture
def release(tmp_path: Path) -> Path:
    with an.read(SAMPLE, **ROLES) as data:
        return Path(an.apply(STEPS, data).save(tmp_path / "release.csv"))


def test_the_recipe_beside_a_release_tells_whom_its_labels_may_be(release: Path) -> None:
    """Counted by hand; without the recipe a group's name may be anything, and nothing is said."""
    found = an.audit(release, **ROLES, population=EVERYBODY)
    assert (found["k_map"].status, found["k_map"].value) == ("measured", FEWEST)
    assert found["journalist"].max == pytest.approx(1 / FEWEST)
    assert any("a released value may be every value that it stands for" in line for line in found.assumptions)

    alone = release.with_name("alone.csv")
    alone.write_bytes(release.read_bytes())
    unknown = an.audit(alone, **ROLES, population=EVERYBODY)
    assert unknown["k_map"].status == unknown["journalist"].status == "not measured"


def test_notation_recipe_and_hierarchy_explain_it_too(release: Path, tmp_path: Path) -> None:
    """The same number whoever explains the labels; by the command as well."""
    alone, job = tmp_path / "alone.csv", tmp_path / "job.csv"
    alone.write_bytes(release.read_bytes())
    job.write_text("".join(f"{value};{group};*\n" for value, group in GROUPS.items()))
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(an.Recipe(STEPS).to_toml())
    assert an.audit(alone, **ROLES, population=EVERYBODY, hierarchies={"job": job})["k_map"].value == FEWEST
    assert an.audit(alone, **ROLES, population=EVERYBODY, recipe=recipe)["k_map"].value == FEWEST

    csv.write_csv(EVERYBODY, tmp_path / "everybody.csv")
    words = [
        "audit",
        str(alone),
        "-q",
        "age",
        "-q",
        "zip",
        "-q",
        "job",
        "--population",
        str(tmp_path / "everybody.csv"),
        "--format",
        "json",
    ]
    for more in (["--recipe", str(recipe)], ["--hierarchy", f"job={job}"]):
        measured = json.loads(CliRunner().invoke(app, [*words, *more]).stdout)["measurements"]
        assert [m["value"] for m in measured if m["metric"] == "k_map"] == [FEWEST]


def test_a_table_as_it_is_counts_as_before() -> None:
    """Equal values: presence and uniqueness are counted too."""
    found = an.audit(SAMPLE, **ROLES, population=EVERYBODY)
    everybody = Counter(zip(AGES, ZIPS, JOBS, strict=True))
    assert found["k_map"].value == min(everybody[one] for one in list(zip(AGES, ZIPS, JOBS, strict=True))[:120])
    assert found["delta_presence"].mean == pytest.approx(120 / 600)


def test_what_noise_made_up_says_nothing_of_the_population(tmp_path: Path) -> None:
    """However near its numbers come to values of the population."""
    with an.read(SAMPLE, **ROLES) as data:
        path = Path(an.apply([AddNoise(column="age", distribution="normal", scale=3.0), *STEPS[1:]], data).save(tmp_path / "noisy.csv"))
    found = an.audit(path, **ROLES, population=EVERYBODY)
    assert found["k_map"].status == "not measured" and found["journalist"].status == "not measured"


def test_hierarchies_that_are_made_cover_the_population() -> None:
    """The population has ages and a job that the table lacks: a release is found, planned and explored, and its groups are large enough."""
    everybody = pa.table({"age": [*range(20, 60)] * 4 + [95] * 3, "job": ["nurse", "clerk"] * 80 + ["pilot"] * 3})
    sample = pa.table({"age": [*range(20, 50)] * 2, "job": ["nurse", "clerk"] * 30})
    with an.read(sample, quasi_identifiers=["age", "job"], population=everybody) as data:
        found = an.anonymise(data, limits={"k_map": 15}, method="global")
        planned = an.plan(data, limits={"k_map": 15})
        explored = an.explore(data, limits={"k_map": 15})
    assert found.met and found.after is not None
    assert found.after["k_map"].value is not None and found.after["k_map"].value >= 15
    assert {"95", "59"} <= set(found.hierarchies["age"].leaves) and "pilot" in found.hierarchies["job"].leaves
    assert planned.feasible and planned.best is not None, planned.reasons
    assert explored is not None

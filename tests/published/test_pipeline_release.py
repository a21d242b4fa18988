"""Khan 2025, the healthcare pipeline: all of its stages on its two mock registries, from the raw table to the choice.

The authors' program returns the last dimension it looked at. On 500 rows that is the answer; on 1,000 rows two attributes meet
their limits, and the third only costs.
"""

import csv
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import anonscope as an

FORMS = {
    500: {"edss": "edss", "age": "age", "comorbidities": "comorbidities", "covid19_symptoms": "covid19_symptoms", "ms_type": "ms_type"}
    | dict.fromkeys(("bmi", "ms_diagnosis_date"), "original"),
    1000: {"age": "age", "comorbidities": "comorbidities", "covid19_symptoms": "covid19_symptoms"}
    | dict.fromkeys(("bmi", "ms_diagnosis_date", "edss"), "original"),
}
ALPHA = {500: 25, 1000: 10}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(data_folder: Path, rows: int, path: Path | None = None) -> an.Pipeline:
    """Run the stages with the authors' own de-identified values as hierarchies of one level below "*"."""
    folder = data_folder / "ms_mock" / f"df_{rows}_rows"
    raw = folder / f"stage_1_df_mock_{rows}.csv"
    originals = rows_of(raw)
    hierarchies = {}
    for column, stage in FORMS[rows].items():
        changed = sorted(rows_of(folder / f"stage_2_df_{stage}.csv"), key=lambda row: int(row["Row_Number"]))
        labels = {old[column]: new[column] for old, new in zip(originals, changed, strict=True)}
        hierarchies[column] = an.Hierarchy(column, tuple(labels), (tuple(labels.values()), ("*",) * len(labels)))
    with an.read(raw, acknowledge_rest="as the authors released them") as data:
        found = an.pipeline(data, alpha=ALPHA[rows], beta=1, hierarchies=hierarchies)
        if path is not None:
            found.write(path)
    return found


def numbers(at: an.Pipeline) -> tuple[int, tuple[int, ...], float, float]:
    return at.k, tuple(at.diversity.values()), round(at.t, 4), round(at.loss, 4)


def test_all_five_are_needed_in_the_small_registry(data_folder: Path) -> None:
    """k 4, l 2 and 2, t 0.75 (printed .74, cut), loss 69.26 %; every smaller set leaves somebody alone."""
    found = run(data_folder, 500)

    assert found.chosen is not None
    assert found.chosen.deidentified == ("edss", "age", "comorbidities", "covid19_symptoms", "ms_type")
    assert numbers(found.chosen) == (4, (2, 2), 0.75, 69.2601)
    assert found.chosen.loss_gionis_tassa == pytest.approx(found.chosen.loss)
    assert [at.k for at in found.dimensions[:-1]] == [1] * 5
    assert found.privacy_gain == 3
    assert found.chosen.kept == pytest.approx(30.74, abs=0.005)  # inverse NUE


def test_two_of_three_are_enough_in_the_large_registry(data_folder: Path) -> None:
    """Two attributes keep 46 % of the detail at k = 6; the published choice of three keeps 31 %."""
    found = run(data_folder, 1000)

    assert found.chosen is not None
    assert found.chosen.deidentified == ("age", "comorbidities")
    assert numbers(found.chosen) == numbers(found.dimensions[2]) == (6, (3, 3, 2), 0.615, 53.6146)
    assert numbers(found.dimensions[3]) == (110, (3, 6, 2), 0.3238, 69.0469)
    assert found.chosen.kept == pytest.approx(46.39, abs=0.005) and found.dimensions[3].kept == pytest.approx(30.95, abs=0.005)
    assert found.searched == "all sets"
    assert found.privacy_gain == 5 and found.dimensions[3].k - 1 == 109  # k is 1 before


def test_roles_are_those_of_the_appendix(data_folder: Path) -> None:
    """Names and a column with 88 % missing values go, bmi and the year of the diagnosis are sensitive, flags are neither."""
    columns = {c.column: c for c in run(data_folder, 500).columns}

    assert [c.column for c in columns.values() if c.dropped] == ["secret_name", "covid19_self_isolation"]
    assert [c.column for c in columns.values() if c.role == "sensitive"] == ["bmi", "ms_diagnosis_date"]
    assert columns["sex"].role == "neither"
    assert round(columns["edss"].risk_rate, 2) == 22.58


def test_both_published_pairs_of_thresholds_are_shown(data_folder: Path) -> None:
    """By 25 / 1 the small registry has the roles that it was given; by 10 / 1 its edss would be sensitive."""
    told = run(data_folder, 500).render("text")

    assert "By the paper's thresholds 25 % and 1 %: the same roles." in told
    assert "By the paper's thresholds 10 % and 1 %: other roles: edss sensitive." in told


@pytest.mark.parametrize(("rows", "last"), [(500, "ms_type"), (1000, "comorbidities")])
def test_the_release_has_the_authors_own_values(data_folder: Path, tmp_path: Path, rows: int, last: str) -> None:
    """Cell by cell, in the order of the raw table; what they wrote as "missing" is empty in ours."""
    run(data_folder, rows, tmp_path / "release.csv")
    ours = rows_of(tmp_path / "release.csv")
    folder = data_folder / "ms_mock" / f"df_{rows}_rows"
    theirs = sorted(rows_of(folder / f"stage_2_df_{last}.csv"), key=lambda row: int(row["Row_Number"]))

    assert [{k: v or "missing" for k, v in row.items()} for row in ours] == [{k: row[k] for k in ours[0]} for row in theirs]
    assert set(theirs[0]) - set(ours[0]) == {"", "Row_Number"}


@pytest.mark.parametrize(
    ("rows", "alpha", "beta", "quasi_identifiers", "smallest", "most"),
    [
        (500, 11.13, 1.13, {"age", "comorbidities", "covid19_symptoms", "ms_type"}, 4, 69.2601),
        (1000, 5.17, 1.02, {"age", "comorbidities", "covid19_symptoms"}, 110, 69.0470),
    ],
)
def test_without_options_the_registries_are_as_safe_as_published_at_no_more_loss(
    data_folder: Path, rows: int, alpha: float, beta: float, quasi_identifiers: set[str], smallest: int, most: float
) -> None:
    """Thresholds, hierarchies and levels are made from the data; the smallest class is measured anew on the release."""
    raw = data_folder / "ms_mock" / f"df_{rows}_rows" / f"stage_1_df_mock_{rows}.csv"
    with an.read(raw, acknowledge_rest="as the authors released them") as data:
        found = an.pipeline(data)
        assert found.after is not None
        measured = found.after.select("k_anonymity")[0].value

    assert (found.alpha, found.beta) == (alpha, beta)
    assert {c.column for c in found.columns if c.role == "sensitive"} == {"bmi", "ms_diagnosis_date", "edss"}
    assert {c.column for c in found.columns if c.role == "quasi-identifier"} == quasi_identifiers
    assert found.chosen is not None
    assert measured == found.chosen.k >= smallest
    assert found.chosen.loss <= most


@pytest.mark.parametrize(("rows", "smallest", "most"), [(500, 4, 69.2601), (1000, 110, 69.0470)])
def test_the_command_with_no_options_makes_a_release(data_folder: Path, tmp_path: Path, rows: int, smallest: int, most: float) -> None:
    """Columns that get no role and of which nobody says anything are not in the file; what is printed to keep them does."""
    raw = data_folder / "ms_mock" / f"df_{rows}_rows" / f"stage_1_df_mock_{rows}.csv"
    release = tmp_path / "release.csv"

    def told(words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "anonscope", *words], capture_output=True, text=True, check=False)

    shown = told(["pipeline", str(raw), "--format", "json"])
    first = told(["pipeline", str(raw), "-o", str(release), "--format", "json"])
    found = json.loads(first.stdout)

    assert shown.returncode == first.returncode == 0 and found["met"] and json.loads(shown.stdout)["chosen"] == found["chosen"]
    assert found["chosen"]["k"] >= smallest and found["chosen"]["loss_percent"] <= most
    left = {column["column"] for column in found["left_out"]}
    assert {"sex", "covid19_icu_stay", "covid19_confirmed_case"} <= left
    assert set(rows_of(release)[0]) == {c["column"] for c in found["columns"] if not c["dropped"]}
    assert not left & set(rows_of(release)[0])
    keeping = [line.strip() for line in first.stderr.splitlines() if line.startswith("  anonscope pipeline ")]
    assert len(keeping) == 2
    for command in keeping:
        again = told(shlex.split(command.replace("REASON", "'as the authors released them'"))[1:])
        assert again.returncode == 0, again.stderr
        assert left <= set(rows_of(release)[0])

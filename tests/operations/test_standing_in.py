"""Columns that say which records are one person's though the id is left out: no release is called met while one of them is in it."""

import csv
import json
import shlex
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import RecordsLinked
from anonscope.risk.policy import from_limits

_QUASI, _K = ["age", "sex", "region"], 5


def _visits(people: int = 60, seed: int = 1) -> dict[str, list[Any]]:
    """Return visits, with what is one for all visits of a person: an income, a household of two, and a group that many share."""
    drawn, columns = Random(seed), defaultdict(list)
    for person in range(people):
        sex, income = drawn.choice("mf"), 20_000 + 137 * person + drawn.randint(0, 90)
        for _ in range(drawn.randint(1, 4)):
            row = {"patient_id": f"P{person * 37:05d}", "age": drawn.choice([30, 40, 50]), "sex": sex, "region": drawn.choice("nesw")}
            row |= {"diagnosis": drawn.choice(["flu", "cold", "none"]), "income": income, "home": f"H{person // 2 * 7:04d}"}
            for name, value in (row | {"ward": "ab"[person % 2]}).items():
                columns[name].append(value)
    return dict(columns)


def _opened(columns: dict[str, list[Any]], without: tuple[str, ...] = (), **also: Any) -> an.Data:
    table = pa.table({name: values for name, values in columns.items() if name not in without})
    given: dict[str, Any] = {"quasi_identifiers": _QUASI, "sensitive": ["diagnosis"], "person": "patient_id", "insensitive": ["ward"]}
    return an.read(table, **(given | also))


def _tied(columns: dict[str, list[Any]], name: str, size: int) -> tuple[int, int]:
    """Count slowly of how many people with several records a column has one value that few people have, and those with several."""
    values, having = defaultdict(list), defaultdict(set)
    for person, value in zip(columns["patient_id"], columns[name], strict=True):
        values[person].append(value)
        having[value].add(person)
    several = [v for v in values.values() if len(v) > 1]
    return sum(len(set(v)) == 1 and len(having[v[0]]) < size for v in several), len(several)


@pytest.mark.parametrize(
    ("column", "without", "role"),
    [
        ("income", ("home",), {"sensitive": ["diagnosis", "income"]}),
        ("income", ("home",), {"insensitive": ["income", "ward"]}),
        ("income", ("home",), {"acknowledge_rest": "Needed."}),
        ("home", ("income",), {"household": "home"}),
    ],
)
def test_what_stands_in_for_the_id_stops_a_release(column: str, without: tuple[str, ...], role: dict[str, Any]) -> None:
    """Whatever its role, a column that ties the records of people together needs a word about itself; what many share needs none."""
    with _opened(_visits(), without, **role) as data, pytest.raises(RecordsLinked, match="can be linked all the same") as raised:
        an.anonymise(data, limits={"k_anonymity": _K})
    assert raised.value.columns == (column,)


def test_by_a_word_it_is_released_with_acknowledgement(tmp_path: Path) -> None:
    """The report, the manifest and a verification say that records can be linked by the column, as a slow count finds it."""
    columns, target = _visits(), tmp_path / "release.csv"
    words = {"income": "Agreement 7."}
    with _opened(columns, ("home",), sensitive=["diagnosis", "income"], acknowledge=words) as data:
        found = an.anonymise(data, limits={"k_anonymity": _K})
        found.write(target)
    assert found.after is not None and found.after.verdict.outcome == "release with acknowledgement"
    text = found.render("text")
    assert "The policy is met, with acknowledgement" in text and "Acknowledged of 'income': Agreement 7." in text
    (verdict,) = json.loads((tmp_path / "release.csv.manifest.json").read_bytes())["verdicts"]
    (column,) = verdict["linked_records"][0]["standing_in"]
    assert (column["tied"], column["people"]) == _tied(columns, "income", _K) and column["column"] == "income"
    assert verdict["outcome"] == "release with acknowledgement" and verdict["acknowledged"] == words
    checked = an.verify(target)
    assert checked.holds and "release with acknowledgement" in checked.sentence


def test_without_such_a_column_reports_say_what_was_tested() -> None:
    """Single columns were looked at, and what several say together was not."""
    with _opened(_visits(), ("home", "income")) as data:
        found = an.anonymise(data, limits={"k_anonymity": _K})
    assert found.after is not None and found.after.verdict.outcome == "release"
    (told,) = [note for note in found.notes if "left out of the release" in note]
    assert "No other column by itself" in told and "together was not tested" in told


@pytest.mark.parametrize("named", [True, False])
def test_a_plan_foresees_what_stands_in_for_the_id(named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its command was refused by `anonymise`: now it asks for the reasons first, and with them the release is made."""
    pa.csv.write_csv(pa.table({name: values for name, values in _visits().items() if name != "home"}), tmp_path / "visits.csv")
    monkeypatch.chdir(tmp_path)
    who = {"person": "patient_id"} if named else {"direct_identifiers": ["patient_id"]}
    with an.read("visits.csv", quasi_identifiers=_QUASI, sensitive=["diagnosis", "income"], insensitive=["ward"], **who) as data:
        plan = an.plan(data, limits={"k_anonymity": _K})
    assert plan.best is not None and any("income" in told and "can be linked all the same" in told for told in plan.first)
    command = shlex.split(plan.best.command)
    assert "income=REASON" in command and "ward=REASON" not in command
    done = CliRunner().invoke(app, [*(part.replace("REASON", "Agreement 7") for part in command[1:]), "--quiet"])
    assert done.exit_code == 0, (done.output, done.exception)


def test_rules_speak_of_people_where_people_are_counted() -> None:
    """They spoke of records though a class of eight visits may be one patient."""
    with _opened(_visits(), ("home", "income")) as data:
        told = an.audit(data, from_limits({"k_anonymity": _K})).render("text")
    with _opened(_visits(), ("home", "income", "patient_id"), person=None) as data:
        records = an.audit(data, from_limits({"k_anonymity": _K})).render("text")
    assert "How many people does the smallest group" in told and "How many records does the smallest group" in records


def test_attacks_say_what_they_do_not_look_at(tmp_path: Path) -> None:
    """Attackers know one record of somebody: what all records tell together is told as an audit measured it, or as not measured."""
    columns, target = _visits(), tmp_path / "release.csv"
    with _opened(columns, ("home", "income"), acknowledge={"patient_id": "A cohort."}) as data:
        an.anonymise(data, limits={"k_anonymity": _K}).write(target)
    with _opened(columns, ("home", "income")) as data:
        unjudged = an.attack(target, original=data, attacks=["singling_out"])
        judged = an.attack(target, original=data, attacks=["singling_out"], policy=from_limits({"k_anonymity": _K}))
    assert unjudged.together is not None and unjudged.together.startswith("Not measured, which is not safe")
    assert unjudged.together in " ".join(unjudged.render("text").split())
    assert judged.together is not None and "By all of their records together" in judged.together
    assert judged.verdict is not None and judged.verdict.outcome != "release"


def test_pipeline_and_fragments_go_by_the_same_rule(tmp_path: Path) -> None:
    """Every verb that leaves the id out looks for what stands in for it, also where the pipeline found the id by itself."""
    columns, policy = _visits(), from_limits({"k_anonymity": 2})
    with _opened(columns, ("home",), household=None, insensitive=["income", "ward"]) as data:
        with pytest.raises(RecordsLinked, match="income"):
            an.pipeline(data, policy)
        assert isinstance(an.pipeline(data, policy, preview=True).withheld, RecordsLinked)
        with pytest.raises(RecordsLinked, match="income"):
            an.fragment(data, policy, fragments=[["age"], ["sex", "region"]], assemble=True)
    with _opened(columns, ("home",), person=None, insensitive=["income", "ward"]) as data, pytest.raises(RecordsLinked, match="income"):
        an.pipeline(data, policy)
    with _opened(columns, ("home", "income"), person=None) as data:
        an.pipeline(data, policy).write(tmp_path / "release.csv")
    with (tmp_path / "release.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert "patient_id" not in header and rows == sorted(rows)

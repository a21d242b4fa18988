"""Every release passes an independent audit of the written file, whatever the method; what cannot be met is an answer."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError, NotPublished
from anonscope.report.anonymise import anonymisation_sheet
from anonscope.report.sheet import render_sheet
from anonscope.risk.policy import from_limits

METHODS = ("global", "local", "mondrian")
PEOPLE = """name,age,zip,sex,diagnosis,note
Ada,31,47111,F,flu,a
Ben,34,47112,M,asthma,b
Cem,38,47118,M,flu,c
Dee,35,47119,F,diabetes,d
Eva,52,47120,F,flu,e
Fay,57,47121,F,asthma,f
Gil,55,47125,M,flu,g
Hal,59,47129,M,diabetes,h
Ida,,47111,F,flu,i
"""
LEFT: dict[str, Any] = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["diagnosis"], "insensitive": ["note"]}
ROLES: dict[str, Any] = LEFT | {"direct_identifiers": ["name"]}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def audited(path: Path, limits: dict[str, float], **roles: Any) -> an.Verdict:
    """Audit a file as somebody who knows nothing of how it was made."""
    with an.read(path, **roles) as data:
        return an.audit(data, from_limits(limits)).verdict


@pytest.mark.parametrize("suppressed", ["keep", "drop"])
@pytest.mark.parametrize("method", METHODS)
def test_the_written_file_passes_an_audit(people, tmp_path, method, suppressed):
    """Direct identifiers are gone, other columns are as they were, in the same order, and every limit holds."""
    limits = {"k_anonymity": 3, "l_diversity": 2}
    with an.read(people, **ROLES) as data:
        found = an.anonymise(data, limits=limits, method=method, suppressed=suppressed)
        assert found.met and found.method == method
        path = found.write(tmp_path / "release.csv")
    assert audited(path, limits, **LEFT).outcome == "release"
    original, release = (list(csv.DictReader(p.read_text(encoding="utf-8").splitlines())) for p in (people, path))
    assert list(release[0]) == ["age", "zip", "sex", "diagnosis", "note"]
    assert [(r["diagnosis"], r["note"]) for r in release] == [(r["diagnosis"], r["note"]) for r in original][: len(release)]
    assert found.after is not None and found.after.verdict.outcome == "release"


@pytest.mark.parametrize("method", METHODS)
def test_the_recipe_reproduces_the_release(people, tmp_path, method):
    """The recipe file beside the release, applied to the same table, gives the same bytes; so does searching again."""
    with an.read(people, **ROLES) as data:
        first = an.anonymise(data, limits={"k_anonymity": 3}, method=method).write(tmp_path / "release.csv")
    with an.read(people, **ROLES) as data:
        again = an.apply(tmp_path / "release.csv.archive/recipe.toml", data).save(tmp_path / "again.csv")
        once_more = an.anonymise(data, limits={"k_anonymity": 3}, method=method).write(tmp_path / "more.csv")
    assert first.read_bytes() == again.read_bytes() == once_more.read_bytes()
    manifest = json.loads((tmp_path / "release.csv.archive/manifest.json").read_text(encoding="utf-8"))
    assert manifest["recipe"]["sha256"] == an.load_recipe(tmp_path / "release.csv.archive/recipe.toml").hash


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(6, 40))
    column = st.lists(st.sampled_from([None, "1", "2", "3", "4", "7"]), min_size=rows, max_size=rows)
    persons = st.lists(st.integers(1, 8), min_size=rows, max_size=rows)
    return pa.table({name: draw(column) for name in ("a", "b", "s")} | {"u": draw(persons)})


LIMITS: tuple[dict[str, float], ...] = (
    {"k_anonymity": 2},
    {"k_anonymity": 3, "l_diversity": 2},
    {"k_anonymity": 2, "t_closeness": 0.4},
    {"t_closeness:ordered": 0.3},
    {"correlation": 0.8, "average_class_size": 4},
    {"itpr:re-identification": 0.8},
)


@pytest.mark.parametrize("method", METHODS)
@seed(2025)
@settings(max_examples=12, deadline=None, database=None)
@given(table=tables(), limits=st.sampled_from(LIMITS), person=st.booleans(), drop=st.booleans(), share=st.sampled_from([0.0, 0.2, 1.0]))
def test_whatever_the_table_the_release_keeps_the_limits(method, table, limits, person, drop, share):
    """The release is audited from scratch; where the policy is not met, nothing is released."""
    roles: dict[str, Any] = {"quasi_identifiers": ["a", "b"], "sensitive": ["s"]} | ({"person": "u"} if person else {"insensitive": ["u"]})
    together = {"acknowledge": {"u": "records of one person stay together"}} if person else {}
    with an.read(table, **roles, **together) as data:
        found = an.anonymise(data, limits=limits, method=method, suppression=share, suppressed="drop" if drop else "keep")
        if not found.met:
            assert found.release is None and found.remaining
            return
        assert found.release is not None
        release = found.release.table
    with an.read(release, **roles, **together) as data:
        verdict = an.audit(data, from_limits(limits)).verdict
        assert verdict.exit_code == 0 and (verdict.outcome == "release" or any(linked.open for linked in verdict.linked))
    assert found.suppressed <= share * table.num_rows + 1e-9
    if not drop:
        assert release.num_rows == table.num_rows


@pytest.mark.parametrize("method", METHODS)
def test_k_alone_does_not_hide_a_diagnosis(method):
    """Groups that are large enough but share one diagnosis are caught."""
    table = pa.table({"q": ["x"] * 6 + ["y"] * 6, "s": ["flu"] * 6 + ["flu", "asthma"] * 3})
    with an.read(table, quasi_identifiers=["q"], sensitive=["s"]) as data:
        assert an.audit(data, from_limits({"k_anonymity": 5})).verdict.outcome == "release"
        for limits in ({"k_anonymity": 5, "l_diversity": 2}, {"k_anonymity": 5, "t_closeness": 0.2}):
            found = an.anonymise(data, limits=limits, method=method)
            assert found.met and found.release is not None
            assert set(found.release.table.column("q").to_pylist()) == {"*"}


def test_what_nothing_can_reach_is_an_answer(people):
    """It says which limit, and why, and writes nothing."""
    with an.read(people, **ROLES) as data:
        found = an.anonymise(data, limits={"k_anonymity": 2, "correlation": 0.3})
    assert not found.met and found.release is None
    assert any("correlation" in line and "cannot be met by changing quasi-identifiers" in line for line in found.unreachable)
    assert "cannot be met" in found.render()
    with pytest.raises(AnonscopeError, match="no release to write"):
        found.write("release.csv")


def test_bounds_and_untouched_columns_are_kept(people):
    """A column that must stay stays; a level that is fixed is taken."""
    with an.read(people, **ROLES) as data:
        found = an.anonymise(data, limits={"k_anonymity": 2}, method="global", untouched=["sex"], levels={"zip": (1, 9)})
        assert found.met and found.release is not None and found.recipe is not None
        assert found.release.table.column("sex").to_pylist() == ["F", "M", "M", "F", "F", "F", "M", "M", "F"]
        assert found.recipe.steps[-1].levels["zip"] >= 1


def test_without_a_policy_that_of_an_audit_is_met(people):
    """A newcomer who audited by the default makes a release by the same."""
    with an.read(people, **ROLES) as data:
        assert an.anonymise(data).policy.name == an.audit(data).policy.name == "scorr"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"limits": {}}, "No limit is given"),
        ({"policy": "ema-0070", "limits": {"k_anonymity": 2}}, "contradicts the policy ema-0070"),
        ({"policy": "hipaa-safe-harbor"}, "recipe --safe-harbor"),
        ({"limits": {"k_anonimity": 2}}, "No metric is called"),
        ({"limits": {"markov": 0.5}}, "cannot be decided"),
        ({"limits": {"k_map": 3}}, "population"),
        ({"limits": {"k_anonymity": 2}, "method": "best"}, "No method is called"),
        ({"limits": {"k_anonymity": 2}, "suppression": 2}, "share from 0 to 1"),
        ({"limits": {"k_anonymity": 2}, "untouched": ["agee"]}, "Did you mean 'age'"),
        ({"limits": {"k_anonymity": 2}, "untouched": ["note"]}, "no quasi-identifier"),
        ({"limits": {"k_anonymity": 2}, "weights": {"age": -1}}, "not be negative"),
        ({"limits": {"k_anonymity": 2}, "levels": {"age": (3, 1)}}, "must rise"),
        ({"limits": {"k_anonymity": 2}, "loss": "pain", "method": "global"}, "loss"),
    ],
)
def test_bad_wishes_are_named(people, options, says):
    """One sentence, before any search."""
    with an.read(people, **ROLES) as data, pytest.raises(AnonscopeError, match=says):
        an.anonymise(data, **options)


def test_uncovered_values_are_counted(people, tmp_path):
    """A hierarchy that lacks values is named with the column and their number, not with the values."""
    file = tmp_path / "age.csv"
    file.write_text("31;young;*\n34;young;*\n", encoding="utf-8")
    with an.read(people, **ROLES) as data, pytest.raises(AnonscopeError, match=r"does not cover 6 of the 8 values of column 'age'"):
        an.anonymise(data, limits={"k_anonymity": 2}, hierarchies={"age": file})


def test_the_command_works_with_nothing_else(people, tmp_path, monkeypatch):
    """Roles are suggested, hierarchies are made, the release and its papers are written."""
    monkeypatch.chdir(tmp_path)
    words = ["anonymise", "people.csv", "-q", "age", "-q", "zip", "-q", "sex", "-s", "diagnosis", "-d", "name", "-i", "note"]
    words += ["--limit", "k_anonymity=3", "-o", "release.csv", "--report", "report.html", "--alternatives", "--quiet"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        *("people.csv", "release.csv", "release.csv.archive", "release.csv.manifest.json", "report.html"),
    ]
    page = Path("report.html").read_text(encoding="utf-8")
    assert "The policy is met" in page and "<svg" in page and "47111" not in page
    assert result.stdout == ""
    again = CliRunner().invoke(app, words)
    assert isinstance(again.exception, AnonscopeError) and "exists" in str(again.exception)


@pytest.mark.parametrize("k", ["0", "-2", "2.5"])
def test_the_command_takes_whole_counts_only(people, tmp_path, monkeypatch, k):
    """At least 2.5 people is a slip of the pen: a sentence, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["anonymise", "people.csv", "-q", "age", "--limit", f"k_anonymity={k}", "-o", "release.csv"])
    assert isinstance(result.exception, AnonscopeError), result.output
    assert f"k-anonymity counts, so its limit is a whole number from 1 on, not {k}" in str(result.exception)
    assert not Path("release.csv").exists()


def test_the_command_says_when_it_cannot_be_met(people, tmp_path, monkeypatch):
    """Exit code 1, a report, and no release."""
    monkeypatch.chdir(tmp_path)
    words = ["anonymise", "people.csv", "-q", "age", "-s", "diagnosis", "-d", "name", "--limit", "k_anonymity=10"]
    words += ["--acknowledge-rest", "a test"]
    result = CliRunner().invoke(app, [*words, "-o", "release.csv", "--format", "json"])
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["met"] is False and document["unreachable"]
    assert not Path("release.csv").exists()


@pytest.mark.parametrize("method", METHODS)
def test_k_map_counts_the_population(method, tmp_path):
    """Two records of a kind are enough where five people are of that kind; the recipe finds the population again."""
    table = pa.table({"age": ["31", "34", "52", "57"], "sex": ["F", "F", "M", "M"]})
    people = tmp_path / "people.csv"
    people.write_text(
        "years,sex\n" + "".join(f"{age},{sex}\n" for age, sex in [(31, "F"), (34, "F"), (52, "M"), (57, "M")] * 3), encoding="utf-8"
    )
    given = {"quasi_identifiers": ["age", "sex"], "population": people, "population_columns": {"age": "years"}}
    with an.read(table, **given) as data:
        assert an.anonymise(data, limits={"k_map": 3}, method=method).losses["ncp"] == 0
        found = an.anonymise(data, limits={"k_map": 6}, method=method)
        assert found.met and found.release is not None
        ages = found.release.table.column("age").to_pylist()
        assert ages[0] == ages[1] and ages[2] == ages[3]
        path = found.write(tmp_path / "release.csv")
        assert an.apply(tmp_path / "release.csv.archive/recipe.toml", data).table.equals(found.release.table)
    with an.read(path, quasi_identifiers=["age", "sex"]) as release:
        assert an.link(release, people, columns={"age": "years", "sex": "sex"}).k_map >= 6


def test_the_text_shows_whole_sentences_and_no_escapes():
    """Shares of the records at each level, and all that stands under the verdict."""
    ages = [str(20 + i % 7 + 10 * (i % 3)) for i in range(60)] + ["77", "78", "79"]
    table = pa.table({"age": ages, "sex": ["F", "M", "F"] * 21, "zip": ["47111", "47112"] * 31 + ["52000"]})
    with an.read(table, quasi_identifiers=["age", "sex", "zip"]) as data:
        found = an.anonymise(data, limits={"k_anonymity": 3}, method="local")
    sheet = anonymisation_sheet(found)
    longer = replace(sheet, lead=f"{sheet.lead} " * 9, notes=(sheet.lead * 9,))
    text = found.render()

    assert any(0 < share < 1 for column in found.columns for share in column.shares) and "as it was (" in text
    assert "\\x" not in text and "…" not in text
    assert longer.lead in render_sheet(longer, "text") and longer.notes[0] in render_sheet(longer, "text")


def test_the_household_is_released_as_a_pseudonym_only(tmp_path):
    """Its ids stood in the release as they were, and nothing said so."""
    homes = [f"943 476 {5900 + i // 3}" for i in range(60)]
    table = pa.table({"band": ["30-39", "40-49"] * 30, "sex": ["M"] * 60, "diag": ["flu", "gout", "cold"] * 20, "home": homes})
    roles: dict[str, Any] = {"quasi_identifiers": ["band", "sex"], "sensitive": ["diag"], "household": "home"}
    with an.read(table, **roles) as data:
        found = an.anonymise(data, limits={"k_anonymity": 5})
        with found.write(tmp_path / "release.csv").open(encoding="utf-8", newline="") as file:
            released = [record["home"] for record in csv.DictReader(file)]
        assert not set(released) & set(homes) and len(set(released)) == 20
        # Who lives together stays to be seen.
        assert len(set(zip(homes, released, strict=True))) == 20
        assert any("The id of the household, 'home', is replaced by a pseudonym" in note for note in found.notes)
        planned = an.plan(data, limits={"k_anonymity": 40}).releases[0]
        assert {c.column: (c.role, c.becomes) for c in planned.columns}["home"] == ("household", "a pseudonym")


@pytest.mark.parametrize(("role", "column"), [("sensitive", "contact"), ("weight", "factor")])
def test_what_looks_like_an_identifier_is_not_released_as_a_secret_or_a_weight(role, column):
    """E-mail addresses stood in a release because somebody had called them sensitive, and unique numbers because they were a weight."""
    values = [f"person{i}@mail.example" for i in range(60)] if role == "sensitive" else [4_000_000 + i * 7919 % 99_991 for i in range(60)]
    table = pa.table({"band": ["30-39", "40-49"] * 30, "sex": ["M"] * 60, column: values})
    roles: dict[str, Any] = {"quasi_identifiers": ["band", "sex"], role: [column] if role == "sensitive" else column}
    with an.read(table, **roles) as data, pytest.raises(NotPublished, match=f"'{column}' was given as"):
        an.anonymise(data, limits={"k_anonymity": 5})
    with an.read(table, **roles, acknowledge={column: "made up for a test"}) as data:
        assert an.anonymise(data, limits={"k_anonymity": 5}).met


def test_a_weight_of_its_own_is_named():
    """Weights that one record has alone stayed in the release without a word; of many such records one is needed."""
    weights = [1.5] * 55 + [2.25 + i / 8 for i in range(5)]
    table = pa.table({"band": ["30-39", "40-49"] * 30, "sex": ["M"] * 60, "factor": weights})
    with an.read(table, quasi_identifiers=["band", "sex"], weight="factor") as data:
        notes = an.anonymise(data, limits={"k_anonymity": 5}).notes
    assert any("5 of 60 records have a weight of their own, and whoever knows it finds them" in note for note in notes)

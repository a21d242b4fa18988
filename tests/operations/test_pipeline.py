"""The pipeline takes the smallest set of de-identified quasi-identifiers that meets the policy, not the last one it looked at."""

import csv
import json
from collections import defaultdict
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError
from anonscope.risk.policy import from_limits
from anonscope.transform.search import dimensions
from support.strategies import law

# Ages tell people apart, sexes and regions do not: with ages in decades everybody has company.
PEOPLE = """name,age,region,sex,bmi
Ada,31,North,F,21.5
Ben,34,South,M,22.5
Cem,38,South,M,31.0
Dee,35,North,F,33.0
Eva,32,South,M,24.5
Fay,57,South,F,25.5
Gil,55,South,F,35.0
Hal,59,North,M,26.5
Ida,51,North,M,37.0
"""
ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "region", "sex"], "sensitive": ["bmi"], "direct_identifiers": ["name"]}


def ladder(column: str, labels: dict[str, str]) -> an.Hierarchy:
    """Return a hierarchy with one level between the values and "*"."""
    return an.Hierarchy(column, tuple(labels), (tuple(labels.values()), ("*",) * len(labels)))


AGES = ladder("age", {age: f"{age[0]}0s" for age in ("31", "34", "38", "35", "32", "57", "55", "59", "51")})
REGIONS = ladder("region", {"North": "country", "South": "country"})
SEXES = ladder("sex", {"F": "person", "M": "person"})
BMIS = ladder(
    "bmi",
    {"21.5": "low", "22.5": "low", "24.5": "low", "25.5": "low", "26.5": "low"} | dict.fromkeys(("31.0", "33.0", "35.0", "37.0"), "high"),
)
LADDERS = {"age": AGES, "region": REGIONS, "sex": SEXES, "bmi": BMIS}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def test_an_earlier_dimension_is_the_answer(people):
    """Ages in decades are enough for k and l; the further columns would only lose, though all later dimensions meet the limits too."""
    with an.read(people, **ROLES) as data:
        found = an.pipeline(data, from_limits({"k_anonymity": 2}), hierarchies=LADDERS)

    assert [at.met for at in found.dimensions] == [False, True, True, True]
    assert found.chosen is not None and found.chosen.deidentified == ("age",)
    assert found.chosen.loss < found.dimensions[2].loss < found.dimensions[3].loss
    assert found.chosen.kept == 100 - found.chosen.loss
    assert found.after is not None and found.after.verdict.outcome == "release"


def test_a_set_that_is_no_prefix_is_found():
    """The riskiest column has a form that helps nobody; de-identifying another one alone is the smallest answer."""
    table = pa.table({"a": list("xyzw") * 2, "b": list("12345678"), "s": list("mnmnmnmn")})
    forms = {"a": ladder("a", {v: v.upper() for v in "xyzw"}), "b": ladder("b", dict.fromkeys("12345678", "any"))}
    forms |= {"s": ladder("s", {"m": "M", "n": "N"})}
    with an.read(table, quasi_identifiers=["a", "b"], sensitive=["s"]) as data:
        found = an.pipeline(data, from_limits({"k_anonymity": 2}), hierarchies=forms)
        reversed_ = an.pipeline(
            data, from_limits({"k_anonymity": 2}), hierarchies=forms | {"b": ladder("b", {v: f"v{v}" for v in "12345678"})}
        )

    assert found.chosen is not None and found.chosen.deidentified == ("b",)
    assert found.dimensions[1].deidentified == ("b",), "the column of single values is the riskiest"
    assert not reversed_.met and reversed_.release is None


def test_sensitive_attributes_are_judged_in_their_de_identified_form(people):
    """Every bmi is a value of its own, but in the release there are two words for them, and l and t are about these."""
    with an.read(people, **ROLES) as data:
        found = an.pipeline(data, hierarchies=LADDERS, levels={"bmi": 1})
        assert found.release is not None
        words = set(found.release.table.column("bmi").to_pylist())
        raw = an.pipeline(data, hierarchies=LADDERS, levels={"bmi": 0})

    assert found.dimensions[3].diversity == {"bmi": 2}
    assert found.dimensions[3].t == pytest.approx(5 / 9 - 2 / 4), "five of nine are low, and two of four in their fifties"
    assert raw.dimensions[3].diversity == {"bmi": 4}
    assert found.chosen is not None and words == {"low", "high"}


def test_the_release_passes_an_audit_and_its_recipe_gives_it_again(people, tmp_path):
    """The written file keeps the limits; the recipe beside it makes the same bytes; other columns are as they were."""
    with an.read(people, **ROLES) as data:
        found = an.pipeline(data, hierarchies=LADDERS)
        path = found.write(tmp_path / "release.csv")
        again = an.apply(tmp_path / "release.csv.archive/recipe.toml", data).save(tmp_path / "again.csv")
    assert path.read_bytes() == again.read_bytes()
    with an.read(path, quasi_identifiers=["age", "region", "sex"], sensitive=["bmi"]) as data:
        audit = an.audit(data, "pipeline")
    assert audit.verdict.outcome == "release"
    assert found.chosen is not None and audit["k_anonymity"].value == found.chosen.k
    original, release = (list(csv.DictReader(p.read_text(encoding="utf-8").splitlines())) for p in (people, path))
    assert list(release[0]) == ["age", "region", "sex", "bmi"]
    kept = [column for column in ("age", "region", "sex") if column not in found.chosen.deidentified]
    assert [[row[column] for column in kept] for row in release] == [[row[column] for column in kept] for row in original]
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["dropped"] == ["name"]


def test_a_table_that_meets_the_policy_stays_as_it_is(tmp_path):
    """Nothing needs to be de-identified: dimension 0 is the answer, and its release is the table."""
    table = pa.table({"a": ["x", "x", "y", "y"], "s": ["1", "2", "1", "2"]})
    with an.read(table, quasi_identifiers=["a"], sensitive=["s"]) as data:
        found = an.pipeline(data, levels={"s": 0})
        found.write(tmp_path / "release.csv")
    assert found.chosen is not None and found.chosen.deidentified == () and found.chosen.loss == 0
    assert (tmp_path / "release.csv").read_text(encoding="utf-8").splitlines() == ["a,s", "x,1", "x,2", "y,1", "y,2"]


def test_risk_rates_make_roles_where_none_is_given(tmp_path):
    """Above alpha sensitive, from beta on a quasi-identifier, below neither; names and empty columns go; what was given stays."""
    rows = [f"Person {i},{i % 50},{'ab'[i % 2]},{i},{'x' if i < 10 else ''},{i % 50}" for i in range(400)]
    path = tmp_path / "table.csv"
    path.write_text("surname,age,flag,amount,rare,given\n" + "\n".join(rows) + "\n", encoding="utf-8")
    with an.read(path, sensitive=["given"], acknowledge_rest="a coin") as data:
        unused = {"flag": ladder("flag", {"a": "any", "b": "any"})}
        found = an.pipeline(data, from_limits({"k_anonymity": 1}), alpha=30, beta=1, hierarchies=unused)
    assert any("hierarchies of flag were not used" in note for note in found.notes)
    roles = {c.column: (c.role, c.dropped) for c in found.columns}
    assert roles == {
        "surname": ("direct identifier", True),
        "age": ("quasi-identifier", False),
        "flag": ("neither", False),
        "amount": ("sensitive", False),
        "rare": ("neither", True),
        "given": ("sensitive", False),
    }
    assert found.release is not None and found.release.columns == ("age", "flag", "amount", "given")


def test_a_rate_is_compared_after_rounding():
    """25.004 is printed as 25.00 and is not above alpha; forty values of four records each, but one of three."""
    values = [str(i) for i in range(40) for _ in range(4)]
    table = pa.table({"q": values, "r": ["a", *values[1:]], "s": ["u", "v"] * 80})
    with an.read(table, sensitive=["s"]) as data:
        low = an.pipeline(data, from_limits({"k_anonymity": 1}), alpha=25, beta=25)
    rates = {c.column: (c.risk_rate, c.role) for c in low.columns}
    assert rates["q"] == (25, "quasi-identifier")
    assert rates["r"][0] > 25.01 and rates["r"][1] == "sensitive"


def test_a_person_who_is_recognised_counts_but_is_not_released():
    """Records of one visitor are one person in k, and the id goes."""
    table = pa.table(
        {"patient_id": [f"P{i // 3:03d}" for i in range(60)], "age": [str(20 + i // 6) for i in range(60)], "s": ["a", "b", "c"] * 20}
    )
    with an.read(table, quasi_identifiers=["age"], sensitive=["s"]) as data:
        found = an.pipeline(data, from_limits({"k_anonymity": 2}))
    (person,) = [c for c in found.columns if c.column == "patient_id"]
    assert (person.role, person.dropped) == ("person", True)
    assert found.dimensions[0].k == 2
    assert found.release is not None and found.release.columns == ("age", "s")


def test_early_stars_tell_the_two_losses_apart():
    """Where a hierarchy writes "*" for one value of three, the authors count its records, and Gionis and Tassa the whole column."""
    table = pa.table({"a": ["x"] * 4 + ["y"] * 2 + ["z"] * 2, "s": ["1", "2"] * 4})
    star = an.Hierarchy("a", ("x", "y", "z"), (("*", "yz", "yz"), ("*", "*", "*")))
    with an.read(table, quasi_identifiers=["a"], sensitive=["s"]) as data:
        at = an.pipeline(data, from_limits({"k_anonymity": 4}), hierarchies={"a": star}).dimensions[1]
    most = 4 * log(2) + 4 * log(4)
    assert at.loss == pytest.approx(100 * 4 * log(2) / most)
    assert at.loss_gionis_tassa == pytest.approx(100 * (4 * log(2) + 4 * log(2)) / most)


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, list[str | None]], dict[str, dict[str, str]], dict[str, float]]:
    rows = draw(st.integers(1, 16))
    names = ["a", "b", "c", "d"][: draw(st.integers(1, 4))]
    values = st.sampled_from([None, "1", "2", "3", "4"])
    columns = {name: draw(st.lists(values, min_size=rows, max_size=rows)) for name in (*names, "s")}
    labels = {name: {v: draw(st.sampled_from(["low", "high", v])) for v in "1234"} for name in (*names, "s")}
    limits = draw(
        st.sampled_from(
            [{"k_anonymity": 2}, {"k_anonymity": 2, "l_diversity": 2}, {"t_closeness:equal": 0.5}, {"itpr:re-identification": 0.9}]
        )
    )
    return columns, labels, limits


def _kept(metric: str, limit: float, classes: list[list[str | None]]) -> bool:
    """Return whether classes keep a limit, to the letter of the definitions."""
    everybody = [value for members in classes for value in members]
    n = len(everybody)
    if metric == "k_anonymity":
        return min(map(len, classes)) >= limit
    if metric == "l_diversity":
        return min(len(set(members)) for members in classes) >= limit
    if metric == "t_closeness:equal":
        apart = [[abs(m.count(v) / len(m) - everybody.count(v) / n) for v in set(everybody)] for m in classes]
        return max(sum(differences) / 2 for differences in apart) <= limit + 1e-12
    return n > 1 and max(1 - len(classes) * len(m) / n * log(len(m)) / log(n) for m in classes) <= limit + 1e-12


@law
@given(case=cases())
def test_the_choice_is_that_of_trying_every_set(case):
    """The slow way: all sets by size, classes by dictionaries, the least loss of those that keep the limits; an audit agrees."""
    columns, labels, limits = case
    names = [name for name in columns if name != "s"]
    with an.read(pa.table({k: pa.array(v, pa.string()) for k, v in columns.items()}), quasi_identifiers=names, sensitive=["s"]) as data:
        found = an.pipeline(data, from_limits(limits), hierarchies={n: ladder(n, labels[n]) for n in columns})

    def form(name: str) -> list[str | None]:
        return [None if v is None else labels[name][v] for v in columns[name]]

    def lost(chosen: tuple[str, ...]) -> float:
        return sum(log(form(n).count(new) / columns[n].count(old)) for n in chosen for old, new in zip(columns[n], form(n), strict=True))

    def met(chosen: tuple[str, ...]) -> bool:
        made = {n: form(n) if n in chosen else columns[n] for n in names}
        classes = defaultdict(list)
        for i, s in enumerate(form("s")):
            classes[tuple(made[n][i] for n in names)].append(s)
        return all(_kept(metric, limit, list(classes.values())) for metric, limit in limits.items())

    for size in range(len(names) + 1):
        sets = sorted(combinations(names, size), key=lost)
        losses = [lost(chosen) for chosen in sets if met(chosen)]
        if losses:
            assert found.chosen is not None and len(found.chosen.deidentified) == size
            assert met(found.chosen.deidentified) and lost(found.chosen.deidentified) == pytest.approx(losses[0])
            assert found.after is not None and found.after.verdict.outcome == "release"
            break
    else:
        assert found.chosen is None
    for at in found.dimensions:
        classes = defaultdict(list)
        made = {n: form(n) if n in at.deidentified else columns[n] for n in names}
        for i, s in enumerate(form("s")):
            classes[tuple(made[n][i] for n in names)].append(s)
        assert at.k == min(map(len, classes.values()))
        assert at.diversity["s"] == min(len(set(members)) for members in classes.values())


def test_with_many_columns_only_prefixes_are_tried(monkeypatch):
    """The report says so, and the answer may be larger than the smallest."""
    monkeypatch.setattr(dimensions, "MOST_ATTRIBUTES", 1)
    table = pa.table({"a": list("xyzw") * 2, "b": list("11112222"), "s": list("mnmnmnmn")})
    forms = {"a": ladder("a", {v: v.upper() for v in "xyzw"}), "b": ladder("b", dict.fromkeys("12", "any"))}
    with an.read(table, quasi_identifiers=["a", "b"], sensitive=["s"]) as data:
        found = an.pipeline(data, from_limits({"k_anonymity": 2}), hierarchies=forms, levels={"s": 0})
    assert found.searched == "prefixes"
    assert found.chosen is not None and found.chosen.deidentified == ("a", "b")
    assert "A smaller set may exist" in found.render()


@pytest.mark.parametrize(
    ("roles", "options", "says"),
    [
        ({}, {"alpha": 1, "beta": 2}, "0 <= beta <= alpha <= 100"),
        ({}, {"policy": "hipaa-safe-harbor"}, "list of what columns may hold"),
        ({"quasi_identifiers": ["agee"]}, {}, "Did you mean 'age'"),
        ({"quasi_identifiers": ["age"]}, {"forbid": "age"}, "takes a list"),
        ({"quasi_identifiers": ["age"]}, {"forbid": ["agee"]}, "Did you mean 'age'"),
        ({"quasi_identifiers": ["age"], "sensitive": ["bmi"]}, {"levels": {"age": 99}}, "has levels from 0 to"),
        ({"quasi_identifiers": ["age"], "sensitive": ["bmi"]}, {"levels": {"name": 1}}, "neither a quasi-identifier nor sensitive"),
        ({"sensitive": ["bmi", "age", "region", "sex"]}, {}, "no quasi-identifier to de-identify"),
        ({"quasi_identifiers": ["age", "region", "sex", "bmi"]}, {}, "none is sensitive"),
        (
            {"quasi_identifiers": ["age"], "sensitive": ["bmi"]},
            {"hierarchies": {"age": ladder("age", {"31": "x"})}},
            "does not cover 8 of the 9",
        ),
        ({"quasi_identifiers": ["age"], "sensitive": ["bmi"]}, {"policy": from_limits({"markov": 0.5})}, "cannot be decided"),
    ],
)
def test_bad_wishes_are_named(people, roles, options, says):
    """One sentence, and no value of the table in it."""
    with an.read(people, direct_identifiers=["name"], **roles) as data, pytest.raises(AnonscopeError, match=says):
        an.pipeline(data, **options)


def command(*words: str) -> Any:
    base = ["pipeline", "people.csv", "-q", "age", "-q", "region", "-q", "sex", "-s", "bmi", "-d", "name", "--quiet"]
    return CliRunner().invoke(app, [*base, *words])


def test_the_command_writes_the_release_and_its_papers(people, tmp_path, monkeypatch):
    """And a page that names no value of the table."""
    monkeypatch.chdir(tmp_path)
    for column, hierarchy in LADDERS.items():
        hierarchy.save(tmp_path / f"{column}.csv")
    files = [word for column in LADDERS for word in ("--hierarchy", f"{column}={column}.csv")]
    result = command(*files, "--level", "age=1", "-o", "release.csv", "--report", "report.html")
    assert result.exit_code == 0, result.output
    assert {p.name for p in tmp_path.glob("release.csv*")} == {
        *("release.csv", "release.csv.archive", "release.csv.manifest.json"),
    }
    page = Path("report.html").read_text(encoding="utf-8")
    assert "The policy is met" in page and "<svg" in page and "(chosen)" in page
    assert not any(value in page for value in ("Ada", "21.5", "30s"))
    again = command("-o", "release.csv")
    assert isinstance(again.exception, AnonscopeError) and "exists" in str(again.exception)


def test_the_command_says_when_nothing_meets_the_policy(people, tmp_path, monkeypatch):
    """Exit code 1, the closest dimension, and no release."""
    monkeypatch.chdir(tmp_path)
    head = 'schema = "anonscope/policy/1"\nname = "own"\ntitle = "Own"\nversion = "1"\norigin = "us"\n'
    Path("policy.toml").write_text(head + '[[rules]]\nmetric = "k_anonymity"\nminimum = 10\n', encoding="utf-8")
    result = command("--policy", "policy.toml", "-o", "release.csv", "--format", "json")
    document = json.loads(result.stdout)
    assert result.exit_code == 1 and document["met"] is False and document["chosen"] is None
    assert document["closest"]["broken"] == ["k-anonymity ≥ 10"] and document["unreachable"]
    assert not list(tmp_path.glob("release.csv*"))
    assert "What no de-identification can reach" in command("--policy", "policy.toml", "--format", "markdown").stdout


def test_a_level_that_is_no_number_is_named(people, tmp_path, monkeypatch):
    """Before anything is read."""
    monkeypatch.chdir(tmp_path)
    result = command("--level", "age=most")
    assert isinstance(result.exception, AnonscopeError) and "whole number" in str(result.exception)

"""Every fragment that is written passes an audit of its own, no order ties two of them together, and the report says what all tell."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.columns.roles import Acknowledgements
from anonscope.errors import AnonscopeError
from anonscope.risk.policy import from_limits
from anonscope.transform.release.manifest import recipe_path
from anonscope.transform.steps import DropColumn, GeneraliseInterval, SortRecords

PEOPLE = """name,age,zip,sex,job,diagnosis,note
Ada,31,47111,F,nurse,flu,a
Ben,34,47112,M,cook,asthma,b
Cem,38,47118,M,nurse,flu,c
Dee,35,47119,F,cook,diabetes,d
Eva,52,47120,F,nurse,flu,e
Fay,57,47121,F,cook,asthma,f
Gil,55,47125,M,nurse,flu,g
Hal,59,47129,M,cook,diabetes,h
"""
KNOWN = ["age", "zip", "sex", "job"]
ROLES: dict[str, Any] = {"quasi_identifiers": KNOWN, "sensitive": ["diagnosis"], "direct_identifiers": ["name"], "insensitive": ["note"]}
TWO = [["age", "sex"], ["zip", "job"]]
LIMITS = {"k_anonymity": 3, "l_diversity": 2}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def columns_of(path: Path) -> dict[str, list[Any]]:
    with an.read(path) as data:
        return data.engine.batches(f"SELECT * FROM {data.relation.origin}").read_all().rename_columns(list(data.columns)).to_pydict()


@pytest.mark.parametrize("method", ["global", "local", "mondrian"])
def test_every_file_passes_an_audit_of_its_own(people, tmp_path, method):
    """The fragment with the diagnosis keeps k and l, the other keeps k; names are in neither, the rest is in the first."""
    with an.read(people, **ROLES) as data:
        found = an.fragment(data, limits=LIMITS, fragments=TWO, method=method)
        first, second = found.write(tmp_path / "out")
    assert found.met
    with an.read(first, quasi_identifiers=["age", "sex"], sensitive=["diagnosis"], insensitive=["note"]) as data:
        assert data.columns == ("age", "sex", "diagnosis", "note")
        audit = an.audit(data, from_limits(LIMITS))
    assert audit.verdict.outcome == "release" and audit["k_anonymity"].value == found.fragments[0].k
    with an.read(second, quasi_identifiers=["zip", "job"]) as data:
        assert data.columns == ("zip", "job")
        audit = an.audit(data, from_limits({"k_anonymity": 3}))
    assert audit.verdict.outcome == "release" and audit["k_anonymity"].value == found.fragments[1].k
    assert found.fragments[1].rules_left_out == ("l_diversity",)


def test_files_are_sorted_and_have_no_column_in_common(people, tmp_path):
    """So neither a key nor the place of a row tells which rows belong together."""
    with an.read(people, **ROLES) as data:
        first, second = (columns_of(path) for path in an.fragment(data, limits=LIMITS, fragments=TWO).write(tmp_path / "out"))
    assert not set(first) & set(second)
    for columns in (first, second):
        rows = list(zip(*columns.values(), strict=True))
        assert rows == sorted(rows)
    assert Counter(first["diagnosis"]) == {"flu": 4, "asthma": 2, "diabetes": 2}


def test_the_recipes_reproduce_the_files(people, tmp_path):
    """Each beside its file, applied to the same table; so does making the fragments again."""
    with an.read(people, **ROLES) as data:
        paths = an.fragment(data, limits=LIMITS, fragments=TWO).write(tmp_path / "out")
        again = an.fragment(data, limits=LIMITS, fragments=TWO).write(tmp_path / "more")
        for path, other in zip(paths, again, strict=True):
            made = an.apply(recipe_path(path), data).save(path.with_name("again-" + path.name))
            assert made.read_bytes() == path.read_bytes() == other.read_bytes()
    manifest = json.loads((tmp_path / "out" / "fragment-2.csv.manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["dropped"]) == {"name", "age", "sex", "diagnosis", "note"}


def test_assembled_rows_stay_together(people, tmp_path):
    """One file in the order of the table, in which the whole keeps the limits as each fragment does; the manifest says so of the whole."""
    limits = {"k_anonymity": 2, "l_diversity": 2}
    fixed = {"age": 3, "zip": 2, "sex": 1, "job": 1}
    with an.read(people, **ROLES) as data:
        found = an.fragment(data, limits=limits, fragments=TWO, assemble=True, levels=fixed, method="global")
        (path,) = found.write(tmp_path / "release.csv")
        again = an.apply(tmp_path / "release.csv.archive/recipe.toml", data).save(tmp_path / "again.csv")
    assert found.met and path.read_bytes() == again.read_bytes()
    released, original = columns_of(path), columns_of(people)
    assert list(released) == [*KNOWN, "diagnosis", "note"]
    assert released["note"] == original["note"] and released["diagnosis"] == original["diagnosis"]
    for known in (*TWO, KNOWN):
        others = [column for column in (*KNOWN, "note") if column not in known]
        with an.read(path, quasi_identifiers=known, sensitive=["diagnosis"], insensitive=others) as data:
            audit = an.audit(data, from_limits(limits))
        assert audit.verdict.outcome == "release"
    assert found.assembled_outcome == audit.verdict.outcome
    assert found.together is not None and found.together.k == audit["k_anonymity"].value
    assert found.together.average == pytest.approx(audit["marketer"].value)
    verdicts = json.loads((tmp_path / "release.csv.manifest.json").read_text(encoding="utf-8"))["verdicts"]
    assert [verdict["roles"]["quasi_identifiers"] for verdict in verdicts] == [KNOWN, *TWO]
    measured = {rule["metric"]: rule["value"] for rule in verdicts[0]["rules"]}
    assert measured == {metric: audit[metric].value for metric in limits}


def test_fragments_that_are_safe_alone_may_be_unsafe_together(tmp_path):
    """Two columns that each have everybody twice single everybody out together: apart they are released, assembled nothing is."""
    table = pa.table({"a": list("aabbccdd"), "b": list("abcdabcd"), "s": list("xyxyxyxy")})
    with an.read(table, quasi_identifiers=["a", "b"], sensitive=["s"]) as data:
        found = an.fragment(data, limits={"k_anonymity": 2}, fragments=[["a"], ["b"]], assemble=True)
        apart = an.fragment(data, limits={"k_anonymity": 2}, fragments=[["a"], ["b"]])
    assert found.fragments_met and [f.loss for f in found.fragments] == [0, 0]
    assert found.together is not None and (found.together.k, found.together.unique, found.together.average) == (1, 1, 1)
    assert found.assembled_outcome == "withhold" and not found.met and found.release is None and found.recipes == ()
    assert found.assembled_remaining == ("k-anonymity is 1 and must be ≥ 2",)
    assert "the assembled table does not" in found.render() and "k-anonymity is 1 and must be ≥ 2. Nothing was written" in found.render()
    with pytest.raises(AnonscopeError, match="no release to write"):
        found.write(tmp_path / "release.csv")
    assert apart.met and apart.together == found.together and apart.shared is None
    assert "a guess is right in 1 of 8" in apart.render()


def test_what_fragments_share_is_how_they_are_linked():
    """A sensitive attribute in all fragments, or a common column, tells which rows may belong together."""
    table = pa.table({"a": list("aabbccdd"), "b": list("abcdabcd"), "c": list("mmmmnnnn"), "s": list("xyxyxyxz")})
    with an.read(table, quasi_identifiers=["a", "b", "c"], sensitive=["s"]) as data:
        everywhere = an.fragment(data, limits={"k_anonymity": 2}, fragments=[["a"], ["b", "c"]], sensitive_in="all")
        common = an.fragment(data, limits={"k_anonymity": 2}, fragments=[["a"], ["b"]], common=["c"], sensitive_in=2)
        assert [part.release.columns for part in common.anonymisations] == [("a", "c"), ("b", "c", "s")]
    assert everywhere.shared is not None and everywhere.shared.columns == ("s",)
    # Four have x, three y and one z, who is alone: three groups among eight people.
    assert (everywhere.shared.k, everywhere.shared.unique, everywhere.shared.average) == (1, 1 / 8, 3 / 8)
    assert common.shared is not None and common.shared.columns == ("c",)
    assert (common.shared.k, common.shared.average) == (4, 2 / 8)


SHARED_KEY = [round(0.1 + i / 997, 6) for i in range(48)]


def keyed(shared: list[Any]) -> pa.Table:
    """Eight groups of six by a, four of twelve by b; together there are two of each."""
    rows = range(48)
    columns = {"a": [f"a{i % 8}" for i in rows], "b": [f"b{i * 7 // 3 % 4}" for i in rows], "s": [f"s{i % 5}" for i in rows]}
    return pa.table(columns | {"u": shared})


@pytest.mark.parametrize("how", [{"target": "u"}, {"common": ["u"]}])
def test_fragments_with_a_key_in_common_are_judged_as_the_table_that_it_makes_of_them(tmp_path, how):
    """A shared column that nearly nobody shares pairs all rows, so nothing is released; left out of the shared ones it is."""
    wishes = {"limits": {"k_anonymity": 6}, "fragments": [["a"], ["b"]], "method": "global"}
    with an.read(keyed(SHARED_KEY), quasi_identifiers=["a", "b"], sensitive=["s"], acknowledge_rest="a lab value") as data:
        found = an.fragment(data, **wishes, **how)
        alone = an.fragment(data, **wishes)
    assert found.fragments_met and not found.met and found.recipes == ()
    assert found.joined is not None and (found.joined.k, found.joined.linkable, found.joined.expected) == (1, 48, 48)
    said = found.render()
    assert "'u', which is a key" in said and "48 of 48 rows" in said and f"(--{next(iter(how))})" in said
    assert "k-anonymity is " in found.joined.remaining[0] and "without a common key" not in said
    assert found.to_dict()["joined"]["remaining"] and found.to_dict()["met"] is False
    with pytest.raises(AnonscopeError, match="no release to write"):
        found.write(tmp_path / "out")
    assert alone.met and alone.joined is None and "without a common key" in alone.render()


def test_a_column_that_many_share_may_be_in_all_fragments():
    """Then a guess of which rows belong together is no better than one within a group; but it is no absence of a key either."""
    with an.read(keyed(["yes", "no"] * 24), quasi_identifiers=["a", "b"], sensitive=["s"], acknowledge_rest="a yes or no") as data:
        found = an.fragment(data, limits={"k_anonymity": 6}, fragments=[["a"], ["b"]], target="u", method="global")
    assert found.met and found.joined is not None and (found.joined.k, found.joined.linkable) == (24, 0)
    assert found.joined.expected == pytest.approx(2)
    assert "without a common key" not in found.render() and "share u (at least 24 people with the same)" in found.render()


def test_common_columns_are_judged_as_they_were_released():
    """A common quasi-identifier that everybody has alone is recoded in each fragment, and pairs nobody after that."""
    rows = range(48)
    table = keyed(["x"] * 48).append_column("age", pa.array([20 + i for i in rows]))
    with an.read(table, quasi_identifiers=["a", "b", "age"], sensitive=["s"], insensitive=["u"]) as data:
        found = an.fragment(data, limits={"k_anonymity": 4}, fragments=[["a"], ["b"]], common=["age"], method="global")
    assert found.met and found.joined is not None and found.joined.k >= 4


def test_a_target_steers_the_proposal_and_is_in_every_fragment(people):
    """FMRMR with a column that somebody wants to predict; without a role it goes to all."""
    with an.read(people, quasi_identifiers=["age", "zip", "sex"], sensitive=["diagnosis"], direct_identifiers=["name", "note"]) as data:
        data.acknowledged = Acknowledgements({"job": "what somebody wants to predict"})
        found = an.fragment(data, limits={"k_anonymity": 2}, target="job")
        proposed = an.fragmentation(data, number=2, target="job", columns=["age", "zip", "sex"])
        assert all("job" in part.release.columns for part in found.anonymisations)
        assert [part.release.columns.count("diagnosis") for part in found.anonymisations] == [1, 0]
    assert found.shared is not None and found.shared.columns == ("job",)
    assert found.proposal.name == "FMRMR" and found.proposal.score == proposed.score
    assert [f.columns for f in found.proposal.fragments] == [f.columns for f in proposed.fragments]


def test_persons_are_counted_and_their_id_is_not_released():
    """An id in both fragments would tie them together; classes are counted in persons all the same."""
    visits = pa.table({"who": ["p1", "p1", "p2", "p2", "p3", "p3"], "a": list("xxxxyy"), "b": list("mnmnmn"), "s": list("uvuvuv")})
    with an.read(visits, quasi_identifiers=["a", "b"], sensitive=["s"], person="who") as data:
        found = an.fragment(data, limits={"k_anonymity": 2}, fragments=[["a"], ["b"]])
        assert [part.release.columns for part in found.anonymisations] == [("a", "s"), ("b",)]
        assert set(found.anonymisations[0].release.table.column("a").to_pylist()) == {"*"}, "y is one person, though two records"
    assert found.together is not None and found.together.k == 3


def test_the_person_of_an_assembled_table_is_a_pseudonym(tmp_path):
    """Records of one person stay together under another name, as the report says."""
    who = ["p1", "p1", "p2", "p2", "p3", "p3", "p4", "p4"]
    visits = pa.table({"who": who, "a": list("xxxxyyyy"), "b": list("mmmmmmmm"), "s": list("uvuvuvuv")})
    with an.read(visits, quasi_identifiers=["a", "b"], sensitive=["s"], person="who") as data:
        found = an.fragment(data, limits={"k_anonymity": 2}, fragments=[["a"], ["b"]], assemble=True, method="global")
        (path,) = found.write(tmp_path / "release.csv")
    released = columns_of(path)["who"]
    assert len(set(zip(who, released, strict=True))) == len(set(released)) == 4 and not set(who) & set(released)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(4, 20))
    column = st.lists(st.sampled_from([None, "1", "2", "3"]), min_size=rows, max_size=rows)
    return pa.table({name: pa.array(draw(column), pa.string()) for name in ("a", "b", "c", "s")})


@seed(2025)
@settings(max_examples=10, deadline=None, database=None)
@given(table=tables(), k=st.integers(1, 3), assemble=st.booleans(), everywhere=st.booleans())
def test_whatever_the_table_fragments_keep_the_limits(table, k, assemble, everywhere):
    """Each released fragment is audited from scratch, and the numbers about all together are those of the rows side by side."""
    limits = {"k_anonymity": k, "t_closeness:equal": 0.6}
    with an.read(table, quasi_identifiers=["a", "b", "c"], sensitive=["s"]) as data:
        found = an.fragment(
            data, limits=limits, fragments=[["a", "b"], ["c"]], assemble=assemble, sensitive_in="all" if everywhere else 1, method="global"
        )
        if not found.met:
            assert found.recipes == () and found.release is None
            joined = found.joined.remaining if found.joined is not None else ()
            assert found.assembled_remaining or joined if found.fragments_met else any(f.remaining for f in found.fragments)
            return
        released = [found.release.table] * 2 if found.release is not None else [part.release.table for part in found.anonymisations]
    for known, made, sensitive in zip((["a", "b"], ["c"]), released, (True, everywhere or assemble), strict=True):
        roles = {"quasi_identifiers": known} | ({"sensitive": ["s"]} if sensitive else {})
        others = [column for column in made.column_names if column not in known and not (sensitive and column == "s")]
        with an.read(made, insensitive=others, **roles) as data:
            assert an.audit(data, from_limits(limits if sensitive else {"k_anonymity": k})).verdict.outcome == "release"
    if assemble:
        with an.read(released[0], quasi_identifiers=["a", "b", "c"], sensitive=["s"]) as data:
            assert an.audit(data, from_limits(limits)).verdict.outcome == "release"
        sizes = Counter(zip(*(released[0].column(c).to_pylist() for c in "abc"), strict=True))
        assert found.together is not None
        assert found.together.k == min(sizes.values())
        assert found.together.unique == pytest.approx(sum(n == 1 for n in sizes.values()) / table.num_rows)
        assert found.together.average == pytest.approx(len(sizes) / table.num_rows)


def test_what_one_fragment_cannot_meet_is_an_answer(people, tmp_path):
    """Nothing is written, and the report names the fragment and what stops it."""
    with an.read(people, **ROLES) as data:
        found = an.fragment(data, limits={"k_anonymity": 3, "l_diversity": 4}, fragments=TWO)
    assert not found.met and [f.met for f in found.fragments] == [False, True]
    assert found.fragments[0].remaining and "Fragment 1 cannot meet" in found.render()
    with pytest.raises(AnonscopeError, match="no release to write"):
        found.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"limits": None}, "Say what must be met"),
        ({"fragments": [["age"], ["zip", "sex"]]}, "'job' is in no fragment"),
        ({"fragments": [["age", "zip", "sex", "job"], ["note"]]}, "no quasi-identifier"),
        ({"fragments": [["age", "zip", "sex"], ["age", "job"]]}, "in two fragments"),
        ({"number": 5}, "1 to 4 fragments, not 5"),
        ({"sensitive_in": 3}, "fragment 1 to 2"),
        ({"target": "age"}, "must be sensitive or without a role"),
        ({"target": "agee"}, "No column is named 'agee'"),
        ({"common": ["diagnosis"]}, "cannot be common"),
        ({"common": ["note"], "assemble": True}, "need no common columns"),
        ({"levels": {"note": 1}}, "is no quasi-identifier"),
        ({"untouched": ["agee"]}, "Did you mean 'age'"),
        ({"limits": {"l_diversity": 2}}, "has nothing to keep"),
        ({"method": "best"}, "No method is called"),
    ],
)
def test_bad_wishes_are_named(people, options, says):
    """One sentence, and nothing is made."""
    with an.read(people, **ROLES) as data, pytest.raises(AnonscopeError, match=says):
        an.fragment(data, **({"limits": LIMITS} | options))


def test_wishes_for_columns_reach_their_fragment(people):
    """A column that must stay stays, and a hierarchy that was given is used, each in the fragment that has the column."""
    jobs = an.Hierarchy("job", ("nurse", "cook"), (("work", "work"),))
    with an.read(people, **ROLES) as data:
        found = an.fragment(data, limits={"k_anonymity": 2}, fragments=TWO, untouched=["sex"], hierarchies={"job": jobs}, method="global")
        assert set(found.anonymisations[0].release.table.column("sex").to_pylist()) == {"F", "M"}
    assert {c.column: c.automatic for part in found.anonymisations for c in part.columns} == {
        "age": True,
        "sex": True,
        "zip": True,
        "job": False,
    }


def test_the_command_writes_a_folder_of_fragments(people, tmp_path, monkeypatch):
    """With everything that belongs to each, and a report that names no value; files that exist stay."""
    monkeypatch.chdir(tmp_path)
    words = ["fragment", "people.csv", "-d", "name", "-i", "note", "-s", "diagnosis", *(w for q in KNOWN for w in ("-q", q)), "--quiet"]
    words += ["--limit", "k_anonymity=3", "-f", "age,sex", "-f", "zip,job", "-o", "out", "--ending", "parquet", "--report", "report.html"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    files = {p.name for p in (tmp_path / "out").iterdir()}
    assert files == {f"fragment-{i}.parquet{end}" for i in (1, 2) for end in ("", ".manifest.json", ".archive")}
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Linkage between fragments" in page and "47111" not in page and "asthma" not in page
    again = CliRunner().invoke(app, words)
    assert isinstance(again.exception, AnonscopeError) and "exist already" in str(again.exception)
    bad = CliRunner().invoke(app, [*words, "--sensitive-in", "some"])
    assert isinstance(bad.exception, AnonscopeError) and "by its number, or to all" in str(bad.exception)


def test_the_command_assembles_and_proposes(people, tmp_path, monkeypatch):
    """One file; without -f the proposal that scores best is taken."""
    monkeypatch.chdir(tmp_path)
    words = ["fragment", "people.csv", "-d", "name", "-i", "note", "-s", "diagnosis", *(w for q in KNOWN for w in ("-q", q)), "--quiet"]
    asked = [*words, "--assemble", "-o", "release.csv", "--format", "json"]
    apart = CliRunner().invoke(app, [*asked, "--limit", "k_anonymity=3"])
    assert apart.exit_code == 1 and json.loads(apart.stdout)["assembled_remaining"] and not Path("release.csv").exists()
    assert "The assembled table does not meet the policy; nothing was released." in apart.stderr
    result = CliRunner().invoke(app, [*asked, "--limit", "k_anonymity=8"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["assembled"] and document["proposal"]["method"] == "exhaustive" and len(document["recipes"]) == 1
    assert sorted(c for f in document["fragments"] for c in f["quasi_identifiers"]) == sorted(KNOWN)
    assert Path("release.csv").exists()
    refused = CliRunner().invoke(app, [*words, "--limit", "k_anonymity=9", "-o", "out"])
    assert refused.exit_code == 1 and not Path("out").exists()


def test_further_steps_become_part_of_a_release(people):
    """What a release was made by and what came after is one recipe, and all changes are counted against the table."""
    with an.read(people) as data:
        once = an.apply([DropColumn(column="name")], data)
        release = once.then(GeneraliseInterval(column="age", width=10), SortRecords())
        whole = an.apply(release.recipe, data)
        assert release.table.to_pydict() == whole.table.to_pydict()
    assert release.changes == whole.changes and release.changes.dropped == ("name",)
    assert once.recipe.steps == release.recipe.steps[:1]

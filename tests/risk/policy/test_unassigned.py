"""No role is not no risk: what verdict and releases make of columns that nobody gave a role."""

import json
from random import Random

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.roles import Acknowledgements, merged
from anonscope.errors import ColumnNotFound, ColumnsWithoutRole, RoleError
from anonscope.transform.steps.top_code import TopCode

FIRST = ("Anna", "David", "Maria", "Peter", "Laura", "Thomas", "Emma", "Michael")
LAST = ("Smith", "Miller", "Jones", "Brown", "Taylor", "Wilson", "Evans", "Meyer")
ROWS = 64
KNOWN = {"age": [30 + 10 * (i % 2) for i in range(ROWS)], "illness": [("flu", "gout", "asthma")[i % 3] for i in range(ROWS)]}
NAME = {"name": [f"{FIRST[i % 8]} {LAST[i // 8]}" for i in range(ROWS)]}
QUASI = {"gender": ["FM"[i // 2 % 2] for i in range(ROWS)]}
UNKNOWN = {"xqz": ["abc"[i % 3] for i in range(ROWS)]}
CONSTANT = {"country": ["NL"] * ROWS}
ROLES = {"quasi_identifiers": ["age"], "sensitive": ["illness"]}
POLICY = {"k_anonymity": 2}


def verdict(*columns, policy="research-shared", **said):
    return an.audit(pa.table({k: v for part in (KNOWN, *columns) for k, v in part.items()}), policy, **ROLES, **said).verdict


def looks(found):
    return {c.column: (c.looks_like, c.word) for c in found.unassigned}


def test_without_such_columns_nothing_changes():
    assert verdict().outcome == "release"
    assert verdict().unassigned == ()


def test_what_looks_like_a_direct_identifier_withholds():
    found = verdict(NAME)

    assert (found.outcome, looks(found)) == ("withhold", {"name": ("direct identifier", None)})
    assert found.exit_code == 1


@pytest.mark.parametrize(("column", "like"), [(QUASI, "quasi-identifier"), (UNKNOWN, "unknown")])
def test_what_nobody_vouches_for_is_at_best_acknowledged(column, like):
    found = verdict(column)

    assert found.outcome == "release with acknowledgement"
    assert looks(found) == {next(iter(column)): (like, None)}


def test_what_has_one_value_in_the_whole_table_says_nothing():
    found = verdict(CONSTANT)

    assert (found.outcome, looks(found)) == ("release", {"country": ("insensitive", None)})


def test_the_word_insensitive_is_believed_and_recorded():
    """Also about what looks like a name: it is an explicit word, which stays visible."""
    found = verdict(NAME, UNKNOWN, insensitive=["name", "xqz"])

    assert found.outcome == "release"
    assert looks(found) == {"name": ("direct identifier", "insensitive"), "xqz": ("unknown", "insensitive")}


def test_an_acknowledgement_is_no_release_without_one():
    found = verdict(UNKNOWN, acknowledge={"xqz": "letters of a game"})

    assert found.outcome == "release with acknowledgement"
    assert found.unassigned[0].to_dict() == {
        "column": "xqz",
        "looks_like": "unknown",
        "why": "Neither its name nor its values say what it is about.",
        "seen": "words",
        "word": "acknowledged",
        "reason": "letters of a game",
    }


@pytest.mark.parametrize("said", [{"acknowledge": {"name": "they agreed"}}, {"acknowledge_rest": "they agreed"}])
def test_no_acknowledgement_waves_a_name_through(said):
    table = pa.table({**KNOWN, **NAME})

    assert an.audit(table, "research-shared", **ROLES, **said).verdict.outcome == "withhold"
    with an.read(table, **ROLES, **said) as data, pytest.raises(ColumnsWithoutRole, match="looks like a direct identifier") as caught:
        an.anonymise(data, limits=POLICY)
    assert (caught.value.identifiers, caught.value.others) == (("name",), ())


DRAWN = Random(1)
PLATES = [f"{DRAWN.choice('KBMH')}-{DRAWN.choice('AEFXYZ')}{DRAWN.choice('AEFXYZ')} {DRAWN.randint(1000, 9999)}" for _ in range(ROWS)]
PERSONS = [f"{DRAWN.randint(100, 700)} {DRAWN.randint(10, 99)} {DRAWN.randint(1000, 9999)}" for _ in range(ROWS)]


@pytest.mark.parametrize("texts", [PLATES, PERSONS])
def test_texts_of_everybodys_own_need_a_word_by_their_name(texts):
    """As they do of a sensitive attribute: forms of plates and of numbers of persons are more than anybody knows."""
    column = {"remark": texts}
    found = verdict(column, acknowledge_rest="laboratory values")
    assert found.exit_code == 1 and found.unanswered == ("remark",)
    with (
        an.read(pa.table(KNOWN | column), **ROLES, acknowledge_rest="laboratory values") as data,
        pytest.raises(ColumnsWithoutRole, match=r"text of its own in nearly every record.*--acknowledge-rest is not enough"),
    ):
        an.anonymise(data, limits=POLICY)
    assert verdict(column, acknowledge={"remark": "marks of samples"}).exit_code == 0


def test_failing_rules_are_not_mended_by_words():
    alone = pa.table({"age": list(range(ROWS)), "xqz": UNKNOWN["xqz"]})

    assert an.audit(alone, "research-shared", quasi_identifiers=["age"], insensitive=["xqz"]).verdict.outcome == "withhold"


@pytest.mark.parametrize("reason", ["", "  ", "REASON"])
def test_a_reason_must_be_one(reason):
    for said in ({"acknowledge": {"xqz": reason}}, {"acknowledge_rest": reason}):
        with pytest.raises(RoleError, match="reason is missing"):
            verdict(UNKNOWN, **said)


def test_words_about_columns_that_are_not_there_are_mistakes():
    with pytest.raises(ColumnNotFound, match="Did you mean 'xqz'"):
        verdict(UNKNOWN, acknowledge={"xqzz": "so"})
    with pytest.raises(ColumnNotFound):
        verdict(UNKNOWN, insensitive=["xqzz"])
    with pytest.raises(RoleError, match="two roles"):
        verdict(UNKNOWN, insensitive=["age"])


def test_options_add_to_a_file_and_may_count_what_it_passes_over():
    kept = an.Roles(direct_identifiers=("a",), quasi_identifiers=("b",), insensitive=("c", "d"))
    given = merged(kept, an.Roles(direct_identifiers=("e",), sensitive=("c",), insensitive=("f",)))

    assert (given.direct_identifiers, given.quasi_identifiers, given.sensitive) == (("a", "e"), ("b",), ("c",))
    assert given.insensitive == ("d", "f")
    with pytest.raises(RoleError, match="two roles"):
        merged(kept, an.Roles(insensitive=("b",)))


def test_one_reason_is_enough_for_fifty_columns(tmp_path):
    many = {f"v{i:02}": ["abc"[(i + j) % 3] for j in range(ROWS)] for i in range(50)}
    table = pa.table({**KNOWN, **many})
    with an.read(table, **ROLES) as data, pytest.raises(ColumnsWithoutRole, match="what 50 columns are") as caught:
        an.anonymise(data, limits=POLICY)
    assert len(caught.value.others) == 50

    with an.read(table, **ROLES, acknowledge_rest="answers to a quiz") as data:
        an.anonymise(data, limits=POLICY).write(tmp_path / "release.csv")
        said = an.anonymise(data, limits=POLICY).to_dict()["columns_without_role"]
    assert {entry["reason"] for entry in said} == {"answers to a quiz"}
    kept = json.loads((tmp_path / "release.csv.manifest.json").read_text())["columns_without_role"]
    assert kept == said and len(kept) == 50


def test_apply_asks_once_roles_were_given(tmp_path):
    table = pa.table({**KNOWN, **NAME, **UNKNOWN})
    step = TopCode(column="age", ceiling=40)
    with an.read(table, **ROLES) as data, pytest.raises(ColumnsWithoutRole):
        an.apply(step, data).save(tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []

    with an.read(table, **ROLES, insensitive=["name"], acknowledge={"xqz": "a game"}) as data:
        an.apply(step, data).save(tmp_path / "a.csv")
    kept = json.loads((tmp_path / "a.csv.manifest.json").read_text())["columns_without_role"]
    assert [(c["column"], c["word"], c["reason"]) for c in kept] == [("name", "insensitive", None), ("xqz", "acknowledged", "a game")]


def test_fragments_ask_as_well_and_a_pipeline_leaves_out_what_nobody_said_a_word_about(tmp_path):
    """What is left out of the file is named; a word keeps it; what looks like a name stays out whatever reason is given for the rest."""
    table = pa.table({**KNOWN, **QUASI, "xqz": ["ab"[i % 2] for i in range(ROWS)]})
    with an.read(table, quasi_identifiers=["age", "gender"], sensitive=["illness"]) as data:
        with pytest.raises(ColumnsWithoutRole):
            an.fragment(data, limits=POLICY)
        without = an.pipeline(data, forbid=["xqz"])
        without.write(tmp_path / "without.csv")
        data.acknowledged = Acknowledgements(rest="a game")
        assert [c["reason"] for c in an.fragment(data, limits=POLICY).to_dict()["columns_without_role"]] == ["a game"]
        kept = an.pipeline(data, forbid=["xqz"])
        kept.write(tmp_path / "kept.csv")
    assert [c["reason"] for c in kept.to_dict()["columns_without_role"]] == ["a game"]
    assert without.to_dict()["columns_without_role"] == [] and [c["column"] for c in without.to_dict()["left_out"]] == ["xqz"]
    assert "xqz is left out: nobody said what it is." in without.render()
    assert "xqz" not in (tmp_path / "without.csv").read_text().splitlines()[0]
    assert "xqz" in (tmp_path / "kept.csv").read_text().splitlines()[0]

    named = pa.table({**KNOWN, **QUASI, **NAME})
    with an.read(named, quasi_identifiers=["age", "gender"], sensitive=["illness"], acknowledge_rest="all fine") as data:
        an.pipeline(data, forbid=["name"]).write(tmp_path / "named.csv")
    assert "name" not in (tmp_path / "named.csv").read_text().splitlines()[0]


def test_a_comparison_names_them_beside_each_verdict(tmp_path):
    table = pa.table({**KNOWN, **NAME})
    with an.read(table, **ROLES) as data:
        found = an.compare(data, an.read(table), policy="research-shared")

    assert [v["outcome"] for v in found.to_dict()["versions"]] == ["withhold", "withhold"]
    assert sum("'name' looks like a direct identifier" in note for note in found.notes) == 2


@pytest.mark.parametrize("format", ["text", "markdown", "html", "json"])
def test_every_report_names_the_column_and_no_value(format):
    page = an.audit(pa.table({**KNOWN, **NAME, **UNKNOWN}), **ROLES, acknowledge={"xqz": "letters of a game"}).render(format)

    assert "direct identifier" in page and "xqz" in page and "letters of a game" in page
    assert not any(last in page for last in LAST)


def test_accepted_suggestions_are_a_word():
    """What the proposal calls insensitive counts as looked at; what it cannot tell is still asked."""
    untold = {"xqz": ["a"] * (ROWS - 1) + ["b"]}
    with an.read(pa.table({"age": KNOWN["age"], **CONSTANT, **untold})) as data:
        suggestion = an.suggest(data)
        assert (suggestion["xqz"].role, suggestion["xqz"].confidence) == ("insensitive", "low")
        data.accept(suggestion)
        found = an.audit(data).verdict.unassigned

    assert data.roles.insensitive == ("country",)
    assert [(c.column, c.word, c.unanswered) for c in found] == [("country", "insensitive", False), ("xqz", None, True)]
    assert "insensitive = [" in suggestion.to_toml() and '# "xqz"' in suggestion.to_toml()

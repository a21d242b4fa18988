"""Every verb goes one way: what was asked is checked, then the table is read, and what comes out is frozen and writes itself alike."""

from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path

import pyarrow as pa
import pytest

import anonscope as an
from anonscope import operations
from anonscope.errors import AnonscopeError
from anonscope.operations.result import Result

PEOPLE = pa.table(
    {
        "who": [i // 2 for i in range(24)],
        "age": [30 + i % 4 for i in range(24)],
        "sex": ["FM"[i % 2] for i in range(24)],
        "ill": ["flu" if i % 3 else "gout" for i in range(24)],
    }
)
LIMITS = {"k_anonymity": 2.0}
# One wish of each verb that no table can fulfil, in words that are wrong whatever the table holds.
WRONG = {
    "anonymise": lambda data: an.anonymise(data, limits=LIMITS, suppression=2.5),
    "answer": lambda data: an.answer(data, "no queries.toml"),
    "apply": lambda data: an.apply(data, "no recipe.toml"),
    "associations": lambda data: an.associations(data, ["nothing"]),
    "attack": lambda data: an.attack(data, PEOPLE, policy="no policy"),
    "audit": lambda data: an.audit(data, risk_threshold=7.0),
    "check": lambda data: an.check(data, "no policy"),
    "compare": lambda data: an.compare(data, PEOPLE, total="sum"),
    "compose": lambda data: an.compose(data, data, PEOPLE, unknown="perhaps"),
    "explore": lambda data: an.explore(data, limits=LIMITS, suppression=2.5),
    "fragment": lambda data: an.fragment(data, limits=LIMITS, suppression=2.5),
    "fragmentation": lambda data: an.fragmentation(data, number=0),
    "hierarchy": lambda data: an.build_hierarchies(data, ["nothing"]),
    "intruder_test": lambda data: an.intruder_test("release.csv", data, "test", questions=0),
    "link": lambda data: an.link(data, PEOPLE, missing="perhaps"),
    "pipeline": lambda data: an.pipeline(data, alpha=200.0),
    "plan": lambda data: an.plan(data, limits=LIMITS, seconds=0),
    "precheck": lambda data: an.precheck(data, like={"age": "nothing known"}),
    "recipe": lambda data: an.level_recipe(data, "no level"),
    "sign_off": lambda data: an.sign_off("release.csv", data, edition="secret"),
    "suggest": lambda data: an.suggest(data, alpha=-1.0),
    "synthesise": lambda data: an.synthesise(data, method="copula", epsilon=-1.0),
    "approximate": lambda data: an.approximate(data, groups=1),
    "unicity": lambda data: an.unicity(data, ["age"], most=21),
}
VERBS = sorted(path.stem for path in Path(operations.__file__).parent.glob("*.py") if path.stem not in ("__init__", "result", "split"))
# They are given files, not a table that was opened.
WITHOUT_TABLE = {"describe", "read", "register", "seal", "verify"}
# What these verbs return is itself what was asked for.
MAKES = {
    "apply": "a release",
    "describe": "a description in the standard's own form",
    "hierarchy": "hierarchies",
    "read": "a table",
    "recipe": "a recipe",
    "seal": "a signature",
    "suggest": "a suggestion",
}
# Numbers that somebody goes on computing with.
ALSO_AS_TABLE = {"Answers"}
RESULTS = {name: found for name in dir(an) if isinstance(found := getattr(an, name), type) and issubclass(found, Result)}


@pytest.fixture
def data():
    with an.read(PEOPLE, quasi_identifiers=["age", "sex"], sensitive=["ill"], person="who") as data:
        yield data


@pytest.mark.parametrize("verb", WRONG)
def test_a_wish_is_refused_before_the_table_is_read(data, verb):
    """Whoever mistypes learns it at once, and not after the minutes that a large table takes."""
    before = len(data.engine.statements)
    with pytest.raises(AnonscopeError):
        WRONG[verb](data)
    assert [statement.name for statement in data.engine.statements[before:]] == []


def test_every_verb_that_reads_a_table_is_asked_wrongly_here():
    """A new verb says here what it refuses."""
    assert set(VERBS) - WITHOUT_TABLE == set(WRONG)


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_frozen_and_saved_alike(name):
    """`save` writes what a result says, by the ending of the file, whichever verb it is of; what a verb made is written by `write`."""
    result = RESULTS[name]
    assert is_dataclass(result) and result.__dataclass_params__.frozen
    assert (result.save is Result.save) != (name in ALSO_AS_TABLE)
    assert result.render is Result.render and result.to_dict is Result.to_dict
    assert fields(result)


def test_every_verb_comes_to_such_a_result():
    """One result a verb at least, but for verbs that make something which has its own file."""
    with_result = {verb for verb in VERBS if _returned(verb) in RESULTS.values()}
    assert set(VERBS) - with_result == set(MAKES)


def _returned(verb):
    """Return what the function says it returns that is called like its verb."""
    function = getattr(import_module(f"anonscope.operations.{verb}"), verb, None)
    return signature(function).return_annotation if function is not None else None


def test_answers_are_reports_like_any_other_result(data, tmp_path):
    """What else they can be written as takes nothing away from that."""
    pytest.importorskip("opendp")
    queries = tmp_path / "queries.toml"
    declared = 'epsilon = 1\nperson = "who"\nrecords_per_person = 2\n[columns.sex]\ncategories = ["F", "M"]\n'
    asked = declared + '[[queries]]\nkind = "histogram"\nby = ["sex"]\n'
    queries.write_text(asked, encoding="utf-8")
    found = an.answer(data, queries)
    for ending in (".html", ".json", ".md", ".txt"):
        assert found.save(tmp_path / f"answers{ending}").stat().st_size > 0
    with pytest.raises(AnonscopeError):
        found.save(tmp_path / "answers.docx")

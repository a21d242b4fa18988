"""One person's id in several writings: people are counted as written, so nothing is said of people until somebody says why ids differ."""

import json
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import DomainError, NotPublished, PersonNotNamed
from anonscope.operations.synthesising.unit import check_unit
from anonscope.risk.policy import from_limits
from anonscope.synthesis.domain_file import parse_domain
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps import DropColumn, RandomisedResponse

_LIMITS = from_limits({"k_anonymity": 2})
_WAYS = {
    "case and blanks": ("pat{}", "Pat{}", "PAT{} "),
    "unseen": ("pat{}", "p\u200bat{}", "pat{}\u00ad"),
    "styles": ("pat{}", "\uff50at{}", "p\u0430t{}"),
}


def _table(ways: tuple[str, ...]) -> pa.Table:
    ids = [way.format(i) for i in range(10) for way in ways]
    return pa.table({"patient_id": ids, "age": [30 + i % 2 * 10 for i in range(10) for _ in ways], "ill": ["flu", "gout", "none"] * 10})


def _read(ways: tuple[str, ...], **words: Any) -> Any:
    return an.read(_table(ways), quasi_identifiers=["age"], sensitive=["ill"], person="patient_id", **words)


@pytest.mark.parametrize("kind", _WAYS)
def test_people_counted_by_writing_need_a_word(kind: str) -> None:
    """Three writings of one id were three people: "nobody has more than 1 record", and every limit about people was met."""
    with _read(_WAYS[kind]) as data:
        audit = an.audit(data, _LIMITS)
        assert audit.verdict.outcome != "release" and audit.verdict.exit_code == 1 and "patient_id" in audit.verdict.unanswered
        assert "has 30 ids, and 10 if" in audit.render("text").replace("\n", " ")
        assert json.loads(audit.render("json"))["verdict"]["values_that_look_alike"][0]["values_made_one"] == 10
        with pytest.raises(NotPublished, match="30 ids, and 10 if"):
            an.anonymise(data, _LIMITS)


def test_a_word_about_the_very_column_is_one_and_no_word_about_the_rest() -> None:
    with _read(_WAYS["unseen"], acknowledge_rest="known") as data:
        assert "patient_id" in an.audit(data, _LIMITS).verdict.unanswered
    with _read(_WAYS["unseen"], acknowledge={"patient_id": "Codes of two registers."}) as data:
        audit = an.audit(data, _LIMITS)
        assert audit.verdict.unanswered == () and "Codes of two registers." in audit.render("text")


def test_ids_that_differ_in_more_are_different() -> None:
    with _read(("pat{}", "pat-{}", "pa{}t")) as data:
        assert an.audit(data, _LIMITS).verdict.look_alikes == ()


def test_an_epsilon_of_people_is_not_stated_of_writings(tmp_path) -> None:
    """A recipe with noise said "epsilon 1 for every person", and whoever had three writings lost three."""
    noise = RandomisedResponse(column="ill", epsilon=1.0, values=("flu", "gout", "none"))
    recipe = Recipe((noise, DropColumn(column="patient_id")))
    with _read(_WAYS["case and blanks"]) as data, pytest.raises(NotPublished, match="30 ids, and 10 if"):
        an.apply(recipe, data).save(tmp_path / "release.csv")
    assert not list(tmp_path.iterdir())


def test_direct_identifiers_repeat_whatever_their_writing() -> None:
    with (
        an.read(_table(_WAYS["case and blanks"]), quasi_identifiers=["age"], sensitive=["ill"], direct_identifiers=["patient_id"]) as data,
        pytest.raises(PersonNotNamed, match="10 values in 30 records"),
    ):
        an.anonymise(data, _LIMITS)


def test_nothing_is_answered_or_drawn_for_people_who_are_writings() -> None:
    """Ids in three writings let somebody count three times, and the epsilon was stated as one person's."""
    domain = 'person = "patient_id"\nrecords_per_person = 1\n[columns.ill]\ncategories = ["flu", "gout", "none"]\n'
    with an.read(_table(_WAYS["case and blanks"])) as data, pytest.raises(DomainError, match="30 ids, and 10 if"):
        check_unit(data, parse_domain(domain))
    with an.read(_table(_WAYS["case and blanks"]), acknowledge={"patient_id": "Codes of three registers."}) as data:
        check_unit(data, parse_domain(domain))

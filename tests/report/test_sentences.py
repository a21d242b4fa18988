"""The plain sentence under the verdict says what was found, for every kind of finding."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.report import words
from anonscope.risk.policy import from_rules
from anonscope.transform.steps import PermuteColumn


def sentence(columns, policy="scorr", **roles):
    """Return headline and sentence of a small audit."""
    with an.read(pa.table(columns), **roles) as data:
        audit = an.audit(data, policy)
    return words.headline(audit), words.sentence(audit)


def test_people_who_stand_alone_come_first():
    """One loner among three."""
    said = sentence({"age": [30, 30, 41], "ill": ["a", "b", "a"]}, quasi_identifiers=["age"], sensitive=["ill"])

    assert said == ("do not release", "1 of 3 people (33 %) stands alone. Anyone who knows their age finds their record, and with it ill.")


def test_small_groups_come_next():
    """Nobody alone, everybody in pairs."""
    _, said = sentence({"age": [30, 30, 41, 41]}, quasi_identifiers=["age"])

    assert said == "Nobody stands alone, but 4 of 4 people (100 %) share their age with fewer than 10 others."


def test_a_crowd_is_said_to_be_one():
    """Large groups with an even spread of sensitive values may be released."""
    columns = {"sex": ["m", "f"] * 2000, "ill": ["a", "a", "b", "b", "c", "c", "d", "d"] * 500}
    headline, said = sentence(columns, quasi_identifiers=["sex"], sensitive=["ill"])

    assert (headline, said) == ("may be released", "Everybody shares their sex with at least 1,999 others.")


def test_a_crowd_that_gives_its_secret_away_is_said_to():
    """All of one sex have one illness."""
    headline, said = sentence({"sex": ["m", "f"] * 2000, "ill": ["a", "b"] * 2000}, quasi_identifiers=["sex"], sensitive=["ill"])

    assert headline == "do not release"
    assert said.endswith("But being in a group still says too much about ill.")


def test_direct_identifiers_are_a_condition():
    """A policy that is met still asks for the names to go."""
    headline, _ = sentence(
        {"sex": ["m"] * 20, "name": list("abcdefghijklmnopqrst")}, "output-10", quasi_identifiers=["sex"], direct_identifiers=["name"]
    )

    assert headline == "may be released, once name is removed"


@pytest.mark.parametrize(
    ("persons", "text"),
    [([1] * 4 + [2] * 4, "2 of 2 combinations of x (100 %) belong to one person only"), ([1, 2] * 4, "by fewer than 11")],
)
def test_events_are_told_in_persons(persons, text):
    """Four records of one person are one person."""
    _, said = sentence({"x": ["a"] * 4 + ["b"] * 4, "id": persons}, quasi_identifiers=["x"], person="id")

    assert text in said


def test_a_medium_risk_says_who_accepts_it_and_how():
    """Not the columns' business, and no option of ours: a person signs. A low risk says nothing of the kind."""
    table = pa.table({"sex": ["f", "m"] * 40, "ill": ["a", "a", "b", "b"] * 20})
    rules = [{"metric": "correlation", "maximum": 0.9, "acknowledge_above": 0.4}]
    medium = an.audit(table, from_rules(rules), quasi_identifiers=["sex"], sensitive=["ill"])
    assert medium.verdict.outcome == "release with acknowledgement"
    for form in ("text", "markdown", "html"):
        assert "accepts that in writing" in medium.render(form)
    low = an.audit(table, from_rules([{"metric": "correlation", "maximum": 0.9}]), quasi_identifiers=["sex"], sensitive=["ill"])
    assert "in writing" not in low.render("text")


def test_no_hint_leads_to_reasons_that_are_not_worked_out():
    """Over made-up values nothing is explained, so nobody is sent to --explain."""
    table = pa.table({"age": list(range(20, 60)), "ill": ["a", "b"] * 20})
    with an.read(table, quasi_identifiers=["age"], sensitive=["ill"]) as data:
        release = an.apply(PermuteColumn(column="age", seed=1), data)
        with release.read() as left:
            perturbed = an.audit(left)
        plain = an.audit(data)
    assert "say --explain" in plain.render("text") and "say --explain" not in perturbed.render("text")


def test_what_somebody_says_ends_before_the_next_sentence():
    """A reason gets a full stop, unless it has a sign of its own."""
    from anonscope.errors import ended

    assert [ended(text) for text in ("it is public ", "it is public.", "why not?")] == ["it is public.", "it is public.", "why not?"]

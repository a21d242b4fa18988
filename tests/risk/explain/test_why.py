"""`audit.why()`: what it says, when it can be asked, and what it never shows."""

import copy
import json
import pickle
from html.parser import HTMLParser

import pyarrow as pa
import pytest
from hypothesis import given

import anonscope as an
from anonscope.errors import DataClosed, OptionError
from support.explained import opened
from support.statements import CONSTRUCTS, FUNCTIONS, opens_the_source, parsed
from support.strategies import Table, law, tables

SECRETS = ["Zanzibar", "Xylophonist", "Quinsy"]
PEOPLE = pa.table(
    {
        "place": ["Zanzibar", "Rome", "Rome", "Rome", None, None],
        "job": ["Xylophonist", "cook", "cook", "smith", "cook", "smith"],
        "ill": ["Quinsy", "flu", "flu", "flu", "Quinsy", "flu"],
    }
)
ROLES = {"quasi_identifiers": ["place", "job"], "sensitive": ["ill"]}


@pytest.fixture(scope="module")
def audit() -> an.Audit:
    with an.read(PEOPLE, **ROLES, scenarios={"neighbour": ["job"]}) as data:
        return an.audit(data, explain=True)


def test_the_reasons_are_said_in_sentences(audit: an.Audit) -> None:
    """Four of six are alone; three of them by place with job together."""
    why = audit.why()

    assert why.scenario == "default" and why.counted_in == "record"
    assert why.sentences == (
        "4 records of 6 are unique; 3 of them only because of place with job.",
        "For 4 records at most 2 attributes are enough to stand alone; the set that does it most often is place with job (3 records).",
    )
    assert why.unique_by_size == (1, 3)


def test_a_table_too_small_for_the_policy_blames_nobody(audit: an.Audit) -> None:
    """All six are at risk whatever is known, so no attribute is at fault."""
    assert audit.why().blame.at_risk == 6
    assert {b.shapley for b in audit.why().blame.attributes} == {0}


def test_the_causes_of_every_failing_rule_are_counted(audit: an.Audit) -> None:
    """One cause and one piece of advice for every rule that fails."""
    failing = [i for i, result in enumerate(audit.verdict.rules) if result.status == "fail"]
    why = audit.why()

    assert [c.rule for c in why.causes] == [a.rule for a in why.next_steps] == failing
    # Five classes of the whole, three of the neighbour's jobs, all with fewer than 11.
    assert (why.causes[0].metric, why.causes[0].classes, why.causes[0].records) == ("k_anonymity", 8, 6)


def test_another_scenario_may_be_asked_for() -> None:
    """By name; a name that is not there is an error that lists those that are."""
    with an.read(PEOPLE, **ROLES, scenarios={"neighbour": ["job"]}) as data:
        audit = an.audit(data)
        assert audit.why(scenario="neighbour").attributes == ("job",)
        with pytest.raises(OptionError, match="There are: 'default', 'neighbour'"):
            audit.why(scenario="stranger")
        with pytest.raises(OptionError, match="at least one attribute"):
            audit.why(largest_set=0)


def test_a_closed_table_answers_no_more() -> None:
    """The error says what to do; with explain=True the reasons outlive the table."""
    with an.read(PEOPLE, **ROLES) as data:
        plain, explained = an.audit(data), an.audit(data, explain=True)

    with pytest.raises(DataClosed, match="before the table is closed, or audit with explain=True"):
        plain.why()
    with pytest.raises(DataClosed):
        explained.records()
    assert explained.why() is explained.explanation
    assert plain.explanation is None


def test_an_audit_is_still_a_plain_value(audit: an.Audit) -> None:
    """It can be pickled and copied, and the table is no part of what it equals or prints."""
    assert pickle.loads(pickle.dumps(audit)) == audit == copy.deepcopy(audit)
    assert "_link" not in repr(audit)


@pytest.mark.parametrize("format", ["text", "markdown", "html", "json"])
def test_every_report_has_the_reasons_and_no_value(audit: an.Audit, format: str) -> None:
    """Column names and counts only; without an explanation there is no such section."""
    report = audit.render(format)

    assert "only because of place with job" in report
    assert not [secret for secret in SECRETS if secret in report]
    with an.read(PEOPLE, **ROLES) as data:
        assert "only because of" not in an.audit(data).render(format)


def test_the_section_of_the_page_is_well_formed(audit: an.Audit) -> None:
    """Every tag that opens closes."""
    stack: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br"):
                stack.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert stack.pop() == tag

    page = audit.render("html")
    Balance().feed(page)
    assert stack == []
    assert "What each change alone would do" in page and 'class="more next"' in page


def test_the_statements_behind_the_reasons_are_shown_and_portable(audit: an.Audit) -> None:
    """An auditor sees them with the others, and they keep to the same short list of constructs."""
    behind = [s for s in audit.statements if not opens_the_source(s)]

    assert any("FROM radix" in s.sql for s in behind)
    assert {type(node) for s in behind for node in parsed(s).walk()} <= FUNCTIONS | CONSTRUCTS


def test_a_quick_explanation_is_exact_while_that_is_cheap() -> None:
    """On a small table "quick" and True give the same."""
    with an.read(PEOPLE, **ROLES) as data:
        assert an.audit(data, explain="quick").explanation == an.audit(data, explain=True).explanation


@law
@given(table=tables())
def test_every_table_can_be_explained(table: Table) -> None:
    """One row, one class, nothing but NULL, persons: an answer that JSON can hold."""
    with opened(table) as data:
        audit = an.audit(data, explain=True)

    document = json.loads(audit.render("json"))["why"]
    assert document["rows"] == table.rows
    assert all(audit.render(format) for format in ("text", "markdown", "html"))
    assert audit.why().blame.unique <= audit.why().blame.at_risk

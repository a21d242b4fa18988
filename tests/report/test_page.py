"""The HTML page: self-contained, without a cell value, and fit to be read by a machine."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.report import words

SECRETS = ["Zanzibar", "Xylophonist", "Quinsy", "Yaws"]


@pytest.fixture(scope="module")
def audit():
    table = pa.table(
        {
            "place": ["Zanzibar", "Rome", "Rome", None] * 6,
            "job": ["Xylophonist", "cook", "cook", "cook"] * 6,
            "illness": ["Quinsy", "Yaws", "Quinsy", "Yaws"] * 6,
            "income": [10, 20, 30, 40] * 6,
            "name": [f"n{i}" for i in range(24)],
        }
    )
    with an.read(
        table,
        quasi_identifiers=["place", "job"],
        sensitive=["illness", "income"],
        direct_identifiers=["name"],
        scenarios={"neighbour": ["place"]},
    ) as data:
        return an.audit(data)


@pytest.mark.parametrize("format", ["html", "text", "json", "markdown", "fragment"])
def test_no_report_holds_a_cell_value(audit, format):
    """Column names and numbers only."""
    report = audit.render(format)

    assert not [secret for secret in SECRETS if secret in report]


def test_the_page_asks_nothing_of_the_network(audit):
    """No script, no link, no image, no font; a policy in the page forbids them as well."""
    page = audit.render("html")

    assert not re.findall(r"<script|<link|<img|<iframe|url\(|@import|https?://", page)
    assert "default-src 'none'" in page


def test_the_page_is_well_formed_and_shows_what_was_promised(audit):
    """Verdict, sentence, scale, scores with their meaning, heat map, histogram, assumptions, what must be removed."""
    page = audit.render("html")
    checker = _Balance()
    checker.feed(page)

    assert checker.open == []
    for text in (
        "Verdict: <span",
        words.sentence(audit),
        "How exposed is the most exposed person?",
        "Conventional scores",
        "Extended scores",
        "Further models, and information theory",
        "Which attributes give people away on their own?",
        "How large are the groups people hide in?",
        "What this rests on",
        "Must be removed before any release",
        "not assessed",
        "neighbour",
    ):
        assert text in unescape(page), text
    measured = {m.metric for m in audit.measurements if m.status != "not measured"}
    assert {"k_anonymity", "t_closeness", "itpr", "prosecutor", "markov_chain"} <= measured
    for metric in (an.METRICS[name] for name in measured):
        assert metric.question in unescape(page) and metric.formula in unescape(page)
    for name in {m.metric for m in audit.measurements} - measured:
        assert re.search(rf"Not measured: [^<]*{re.escape(an.METRICS[name].title)}", unescape(page)), name


def test_sensitive_attributes_have_a_row_each(audit):
    """Of every score the worst value, as it was measured; none of them is left out."""
    from anonscope.report.audit.view import view

    scenario = view(audit).scenarios[0]
    header, rows = scenario.told("conventional").grid

    assert [line[0] for line in rows] == ["illness", "income"]
    place = next(i for i, title in enumerate(header) if title.startswith(an.METRICS["l_diversity"].title))
    for line in rows:
        about = (m for m in audit.measurements if (m.metric, m.sensitive, m.scenario) == ("l_diversity", line[0], scenario.name))
        assert words.number(next(about).value) == line[place]


def test_information_risks_stand_in_a_table_of_known_by_about(audit):
    """Every risk that the ranked list has, once."""
    from anonscope.report.audit.sections import itpr_section, matrix

    ranked = itpr_section(audit)
    header, rows = matrix(ranked)

    told = {(line[0], about): text for line in rows for about, text in zip(header[1:], line[1:], strict=True) if text}
    assert told == {(line[0].text, line[1].text): line[2].text for line in ranked.rows} and len(told) == len(ranked.rows)


def test_paper_is_no_small_screen(audit):
    """A printed page is narrower than a tablet: rows become cards on screens only, else a report has thrice the pages."""
    narrow = re.findall(r"@media ([^{]*max-width: (?:640|900)px[^{]*)", audit.render("html"))

    assert len(narrow) == 2 and all(rule.startswith("screen and ") for rule in narrow)


def test_a_notebook_shows_a_fragment(audit):
    """No page inside a page."""
    fragment = audit._repr_html_()

    assert "<html" not in fragment and "do not release" in fragment


def test_the_measurements_make_a_frame(audit):
    """One row a measurement, nothing lost."""
    frame = audit.to_frame()

    assert len(frame) == len(audit.measurements)
    assert frame.loc[frame["metric"] == "k_anonymity", "value"].tolist() == [6, 6]


def test_the_dict_is_the_json(audit):
    """What Python gets is what the command prints."""
    import json

    assert json.loads(audit.render("json")) == audit.to_dict()


class _Balance(HTMLParser):
    """Every tag that opens must close."""

    VOID = frozenset(["meta", "br", "!doctype"])

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else near line {self.getpos()[0]}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1.000"),
        (0.9999, "0.999+"),
        (0.0001, "< 0.001"),
        (0.918, "0.918"),
        (1234, "1,234"),
        (17.36, "17.360"),
        (None, "—"),
        (0.0, "0.000"),
    ],
)
def test_numbers_never_claim_more_than_was_measured(value, text):
    """Almost certain is not certain, and a little is not nothing."""
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 10, "0 %"), (1, 10_000, "under 0.1 %"), (9_999, 10_000, "over 99.9 %"), (1, 3, "33 %"), (10, 10, "100 %")],
)
def test_shares_never_hide_a_few_people(part, whole, text):
    """One in ten thousand is not zero per cent."""
    assert words.share(part, whole) == text


def test_endless_names_leave_the_verdict_readable():
    """In the first sentence they are shortened; the roles have them whole."""
    from anonscope.report.html import named

    endless = "x" * 500
    assert named(f"Who knows {endless} and age.", (endless, "age")) == f"Who knows {'x' * 21}… and age."


def test_endless_names_leave_every_lead_readable():
    """Of an attack and of the plan of an audit: what is concluded is read at a glance, whatever columns are called; a hash stays whole."""
    from anonscope.report.html import readable

    endless, hash = "y" * 500, "0123456789abcdef" * 4
    assert readable(f"nearest of {endless}): {hash} stays") == f"nearest of {'y' * 21}… {hash} stays"
    table = pa.table({endless: [i % 7 for i in range(60)], "sex": ["F", "M"] * 30, "ill": ["flu", "gout", "cold"] * 20})
    with an.read(table, quasi_identifiers=[endless, "sex"], sensitive=["ill"]) as data:
        found = an.audit(data, explain=False)
        page = replace(found, planned=found.plan(seconds=1)).render("html")
    leads = re.findall(r"<p(?: class=\"lead\")?>([^<]*)</p>", page)
    assert any("best release found" in lead for lead in leads) and not any(endless in lead for lead in leads)

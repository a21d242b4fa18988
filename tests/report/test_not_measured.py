"""What was not measured is never shown as safe: in no format of any report does it pass, win, count as 0 or turn green.

A table is measured completely, under a policy that has a rule about every metric and that it meets. Then one metric at a time loses
its measurements, all of them or one, and everything is rendered again.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.report import render, to_dict
from anonscope.report.anonymise import anonymisation_sheet, anonymisation_to_dict
from anonscope.report.audit.view import view
from anonscope.report.compare import comparison_sheet, comparison_to_dict
from anonscope.report.pipeline import pipeline_sheet, pipeline_to_dict
from anonscope.report.sheet import Sheet, render_sheet
from anonscope.risk.findings import Findings
from anonscope.risk.metrics import METRICS, AttackerMetric, Measurement, SizeMetric, Totals
from anonscope.risk.policy import Policy, Rule, from_limits, judge
from anonscope.transform.steps import GeneraliseInterval

WHY = "nobody looked"
STATUSES = ("not measured", "unbounded")
JUDGED = [name for name, metric in METRICS.items() if not (isinstance(metric, AttackerMetric) and not metric.judged)]
PEOPLE = {
    "age": [30, 30, 30, 30, 40, 40, 40, 40] * 3,
    "sex": ["f", "m"] * 12,
    "ill": ["flu", "cold", "cold", "flu", "flu", "flu", "cold", "cold"] * 3,
    "pay": [1, 2, 2, 1, 2, 1, 1, 2] * 3,
    "stands_for": [2.0] * 24,
    "home": [i // 2 for i in range(24)],
}
REGISTER = pa.table({"age": PEOPLE["age"] * 2, "sex": PEOPLE["sex"] * 2})
ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill", "pay"], "weight": "stands_for", "household": "home"}


def lax() -> Policy:
    """Return a policy with a rule about every metric that nothing measured breaks."""
    limits: dict[str, float] = {}
    for name in JUDGED:
        metric = METRICS[name]
        key = f"{name}:5" if isinstance(metric, SizeMetric) and metric.parameter else name
        limits[key] = 1 if metric.safer == "higher" else metric.range[1] or 1e9
    return replace(from_limits(limits), name="lax", title="A lax policy")


@cache
def complete() -> an.Audit:
    """Return the audit of a table in which every rule was measured, and passes."""
    with an.read(pa.table(PEOPLE), population=REGISTER, **ROLES) as data:
        found = an.audit(data, lax())
    assert found.verdict.outcome == "release", [r for r in found.verdict.rules if r.status != "pass"]
    return found


def lacking(found: Findings, metric: str, status: str, *, every: bool = True) -> Any:
    """Return findings in which a metric has no value, in all of its measurements or in the last of those that a rule is about."""

    def bare(m: Measurement) -> Measurement:
        kept = Measurement(metric=m.metric, scenario=m.scenario, attributes=m.attributes, sensitive=m.sensitive)
        return replace(kept, variant=m.variant, level=m.level, status=status, reason=WHY)

    rules = [rule for rule in found.policy.rules if rule.metric == metric]
    judged = {id(r.measurement) for r in found.verdict.rules if r.rule.metric == metric}
    changed = tuple(bare(m) if m.metric == metric and (every or id(m) in judged) else m for m in found.measurements)
    totals = dict.fromkeys((None, *found.roles.sensitive), Totals(found.rows, found.rows, 1.0))
    verdict = judge(found.policy, found.roles, changed, totals, given=("population",))
    assert rules
    return replace(found, measurements=changed, verdict=verdict)


class Rows(HTMLParser):
    """The rows of a page's tables: the text of each, and the classes of all that is in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[tuple[str, set[str]]] = []
        self.classes: set[str] = set()
        self._text: list[str] = []
        self._inside: set[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = set((dict(attrs).get("class") or "").split())
        self.classes |= named
        if tag == "tr":
            self._inside, self._text = set(), []
        if self._inside is not None:
            self._inside |= named

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr" and self._inside is not None:
            self.rows.append((" ".join(" ".join(self._text).split()), self._inside))
            self._inside = None

    def handle_data(self, data: str) -> None:
        self._text.append(data)


def green(page: str) -> bool:
    """Whether something on a page has the colour of what is safe."""
    return bool({"tone-low", "low"} & Rows(page).classes)


@pytest.mark.parametrize("every", [True, False], ids=["all", "one"])
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("metric", JUDGED)
def test_an_audit_never_passes_by_it(metric: str, status: str, every: bool) -> None:
    """The rule fails or is not measured, its question is not answered with yes, and the table is withheld; in the JSON likewise."""
    found = lacking(complete(), metric, status, every=every)
    document = to_dict(found)
    (rule,) = (r for r in document["verdict"]["rules"] if r["metric"] == metric)

    assert rule["status"] == ("fail" if status == "unbounded" else "not measured")
    assert rule["value"] is None and rule["risk"] in (None, "high")
    assert document["verdict"]["outcome"] == "withhold"
    attacks = next(r.attacks for r in found.policy.rules if r.metric == metric)
    assert any(document["verdict"]["attacks"][attack] in ("fails", "not measured") for attack in attacks)
    for entry in document["measurements"]:
        if entry["status"] != "measured":
            assert {entry.get(key) for key in ("value", "min", "mean", "max", "sum", "count")} == {None}
    json.dumps(document, allow_nan=False)


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("metric", JUDGED)
def test_no_page_shows_it_green(metric: str, status: str) -> None:
    """Neither as a rule nor as a score nor in the heat map; and every page says why there is no number."""
    found = lacking(complete(), metric, status)
    label = next(rule.label for rule in found.policy.rules if rule.metric == metric)
    title = METRICS[metric].title
    shown = view(found)

    (line,) = (r for r in shown.rules if r.label == label)
    assert line.status != "pass" and not re.search(r"\d", line.measured.replace(METRICS[metric].symbol, ""))
    for scenario in shown.scenarios:
        for score in (*scenario.conventional, *scenario.extended, *scenario.further):
            if score.metric.name == metric:
                assert (score.mean, score.worst, score.level) == (None, None, None) and WHY in score.note
        for name, cells in ((row.attribute, row.cells) for row in scenario.heat_rows):
            for column, cell in zip(scenario.heat_columns, cells, strict=True):
                assert not column.startswith(title) or (cell.value, cell.level) == (None, None), name
    assert not any(tile.answer == "meets the policy" and tile.note.endswith(label) for tile in shown.tiles)
    for format in ("text", "markdown", "html", "fragment"):
        page = render(found, format)
        assert WHY in page, format
        assert "may be released" not in page and "do not release" in page
    page = Rows(render(found, "html"))
    assert "tone-high" in page.classes and "tone-low" not in page.classes
    for text, classes in page.rows:
        if text.startswith(label):
            assert "low" not in classes and "✓" not in text
    (row,) = (row for row in render(found, "text").splitlines() if row.lstrip().startswith(("????", "FAIL")) and label[:60] in row)
    assert "pass" not in row.split()[:1]


def sheets(metric: str, status: str) -> Iterator[tuple[str, Sheet, dict[str, Any]]]:
    """Yield the sheets that show a release whose audit lacks a metric, each with its JSON."""
    made, piped, compared = finished()
    for name, result, sheet_of, dict_of in (
        ("anonymisation", made, anonymisation_sheet, anonymisation_to_dict),
        ("pipeline", piped, pipeline_sheet, pipeline_to_dict),
    ):
        changed = replace(result, after=lacking(result.after, metric, status))
        yield name, sheet_of(changed), dict_of(changed)
    versions = tuple(v if v.name == "original" else replace(v, findings=lacking(v.findings, metric, status)) for v in compared.versions)
    changed = replace(compared, versions=versions)
    yield "comparison", comparison_sheet(changed), comparison_to_dict(changed)


@cache
def finished() -> tuple[an.Anonymisation, an.Pipeline, an.Comparison]:
    """Return a release by search, one by stages, and a comparison, all of which meet their policy."""
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}
    policy = replace(
        from_limits({"k_anonymity": 2, "l_diversity": 1, "t_closeness": 1, "uniqueness": 1, "uniformity": 1, "correlation": 1}),
        name="weak",
        title="A weak policy",
    )
    with an.read(pa.table({key: PEOPLE[key] for key in ("age", "sex", "ill")}), **roles) as data:
        made = an.anonymise(data, policy)
        piped = an.pipeline(data, policy)
        compared = an.compare(data, an.apply(GeneraliseInterval(column="age", width=50), data), names=["wide"], policy=policy)
    assert made.met and piped.met and compared.best() == "wide"
    assert (anonymisation_sheet(made).tone, pipeline_sheet(piped).tone) == ("low", "low")
    return made, piped, compared


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("metric", ["k_anonymity", "l_diversity", "t_closeness", "uniqueness", "uniformity", "correlation"])
def test_no_release_is_called_met_or_best_by_it(metric: str, status: str) -> None:
    """ "The policy is met" does not stand over an audit that did not measure a rule, and no such version is recommended."""
    label = METRICS[metric].question
    for name, sheet, document in sheets(metric, status):
        text, page = render_sheet(sheet, "text"), Rows(render_sheet(sheet, "html"))
        markdown = render_sheet(sheet, "markdown")
        for rendered in (text, markdown, render_sheet(sheet, "fragment")):
            assert WHY in rendered, name
        assert "tone-low" not in page.classes, name
        json.dumps(document, allow_nan=False)
        if name == "comparison":
            assert set(document["best"].values()) == {None} and document["versions"][1]["outcome"] == "withhold"
            assert document["versions"][1]["not_met"][0]["value"] is None
            assert "none is recommended" in text and "wide meets" not in text
            if metric in ("k_anonymity", "l_diversity", "t_closeness"):
                assert document["versions"][1]["risks"][metric] is None
            points = [p for section in sheet.sections if section.chart is not None for p in getattr(section.chart, "points", ())]
            assert not any(p.kind == "chosen" for p in points)
        else:
            assert sheet.tone == "high" and sheet.title != "The policy is met", name
            assert "do not release" in sheet.title
            assert document.get("outcome", document.get("release")) == "withhold"
            assert any(answer in ("fails", "not measured") for answer in document["attacks"].values())
            rows = [cells for section in sheet.sections for cells in section.rows if cells[0].text == label]
            for cells in rows:
                assert cells[-1].text not in ("met", "pass"), name
        if name == "anonymisation" and metric == "k_anonymity":
            assert document["privacy_gain"] is None


def test_what_cannot_be_decided_is_not_passed_by_the_explorer() -> None:
    """A what-if knows tuples only: a rule that they cannot decide is not measured, and nothing is ready for release."""
    weak = from_limits({"k_anonymity": 2, "personal_information": 100})
    with an.read(pa.table({key: PEOPLE[key] for key in ("age", "sex", "ill")}), quasi_identifiers=["age", "sex"]) as data:
        answer = an.explore(data, weak, suppression=0).to_dict()

    assert {rule["metric"]: rule["status"] for rule in answer["rules"]} == {"k_anonymity": "pass", "personal_information": "not measured"}
    assert (answer["outcome"], answer["met"]) == ("withhold", False)
    assert answer["attacks"]["inference"] == "not measured" and answer["attacks"]["linkability"] == "not assessed"
    assert next(rule["value"] for rule in answer["rules"] if rule["metric"] == "personal_information") is None


def test_one_version_that_lacks_a_number_does_not_look_like_the_safest() -> None:
    """Of two sensitive attributes one was not measured: the other one's number is not the version's."""
    with an.read(pa.table(PEOPLE), quasi_identifiers=["age", "sex"], sensitive=["ill", "pay"]) as data:
        found = an.compare(data, an.apply(GeneraliseInterval(column="age", width=50), data), names=["wide"], policy="pipeline")
    wide = found.versions[1]
    pay = tuple(
        replace(m, value=None, status="not measured", reason=WHY) if m.metric == "l_diversity" and m.sensitive == "pay" else m
        for m in wide.findings.measurements
    )
    changed = replace(found, versions=(found.versions[0], replace(wide, findings=replace(wide.findings, measurements=pay))))

    assert comparison_to_dict(changed)["versions"][1]["risks"]["l_diversity"] is None
    overview = comparison_sheet(changed).sections[0]
    assert overview.rows[1][overview.header.index("diversity (l)")].text == "—"


def test_a_linkage_that_hangs_on_unread_labels_is_not_measured() -> None:
    """A label that nothing explains may be anything: no 0 expected, no green, in any format."""
    release = pa.table({"age": ["somebody old", "30"], "sex": ["f", "m"]})
    with an.read(release, quasi_identifiers=["age", "sex"]) as data:
        found = an.link(data, REGISTER)

    assert found.to_dict()["status"] == "not measured" and found.to_dict()["average_risk"] is None
    for format in ("text", "markdown", "html"):
        page = found.render(format)
        assert "not measured" in page and not green(page)


def test_a_precheck_shows_no_number_that_there_is_none_of() -> None:
    """A column of text has no skewness: a dash and a reason, not 0."""
    with an.read(pa.table({"age": [30, 40], "sex": ["f", "m"]}), quasi_identifiers=["age", "sex"]) as data:
        found = an.precheck(data)
    (sex,) = (m for m in found.to_dict()["marginals"] if m["column"] == "sex")

    assert sex["skewness"] is None and sex["reasons"]
    for format in ("text", "markdown", "html"):
        assert "—" in found.render(format) and not green(found.render(format))


def test_rules_that_wait_for_a_table_pass_nothing() -> None:
    """Set aside is not met: the question stays open, and it is not among the rules that are counted."""
    waiting = Rule(metric="k_map", label="", minimum=2, given="population")
    k = Rule(metric="k_anonymity", label="", minimum=2)
    policy = replace(lax(), rules=(k, waiting))
    with an.read(pa.table({"age": PEOPLE["age"]}), quasi_identifiers=["age"]) as data:
        found = an.audit(data, policy)

    assert [r.rule.metric for r in found.verdict.rules] == ["k_anonymity"]
    assert found.verdict.attacks["linkability"] == "not assessed"
    assert "all 2 rules" not in found.render("text")
    tile = next(tile for tile in view(found).tiles if tile.attack == "linkability")
    assert tile.figure == "—" and "unmeasured is not passed" in tile.note

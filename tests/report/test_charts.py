"""Every chart draws whatever it is given, at once, with words for whoever does not see it."""

from pathlib import Path
from time import process_time
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from anonscope.report import charts
from anonscope.report.charts.bars import Bars, bars
from anonscope.report.charts.blame import BlamedPart, facts, waterfall
from anonscope.report.charts.flow import Stream, flow
from anonscope.report.charts.hiding import Curve, hiding
from anonscope.report.charts.ladders import Ladder, Values, ladders
from anonscope.report.charts.pairs import pairs
from anonscope.report.charts.points import Point, Scatter, scatter
from anonscope.report.charts.versions import Rows, Square, versions
from anonscope.report.compare import _ranked

LONG = "x" * 500
MANY = tuple((size, 700) for size in range(1, 1500))  # a million groups of all sizes


def _curves(sizes):
    return hiding([Curve("all", sizes), Curve("neighbour", sizes), Curve("before", sizes, before=True)], 11)


def _points(values):
    return scatter(
        Scatter("loss", "risk", tuple(Point(v, 1 / (1 + v), f"p{i}", "edge") for i, v in enumerate(values)), "said", log=True, limit=0.1)
    )


def _bars(values):
    return bars(Bars("bars", tuple(f"g{i}" for i in range(len(values))), (("a", tuple(values)), ("b", tuple(values))), "said", limit=0.5))


def _pairs(counts):
    names = [f"a{i}" for i in range(len(counts))]
    found = {(names[i], names[j]): counts[i] for i in range(len(names)) for j in range(i + 1, len(names))}
    return pairs(found, dict(zip(names, counts, strict=True)), 10**6)


def _ladders(shares):
    """A million values before, one after."""
    many, one = Values((10**-6,) * 24, 10**6), Values((1.0,), 1)
    return ladders(
        [Ladder(f"{LONG[: 500 // len(shares)]}{len(s)}", s, tuple(range(len(s), 0, -1)), 0.5, before=many, after=one) for s in shares]
    )


def _versions(lines):
    """A version a value, a line an attribute; the last version was not measured."""
    several = len(lines[0]) + 1 if lines else 0
    squares = [
        (*(Square(v, "high" if v > 0.66 else None, f"v: {v}") for v in line), Square(None, None, "v: not measured")) for line in lines
    ]
    panel = Rows("Uniformity", tuple((f"{LONG}{i}", line) for i, line in enumerate(squares)))
    return versions([f"{LONG}{i}" for i in range(several)], [panel] * 12)


CHARTS = {
    "hiding": (_curves, {"empty": (), "one row": ((1, 1),), "constant": ((7, 100),), "a million groups": MANY}),
    "points": (_points, {"empty": [], "one row": [0.2], "constant": [0.0] * 5, "a million groups": [i / 10**4 for i in range(10**4)]}),
    "bars": (_bars, {"empty": [], "one row": [0.0], "constant": [0.3] * 4, "a million groups": [float(10**6)] * 40}),
    "waterfall": (
        lambda shares: waterfall([BlamedPart(f"{LONG}{i}", s, s) for i, s in enumerate(shares)], len(shares), 11),
        {"empty": [], "one row": [1.0], "constant": [0.25] * 4, "a million groups": [1 / 60] * 60},
    ),
    "facts": (
        lambda counts: facts([(tuple(f"a{j}" for j in range(i + 1)), n) for i, n in enumerate(counts)], max(counts, default=0), "All."),
        {"empty": [], "one row": [1], "constant": [5] * 6, "a million groups": [10**6 - 60 + i for i in range(60)]},
    ),
    "pairs": (_pairs, {"empty": [], "one row": [1], "constant": [0] * 5, "a million groups": [10**6] * 60}),
    "ladders": (
        _ladders,
        {"empty": [], "one row": [(1.0,)], "constant": [(0.0, 1.0)] * 5, "a million groups": [(0.1,) * 10] * 60},
    ),
    "versions": (
        _versions,
        {"empty": [], "one row": [[0.5]], "constant": [[1.0] * 4] * 5, "a million groups": [[i / 10**6 for i in range(12)]] * 60},
    ),
    "flow": (
        lambda counts: flow([Stream(f"s{i}", n, "one", LONG) for i, n in enumerate(counts)], "release.csv"),
        {"empty": [], "one row": [1], "constant": [5] * 4, "a million groups": [10**6, 1, 0, 3]},
    ),
}
CASES = [(name, case) for name, (_, cases) in CHARTS.items() for case in cases]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_every_chart_draws_everything(name, case):
    """Nothing, one row, rows that are all alike, and what a million groups give: well formed, within a tenth of a second."""
    draw, cases = CHARTS[name]
    taken = []
    for _ in range(3):
        began = process_time()
        page = str(draw(cases[case]).__html__())
        taken.append(process_time() - began)
    figure = ElementTree.fromstring(page)

    assert min(taken) < 0.1
    assert "nan" not in page.lower().replace("nano", "") and "inf%" not in page
    drawings = [drawing for drawing in figure.iter("svg") if drawing.attrib.get("role") == "img"]
    assert drawings and all(drawing.attrib["aria-label"] for drawing in drawings)
    assert all(drawing.find("title").text and drawing.find("desc").text for drawing in drawings)
    assert len(page) < 600_000


@pytest.mark.parametrize("name", sorted(set(CHARTS) - {"bars", "points", "versions"}))
def test_every_chart_has_a_table_that_says_the_same(name):
    """Those of bars, points and versions stand beside them on their page."""
    draw, cases = CHARTS[name]
    figure = ElementTree.fromstring(str(draw(cases["constant"]).__html__()))

    rows = figure.findall("details/div/table/tbody/tr")
    assert rows and all(row.find("th").attrib["scope"] == "row" for row in rows)


def test_the_curve_rises_where_people_are():
    """One of four stands alone, and three are in a group of three: the table beside the chart says so."""
    chart = hiding([Curve("all", ((1, 1), (3, 1)))], 3)

    assert ("up to 1", "25.0 %") in chart.rows and ("up to 3", "100 %") in chart.rows
    assert "25.0 % of the people stand alone" in chart.description


def test_names_never_lie_on_each_other():
    """Points that are too near to tell apart on a small page share a mark, and both names are in the key."""
    near = (
        Point(0.1, 0.1, "one", "edge", named=True),
        Point(0.101, 0.1, "two", "edge", named=True),
        Point(0.9, 0.9, "far", "now", named=True),
    )
    chart = scatter(Scatter("loss", "risk", near, "said"))

    assert ">1+2<" in chart.drawing and ">3<" in chart.drawing
    assert [key.words for key in chart.key] == ["one", "two", "far"]


def test_what_a_table_brings_along_is_escaped():
    """A column may be called anything."""
    chart = facts([(("<b>&\"'",), 1)], 2, "All.")

    assert "<b>&" not in str(chart.__html__()) and "&lt;b&gt;" in str(chart.__html__())


def test_what_is_hidden_is_seen_on_the_ladder():
    """Half of the records are hidden: half of the bar says so, by a mark that no other part of a page is styled by."""
    chart = ladders([Ladder("zip", (0.5, 0.0, 0.5), (9, 3, 1), 0.5, ("its first digit",))])

    assert 'width="50.00%" height="10" class="bar starred"' in chart.drawing
    assert ("zip, hidden", "50.0 %", "1") in chart.rows
    css = (Path(charts.__file__).parents[1] / "templates" / "parts.css").read_text(encoding="utf-8")
    assert ".starred" not in css and ".hidden" in css


def test_a_version_that_was_not_measured_has_no_colour_and_comes_first():
    """Unmeasured is never low: it has its own mark, and its line stands with the highest."""
    lines = (("low", (Square(0.1, "low", "a: 0.1"),)), ("unknown", (Square(None, None, "a: not measured"),)))
    chart = versions(["release"], [Rows("Uniformity", lines)])

    drawn = chart.panels[0].drawing
    assert drawn.index(">unknown<") < drawn.index(">low<") and "square unknown" in drawn and "not measured" in drawn


def test_ties_are_not_an_order():
    """Where two are the same, neither is said to be the worst."""
    blamed = waterfall([BlamedPart("age", 0.5, 0.1), BlamedPart("zip", 0.5, 0.2)], 10, 11)
    bitten = pairs({("a", "b"): 4, ("a", "c"): 4, ("b", "c"): 4}, {"a": 0, "b": 0, "c": 0}, 10)

    assert "each of age, zip causes 50.0 %" in blamed.description
    assert "and so does each of 2 other pairs" in bitten.description
    assert _ranked([("a", 0.5), ("b", 0.5), ("c", 0.4)], ["a", "b", "c"]) == "a (0.500) = b (0.500) > c (0.400)"


def test_no_line_of_a_policy_where_it_asks_for_something_else():
    """An average of group sizes is no limit of the smallest group, and a size that nobody asks for is called the usual one."""
    import anonscope as an
    from anonscope.report.audit.pictures import hidden
    from anonscope.report.plan import plan_chart

    table = pa.table({"age": [30 + i % 7 for i in range(84)], "sex": ["F", "M"] * 42})
    with an.read(table, quasi_identifiers=["age", "sex"]) as data:
        strict, average = (str(plan_chart(an.plan(data, policy)).drawing) for policy in ("ema-0070", "trusted-internal"))
        assert "policy: 1/11" in strict and "policy" not in average
        assert "policy, on average: 3" in str(hidden(an.audit(data, "trusted-internal")).drawing)


def test_names_that_differ_at_their_end_are_told_apart():
    """At the smallest width: where a figure would take the place of the last words, it has a line of its own."""
    names = ("nearest of charges (all attributes)", "nearest of charges (neighbour)")
    chart = bars(Bars("success", names, (("a", (0.12345, 0.2)), ("b", (0.1, None)), ("c", (0.3, 0.4))), "said"))
    drawing = ElementTree.fromstring(f"<svg>{chart.drawing}</svg>")
    texts = {text.get("class"): [] for text in drawing.iter("text")}
    for text in drawing.iter("text"):
        texts[text.get("class")].append(("".join(text.itertext()), float(text.get("y"))))
    assert all(any(said.endswith(name) for said, _ in texts["name"]) for name in names)
    assert not {y for said, y in texts["name"]} & {y for _, y in texts["figure"]}


def test_next_to_nothing_never_looks_like_everything():
    """An interval up to a fifth of a percent ends near the beginning of its line, not at its end."""
    chart = bars(Bars("success", ("one",), (("a", (0.0,)),), "said", spans=((0.0, 0.0019),), reach=0.1))
    drawing = ElementTree.fromstring(f"<svg>{chart.drawing}</svg>")
    ends = [float(line.get("x2").rstrip("%")) for line in drawing.iter("line") if line.get("class") == "whisker"]
    assert ends and max(ends) < 5

"""Every chart draws whatever it is given, at once, with words for whoever does not see it."""

from time import process_time
from xml.etree import ElementTree

import pytest

from anonscope.report.charts.bars import Bars, bars
from anonscope.report.charts.blame import Part, facts, waterfall
from anonscope.report.charts.flow import Stream, flow
from anonscope.report.charts.hiding import Curve, hiding
from anonscope.report.charts.ladders import Ladder, ladders
from anonscope.report.charts.pairs import pairs
from anonscope.report.charts.points import Point, Scatter, scatter

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


CHARTS = {
    "hiding": (_curves, {"empty": (), "one row": ((1, 1),), "constant": ((7, 100),), "a million groups": MANY}),
    "points": (_points, {"empty": [], "one row": [0.2], "constant": [0.0] * 5, "a million groups": [i / 10**4 for i in range(10**4)]}),
    "bars": (_bars, {"empty": [], "one row": [0.0], "constant": [0.3] * 4, "a million groups": [float(10**6)] * 40}),
    "waterfall": (
        lambda shares: waterfall([Part(f"{LONG}{i}", s, s) for i, s in enumerate(shares)], len(shares), 11),
        {"empty": [], "one row": [1.0], "constant": [0.25] * 4, "a million groups": [1 / 60] * 60},
    ),
    "facts": (
        lambda counts: facts([(tuple(f"a{j}" for j in range(i + 1)), n) for i, n in enumerate(counts)], max(counts, default=0), "All."),
        {"empty": [], "one row": [1], "constant": [5] * 6, "a million groups": [10**6 - 60 + i for i in range(60)]},
    ),
    "pairs": (_pairs, {"empty": [], "one row": [1], "constant": [0] * 5, "a million groups": [10**6] * 60}),
    "ladders": (
        lambda shares: ladders([Ladder(f"{LONG[: 500 // len(shares)]}{len(s)}", s, tuple(range(len(s), 0, -1)), 0.5) for s in shares]),
        {"empty": [], "one row": [(1.0,)], "constant": [(0.0, 1.0)] * 5, "a million groups": [(0.1,) * 10] * 60},
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
    drawing = figure.find("svg")
    assert drawing.attrib["role"] == "img" and drawing.attrib["aria-label"]
    assert drawing.find("title").text and drawing.find("desc").text
    assert len(page) < 200_000


@pytest.mark.parametrize("name", sorted(set(CHARTS) - {"bars", "points"}))
def test_every_chart_has_a_table_that_says_the_same(name):
    """Those of bars and points stand beside them on their page."""
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

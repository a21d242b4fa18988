"""The ITPR paper's figures 3 to 5 by stated generators: what the page says is what plain arithmetic says, and what it finds holds."""

import math
from itertools import pairwise

import pytest

from benchmarks.figures import DOCS, by_row, pictures, table
from benchmarks.itpr_figures import EPSILONS, LAMBDAS, SHARES, TELLING, figure_3, figure_4, figure_5, measured, theta

PAGE = (DOCS / "risk" / "itpr-figures.md").read_text(encoding="utf-8")


def entropy(counts):
    total = sum(counts)
    return sum(c / total * math.log2(total / c) for c in counts if c)


def itpr(counts):
    """By definition: the class that leaves least of its fair part open."""
    records, whole = sum(map(sum, counts)), entropy([sum(column) for column in zip(*counts, strict=True)])
    return 1 - min(len(counts) * sum(row) / records * entropy(row) / whole for row in counts)


def mutual_information(counts):
    records, whole = sum(map(sum, counts)), entropy([sum(column) for column in zip(*counts, strict=True)])
    return whole - sum(sum(row) / records * entropy(row) for row in counts)


def leakage(counts):
    records, whole = sum(map(sum, counts)), entropy([sum(column) for column in zip(*counts, strict=True)])
    return whole - min(sum(row) / records * entropy(row) for row in counts)


def line(heading: str, name: str) -> list[float]:
    return next([float(cell) for cell in row[1:]] for row in table(PAGE, heading) if row[0] == name)


def test_the_page_has_what_the_definitions_give():
    """ITPR, mutual information and leakage of every table, by arithmetic over the counts that shares nothing with the product."""
    assert line("## Figure 3", "ITPR") == pytest.approx([itpr(figure_3(d)) for d in LAMBDAS], abs=5.1e-5)
    assert line("## Figure 3", "MI") == pytest.approx([mutual_information(figure_3(d)) for d in LAMBDAS], abs=5.1e-5)
    assert line("### Maximum information leakage over lambda", "MIL") == pytest.approx([leakage(figure_3(d)) for d in LAMBDAS], abs=5.1e-5)
    assert line("## Figure 4", "ITPR") == pytest.approx([itpr(figure_4(s)) for s in SHARES], abs=5.1e-5)
    assert line("## Figure 4", "MI") == pytest.approx([mutual_information(figure_4(s)) for s in SHARES], abs=5.1e-5)
    assert [float(cell) for cell in table(PAGE, "## Figure 4")[0][1:]] == pytest.approx([theta(figure_4(s)) for s in SHARES], abs=5.1e-4)
    for share, row in zip(TELLING, table(PAGE, "## Figure 5")[1:], strict=True):
        assert [float(cell) for cell in row[1:]] == pytest.approx([itpr(figure_5(e, share)) for e in EPSILONS], abs=5.1e-5)


def test_an_audit_measures_the_same():
    """One table of each figure, through the product."""
    assert measured(figure_3(800), ["itpr"])["itpr"] == pytest.approx(itpr(figure_3(800)))
    assert measured(figure_4(0.3), ["mutual_information"])["mutual_information"] == pytest.approx(mutual_information(figure_4(0.3)))
    assert measured(figure_5(600, 0.3), ["itpr"])["itpr"] == pytest.approx(itpr(figure_5(600, 0.3)))


def test_the_tables_have_what_they_are_said_to_have():
    """10,000 records; lambda and epsilon as counted."""
    for counts in (*map(figure_3, LAMBDAS), *map(figure_4, SHARES), *(figure_5(e, s) for e in EPSILONS for s in TELLING)):
        assert sum(map(sum, counts)) == 10_000
    assert [max(max(row) - min(row) for row in figure_3(d)) for d in LAMBDAS] == list(LAMBDAS)
    sizes = [[sum(row) for row in figure_5(e, 0.05)] for e in EPSILONS]
    assert [max(one) - min(one) for one in sizes] == list(EPSILONS)


def test_what_the_paper_finds():
    """Everything rises with lambda but MIL, which falls in the end; ELD is blind to theta; MI and CP are as printed at 0.4; ITPR rises."""
    for name in ("ITPR", "DR", "MI", "CP", "ELD"):
        assert all(a < b for a, b in pairwise(line("## Figure 3", name)))
    leaks = line("### Maximum information leakage over lambda", "MIL")
    assert leaks[-1] == min(leaks) and all(a > b for a, b in pairwise(leaks[3:]))
    assert set(line("## Figure 4", "ELD")) == {0.1667}
    at = [float(cell) for cell in table(PAGE, "## Figure 4")[0][1:]].index(0.432)
    assert round(line("## Figure 4", "MI")[at], 2) == 0.02 and round(line("## Figure 4", "CP")[at], 2) == 0.01
    rows = [[float(cell) for cell in row[1:]] for row in table(PAGE, "## Figure 5")[1:]]
    assert all(a < b for row in rows for a, b in pairwise(row)) and all(
        a < b for column in zip(*rows, strict=True) for a, b in pairwise(column)
    )


def test_the_pictures_are_those_of_the_tables():
    """Whoever changes a table draws anew: python -m benchmarks.figures."""
    for path, text in pictures().items():
        assert path.read_text(encoding="utf-8") == text
    costs = by_row((DOCS / "engines" / "metric-costs.md").read_text(encoding="utf-8"), "## Over records", "", "", logarithmic=True)
    assert len(costs.places) == 5 and len(costs.lines) == 10  # "last step" is no place

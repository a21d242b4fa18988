"""Aufschläger 2023, the synthesis of anonymisation metrics: k, l, t, the earth mover's distance and the re-identification score.

Every case has the number the paper prints beside the number it should be.
"""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.risk.counting import encode, fetch_tuples, open_scenario
from anonscope.risk.metrics.markov_chain import Reading, chain_risk
from reference.metrics import as_printed, cut_as_printed

Run = Callable[..., an.Audit]

# The first six records of the Adult data.
ADULT = {
    "age": [39, 50, 38, 53, 28, 37],
    "workclass": ["State-gov", "Self-emp-not-inc", "Private", "Private", "Private", "Private"],
    "education": ["Bachelors", "Bachelors", "HS-grad", "11th", "Bachelors", "Masters"],
    "education-num": [13, 13, 9, 7, 13, 14],
    "capital-loss": [0] * 6,
    "native-country": ["United-States"] * 4 + ["Cuba", "United-States"],
}
KNOWN = ["education", "education-num", "capital-loss", "native-country"]
HIGHER, LOWER = "{'Bachelors', 'Masters'}", "{'HS-grad', '11th'}"
FIGURE_8 = ADULT | {
    "education": [HIGHER, HIGHER, LOWER, LOWER, HIGHER, HIGHER],
    "education-num": ["(10.0, 14.0)", "(10.0, 14.0)", "(5.0, 9.0)", "(5.0, 9.0)", "(10.0, 14.0)", "(10.0, 14.0)"],
    "native-country": ["{United-States, Cuba}"] * 6,
}


@pytest.mark.parametrize(
    ("case", "printed", "ours"),
    [
        (("k_anonymity", None, None), 2, 2),
        (("l_diversity", "age", None), 2, 2),
        (("l_diversity", "workclass", None), 1, 1),
        (("t_closeness", "age", "ordered"), 0.2, 0.2),
        (("t_closeness", "age", "equal"), None, 2 / 3),
        (("average_class_size", None, None), None, 3.0),
    ],
)
def test_figure_8(audit: Run, case: tuple[str, str | None, str | None], printed: float | None, ours: float) -> None:
    """Six generalised records in classes of four and two; age is an integer, so its distance is ordered by default."""
    metric, sensitive, variant = case
    result = audit(columns=FIGURE_8, quasi_identifiers=KNOWN, sensitive=["age", "workclass"])
    (found,) = [m.value for m in result.select(metric) if m.sensitive == sensitive and m.variant == variant]

    assert found == pytest.approx(ours, abs=1e-12)
    if printed is not None:
        assert as_printed(found, printed) == printed
    assert result.select("t_closeness", sensitive="age")[0].variant == "ordered"
    assert result.select("t_closeness", sensitive="workclass")[0].variant == "equal"


def test_figure_8_before_the_generalisation(audit: Run) -> None:
    """Before, "the groups had a minimum group size of one"."""
    assert audit(columns=ADULT, quasi_identifiers=KNOWN)["k_anonymity"].value == 1


@pytest.mark.parametrize(("case", "printed", "ours"), [("the four records", 0.1, 0.1), ("the two records", 0.2, 0.2)])
def test_figure_8_distance_of_each_group(case: str, printed: float, ours: float) -> None:
    """Equation 22 on either group of figure 8."""
    with an.read(pa.table(FIGURE_8), quasi_identifiers=KNOWN, sensitive=["age"]) as data:
        an.audit(data)
        by_size = dict(data.engine.rows("SELECT k.n, d.emd FROM ordered_distance AS d JOIN class AS k ON d.q = k.q"))
    found = by_size[{"the four records": 4, "the two records": 2}[case]]

    assert found == pytest.approx(ours, abs=1e-12)
    assert as_printed(found, printed) == printed


def test_figure_9_score_of_the_first_record(audit: Run) -> None:
    """RIR of "Bachelors", three of six: 0.38685, which the paper cuts to 0.386."""
    found = audit(columns=ADULT, quasi_identifiers=["education"])["uniqueness"].min

    assert found == pytest.approx(0.38685, abs=5e-6)
    assert cut_as_printed(found, 0.386) == 0.386


def test_figure_9_score_of_the_third_record(audit: Run) -> None:
    """RIR of "HS-grad", one of six: 1.0 as printed."""
    assert audit(columns=ADULT, quasi_identifiers=["education"])["uniqueness"].max == 1.0


FIGURE_9 = {"education": ADULT["education"], "sex": ["Male"] * 4 + ["Female"] * 2, "hours": [40, 13, 40, 40, 40, 40]}


def chains(columns: dict[str, list[Any]], reading: Reading) -> list[float]:
    """Return every record's risk when the chain begins with the first column."""
    names = tuple(columns)
    with an.read(pa.table(columns), quasi_identifiers=names) as data:
        layout = encode(data.engine, data.relation, data.roles)
        open_scenario(data.engine, layout, names)
        tuples = fetch_tuples(data.engine, layout, names)
        coded = {(a, code): v for a, v, code in data.engine.rows("SELECT attribute, v, code FROM dictionary")}
    seen = zip(*([coded[j, code] for code in tuples.codes[j].tolist()] for j in range(len(names))), strict=True)
    by_tuple = dict(zip(seen, chain_risk(tuples, 0, reading).tolist(), strict=True))
    return [by_tuple[tuple(map(str, row))] for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize(
    ("reading", "ours", "mean"),
    [
        ("bounded", [0.9, 1.0, 1.0, 1.0, 0.9556, 1.0], 0.9759),
        ("literal", [0.9, 1.0, 1.0, 1.0, 1.0, 1.0], 0.9833),
    ],
)
def test_figure_9_markov_chain(reading: Reading, ours: list[float], mean: float) -> None:
    """Equations 24 to 26 from education over sex to hours: 0.9 for R1 and 1.0 for R3 as printed, whichever way S is read."""
    found = chains(FIGURE_9, reading)

    assert (as_printed(found[0], 0.9), as_printed(found[2], 1.0)) == (0.9, 1.0)
    assert found == pytest.approx(ours, abs=5e-5)
    assert sum(found) / 6 == pytest.approx(mean, abs=5e-5)


def test_figure_9_in_another_order() -> None:
    """With hours before sex R1 has 0.92 in both readings: the paper does not say that the order matters."""
    other = {name: FIGURE_9[name] for name in ("education", "hours", "sex")}

    assert [chains(other, "bounded")[0], chains(other, "literal")[0]] == pytest.approx([0.92, 0.92])


def test_equation_24_has_no_lower_bound() -> None:
    """200 records, the corners of a cube: to the letter the risk is -3.6875, so it is cut at 0; bounded it is 0.9473."""
    cube = {name: [corner >> place & 1 for corner in range(8)] * 25 for place, name in enumerate("abc")}

    printed = 1 - 200 * (1 / 2 * (1 - 25 / 100) * (1 / 2 * (1 - 50 / 100)) ** 2)
    assert printed == pytest.approx(-3.6875)
    assert chains(cube, "literal")[0] == 0
    assert chains(cube, "bounded")[0] == pytest.approx(0.9473, abs=5e-5)

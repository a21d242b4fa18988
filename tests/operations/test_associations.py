"""Associations of columns: worked examples, agreement with slow definitions, published values, bad input."""

import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.errors import ColumnNotFound, OptionError
from anonscope.risk.expected_information import expected_information
from reference.metrics import as_printed, is_numeric, plain
from support.strategies import columns as drawn_column
from support.strategies import law

SMALL = {"a": ["x", "x", "y", "y"], "b": [1, 1, 2, 2], "c": [1, 2, 1, 2], "same": ["k"] * 4}


def compared(columns: dict[str, Sequence[Any]], chosen: Sequence[str] | None = None) -> an.Associations:
    table = pa.table({name: pa.array(list(values), from_pandas=True) for name, values in columns.items()})
    with an.read(table, threads=1) as data:
        return an.associations(data, chosen)


def information(one: Sequence[Any], other: Sequence[Any]) -> float:
    """Equation 30, over the values that occur."""
    n, a, b, both = len(one), Counter(one), Counter(other), Counter(zip(one, other, strict=True))
    return sum(c / n * math.log2(c * n / (a[x] * b[y])) for (x, y), c in both.items())


def cramers_v(one: Sequence[Any], other: Sequence[Any]) -> float | None:
    """Equations 34 and 35, over all pairs of categories."""
    n, a, b, both = len(one), Counter(one), Counter(other), Counter(zip(one, other, strict=True))
    if min(len(a), len(b)) == 1:
        return None
    chi = sum((both[x, y] - a[x] * b[y] / n) ** 2 / (a[x] * b[y] / n) for x in a for y in b)
    return math.sqrt(chi / n / (min(len(a), len(b)) - 1))


def pearson(one: Sequence[Any], other: Sequence[Any]) -> float | None:
    """Equation 33 with its sign, over the records that have both numbers."""
    if not is_numeric(one) or not is_numeric(other):
        return None
    pairs = [(float(x), float(y)) for x, y in zip(one, other, strict=True) if x is not None and y is not None]
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        return None
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    spread = math.fsum((x - mean_x) ** 2 for x in xs) * math.fsum((y - mean_y) ** 2 for y in ys)
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in pairs) / math.sqrt(spread)


def test_a_column_that_is_another_in_other_words() -> None:
    """a and b say the same: one bit, which is all they have; a and c are independent."""
    found = compared(SMALL, ["a", "b", "c"])

    assert found.mutual_information == ((1, 1, 0), (1, 1, 0), (0, 0, 1))
    assert found.cramers_v[0] == pytest.approx((1, 1, 0))
    assert found.pearson[1][2] == pytest.approx(0)
    assert found.numeric == (False, True, True)


def test_a_constant_column_says_nothing() -> None:
    """Its information is 0; Cramér's V would be 0/0 and is not measured, with the reason."""
    found = compared(SMALL)

    assert found.mutual_information[3] == (0, 0, 0, 0)
    assert found.cramers_v[3] == (None, None, None, None)
    assert {u.reason for u in found.unmeasured if "same" in (u.one, u.other) and u.measure == "Cramér's V"} == {
        "a column has one value only",
        "the column has one value only",
    }
    assert any("same" in note for note in found.notes)


def test_no_numeric_column_is_said() -> None:
    """The matrix is there, empty, and a note says why."""
    found = compared({"a": ["x", "y"], "b": ["u", "v"]})

    assert found.pearson == ((None, None), (None, None))
    assert any("No column is numeric" in note for note in found.notes)
    assert "Pearson" not in found.render("markdown").split("Take note")[0]


def test_identifiers_and_weights_are_left_aside() -> None:
    """A name is alike with nothing; but whoever names it gets it."""
    with an.read(pa.table(SMALL | {"who": [1, 2, 3, 4]}), direct_identifiers=["who"]) as data:
        assert "who" not in an.associations(data).columns
        assert an.associations(data, ["who", "a"]).columns == ("who", "a")


@pytest.mark.parametrize(
    ("chosen", "error", "says"),
    [(["a"], OptionError, "at least two columns"), (["a", "nope"], ColumnNotFound, "nope"), ("ab", OptionError, "list of column names")],
)
def test_what_cannot_be_compared_is_refused(chosen: Any, error: type[Exception], says: str) -> None:
    """One column, a column that is not there, a string in the place of a list."""
    with pytest.raises(error, match=says):
        compared(SMALL, chosen)


def test_too_many_columns_are_refused() -> None:
    """A hundred columns are 4,950 pairs; more must be asked for by name."""
    with pytest.raises(OptionError, match="at most 100"):
        compared({f"c{i}": [1, 2] for i in range(101)})


def test_numbers_beyond_a_double_do_not_become_nan() -> None:
    """A range that overflows leaves no correlation, and JSON stays JSON."""
    found = compared({"a": [1e308, -1e308, 0.0], "b": [1.0, 2.0, 4.0]})

    assert found.pearson[0][1] is None
    assert json.loads(found.render("json"))["pearson"][0][1] is None


@law
@given(data=st.data())
def test_every_number_agrees_with_its_definition(data: st.DataObject) -> None:
    """Whatever the columns hold, missing values and constants included."""
    rows = data.draw(st.integers(1, 12))
    columns = {f"c{i}": plain(data.draw(drawn_column(rows))) for i in range(3)}
    found = compared(columns)

    values = list(columns.values())
    for i in range(3):
        for j in range(3):
            assert found.mutual_information[i][j] == pytest.approx(information(values[i], values[j]), abs=1e-9)
            assert found.cramers_v[i][j] == pytest.approx(cramers_v(values[i], values[j]), abs=1e-7)
            expected = pearson(values[i], values[j])
            assert found.pearson[i][j] == (None if expected is None else pytest.approx(expected, abs=1e-6))
            assert found.pearson[i][j] == found.pearson[j][i]
    json.dumps(found.to_dict(), allow_nan=False)


def test_figure_10_of_paper_2(data_folder: Path) -> None:
    """32,561 records of Adult: education says 2.93 bits about its number, race 0.01 about sex; figure 11 has no printed pair in words."""
    with an.read(data_folder / "adult" / "adult_kaggle_order_32561.csv") as data:
        found = an.associations(data, ["education", "education.num", "race", "sex"])

    assert found.mutual_information[0][1] == pytest.approx(2.9314, abs=5e-5)
    assert found.mutual_information[2][3] == pytest.approx(0.009555, abs=5e-7)
    assert as_printed(found.mutual_information[0][1] or 0, 2.93) == 2.93
    assert as_printed(found.mutual_information[2][3] or 0, 0.01) == 0.01
    assert found.rows == 32_561


def test_every_format_shows_every_column(tmp_path: Path) -> None:
    """Text, Markdown, a page that loads nothing, and the fragment of a notebook; names are escaped."""
    found = compared({"<b>": [1, 2, 3], "b": [1, 2, 2]})
    for name in ("r.html", "r.json", "r.md", "r.txt"):
        assert found.save(tmp_path / name).stat().st_size > 100
    page = found.render("html")

    assert "<b>1" not in page
    assert "&lt;b&gt;" in page
    assert "http" not in page.split("</style>")[1]
    assert "default-src 'none'" in page
    assert "&lt;b&gt;" in found._repr_html_()
    with pytest.raises(OptionError, match="No format"):
        found.render("pdf")
    with pytest.raises(OptionError, match=r"not as \.docx"):
        found.save(tmp_path / "r.docx")


def test_what_two_columns_share_by_chance_is_taken_off() -> None:
    """Numbers that have nothing to do with a flag tell much of it as printed, and nearly nothing once corrected; a copy keeps its bits."""
    draw = random.Random(7)
    flags = [draw.choice("ab") for _ in range(2000)]
    table = pa.table({"number": [draw.random() for _ in range(2000)], "flag": flags, "copy": flags})
    with an.read(table, threads=1) as data:
        found = an.associations(data)

    assert found.mutual_information[0][1] > 0.99
    assert found.corrected_information[0][1] < 0.01
    assert found.corrected_information[1][2] == pytest.approx(found.mutual_information[1][2], abs=0.001)


def test_the_chance_is_the_mean_over_permutations() -> None:
    """The exact mean agrees with scikit-learn's, which shares no code with it, and with the mean over many shuffles."""
    cluster = pytest.importorskip("sklearn.metrics.cluster")
    draw = np.random.default_rng(3)
    one, other = draw.integers(0, 9, 400), draw.integers(0, 4, 400) ** 2
    table = cluster.contingency_matrix(one, other, sparse=True).astype(np.int64)
    counts = [np.unique(values, return_counts=True)[1].tolist() for values in (one, other)]

    assert expected_information(*counts, 400) == pytest.approx(cluster.expected_mutual_information(table, 400) / math.log(2), abs=1e-9)
    shuffled = [information(one.tolist(), draw.permutation(other).tolist()) for _ in range(200)]
    assert expected_information(*counts, 400) == pytest.approx(sum(shuffled) / 200, rel=0.05)

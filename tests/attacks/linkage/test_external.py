"""A release against an external table: worked examples, laws, agreement with comparing every pair, and bad input."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linked import linked, matched, slow_counts, table

import anonscope as an
from anonscope.attacks.linkage import hierarchy_images, link_tables
from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import Interval, read_image
from anonscope.engines.duckdb import DuckDB
from anonscope.errors import ColumnNotFound, LinkageError, OptionError, SourceError
from anonscope.io.sources import open_source
from support.strategies import law

REGISTER = pa.table(
    {
        "age": ["31", "34", "38", "52", "52", "67", None],
        "zip": ["10489", "10482", "10489", "13110", "13110", "21800", "10489"],
        "sex": ["F", "F", "M", "M", "M", "F", "F"],
    }
)
RELEASE = pa.table(
    {
        "age": ["[30-39]", "[30-39]", "[50-59]", "[50-59]", "90+", "*"],
        "zip": ["1048*", "1048*", "131**", "131**", "*", "218**"],
        "sex": ["F", "M", "M", "M", "M", "F"],
    }
)


def test_a_released_value_matches_everything_it_may_stand_for():
    """Two women in their thirties share a zip prefix; two men are alike; nobody is over ninety; one record shows a zip only."""
    found = matched(RELEASE, REGISTER)

    assert found.external_records[found.class_of].tolist() == [2, 1, 2, 2, 0, 1]
    assert found.released_records[found.tuple_of].tolist() == [1, 1, 1, 2, 2, 1, 0]


def test_unmatched_records_count_zero_and_their_share_stands_beside_it():
    """(1/2 + 1 + 1/2 + 1/2 + 0 + 1) / 6, and the same over the five that may be somebody."""
    found = linked(RELEASE, REGISTER)

    assert found.average_risk == pytest.approx(3.5 / 6)
    assert found.average_risk_of_matched == pytest.approx(3.5 / 5)
    assert (found.matched_records, found.matched_share) == (5, pytest.approx(5 / 6))
    assert found.expected_matches == pytest.approx(3.5)
    assert (found.maximum_risk, found.unique_match_share) == (1, pytest.approx(2 / 6))
    assert (found.k_map, found.k_map_of_matched) == (0, 1)
    assert (found.internal_risk, found.classes) == (pytest.approx(5 / 6), 5)
    assert [(c.external_records, c.classes, c.records) for c in found.counts] == [(0, 1, 1), (1, 2, 2), (2, 2, 3)]


def test_the_prosecutor_looks_in_the_release_and_the_journalist_outside():
    """Of the seven in the register six fit somebody: four are one record each, two share two records."""
    found = linked(RELEASE, REGISTER)

    assert found.prosecutor.maximum == 1
    assert found.prosecutor.average == pytest.approx((4 + 2 / 2) / 6)
    assert found.journalist.average == found.average_risk_of_matched


def test_paper_4_counts_of_external_records():
    """METRICS section 3: external counts 0, 1, 2, 0, 4, 1 have the mean 0.4583, and 0.6875 over those that match."""
    external = pa.table({"v": ["b", "c", "c", "e", "e", "e", "e", "f"]})
    found = linked(pa.table({"v": ["a", "b", "c", "d", "e", "f"]}), external, unknown="itself")

    assert found.average_risk == pytest.approx(0.4583, abs=5e-5)
    assert found.average_risk_of_matched == pytest.approx(0.6875)


def test_scores_of_paper_4():
    """A code of a tenth of the release and a twentieth of the outside lends 0.1 * 0.05 = 0.005, as the paper's example has it."""
    release = pa.table({"zip": ["10489", *["x"] * 9]})
    external = pa.table({"zip": ["10489", *["y"] * 19]})
    scores = linked(release, external, unknown="itself").scores

    assert scores.probability == pytest.approx(0.005)
    assert scores.unique_share == pytest.approx(0.1)
    assert scores.unique_matched_share == 1
    assert scores.unique_combination == pytest.approx(0.1)


def test_attributes_multiply_to_the_joint_probability():
    """Sex agrees with probability 1/2, and so does the letter: 1/4 together, as if they were independent."""
    both = pa.table({"sex": ["F", "M"], "letter": ["a", "b"]})
    scores = linked(both, both).scores

    assert [attribute.probability for attribute in scores.attributes] == [0.5, 0.5]
    assert scores.probability == 0.25


def test_frequencies_that_go_together_correlate():
    """The release has the letters as often as the outside; spread over a band they do no longer."""
    external = pa.table({"v": list("aaaabbbccd")})

    assert linked(external, external).scores.correlation == pytest.approx(1)
    assert linked(external, external, coefficient="spearman").scores.correlation == pytest.approx(1)
    assert linked(pa.table({"v": ["{a, b}"] * 7 + ["{c, d}"] * 3}), external).scores.correlation == pytest.approx(0.8944, abs=1e-4)
    reversed_order = linked(pa.table({"v": list("ddddcccbba")}), external).scores
    assert reversed_order.attributes[0].correlation == pytest.approx(-1)
    assert reversed_order.correlation == 0


def test_frequencies_that_do_not_vary_have_no_correlation():
    """Where everything is suppressed, or every value is as common as the next, there is nothing to correlate."""
    external = pa.table({"v": list("aab")})

    assert linked(pa.table({"v": ["*", "*"]}), external).scores.correlation is None
    assert linked(external, pa.table({"v": list("ab")})).scores.correlation is None


def test_a_weight_moves_the_mean_correlation():
    """With all weight on one column, its correlation is the mean."""
    release = pa.table({"v": list("aab"), "w": list("xyy")})
    external = pa.table({"v": list("aab"), "w": list("xxy")})
    scores = linked(release, external, weights={"v": 1, "w": 0}).scores

    assert scores.correlation == pytest.approx(1)
    assert linked(release, external).scores.correlation == pytest.approx(0.5)


def test_an_all_suppressed_release_may_be_anybody():
    """Every record may be each of the seven."""
    found = linked(pa.table({"age": ["*"] * 3, "zip": ["*"] * 3, "sex": ["*"] * 3}), REGISTER)

    assert (found.average_risk, found.k_map, found.classes) == (pytest.approx(1 / 7), 7, 1)


def test_nobody_in_common_is_an_answer():
    """Without any match there is no risk, and what cannot be said is None."""
    found = linked(pa.table({"v": ["a", "a"]}), pa.table({"v": ["b"]}), unknown="itself")

    assert (found.average_risk, found.maximum_risk, found.k_map, found.matched_share) == (0, 0, 0, 0)
    assert (found.average_risk_of_matched, found.k_map_of_matched) == (None, None)
    assert (found.prosecutor.maximum, found.journalist.average) == (None, None)


def test_missing_is_a_value_unless_told():
    """The one without an age is the one without an age; told otherwise, missing values may be anybody, on either side."""
    release = pa.table({"age": [None, "31"], "sex": ["F", "F"]})
    external = pa.table({"age": [None, "31", "34"], "sex": ["F", "F", "F"]})

    assert [matched(release, external).external_records[c] for c in matched(release, external).class_of] == [1, 1]
    found = matched(release, external, missing="anything")
    assert found.external_records[found.class_of].tolist() == [3, 2]


def test_dates_stand_for_their_days():
    """A year and a month of a release match days of the outside; in a column of years a year is itself."""
    external = pa.table({"born": ["1990-01-31", "1990-02-01", "1991-02-01"]})
    found = matched(pa.table({"born": ["1990", "1990-02", "1990s", "1991-Q1"]}), external)

    assert found.external_records[found.class_of].tolist() == [2, 1, 3, 1]
    found = matched(pa.table({"born": ["1990"]}), pa.table({"born": ["1990", "1991"]}))
    assert found.external_records.tolist() == [1]


def test_a_hierarchy_says_what_labels_stand_for():
    """Labels of any level stand for the values under them, the top for all, and others for themselves."""
    hierarchy = Hierarchy("jobs", ("nurse", "carer", "clerk"), (("care", "care", "office"), ("*", "*", "*")))
    external = pa.table({"job": ["nurse", "nurse", "carer", "clerk", "mayor"]})
    found = matched(pa.table({"job": ["care", "office", "nurse", "*", "mayor"]}), external, images={"job": hierarchy_images(hierarchy)})

    assert found.external_records[found.class_of].tolist() == [3, 1, 2, 5, 1]


def test_images_may_be_told_where_labels_look_like_values():
    """A rounded age looks like an age; told that it was rounded to tens, 30 stands for 25 to 34."""
    external = pa.table({"age": ["24", "25", "30", "34", "35"]})
    found = matched(pa.table({"age": ["30"]}), external, images={"age": lambda label: Interval(float(label) - 5, float(label) + 5)})

    assert found.external_records.tolist() == [3]


LABELS = st.sampled_from(["1", "2", "7", "13", "1*", "**", "*", "[1-7]", "[0, 2)", "7+", "<3", "{1, 13}", '{"2"}', " ", "a", None])
VALUES = st.sampled_from(["1", "2", "2.5", "7", "13", "11", "-4", " ", "a", "[1-7]", None])


@st.composite
def pairs_of_tables(draw):
    """Return a release of labels and an external table of values over the same columns."""
    names = [f"q{i}" for i in range(draw(st.integers(1, 3)))]
    release = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(names, LABELS)), min_size=1, max_size=12))
    external = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(names, VALUES)), min_size=1, max_size=12))
    return release, external


@law
@given(tables=pairs_of_tables(), missing=st.sampled_from(["value", "anything"]))
def test_the_join_agrees_with_comparing_every_pair(tables, missing):
    """Whatever labels are mixed in a column, families and forms count what comparing all pairs counts."""
    release, external = tables
    notation = dict.fromkeys(release[0], read_image)
    found = matched(table(release), table(external), missing=missing, images=notation, unknown="itself")
    ours, theirs = slow_counts(release, external, missing)

    assert found.external_records[found.class_of].tolist() == ours
    assert found.released_records[found.tuple_of].tolist() == theirs


INTERVALS = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: f"[{min(ends)}-{max(ends)}]") | st.sampled_from(
    ["*", "3", None]
)


@law
@given(
    release=st.lists(st.fixed_dictionaries({"q0": INTERVALS, "q1": INTERVALS}), min_size=30, max_size=60),
    external=st.lists(st.fixed_dictionaries(dict.fromkeys(("q0", "q1"), st.sampled_from([*map(str, range(13)), None]))), min_size=1),
    missing=st.sampled_from(["value", "anything"]),
)
def test_intervals_that_all_overlap_agree_with_comparing_every_pair(release, external, missing):
    """Where hardly two labels are disjoint, columns are taken label by label, and count the same."""
    notation = dict.fromkeys(release[0], read_image)
    found = matched(table(release), table(external), missing=missing, images=notation, unknown="itself")
    ours, theirs = slow_counts(release, external, missing)

    assert found.external_records[found.class_of].tolist() == ours
    assert found.released_records[found.tuple_of].tolist() == theirs


def test_many_overlapping_labels_make_many_families():
    """Nested intervals all share their middle, so each is a family of its own; every record lies in all around it."""
    release = pa.table({"age": [f"[{50 - i}-{50 + i}]" for i in range(1, 31)]})
    found = matched(release, pa.table({"age": [str(age) for age in range(101)]}))

    assert len(found.families[0].lookups) == 1 + 30
    assert found.external_records[found.class_of].tolist() == [2 * i + 1 for i in range(1, 31)]
    assert found.released_records.max() == 30


@law
@given(tables=pairs_of_tables())
def test_a_table_linked_with_itself_has_its_internal_risk(tables):
    """The average risk of a table of plain values against itself is the number of its classes over its records."""
    _, external = tables
    plain = [record for record in external if "[1-7]" not in record.values()] or [dict.fromkeys(external[0])]
    found = linked(table(plain), table(plain))

    assert found.average_risk == pytest.approx(found.internal_risk)
    assert found.prosecutor.average == pytest.approx(found.internal_risk)
    assert found.matched_share == 1


@law
@given(ages=st.lists(st.integers(0, 99), min_size=1, max_size=20), extra=st.lists(st.integers(0, 99), max_size=10))
def test_generalising_never_raises_the_risk_of_people_who_are_outside(ages, extra):
    """Where everybody of the release is in the external table, wider intervals and at last * never raise the average risk.

    A handful of ages does not show that a much higher one is written alike, so that is said.
    """
    external = pa.table({"age": [str(age) for age in ages + extra]})
    levels = [[str(a) for a in ages], *([f"[{a - a % w}-{a - a % w + w - 1}]" for a in ages] for w in (5, 10, 20)), ["*"] * len(ages)]
    risks = [linked(pa.table({"age": level}), external, unknown="itself").average_risk for level in levels]

    assert risks == sorted(risks, reverse=True)


def test_generalising_may_raise_the_risk_of_people_who_are_not():
    """A record that was nobody's may become somebody's: counted as 0 before, it has a risk now. The law needs everybody outside."""
    external = pa.table({"age": ["31"]})

    assert linked(pa.table({"age": ["34"]}), external, unknown="itself").average_risk == 0
    assert linked(pa.table({"age": ["[30-39]"]}), external).average_risk == 1


def test_the_order_of_records_and_columns_does_not_matter():
    """Turned round, the tables give the same numbers."""
    turned = linked(RELEASE.take([5, 4, 3, 2, 1, 0]).select(["sex", "zip", "age"]), REGISTER.take([6, 5, 4, 3, 2, 1, 0]))
    straight = linked(RELEASE, REGISTER)

    assert turned.counts == straight.counts
    assert turned.average_risk == pytest.approx(straight.average_risk)


def test_many_columns_of_many_values_do_not_overflow():
    """Ten columns of a thousand values each have more tuples than a number of 64 bits can tell apart; matches are still exact."""
    columns = {f"q{j}": [str((i * (j + 3)) % 1009) for i in range(1009)] for j in range(10)}
    found = linked(pa.table(columns), pa.table({name: values[::2] for name, values in columns.items()}), unknown="itself")

    assert (found.matched_records, found.k_map_of_matched) == (505, 1)


@pytest.mark.parametrize(
    ("release", "external", "columns", "kind", "says"),
    [
        ({"a": ["1"]}, {"b": ["1"]}, None, LinkageError, "no column in common"),
        ({"a": ["1"]}, {"b": ["1"]}, {"x": "b"}, LinkageError, "release has no column 'x'"),
        ({"a": ["1"]}, {"b": ["1"]}, {"a": "x"}, LinkageError, "external table has no column 'x'"),
    ],
)
def test_columns_that_do_not_fit_are_named(release, external, columns, kind, says):
    """The message says what is missing, and what to do."""
    with pytest.raises(kind, match=says):
        linked(pa.table(release), pa.table(external), columns)


def test_bad_options_are_refused():
    """Negative weights, weights that are all zero, unknown columns, coefficients and readings of missing values."""
    with an.read(pa.table({"a": ["1"]})) as data, pytest.raises(OptionError, match="value or anything"):
        an.link(data, pa.table({"a": ["1"]}), missing="nothing")
    one = pa.table({"a": ["1"]})
    for given_options, says in (
        ({"weights": {"a": -1}}, "at least 0"),
        ({"weights": {"a": float("nan")}}, "at least 0"),
        ({"weights": {"a": 0}}, "All weights are 0"),
        ({"weights": {"b": 1}}, "not among"),
        ({"coefficient": "kendall"}, "pearson or spearman"),
    ):
        with pytest.raises(OptionError, match=says):
            linked(one, one, **given_options)
    with pytest.raises(ColumnNotFound):
        linked(one, one, among=["b"])


def test_a_line_that_cannot_be_read_is_named_and_not_quoted(tmp_path):
    """A line deep in a file is found when it is opened; the message has its number and none of its cells."""
    lines = ["age,zip", *["31,10489"] * 60_000, "31,SECRET,7", *["31,10489"] * 60_000]
    (tmp_path / "release.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "register.csv").write_text("age,zip\n31,10489\n", encoding="utf-8")
    engine = DuckDB(threads=1)
    try:
        with pytest.raises(SourceError, match="line 60,002") as refused:
            release, register = (open_source(tmp_path / name, engine) for name in ("release.csv", "register.csv"))
            link_tables(engine, release, register)
    finally:
        engine.close()
    assert "SECRET" not in str(refused.value)

"""Original and release side by side: by position or by key, with what labels stand for, and what cannot be compared."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import Interval, read_image
from anonscope.engines import DuckDB
from anonscope.errors import AlignmentError, ColumnNotFound, HierarchyError, OptionError, RoleError
from anonscope.io.sources import open_source
from anonscope.utility import UTILITIES, align, measure_all, settled
from support.compared import compared, measured

PEOPLE = {"id": ["p1", "p2", "p3", "p4"], "age": [31, 38, 45, 60], "town": ["Ulm", "Ulm", "Bonn", "Köln"]}


def column(aligned: Any, name: str) -> Any:
    return next(c for c in aligned.columns if c.name == name)


def test_records_are_aligned_by_their_order() -> None:
    """The first with the first, and so on; every pair of value and label is counted."""
    town = column(compared(PEOPLE, PEOPLE | {"town": ["{Ulm, Bonn}", "Ulm", "{Ulm, Bonn}", "*"]}, ["town"]), "town")
    pairs = {(town.domain.values[p], town.labels.texts[label]): n for p, label, n in zip(town.place, town.label, town.count, strict=True)}

    assert pairs == {("Ulm", "{Ulm, Bonn}"): 1, ("Ulm", "Ulm"): 1, ("Bonn", "{Ulm, Bonn}"): 1, ("Köln", "*"): 1}


def test_records_are_aligned_by_a_key_and_those_left_out_are_suppressed() -> None:
    """The release is in another order and lacks one of four."""
    release = {"id": ["p4", "p1", "p3"], "age": [60, 31, 45], "town": ["Köln", "Ulm", "Bonn"]}
    aligned = compared(PEOPLE, release, key="id")

    assert (aligned.records, aligned.left_out) == (4, 1)
    assert [c.name for c in aligned.columns] == ["age", "town"]
    for name in ("ncp", "suppressed_cells", "suppressed_records", "generalisation_loss"):
        assert measured(aligned, name).value == pytest.approx(0.25)
    assert measured(aligned, "false_cells").value == 0


def test_leaving_out_and_suppressing_records_lose_the_same() -> None:
    """Whether two suppressed records stay as stars or leave: every measure of cells, tuples and similarity gives one number."""
    stars = {"id": PEOPLE["id"], "age": ["31", "*", "*", "60"], "town": ["Ulm", "*", "*", "Köln"]}
    gone = {"id": ["p1", "p4"], "age": ["31", "60"], "town": ["Ulm", "Köln"]}
    kept, left = (
        {(m.utility, m.column, m.variant): m.value for m in measure_all(compared(PEOPLE, release, ["age", "town"], key="id"))}
        for release in (stars, gone)
    )

    same = {name for name, utility in UTILITIES.items() if utility.family in ("cells", "entropy", "similarity", "distance")}
    same |= {"ambiguity", "kullback_leibler"}
    assert {key: value for key, value in kept.items() if key[0] in same} == {key: value for key, value in left.items() if key[0] in same}


def test_a_column_that_was_dropped_is_lost_wholly() -> None:
    """It is named, and one that was added is too."""
    aligned = compared(PEOPLE, {"id": PEOPLE["id"], "age": PEOPLE["age"], "note": ["x"] * 4}, ["age", "town"])

    assert (aligned.dropped, aligned.added) == (("town",), ("note",))
    assert measured(aligned, "ncp", "town").value == 1
    assert measured(aligned, "ncp").value == 0.5


def test_tables_on_one_engine_do_not_take_each_others_place() -> None:
    """Two frames have the same name on an engine; the first is settled before the second is opened."""
    aligned = compared({"x": ["a", "b"]}, {"x": ["a", "*"]})
    assert measured(aligned, "suppressed_cells").value == 0.5


def test_unsettled_tables_are_noticed() -> None:
    """If the first was not settled, its columns would be read from the second."""
    engine = DuckDB(threads=1)
    try:
        original = open_source(pa.table({"x": ["a", "b"]}), engine)
        release = open_source(pa.table({"x": ["a", "*"]}), engine)
        with pytest.raises(AlignmentError, match="same name"):
            align(engine, original, release)
    finally:
        engine.close()


def test_files_of_every_kind_are_compared(tmp_path: Path) -> None:
    """A Windows-1252 file is rewritten under a name that the next would take; numbers in Parquet are the numbers in text."""
    import pyarrow.parquet as pq

    (tmp_path / "original.csv").write_bytes("town,age\nKöln,31\nUlm,\n".encode("cp1252"))
    (tmp_path / "release.csv").write_bytes("town,age\nKöln,31\n*,\n".encode("cp1252"))
    pq.write_table(pa.table({"town": ["Köln", "Ulm"], "age": [31.0, None]}), tmp_path / "release.parquet")

    assert measured(compared(tmp_path / "original.csv", tmp_path / "release.csv"), "suppressed_cells").value == 0.25
    assert measured(compared(tmp_path / "original.csv", tmp_path / "release.parquet"), "ncp").value == 0


@pytest.mark.parametrize(
    ("release", "also", "error", "says"),
    [
        ({"age": [31, 38]}, {}, AlignmentError, "4 records and .* 2.*--key COLUMN"),
        ({"size": [1, 2, 3, 4]}, {}, AlignmentError, "none of the 3 columns"),
        ({"id": ["p1", "p1", "p2"], "age": [1, 2, 3]}, {"key": "id"}, AlignmentError, "2 values for 3 records"),
        ({"id": ["p1", "p9"], "age": [1, 2]}, {"key": "id"}, AlignmentError, "1 records .* does not have"),
        ({"id": ["p1", None], "age": [1, 2]}, {"key": "id"}, AlignmentError, "1 of the 2 records .* lack the key"),
        ({"age": [1, 2, 3, 4]}, {"key": "id"}, ColumnNotFound, "'id'"),
        (PEOPLE, {"columns": ["agee"]}, ColumnNotFound, "Did you mean 'age'"),
        (PEOPLE, {"columns": "age"}, OptionError, "list of column names"),
        (PEOPLE, {"columns": []}, OptionError, "no column is named"),
        (PEOPLE, {"unknown": "nothing"}, OptionError, "anything, observed, itself or prefix"),
        (PEOPLE, {"rows": 0}, OptionError, "at least 1"),
        (PEOPLE, {"weight": "town", "columns": ["age"]}, RoleError, "no number for 4 records"),
        (PEOPLE, {"hierarchies": {"town": Hierarchy("town", ("Ulm",), (("*",),))}}, HierarchyError, "does not cover 2 of the 3 values"),
    ],
)
def test_what_cannot_be_compared_is_said(release: Any, also: dict[str, Any], error: type[Exception], says: str) -> None:
    """A clear message that names columns and counts, and no value."""
    with pytest.raises(error, match=says) as raised:
        compared(PEOPLE, release, **also)
    assert not any(value in str(raised.value) for value in ("Ulm", "Bonn", "p9"))


@pytest.mark.parametrize(("weights", "says"), [([1, -1], "negative"), ([1, None], "1 records"), ([0, 0], "0 for all")])
def test_weights_that_mean_nothing_are_refused(weights: list[int | None], says: str) -> None:
    """Weights count people."""
    with pytest.raises(RoleError, match=says):
        compared({"x": ["a", "b"], "w": weights}, {"x": ["a", "b"]}, weight="w")


def test_weights_count_in_similarity_and_not_in_loss() -> None:
    """A record for three people weighs three times in a histogram; what its cell lost is one cell's."""
    aligned = compared({"x": ["a", "b"], "w": [3, 1]}, {"x": ["a", "a"]}, weight="w")

    assert measured(aligned, "total_variation", "x").value == pytest.approx(0.25)
    assert measured(aligned, "ncp", "x").value == pytest.approx(0.5)


def test_what_was_blanked_may_be_anything() -> None:
    """A missing value that was missing before stays itself only where no value was blanked."""
    kept = column(compared({"x": ["a", None]}, {"x": ["a", None]}), "x")
    blanked = column(compared({"x": ["a", "b", None]}, {"x": ["a", None, None]}), "x")

    assert not kept.labels.suppressed.any()
    assert float(blanked.count @ blanked.hidden) == 1
    assert float(blanked.count @ blanked.lost) == 2


def test_a_value_that_looks_like_a_notation_is_itself_if_it_replaced_nothing_else() -> None:
    """A star in the original is no suppression."""
    same = ["*", "[30-39]", "12*", "{a, b}", "2019"]
    assert measured(compared({"x": same}, {"x": same}), "ncp").value == 0


def test_a_label_of_a_hierarchy_is_read_by_its_leaves() -> None:
    """ "Higher education" says nothing by its notation; the hierarchy tells, and a name that returns higher up is told apart."""
    tree = Hierarchy("school", ("BA", "MA", "11th"), (("Higher", "Higher", "11th"), ("*",) * 3))
    aligned = compared({"school": ["BA", "MA", "11th"]}, {"school": ["Higher", "Higher", "11th"]}, hierarchies={"school": tree})
    school = column(aligned, "school")

    assert dict(zip(school.labels.texts, school.labels.images.sizes, strict=True)) == {"Higher": 2, "11th": 1}
    assert measured(aligned, "precision").value == pytest.approx(1 - 2 / 3 / 2)
    assert measured(aligned, "arx_loss", None, "arithmetic").value == pytest.approx((5 / 9 - 1 / 3) / (2 / 3))


def test_a_recipe_tells_what_a_rounded_number_stands_for() -> None:
    """Without it 40 for 39 is false; with it 40 stands for 37.5 to 42.5."""
    before, after = {"age": [39, 41, 52]}, {"age": [40, 40, 50]}

    def rounded(name: str, text: str | None) -> Any:
        return Interval(float(text) - 2.5, float(text) + 2.5) if text is not None else read_image(text)

    alone, told = compared(before, after), compared(before, after, image=rounded)
    assert (measured(alone, "false_cells").value, measured(told, "false_cells").value) == (1, 0)
    assert (measured(alone, "ncp").value, measured(told, "ncp").value) == (1, pytest.approx((3.5 + 3.5 + 4.5) / 13 / 3))
    assert measured(told, "mean_absolute_deviation", "age").value == pytest.approx(4 / 3)


def test_numbers_that_are_names_are_categories() -> None:
    """By being named so, or by being released by their first digits; otherwise digits are a number."""
    codes = {"zip": ["10115", "10117", "80331"]}
    masked = {"zip": ["101**", "101**", "*"]}

    assert column(compared(codes, codes), "zip").domain.kind == "number"
    assert column(compared(codes, codes, categories=["zip"]), "zip").domain.kind == "category"
    assert column(compared(codes, masked), "zip").domain.kind == "category"
    assert measured(compared(codes, masked), "ncp").value == pytest.approx((2 / 3 * 2 + 1) / 3)
    assert measured(compared(codes, masked), "numeric_loss").reason == "the column is not numeric"


def test_labels_that_nothing_explains_are_counted() -> None:
    """They are taken for anything, or for what they replaced if asked."""
    before, after = {"x": ["a", "b", "c", "c"]}, {"x": ["low", "low", "c", "high"]}

    assert compared(before, after).unreadable == {"x": 3}
    assert measured(compared(before, after), "ncp").value == pytest.approx(3 / 4)
    assert measured(compared(before, after, unknown="observed"), "ncp").value == pytest.approx((2 / 3 * 2) / 4)


def test_the_first_records_only() -> None:
    """Both tables are cut off at the same place."""
    assert compared(PEOPLE, PEOPLE, rows=2).records == 2


def test_the_same_numbers_with_one_thread_and_with_many() -> None:
    """Adding up in another order would change the last digit."""
    rows = 30_000
    before = {"x": [str(i * i % 97) for i in range(rows)], "y": [f"v{i % 11}" for i in range(rows)]}
    after = {"x": [f"[{i * i % 97 // 10 * 10}, {i * i % 97 // 10 * 10 + 10})" for i in range(rows)], "y": before["y"]}
    found = []
    for threads in (1, 2):
        engine = DuckDB(threads=threads)
        try:
            original = settled(engine, open_source(pa.table(before), engine))
            found.append(measure_all(align(engine, original, open_source(pa.table(after), engine))))
        finally:
            engine.close()

    assert found[0] == found[1]


def test_unknown_measures_and_a_meaningless_k_are_refused() -> None:
    """The message lists what there is."""
    aligned = compared(PEOPLE, PEOPLE)
    with pytest.raises(OptionError, match="ncp"):
        measure_all(aligned, ["beauty"])
    with pytest.raises(OptionError, match="at least 1"):
        measure_all(aligned, k=0)

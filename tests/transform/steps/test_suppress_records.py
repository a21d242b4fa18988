"""Records of small classes are dropped, or kept without their quasi-identifiers: every class that is left is large enough."""

from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import anonscope as an
from anonscope.columns.images import Everything, Exactly
from anonscope.errors import ColumnNotFound, RecipeError
from anonscope.transform.steps import SuppressRecords
from support.strategies import law, tables
from support.transformed import transformed

TABLE = {"age": [30, 50, 30, None, None, 70], "sex": ["F", "M", "F", "M", "M", "M"], "ill": ["a", "b", "c", "d", "e", "f"]}


def suppressing(k: int, *columns: str, **settings) -> SuppressRecords:
    return SuppressRecords(quasi_identifiers=columns or ("age", "sex"), k=k, **settings)


def test_small_classes_are_dropped_in_place():
    """A missing value is a value, and the others keep their order and types."""
    assert transformed(suppressing(2), TABLE) == {"age": [30, 30, None, None], "sex": ["F", "F", "M", "M"], "ill": ["a", "c", "d", "e"]}


def test_small_classes_are_kept_without_their_quasi_identifiers():
    """They are one class then."""
    made = transformed(suppressing(2, suppressed="keep"), TABLE)
    assert made == {"age": ["30", "*", "30", None, None, "*"], "sex": ["F", "*", "F", "M", "M", "*"], "ill": TABLE["ill"]}


def test_too_few_suppressed_records_would_be_a_small_class_themselves():
    """So keeping them is refused, unless they join records that were suppressed before; dropping them is not."""
    ages = {"age": ["1", "1", "2"]}
    with pytest.raises(RecipeError, match=r'Only 1 record would be suppressed.*Say suppressed = "drop"'):
        transformed(suppressing(2, "age", suppressed="keep"), ages)
    assert transformed(suppressing(2, "age"), ages)["age"] == ["1", "1"]
    assert transformed(suppressing(2, "age", suppressed="keep"), {"age": ["1", "1", "2", "*", "*"]})["age"] == ["1", "1", "*", "*", "*"]


def test_persons_are_counted_once():
    """Three records of one person are one person; a missing id counts as one, as in an audit."""
    visits = {"age": [1, 1, 1, 2, 2, 3, 3], "who": ["a", "a", "a", "a", "b", "c", None]}
    assert transformed(suppressing(2, "age", person="who"), visits)["age"] == [2, 2, 3, 3]
    with pytest.raises(RecipeError, match="Only 1 different value of 'who' would be suppressed"):
        transformed(suppressing(2, "age", person="who", suppressed="keep"), visits)


@law
@given(table=tables(), k=st.integers(2, 4), suppressed=st.sampled_from(["drop", "keep"]), persons=st.booleans())
def test_suppression_below_k_reaches_k(table, k, suppressed, persons):
    """By an audit of the release; nothing but the records of small classes changes, and order stays."""
    person = table.person if persons else None
    step = suppressing(k, *table.quasi_identifiers, person=person or "", suppressed=suppressed)
    try:
        with an.read(table.arrow(), quasi_identifiers=table.quasi_identifiers, person=person, threads=1) as data:
            release = an.apply(step, data)
            made = release.table.to_pydict()
            with release.read() as left:
                assert an.audit(left, "pipeline")["k_anonymity"].value >= k
    except RecipeError:
        reject()
    keys = list(zip(*(_canonical(table[column]) for column in table.quasi_identifiers), strict=True))
    members = defaultdict(set)
    for i, key in enumerate(keys):
        members[key].add(table[person][i] if person else i)
    large = [i for i, key in enumerate(keys) if len(members[key]) >= k]
    other = next(iter(name for name, _ in table.columns if name not in table.quasi_identifiers), None)
    if other is not None:
        kept = range(table.rows) if suppressed == "keep" else large
        assert _canonical(made[other]) == _canonical(table[other][i] for i in kept)
    assert len(made[table.quasi_identifiers[0]]) == (table.rows if suppressed == "keep" else len(large))


def _canonical(values) -> list:
    return [None if value != value else 0.0 if value == 0 else value for value in values]


@law
@given(table=tables())
def test_a_table_that_is_large_enough_stays_as_it_is(table):
    """Where every record has a twin, suppression below 2 changes nothing."""
    twins = table.picked([*range(table.rows), *range(table.rows)]).arrow()
    made = transformed(suppressing(2, *table.quasi_identifiers), twins)
    assert {column: _canonical(values) for column, values in made.items()} == {c: _canonical(v) for c, v in twins.to_pydict().items()}


def test_order_and_numbers_with_many_records_and_threads(tmp_path):
    """300,000 records: what is left is in order, and the counts agree with the obvious ones."""
    ages = [i * i % 70_001 for i in range(300_000)]
    counts = Counter(ages)
    for threads in (1, 2):
        made = transformed(suppressing(5, "age"), {"age": ages, "n": list(range(300_000))}, threads=threads)
        assert made["n"] == [i for i, age in enumerate(ages) if counts[age] >= 5]


def test_a_k_that_is_larger_than_the_table():
    """Would suppress everything; it is said with the numbers."""
    with pytest.raises(RecipeError, match="k is 7, but the table has only 6 records"):
        transformed(suppressing(7), TABLE)
    with pytest.raises(RecipeError, match="k is 3, but the table has only 2 different values of 'who'"):
        transformed(suppressing(3, "age", person="who"), {"age": [1, 1, 1, 1], "who": ["a", "a", None, "a"]})


def test_nothing_left_is_an_error():
    """If every class is small, nothing could be released."""
    with pytest.raises(RecipeError, match="suppresses every record"):
        transformed(suppressing(2, "ill"), TABLE)


def test_images():
    """Only kept records are changed, and a star there stands for anything."""
    keep, drop = suppressing(2, suppressed="keep"), suppressing(2)
    assert (keep.columns, drop.columns) == (("age", "sex"), ())
    assert (keep.image("age", "*"), keep.image("age", "30"), drop.image("age", "30")) == (Everything(), Exactly("30"), Exactly("30"))


def test_columns_that_are_not_there_or_cannot_be_compared():
    """Are named."""
    for step in (suppressing(2, "agee"), suppressing(2, person="name")):
        with pytest.raises(ColumnNotFound):
            transformed(step, TABLE)
    with pytest.raises(an.AnonscopeError, match="holds nested values"):
        transformed(suppressing(2, "x"), pa.table({"x": [[1], [1]]}))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"quasi_identifiers": ()}, "quasi_identifiers must name at least one column"),
        ({"quasi_identifiers": ("a", "a")}, "quasi_identifiers must name every column once"),
        ({"quasi_identifiers": "age"}, "quasi_identifiers must be a list"),
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"k": 2.0}, "k must be a whole number"),
        ({"person": "age"}, "person must name a column that is no quasi-identifier"),
        ({"suppressed": "hide"}, "suppressed must be one of drop, keep"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made."""
    with pytest.raises(RecipeError, match=says):
        SuppressRecords(**({"quasi_identifiers": ("age",), "k": 2} | settings))

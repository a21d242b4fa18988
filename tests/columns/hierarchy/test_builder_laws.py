"""Laws of every builder of hierarchies, whatever the values."""

from collections.abc import Callable
from datetime import date
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.hierarchy.ages import ages, survey_ages
from anonscope.columns.hierarchy.automatic import automatic
from anonscope.columns.hierarchy.categories import categories
from anonscope.columns.hierarchy.dates import dates
from anonscope.columns.hierarchy.icd10 import icd10
from anonscope.columns.hierarchy.numbers import numbers
from anonscope.columns.hierarchy.ordinals import ordinals
from anonscope.columns.hierarchy.postcodes import postcodes
from anonscope.columns.hierarchy.prefixes import prefixes
from anonscope.columns.images import Values, read_image

Build = Callable[[str, list[str], list[int]], Hierarchy]

BUILDERS: dict[str, Build] = {
    "numbers": lambda name, values, counts: numbers(name, values),
    "ages": lambda name, values, counts: ages(name, values),
    "survey_ages": lambda name, values, counts: survey_ages(name, values),
    "dates": lambda name, values, counts: dates(name, values),
    "prefixes": lambda name, values, counts: prefixes(name, values),
    "postcodes": lambda name, values, counts: postcodes(name, values),
    "icd10": lambda name, values, counts: icd10(name, values),
    "ordinals": ordinals,
    "categories": categories,
} | {
    kind: lambda name, values, counts, kind=kind: automatic(name, values, counts, kind)  # type: ignore[misc]
    for kind in ("integer", "continuous", "date", "code", "ordinal", "category", "free text", "empty", "nested", "unheard of")
}

WHOLE = st.one_of(st.integers(-50, 150), st.integers(-(10**6), 10**6), st.integers(-(10**30), 10**30)).map(str)
REAL = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True), st.floats(-100, 100), st.decimals(-1000, 1000, places=2, allow_nan=False)
).map(str)
DAY = st.dates().map(str)
WRITTEN = st.one_of(
    st.dates().map(lambda d: d.strftime("%d/%m/%Y")), st.datetimes().map(str), st.times().map(str), st.integers(1000, 2999).map(str)
)
CODE = st.from_regex(r"[A-Z]\d[0-9A-Z](\.[0-9]{1,2})?|[A-Z]{1,2}[0-9] [0-9][A-Z]{2}|[0-9]{5}", fullmatch=True)
# Values that look like labels, and labels like values.
ODD = st.sampled_from(
    [
        "",
        "*",
        "**",
        "[0-4]",
        "[0, 5)",
        "90+",
        "<20",
        "{a, b}",
        "a",
        "b",
        "a, b",
        "1*",
        "2019",
        "2019-04",
        "other (9 values)",
        "low",
        "high",
        "∞",
    ]
)
ANY = st.one_of(WHOLE, REAL, DAY, WRITTEN, CODE, ODD, st.text(max_size=6))


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    """Return distinct values, mostly of one form, with how often each occurs."""
    form = draw(st.sampled_from([WHOLE, REAL, DAY, WRITTEN, CODE, ANY]))
    values = draw(st.lists(st.one_of(form, form, form, ODD), unique=True, max_size=40))
    return values, draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))


def law(test: Callable[..., None]) -> Callable[..., None]:
    return seed(2025)(settings(max_examples=60, deadline=None, database=None)(test))


every_builder = pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)


@every_builder
@law
@given(column=columns())
def test_every_level_coarsens_the_one_below(build: Build, column: tuple[list[str], list[int]]) -> None:
    """Every value is there once, what is together stays together, every step joins something, and the last joins all."""
    values, counts = column
    made = build("column", values, counts)

    assert sorted(made.leaves) == sorted(values)
    for level in range(made.height):
        together = set(zip(made.labels(level), made.labels(level + 1), strict=True))
        assert len(together) == len(set(made.labels(level)))
    assert set(made.levels[-1]) <= {"*"}
    assert all(above < below for below, above in pairwise(made.cardinalities)) or len(values) < 2
    assert made.height <= 6
    assert len(made.words) == made.height


@every_builder
@law
@given(column=columns(), order=st.integers(0, 2**32))
def test_the_order_of_the_values_does_not_matter(build: Build, column: tuple[list[str], list[int]], order: int) -> None:
    """The same column gives the same hierarchy, row by row."""
    pairs = list(zip(*column, strict=True))
    shuffled = Random(order).sample(pairs, len(pairs))

    assert build("column", *column) == build("column", [v for v, _ in shuffled], [n for _, n in shuffled])


@pytest.mark.parametrize(
    ("build", "form"),
    [
        # Larger ones are told apart by hierarchies, but not by the notation, which reads numbers of double precision.
        (numbers, st.one_of(st.integers(-50, 150), st.integers(-(10**15), 10**15)).map(str)),
        (numbers, st.one_of(st.floats(-100, 100), st.floats(allow_nan=False, allow_infinity=False)).map(str)),
        (numbers, st.decimals(-1000, 1000, places=2, allow_nan=False).map(str)),
        (ages, st.integers(0, 130).map(str)),
        (survey_ages, st.integers(0, 130).map(str)),
        (dates, st.dates(date(1000, 1, 1)).map(str)),
        (prefixes, CODE),
        (postcodes, CODE),
    ],
    ids=["whole", "floats", "decimals", "ages", "survey ages", "days", "codes", "postcodes"],
)
@law
@given(data=st.data())
def test_every_label_can_be_read_back(build: Callable[..., Hierarchy], form: st.SearchStrategy[str], data: st.DataObject) -> None:
    """By the notation of releases alone, a label holds all values that are called so, and no other value of the column."""
    made = build("column", data.draw(st.lists(form, unique=True, max_size=60)))

    for level in range(1, made.height):
        for label in set(made.labels(level)):
            image = read_image(label, dates=build is dates)
            inside = {leaf for leaf in made.leaves if image.contains(leaf)}
            # A short beginning of a postcode or code may also be the beginning of another.
            assert inside >= set(made.under(label, level))
            assert inside == set(made.under(label, level)) or build in (postcodes, prefixes)


@law
@given(values=st.lists(st.from_regex(r"[a-z]{1,4}", fullmatch=True), unique=True, max_size=8))
def test_sets_can_be_read_back(values: list[str]) -> None:
    """Groups of few plain words list them all."""
    made = categories("column", values, [1] * len(values))

    for level in range(1, made.height):
        for label in set(made.labels(level)):
            image = read_image(label)
            assert (image.values if isinstance(image, Values) else {label}) == set(made.under(label, level))


@pytest.mark.parametrize("kind", ["integer", "continuous", "date", "code", "ordinal", "category", "free text"])
def test_large_columns_take_time_in_proportion(kind: str) -> None:
    """Fifty thousand values, of any form, without anything quadratic: a thousand times fewer values are done at once."""
    from time import process_time

    def took(size: int) -> float:
        values = [f"{i * 7919 % 1_000_003}.{i % 10}" for i in range(size)]
        start = process_time()
        assert len(automatic("column", values, [1] * size, kind).leaves) == size
        return process_time() - start

    took(5_000)
    assert took(50_000) < 40 * max(took(5_000), 0.01)

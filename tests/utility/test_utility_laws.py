"""Laws of every measure of utility, stated once; a new entry of the registry is under them by itself."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import set_label
from anonscope.utility import UTILITIES, Utility, UtilityMeasurement, measure_all
from reference import utility as slow
from support.compared import compared
from support.strategies import law

Rows = tuple[tuple[str | None, ...], ...]
KINDS = (
    ("1", "2", "9", "10", "-3.5", None),
    ("01", "1", "10", "*", None),
    ("a", "ab", "b", "{a, b}", " ", None),
    ("2019-03-31", "2019-04-01", "2020-04-01", None),
    ("same",),
    (None,),
)


@dataclass(frozen=True)
class Pair:
    """An original and a release of it, by column; and a release that is coarser than that one."""

    before: tuple[tuple[str, tuple[str | None, ...]], ...]
    after: tuple[tuple[str, tuple[str | None, ...]], ...]
    coarser: tuple[tuple[str, tuple[str | None, ...]], ...] = ()


@st.composite
def pairs(draw: st.DrawFn, *, truthful: bool = False) -> Pair:
    """Return a table of one to three columns, and a release in which some cells are coarser, suppressed, missing or false."""
    rows = draw(st.integers(1, 8))
    before, after, coarser = [], [], []
    for i in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(KINDS))
        values = draw(st.lists(st.sampled_from(kind), min_size=rows, max_size=rows))
        steps = [ladder(value, kind) for value in values]
        chosen = [draw(st.integers(0, len(step) - 1)) for step in steps]
        further = [draw(st.integers(place, len(step) - 1)) for place, step in zip(chosen, steps, strict=True)]
        made = [step[place] for place, step in zip(chosen, steps, strict=True)]
        if not truthful:
            strange = st.sampled_from([*kind, None, "unheard of", "4", "[0, 5)", "2018-01-01"])
            made = [draw(strange) if draw(st.integers(0, 3)) == 0 else label for label in made]
        before.append((f"c{i}", tuple(values)))
        after.append((f"c{i}", tuple(made)))
        coarser.append((f"c{i}", tuple(step[place] for place, step in zip(further, steps, strict=True))))
    return Pair(tuple(before), tuple(after), tuple(coarser))


def ladder(value: str | None, kind: tuple[str | None, ...]) -> list[str | None]:
    """Return what a value may truthfully be released as, from fine to coarse."""
    if value is None:
        return [None, "*"]
    if kind is KINDS[0]:
        number = float(value)
        low = math.floor(number / 5) * 5
        return [value, f"[{low}, {low + 5})", f"[{low // 10 * 10}, {low // 10 * 10 + 10})", "[-10, 20)", "*"]
    if kind is KINDS[3]:
        return [value, value[:7], value[:4], "*"]
    together = [text for text in kind if text is not None]
    return [value, set_label(together) if len(together) > 1 else value, "*"]


def flat(pair: Pair) -> dict[str, Hierarchy]:
    """Return a hierarchy of every column: its values, and their suppression."""
    found = {}
    for name, values in pair.before:
        leaves = tuple(sorted({value for value in values if value is not None}))
        found[name] = Hierarchy(name, leaves, (("*",) * len(leaves),))
    return found


@lru_cache(maxsize=512)
def found(before: Any, after: Any, *, trees: bool = False) -> tuple[UtilityMeasurement, ...]:
    """Return all measurements; laws are stated measure by measure and share their tables."""
    pair = Pair(before, after)
    original, release = ({name: list(values) for name, values in side} for side in (before, after))
    typed = {side: {n: _texts(v) for n, v in table.items()} for side, table in (("o", original), ("r", release))}
    return measure_all(compared(typed["o"], typed["r"], hierarchies=flat(pair) if trees else None))


def _texts(values: list[str | None]) -> Any:
    import pyarrow as pa

    return pa.array(values, type=pa.string())


def of(utility: Utility, all_found: tuple[UtilityMeasurement, ...]) -> list[UtilityMeasurement]:
    return [m for m in all_found if m.utility == utility.name]


EVERY = pytest.mark.parametrize("utility", UTILITIES.values(), ids=str)
DEFAULTS = {name: utility.variants[0] if utility.variants else None for name, utility in UTILITIES.items()}


@EVERY
@law
@given(pair=pairs())
def test_no_number_is_beyond_its_range(utility: Utility, pair: Pair) -> None:
    """Whatever the tables: a finite number in the range, or a reason; and an interval that holds the value."""
    for m in of(utility, found(pair.before, pair.after)):
        if m.status == "not measured":
            assert m.value is None
            assert m.reason
            continue
        assert m.value is not None
        low, high = utility.range
        assert m.value >= low - 1e-12 or m.variant == "pipeline"
        assert high is None or m.value <= high + 1e-9
        assert m.raw is None or math.isfinite(m.raw)
        assert m.interval is None or m.interval[0] - 1e-12 <= m.value <= m.interval[1] + 1e-12


@EVERY
@law
@given(pair=pairs())
def test_an_identical_release_loses_nothing(utility: Utility, pair: Pair) -> None:
    """Losses are 0 and similarities are 1, whatever values look like; sizes of classes are the original's own."""
    for m in of(utility, found(pair.before, pair.before, trees=True)):
        if m.value is None or utility.name in ("group_average", "c_avg", "average_class_size", "discernibility"):
            continue
        best = 1 if utility.better == "higher" or utility.name == "ambiguity" else 0
        # A square root turns the noise of the last digit into some 1e-8.
        assert m.value == pytest.approx(best, abs=1e-7)


LOSSES = (
    *("ncp", "arx_loss", "generalisation_loss", "numeric_loss", "suppressed_cells", "suppressed_records", "proximity_loss"),
    *("discernibility", "relative_condensation_loss", "non_uniform_entropy", "conditional_entropy", "monotone_entropy", "entropy_loss"),
)


@pytest.mark.parametrize("name", LOSSES)
@law
@given(pair=pairs())
def test_full_suppression_loses_everything(name: str, pair: Pair) -> None:
    """Whatever is lost by its share of the most that could be, is lost wholly; a column of one value has no entropy to lose."""
    release = tuple((column, ("*",) * len(values)) for column, values in pair.before)
    constant = {column for column, values in pair.before if len(set(values)) == 1}
    stars = {column for column, values in pair.before if set(values) == {"*"}}
    whole = len(constant) == len(pair.before)
    for m in of(UTILITIES[name], found(pair.before, release, trees=True)):
        if m.value is None or stars:
            continue
        nothing_to_lose = m.column in constant if m.column else whole
        shares = name.endswith("entropy") or name in ("entropy_loss", "relative_condensation_loss", "arx_loss")
        if shares and nothing_to_lose:
            assert m.value == 0
        elif not (name in ("entropy_loss", "arx_loss") and constant):
            assert m.value == pytest.approx(1)


@pytest.mark.parametrize("utility", [u for u in UTILITIES.values() if u.monotone and "hierarchy" not in u.needs], ids=str)
@law
@given(pair=pairs(truthful=True))
def test_coarser_never_loses_less(utility: Utility, pair: Pair) -> None:
    """Where every cell says less than before, a monotone measure does not get better."""
    variant = DEFAULTS[utility.name]
    fine, coarse = ([m for m in of(utility, found(pair.before, side)) if m.variant == variant] for side in (pair.after, pair.coarser))
    for one, other in zip(fine, coarse, strict=True):
        if one.value is not None and other.value is not None:
            assert other.value >= one.value - 1e-9


@EVERY
@law
@given(pair=pairs(), data=st.data())
def test_the_order_of_records_does_not_matter(utility: Utility, pair: Pair, data: st.DataObject) -> None:
    """As long as both tables are in the same order."""
    order = data.draw(st.permutations(range(len(pair.before[0][1]))))

    def shuffled(side: Any) -> Any:
        return tuple((name, tuple(values[i] for i in order)) for name, values in side)

    assert of(utility, found(shuffled(pair.before), shuffled(pair.after))) == of(utility, found(pair.before, pair.after))


@EVERY
@law
@given(pair=pairs())
def test_the_names_of_columns_do_not_matter(utility: Utility, pair: Pair) -> None:
    """Renamed columns have the same numbers."""

    def renamed(side: Any) -> Any:
        return tuple((f'{name}; "x"', values) for name, values in side)

    plain = [replace(m, column=f'{m.column}; "x"') if m.column else m for m in of(utility, found(pair.before, pair.after))]
    assert of(utility, found(renamed(pair.before), renamed(pair.after))) == plain


@pytest.mark.parametrize("name", [*slow.OF_COLUMNS, *slow.OF_TABLES])
@law
@given(pair=pairs())
def test_the_quick_way_agrees_with_the_obvious_one(name: str, pair: Pair) -> None:
    """Counting distinct pairs gives what going through the records one by one gives."""
    after = dict(pair.after)
    columns = {column: slow.Column(values, after[column]) for column, values in pair.before}
    chosen = [m for m in of(UTILITIES[name], found(pair.before, pair.after)) if m.variant == DEFAULTS[name]]
    for m in chosen:
        if name in slow.OF_TABLES:
            expected = slow.OF_TABLES[name](list(columns.values()))
        elif m.column is None:
            continue
        else:
            expected = slow.OF_COLUMNS[name](columns[m.column])
        assert (m.value is None) == (expected is None)
        if expected is not None:
            assert m.value == pytest.approx(expected, abs=1e-7)


@law
@given(pair=pairs())
def test_change_of_mutual_information_agrees_with_the_obvious_one(pair: Pair) -> None:
    """The mean over pairs of columns."""
    after = dict(pair.after)
    expected = slow.mutual_information_change([slow.Column(values, after[column]) for column, values in pair.before])
    (m,) = [m for m in found(pair.before, pair.after) if m.variant == "mutual_information" and m.column is None]

    assert (m.value is None) == (expected is None)
    if expected is not None:
        assert m.value == pytest.approx(expected, abs=1e-9)

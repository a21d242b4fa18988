"""Laws of reading labels: whatever notation a recoding is written in, an image holds every value that became its label."""

from collections.abc import Callable
from datetime import date, timedelta
from math import floor
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linked import Records, linked, matched, table

from anonscope.columns.against import Against
from anonscope.columns.reader import ColumnReader
from anonscope.columns.readings import TWO, LabelReading
from anonscope.utility import measure_all
from support.compared import compared
from support.strategies import law

Band = Callable[[float], str]


def text(number: float) -> str:
    """Return a number as files have it."""
    return str(int(number)) if number == int(number) else repr(number)


def bands(write: Callable[[int, int], str], width: int, low: str | None = None, high: str | None = None) -> Band:
    """Return a recoding into bands of whole numbers, with open ends below 20 and from 80 on if those are written."""

    def label(number: float) -> str:
        start = floor(number / width) * width
        if low is not None and number < 20:
            return low
        if high is not None and number >= 80:
            return high
        return write(start, start + width - 1)

    return label


# Every way to write the bands 20 to 29, 30 to 39, ...; the open ends are below 20 and from 80 on.
CLOSED: dict[str, Callable[[int, int], str]] = {
    "-": lambda a, b: f"{a}-{b}",
    "dash": lambda a, b: f"{a} – {b}",
    "to": lambda a, b: f"{a} to {b}",
    "bis": lambda a, b: f"{a} bis {b} Jahre",
    "a": lambda a, b: f"{a} a {b}",
    "à": lambda a, b: f"{a} à {b} ans",
    "..": lambda a, b: f"{a}..{b}",
    "between": lambda a, b: f"between {a} and {b}",
    "von": lambda a, b: f"von {a} bis {b}",
    "ours": lambda a, b: f"[{a}, {b + 1})",
    "ARX": lambda a, b: f"[{a}, {b + 1}[",
    "R": lambda a, b: f"[{a},{b + 1})",
    "under": lambda a, b: f"{a} to under {b + 1}",
    "unter": lambda a, b: f"{a} bis unter {b + 1}",
    "<": lambda a, b: f"{a}-<{b + 1}",
    "signs": lambda a, b: f">={a} and <{b + 1}",
    "x": lambda a, b: f"{a} <= x < {b + 1}",
    "touching": lambda a, b: f"{a}-{b + 1}",
}
LOWER = ["<20", "under 20", "unter 20", "(-Inf,20)", "< 20 years", "less than 20", "moins de 20 ans", "bis unter 20"]
UPPER = [
    *(">=80", "≥80", "80+", "80 and over", "80 or more", "80 und älter", "ab 80", "80 et plus", "over 80", "[80,Inf)"),
    "80 years and older",
]


def read(labels: list[str | None], values: list[str | None]) -> dict[str | None, LabelReading]:
    """Return what the distinct labels of a column stand for against the distinct values of another."""
    different, other = list(dict.fromkeys(labels)), list(dict.fromkeys(values))
    return dict(zip(different, ColumnReader(different, Against(other, np.ones(len(other), dtype=np.int64))).all(), strict=True))


@law
@given(
    numbers=st.lists(st.integers(-40, 140) | st.floats(0, 99, allow_nan=False).map(lambda x: round(x, 1)), min_size=1, max_size=25),
    width=st.sampled_from([5, 10, 20]),
    write=st.sampled_from(list(CLOSED)),
    ends=st.none() | st.tuples(st.sampled_from(LOWER), st.sampled_from(UPPER)),
)
def test_a_range_holds_every_value_that_became_it(numbers: list[float], width: int, write: str, ends: tuple[str, str] | None) -> None:
    """In every notation of the table, with and without open ends, for whole numbers and fractions; and it was read, not guessed."""
    recode = bands(CLOSED[write], width, *(ends or (None, None)))
    labels = [recode(number) for number in numbers]
    found = read(list(labels), [text(number) for number in numbers])
    for number, label in zip(numbers, labels, strict=True):
        assert found[label].read, (label, found[label])
        assert found[label].image.contains(text(number)), (label, number, found[label])


@pytest.mark.parametrize("write", CLOSED)
def test_a_range_of_whole_numbers_holds_no_others(write: str) -> None:
    """Touching ends aside, the reading is exact: nobody is a candidate by a notation who is none by the recoding."""
    ages = list(range(100))
    labels = [bands(CLOSED[write], 10, "unter 20", "80+")(age) for age in ages]
    found = read(list(labels), [str(age) for age in ages])
    for age, label in zip(ages, labels, strict=True):
        held = {other for other in ages if found[label].image.contains(str(other))}
        meant = {other for other, theirs in zip(ages, labels, strict=True) if theirs == label}
        assert meant <= held <= (meant | {max(meant) + 1} if write == "touching" else meant), (age, label)


DAYS = st.dates(date(1990, 1, 1), date(2021, 12, 31))
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
SPANS: dict[str, Callable[[date], str]] = {
    "year": lambda d: f"{d.year}",
    "month": lambda d: f"{d.year}-{d.month:02d}",
    "month/": lambda d: f"{d.month:02d}/{d.year}",
    "month.": lambda d: f"{d.month}.{d.year}",
    "named": lambda d: f"{MONTHS[d.month - 1]} {d.year}",
    "quarter": lambda d: f"Q{(d.month + 2) // 3} {d.year}",
    "quarter-": lambda d: f"{d.year}-Q{(d.month + 2) // 3}",
    "half": lambda d: f"{d.year} H{(d.month + 5) // 6}",
    "week": lambda d: f"{d.isocalendar().year}-W{d.isocalendar().week:02d}",
    "decade": lambda d: f"{d.year // 10 * 10}s",
    "years": lambda d: f"{d.year // 5 * 5}-{d.year // 5 * 5 + 4}",
    "days": lambda d: f"{d.replace(day=1):%d.%m.%Y} - {(d.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1):%d.%m.%Y}",
    "before": lambda d: "before 2000" if d.year < 2000 else "since 2000",
}


@law
@given(days=st.lists(DAYS, min_size=1, max_size=12), write=st.sampled_from(list(SPANS)))
def test_a_span_holds_every_day_that_became_it(days: list[date], write: str) -> None:
    """Years, quarters, months, weeks, decades and ranges of them, in the usual forms."""
    labels = [SPANS[write](day) for day in days]
    found = read(list(labels), [day.isoformat() for day in days])
    for day, label in zip(days, labels, strict=True):
        assert found[label].read and found[label].image.contains(day.isoformat()), (label, day, found[label])


CODES = st.text("0123456789", min_size=3, max_size=6)
MASKS: dict[str, Callable[[str], str]] = {
    "*": lambda code: code[:2] + "*",
    "**": lambda code: code[:2] + "*" * (len(code) - 2),
    "padded": lambda code: code[:2] + "****",
    "xx": lambda code: code[:2] + "xxxx",
    "?": lambda code: code[:2] + "?" * (len(code) - 2),
    "...": lambda code: code[:2] + "...",
    "left": lambda code: "*" * (len(code) - 2) + code[-2:],
}


@law
@given(codes=st.lists(CODES, min_size=1, max_size=15), write=st.sampled_from(list(MASKS)))
def test_a_mask_holds_every_code_that_became_it(codes: list[str], write: str) -> None:
    """Also where short codes were padded before they were masked."""
    labels = [MASKS[write](code) for code in codes]
    found = read(list(labels), list(codes))
    for code, label in zip(codes, labels, strict=True):
        assert found[label].read and found[label].image.contains(code), (label, code, found[label])


JOBS = st.sampled_from(["nurse", "carer", "clerk", "mayor", "army, navy", "1st mate"])
LISTS: dict[str, Callable[[list[str]], str]] = {
    "|": "|".join,
    ";": ";".join,
    "or": " or ".join,
    "{}": lambda members: "{" + ", ".join(f'"{member}"' for member in members) + "}",
}


@law
@given(jobs=st.lists(JOBS, min_size=4, max_size=20), write=st.sampled_from(list(LISTS)), size=st.integers(1, 3))
def test_a_list_holds_every_value_that_became_it(jobs: list[str], write: str, size: int) -> None:
    """Whatever stands between the members."""
    different = sorted(set(jobs))
    groups = [different[i : i + size] for i in range(0, len(different), size)]
    label_of = {job: LISTS[write](group) for group in groups for job in group}
    found = read([label_of[job] for job in jobs], list(jobs))
    for job in jobs:
        assert found[label_of[job]].image.contains(job) and found[label_of[job]].read


def slow_candidates(release: Records, external: Records, image_of: Callable[[str, str | None], set[str | None] | None]) -> list[list[int]]:
    """Return the external records that every released one may be, by comparing all pairs; `image_of` says None for anything."""

    def fits(one: dict[str, str | None], other: dict[str, str | None]) -> bool:
        held = {name: image_of(name, one[name]) for name in one}
        return all(values is None or other[name] in values for name, values in held.items())

    return [[i for i, other in enumerate(external) if fits(one, other)] for one in release]


@st.composite
def recoded(draw: st.DrawFn) -> tuple[Records, Records, dict[str, dict[str | None, set[str | None]]]]:
    """Return a release, its original, and which values became each label: ages in any notation, jobs as names of groups or lists."""
    people = draw(st.lists(st.tuples(st.integers(0, 99), JOBS), min_size=2, max_size=14))
    age = bands(
        CLOSED[draw(st.sampled_from(list(CLOSED)))], draw(st.sampled_from([10, 20])), *draw(st.sampled_from([(None, None), ("<20", "80+")]))
    )
    job = draw(st.sampled_from([lambda x: x, lambda x: f"group {x[0]}", lambda x: "*", lambda x: x[:2] + "*"]))
    original: Records = [{"age": str(number), "job": work} for number, work in people]
    release: Records = [{"age": age(number), "job": job(work)} for number, work in people]
    replaced: dict[str, dict[str | None, set[str | None]]] = {"age": {}, "job": {}}
    for before, after in zip(original, release, strict=True):
        for name in before:
            replaced[name].setdefault(after[name], set()).add(before[name])
    return release, original, replaced


@law
@given(tables=recoded())
def test_everybody_is_among_the_candidates_and_reading_only_adds(tables: Any) -> None:
    """Against comparing every pair with what labels really replaced: no record has fewer candidates, and each has its own person."""
    release, original, replaced = tables
    exact = slow_candidates(release, original, lambda name, label: replaced[name][label])
    found = matched(table(release), table(original))
    numbers = found.external_records[found.class_of]
    for i, people in enumerate(exact):
        assert i in people
        assert numbers[i] >= len(people)
    observed = matched(table(release), table(original), unknown="observed")
    assert (observed.external_records[observed.class_of] >= [len(people) for people in exact]).all()
    assert not observed.unread.any()


@law
@given(tables=recoded())
def test_the_ends_hold_the_risk_that_the_recoding_has(tables: Any) -> None:
    """The risk that a slow reference finds lies between the ends; where it is measured, it is not stated lower than reading allows."""
    release, original, replaced = tables
    exact = slow_candidates(release, original, lambda name, label: replaced[name][label])
    risk = sum(1 / len(people) for people in exact) / len(exact)
    found = linked(table(release), table(original))
    assert found.average_risk_range.least <= risk + 1e-9
    if found.undecided_records:
        assert found.expected_matches_range.most >= found.undecided_records - 1e-9
    assert found.matched_share == 1


@law
@given(tables=recoded())
def test_beside_the_original_no_label_is_read_too_narrow(tables: Any) -> None:
    """A comparison finds no cell that says something else than the original, and what was observed never loses more than what was read."""
    release, original, _ = tables
    before, after = table(original).to_pydict(), table(release).to_pydict()
    read_so, seen = compared(before, after), compared(before, after, unknown="observed")
    assert read_so.false == {} == seen.false
    lost = {
        kind: next(m.value for m in measure_all(aligned, ["ncp"]) if m.column is None) for kind, aligned in (("r", read_so), ("s", seen))
    }
    assert lost["s"] <= lost["r"] + 1e-9


def test_a_unit_that_does_not_fit_is_not_read() -> None:
    """Ranges that all lie beside every value are in thousands, or mean something else."""
    found = linked(pa.table({"income": ["20-29", "30-39"]}), pa.table({"income": [21000, 35000]}))
    assert found.average_risk is None or found.average_risk > 0
    assert found.matched_share == 1 and found.unread_share == 1


@pytest.mark.parametrize("mark", ["/", ";", "|", ", ", " or ", ",", " and "])
@pytest.mark.parametrize(
    ("first", "last", "between"), [("20", "29", "24"), ("1990-01-01", "1990-12-31", "1990-06-05"), ("A00", "A09", "A04")]
)
def test_two_values_with_others_between_them_may_be_a_range(mark, first, last, between):
    """Neither reading is on the safe side of the other, so it is not read; without anything between, both readings are the same."""
    told = [f"{first}{mark}{last}"]
    crowded = ColumnReader(told, Against([first, between, last], np.ones(3, dtype=int))).all()
    alone = ColumnReader(told, Against([first, last], np.ones(2, dtype=int))).all()

    assert [(found.read, found.how) for found in crowded] == [(False, TWO)]
    assert alone[0].read and alone[0].image.contains(first) and alone[0].image.contains(last)


def test_three_values_and_words_are_a_list():
    """Nobody writes a range with three ends, and words have no order that one would write a range by."""
    for label, values in (("20/25/29", ["20", "22", "25", "29"]), ("gout|lupus", ["flu", "gout", "heart", "lupus", "mumps"])):
        (found,) = ColumnReader([label], Against(values, np.ones(len(values), dtype=int))).all()
        assert found.read and not found.image.contains(values[0] if "gout" in label else "22")

"""What every step that draws nothing must keep: bytes, order, missing values, and k where it recodes."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.errors import ColumnNotFound
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps import (
    TRANSFORMATIONS,
    BottomCode,
    DropColumn,
    GeneraliseDate,
    GeneraliseHierarchy,
    GeneraliseInterval,
    GeneraliseMapping,
    GeneralisePrefix,
    Mask,
    Pseudonymise,
    Round,
    ShiftDates,
    SuppressCells,
    SuppressColumn,
    SuppressRecords,
    TopCode,
)
from anonscope.transform.transformation import Transformation
from support.strategies import audited, law, tables

KEY = "DETERMINISTIC_TEST_KEY"
# More records than one thread takes at once.
ROWS = 150_000
STEPS: dict[str, Transformation] = {
    step.name: step
    for step in (
        DropColumn(column="x"),
        Mask(column="x", first=1),
        Pseudonymise(column="x", key_variable=KEY),
        ShiftDates(dates=("d",), person="x", days=30, key_variable=KEY, otherwise="suppress"),
        GeneraliseInterval(column="x", width=10),
        GeneraliseDate(column="d", part="month"),
        GeneralisePrefix(column="x", characters=1),
        GeneraliseMapping(column="x", mapping={str(i): "low" for i in range(50)}, rest="high"),
        GeneraliseHierarchy(column="x", file="x.csv", level=1),
        Round(column="x", to=5),
        TopCode(column="x", share=0.1),
        BottomCode(column="x", share=0.1),
        SuppressCells(column="x", values=tuple(map(str, range(9, 30))), below=1_000, where="y", where_values=("1", "2")),
        SuppressColumn(column="x", statistic="standard_deviation"),
        SuppressRecords(quasi_identifiers=("x", "y"), k=200),
    )
}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of numbers, dates and the number of the record, some missing; and a hierarchy beside it."""
    folder = tmp_path_factory.mktemp("steps")
    lines = (f"{i * i % 101 or ''},{i % 7},2020-{i % 12 + 1:02}-{i % 28 + 1:02},{i}\n" for i in range(ROWS))
    (folder / "people.csv").write_text("x,y,d,n\n" + "".join(lines), encoding="utf-8")
    (folder / "x.csv").write_text("".join(f"{i};{i // 10}x;*\n" for i in range(101)), encoding="utf-8")
    return folder / "people.csv"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "a key that is long enough")


def test_every_step_that_draws_nothing_is_tested_here():
    """But those that rest on all records together, which have tests of their own."""
    drawn = {name for name, kind in TRANSFORMATIONS.items() if kind.effect == "perturbation"} - {"shift_dates"}
    assert set(TRANSFORMATIONS) - drawn - {"microaggregate", "recode", "sort_records"} == set(STEPS)


@pytest.mark.parametrize("name", STEPS)
def test_the_same_recipe_gives_the_same_bytes_in_the_same_order(name, people, tmp_path):
    """With one thread and with two; records stay in order, and a missing value missing."""
    recipe = Recipe((STEPS[name],), folder=people.parent)
    for threads in (1, 2):
        with an.read(people, threads=threads) as data:
            release = an.apply(recipe, data)
            release.save(tmp_path / f"{threads}.csv")
            made = release.table
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    numbers = [int(n) for n in made.column("n").to_pylist()]
    assert numbers == sorted(numbers)
    assert len(numbers) == ROWS or name == "suppress_records"
    if name != "drop_column":
        column = made.column("x").to_pylist()
        assert [n for n, value in zip(numbers, column, strict=True) if value is None] == [n for n in numbers if n * n % 101 == 0]


@pytest.mark.parametrize("name", STEPS)
def test_a_column_that_is_not_there_is_named(name, people, tmp_path):
    """With the one that may be meant; nothing is written."""
    step = STEPS[name]
    settings = step.settings()
    key = next(key for key in ("column", "dates", "quasi_identifiers") if key in settings)
    wrong = type(step)(
        **{k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()} | {key: "xx" if key == "column" else ("xx",)}
    )
    with an.read(people, rows=10) as data, pytest.raises(ColumnNotFound, match="No column is named 'xx'"):
        an.apply(Recipe((wrong,), folder=people.parent), data)


def recoded(draw: Any, column: str) -> Transformation:
    """Return a step that recodes a column of any kind."""
    kind = draw(st.sampled_from(["round", "interval", "top", "bottom", "prefix", "mapping", "date", "mask", "column", "cells"]))
    keep = {"column": column, "otherwise": draw(st.sampled_from(["keep", "suppress"]))}
    return {
        "round": lambda: Round(**keep, to=2),
        "interval": lambda: GeneraliseInterval(**keep, width=4),
        "top": lambda: TopCode(**keep, ceiling=2, label=draw(st.booleans())),
        "bottom": lambda: BottomCode(**keep, floor=1, label=draw(st.booleans())),
        "prefix": lambda: GeneralisePrefix(column=column, characters=1),
        "mapping": lambda: GeneraliseMapping(**keep, groups=(("a", "b", "1", "10"), ("", "2"))),
        "date": lambda: GeneraliseDate(**keep, part="year"),
        "mask": lambda: Mask(column=column, first=1),
        "column": lambda: SuppressColumn(column=column),
        "cells": lambda: SuppressCells(column=column, below=3),
    }[kind]()


@law
@given(table=tables(), data=st.data())
def test_recoding_never_lowers_k(table, data):
    """Whatever the table, the step and the column: equal values stay equal."""
    step = recoded(data.draw, data.draw(st.sampled_from(table.quasi_identifiers)))
    before = audited(table, "pipeline")["k_anonymity"].value
    roles = {"quasi_identifiers": table.quasi_identifiers, "person": table.person}
    with an.read(table.arrow(), threads=1, **roles) as original, an.apply(step, original).read() as release:
        assert an.audit(release, "pipeline")["k_anonymity"].value >= before

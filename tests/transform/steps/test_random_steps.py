"""What every step that takes a seed must keep: it can be repeated, and a seed is good for several columns."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.steps import (
    TRANSFORMATIONS,
    AddNoise,
    MultiplyNoise,
    PermuteColumn,
    PostRandomise,
    RandomisedResponse,
    SuppressRecords,
    SwapRanks,
)
from anonscope.transform.transformation import Transformation
from support.transformed import transformed

# More records than one thread takes at once.
ROWS = 150_000
NUMBERS = tuple(str(i) for i in range(100))
STEPS: dict[str, Callable[[str, int], Transformation]] = {
    "permute_column": lambda column, seed: PermuteColumn(column=column, seed=seed),
    "swap_ranks": lambda column, seed: SwapRanks(column=column, percent=50, seed=seed),
    "add_noise": lambda column, seed: AddNoise(column=column, scale=5, seed=seed),
    "multiply_noise": lambda column, seed: MultiplyNoise(column=column, scale=0.2, seed=seed),
    "post_randomise": lambda column, seed: PostRandomise(column=column, keep=0.5, seed=seed),
    "randomised_response": lambda column, seed: RandomisedResponse(column=column, epsilon=1, values=NUMBERS, seed=seed),
}


@pytest.fixture(scope="module")
def people(tmp_path_factory) -> Path:
    """A file of two columns with the same numbers as text, some of them missing."""
    path = tmp_path_factory.mktemp("random") / "people.csv"
    path.write_text("x,y\n" + "".join(f"{i % 100 or ''},{i % 100 or ''}\n" for i in range(ROWS)), encoding="utf-8")
    return path


def test_every_step_with_a_seed_is_tested_here():
    """But shifted dates and pseudonyms, which hang on the person, and answers drawn together: they are tested where they are."""
    seeded = {name for name, kind in TRANSFORMATIONS.items() if "seed" in kind.__dataclass_fields__}
    assert seeded == {*STEPS, "shift_dates", "pseudonymise", "joint_randomised_response"}


@pytest.mark.parametrize("name", STEPS)
def test_the_same_recipe_gives_the_same_bytes(name, people, tmp_path):
    """Twice, with one thread and with two, and other bytes with another seed."""
    written = {}
    for run, seed, threads in (("one", 1, 1), ("two", 1, 2), ("again", 1, 2), ("other", 2, 1)):
        with an.read(people, threads=threads) as data:
            an.apply(STEPS[name]("x", seed), data).save(tmp_path / f"{run}.csv")
        written[run] = (tmp_path / f"{run}.csv").read_bytes()
    assert written["one"] == written["two"] == written["again"]
    assert written["one"] != written["other"]


@pytest.mark.parametrize("name", STEPS)
def test_one_seed_moves_two_columns_apart(name):
    """Equal columns under one seed become different ones, or a permuted pair of columns would stay a pair."""
    same = [str(i % 100) for i in range(1000)]
    made = transformed([STEPS[name]("x", 1), STEPS[name]("y", 1)], {"x": same, "y": same})
    assert made["x"] != made["y"]


@pytest.mark.parametrize("name", STEPS)
def test_a_step_after_suppressed_records_meets_those_that_are_left(name):
    """What is drawn belongs to the records that there are, in their order; missing values stay missing except when permuted."""
    columns = {"x": ["1", None, "3", "4", "5", "6", "7", "8", "9", "10"], "who": list("aabbccddee"), "g": list("1121111112")}
    made = transformed(
        [SuppressRecords(quasi_identifiers=("g",), k=5, suppressed="drop"), STEPS[name]("x", 1), STEPS[name]("x", 2)], columns
    )
    assert made["who"] == ["a", "a", "b", "c", "c", "d", "d", "e"]
    assert made["x"].count(None) == 1
    assert made["x"][1] is None or name == "permute_column"


@pytest.mark.parametrize("name", STEPS)
def test_nothing_but_missing_values_stays_so(name):
    """There is nothing to draw from, and no reason to fail."""
    table = pa.table({"x": pa.array([None, None, None], pa.string()), "y": ["a", "b", "c"]})
    assert transformed(STEPS[name]("x", 1), table) == {"x": [None] * 3, "y": ["a", "b", "c"]}


@pytest.mark.parametrize("name", STEPS)
def test_a_recipe_records_seed_and_column(name):
    """Written and read again it is the same, and it knows what it perturbed."""
    recipe = Recipe((STEPS[name]("x", 42),))
    assert parse(recipe.to_toml()).steps == recipe.steps
    assert (recipe.seeds, recipe.perturbed, recipe.reproducible) == ((42,), ("x",), True)

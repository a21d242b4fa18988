"""Values go up a hierarchy."""

from pathlib import Path

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.images import Everything, Exactly, Values
from anonscope.errors import HierarchyError, RecipeError
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps import GeneraliseHierarchy
from support.transformed import transformed

ILLNESS = {"ill": ["flu", "gastritis", "bronchitis", None]}
LINES = "flu;infection;respiratory;any\nbronchitis;infection;respiratory;any\ngastritis;stomach;digestive;any\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "illness.csv").write_text(LINES, encoding="utf-8")
    return str(tmp_path / "illness.csv")


@pytest.mark.parametrize(
    ("level", "released"),
    [
        (0, ["flu", "gastritis", "bronchitis", None]),
        (1, ["infection", "stomach", "infection", None]),
        (2, ["respiratory", "digestive", "respiratory", None]),
        (3, ["*", "*", "*", "*"]),
    ],
)
def test_every_level(file, level, released):
    """A missing value stays missing below the last level, which is * for all, whatever the file calls it."""
    assert transformed(GeneraliseHierarchy(column="ill", file=file, level=level), ILLNESS)["ill"] == released


def test_values_that_the_hierarchy_does_not_have(file):
    """Are counted, suppressed or kept; on the last level too."""
    ill = {"ill": ["flu", "lupus", "lupus", None]}
    for level in (1, 3):
        step = {"column": "ill", "file": file, "level": level}
        with pytest.raises(RecipeError, match=r"1 value of column 'ill' \(in 2 records\) are not in the hierarchy 'illness.csv'"):
            transformed(GeneraliseHierarchy(**step), ill)
        assert transformed(GeneraliseHierarchy(**step, otherwise="suppress"), ill)["ill"][1] == "*"
        assert transformed(GeneraliseHierarchy(**step, otherwise="keep"), ill)["ill"][1] == "lupus"


def test_images_are_read_from_the_file(file):
    """As seen from the folder of the recipe; a changed file is read again."""
    recipe = Recipe((GeneraliseHierarchy(column="ill", file="illness.csv", level=2),), folder=Path(file).parent)
    assert recipe.image("ill", "respiratory") == Values(frozenset(["flu", "bronchitis"]), "respiratory")
    assert recipe.image("ill", None) == Exactly(None)
    assert recipe.image("ill", "*") == Everything()
    Path(file).write_text(LINES.replace("bronchitis", "croup   "), encoding="utf-8")
    assert recipe.image("ill", "respiratory").contains("croup   ")
    kept = GeneraliseHierarchy(column="ill", file=file, level=1, otherwise="keep")
    assert kept.image("ill", "lupus").contains("lupus") and not kept.image("ill", "lupus").contains("flu")


def test_the_file_stands_in_the_folder_of_the_recipe(file):
    """Also when the recipe is applied."""
    recipe = Recipe((GeneraliseHierarchy(column="ill", file="illness.csv", level=1),), folder=Path(file).parent)
    with an.read(pa.table(ILLNESS)) as data:
        assert an.apply(recipe, data).table.column("ill").to_pylist() == ["infection", "stomach", "infection", None]


def test_numbers_are_looked_up_by_their_text(tmp_path):
    """A typed column too."""
    (tmp_path / "age.csv").write_text("1;low;*\n20;high;*\n", encoding="utf-8")
    step = GeneraliseHierarchy(column="age", file=str(tmp_path / "age.csv"), level=1)
    assert transformed(step, {"age": [20.0, 1.0, None]})["age"] == ["high", "low", None]


def test_a_file_that_is_not_there_and_a_level_that_is_not_in_it(file):
    """Are said by their names."""
    with pytest.raises(HierarchyError, match="No such file"):
        transformed(GeneraliseHierarchy(column="ill", file=file + "x", level=1), ILLNESS)
    with pytest.raises(RecipeError, match="level must be at most 3"):
        transformed(GeneraliseHierarchy(column="ill", file=file, level=4), ILLNESS)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"file": "", "level": 1}, "file must name"),
        ({"file": "a.csv", "level": -1}, "level must be a whole number of at least 0"),
        ({"file": "a.csv", "level": "1"}, "level must be a whole number"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made."""
    with pytest.raises(RecipeError, match=says):
        GeneraliseHierarchy(column="ill", **settings)

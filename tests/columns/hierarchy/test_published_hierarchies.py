"""The hierarchies that were published with data sets, and automatic ones for the same tables."""

import csv
from pathlib import Path

import pytest

import anonscope as an

TABLES = {
    "arx_adult": ("adult.csv", ".", "adult_hierarchy_"),
    "fars": ("fars_subset.csv", ".", "fars_hierarchy_"),
    "cps": ("cps_280005.csv", "hierarchies", "cps_hierarchy_"),
}


def published(folder: Path, prefix: str) -> dict[str, Path]:
    return {path.stem.removeprefix(prefix): path for path in sorted(folder.glob(f"{prefix}*.csv"))}


@pytest.mark.parametrize("name", TABLES)
def test_published_hierarchies_cover_their_tables_and_are_written_as_they_were(data_folder: Path, name: str) -> None:
    """Every file of ARX is read, covers its column, and comes out again field by field."""
    table, folder, prefix = TABLES[name]
    files = published(data_folder / name / folder, prefix)
    with an.read(data_folder / name / table, quasi_identifiers=list(files), hierarchies=files) as data:
        read = an.build_hierarchies(data)

    assert list(read) == list(files)
    for column, hierarchy in read.items():
        assert hierarchy.name == files[column].name
        lines = files[column].read_text(encoding="utf-8").splitlines()
        assert list(csv.reader(hierarchy.to_csv().splitlines(), delimiter=";")) == [line.split(";") for line in lines if line]


@pytest.mark.parametrize("name", TABLES)
def test_automatic_hierarchies_cover_the_same_columns(data_folder: Path, name: str) -> None:
    """With no file at all; ages get age bands, and no column more than six levels."""
    table, folder, prefix = TABLES[name]
    columns = list(published(data_folder / name / folder, prefix))
    with an.read(data_folder / name / table) as data:
        made = an.build_hierarchies(data, columns)

    assert list(made) == columns
    assert all(hierarchy.cardinalities[-1] == 1 and hierarchy.height <= 6 for hierarchy in made.values())
    ages = [hierarchy for column, hierarchy in made.items() if "age" in column]
    assert ages and all(hierarchy.words[0] == "in bands of 5 years" for hierarchy in ages)

"""ARX 3.9.2 on Adult and FARS: its loss, entropy and discernibility, recomputed from releases made with the levels it chose."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

from anonscope.columns.hierarchy import read_hierarchy
from support.compared import compared, measured

UTILITY = {"loss": ("arx_loss", "geometric"), "entropy": ("non_uniform_entropy", "arx"), "dm": ("discernibility", "arx")}
CASES = range(19)


@pytest.fixture(scope="module")
def oracle(data_folder: Path) -> list[dict[str, Any]]:
    """Return what ARX found for one privacy model, k-anonymity, with every loss."""
    file = data_folder.parent / "oracle" / "arx.json"
    if not file.is_file():
        pytest.skip("ARX's figures are not beside the folder of real microdata")
    return [entry for entry in json.loads(file.read_text(encoding="utf-8"))["anonymise"] if set(entry["config"]) == {"k", "supp", "metric"}]


@pytest.mark.parametrize("case", CASES)
def test_scores_of_releases(data_folder: Path, oracle: list[dict[str, Any]], case: int) -> None:
    """Generalise to ARX's levels, suppress classes below k, read the labels back by the hierarchies: the same score to 1e-9."""
    assert len(oracle) == len(CASES)
    entry = oracle[case]
    path = data_folder / entry["dataset"]
    names = entry["qis"]
    prefix = path.name.partition("_")[0].partition(".")[0]
    trees = {name: read_hierarchy(path.parent / f"{prefix}_hierarchy_{name}.csv") for name in names}
    options = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), include_columns=names)
    table = pyarrow.csv.read_csv(path, parse_options=pyarrow.csv.ParseOptions(delimiter=";"), convert_options=options).to_pydict()
    labels = {name: dict(zip(trees[name].leaves, trees[name].labels(entry["levels"][name]), strict=True)) for name in names}
    rows = list(zip(*([labels[name][value] for value in table[name]] for name in names), strict=True))
    sizes = Counter(rows)
    small = {row for row, n in sizes.items() if n < int(entry["config"]["k"])}
    released = [("*",) * len(names) if row in small else row for row in rows]
    aligned = compared(table, {name: [row[i] for row in released] for i, name in enumerate(names)}, hierarchies=trees)
    utility, variant = UTILITY[entry["config"]["metric"]]
    found = measured(aligned, utility, None, variant)

    assert sum(row in small for row in rows) == entry["suppressed_records"]
    assert (found.value if utility == "arx_loss" else found.raw) == pytest.approx(float(entry["quality_score"]), rel=1e-9)

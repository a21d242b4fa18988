"""Releases that we made ourselves are attacked as they are: recipes, hierarchies and perturbed columns are known."""

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from attacks.attacking import drawn, only


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """An original, a control, and where releases may be written."""
    folder = tmp_path_factory.mktemp("releases")
    made = []
    for seed in (1, 2):
        table = drawn(seed, 400, age=50, zip=30, sex=2)
        table["ill"] = np.random.default_rng(seed).choice(["a", "b", "c"], 400, p=[0.6, 0.3, 0.1]).tolist()
        made.append(pa.table(table))
    return (*made, folder)


def opened(table):
    return an.read(table, quasi_identifiers=["age", "zip", "sex"], sensitive=["ill"])


def test_an_anonymised_table_keeps_what_it_promises(tables):
    """Groups of five: as made, as a file with its papers, and opened again, with the same figures."""
    original, control, folder = tables
    with opened(original) as data:
        made = an.anonymise(data, limits={"k_anonymity": 5})
        made.write(folder / "release.csv")
        with an.read(folder / "release.csv") as again:
            found = [an.attack(one, data, control=control, targets=None) for one in (made, folder / "release.csv", again)]
    rates = [[(r.attack, r.variant, r.success, r.risk) for r in result.results] for result in found]

    assert rates[0] == rates[1] == rates[2]
    assert only(found[0], "linkability", "candidates").success <= 0.2
    assert only(found[0], "singling_out", "several columns").figures["predicates"] == 0
    assert only(found[0], "linkability", "candidates").figures["no_candidate"] == 0


@pytest.mark.parametrize(
    "step",
    [
        'apply = "post_randomise"\\ncolumn = "zip"\\nkeep = 0.7\\nseed = 1',
        'apply = "add_noise"\\ncolumn = "age"\\nscale = 2.0\\nseed = 1',
        'apply = "swap_ranks"\\ncolumn = "age"\\npercent = 5\\nseed = 1',
    ],
)
def test_perturbed_releases_are_attacked_as_they_are_written(tables, tmp_path, step):
    """Their groups mean nothing, so an audit measures little; an attacker takes the nearest record, and finds some."""
    original, control, _ = tables
    (tmp_path / "recipe.toml").write_text(
        'schema = "anonscope/recipe/1"\n\n[[steps]]\n' + step.replace("\\n", "\n") + "\n", encoding="utf-8"
    )
    with opened(original) as data:
        release = an.apply(an.load_recipe(tmp_path / "recipe.toml"), data)
        found = an.attack(release, data, control=control, targets=None)

    nearest = only(found, "linkability", "nearest")
    assert nearest.status == "measured"
    assert 0.03 < nearest.success < 0.9
    assert only(found, "inference", "nearest").controlled
    assert only(found, "membership", "calibrated distance").success > 0.5

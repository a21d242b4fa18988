"""Utility folded into three: every measure has one place, a fold is one stated measure, and what was not measured is no share."""

import pandas as pd
import pytest

import anonscope as an
from anonscope.utility import UTILITIES
from anonscope.utility.kept import FOLDS, kept
from anonscope.utility.measure import UtilityMeasurement
from anonscope.utility.unpaired import UNPAIRED

PEOPLE = pd.DataFrame({"age": [str(20 + i % 10) for i in range(40)], "sex": ["FM"[i % 2] for i in range(40)], "illness": list("abcd") * 10})


def compared(release):
    with an.read(PEOPLE, quasi_identifiers=["age", "sex"], sensitive=["illness"]) as data, an.read(release) as other:
        return an.compare(data, other, policy="research-shared").to_dict()["versions"][1]


def test_every_measure_has_one_place():
    """None is left out, none stands twice; what a fold rests on is one of its own."""
    placed = [name for fold in FOLDS for name in fold.measures]
    assert sorted(placed) == sorted(UTILITIES)
    assert all(fold.by in fold.measures and (fold.whole is None or fold.whole in UNPAIRED) for fold in FOLDS)


def test_an_untouched_table_keeps_everything():
    """All three are 1."""
    assert [one["share"] for one in compared(PEOPLE)["kept"].values()] == [1, 1, 1]


def test_a_fold_is_the_complement_of_its_measure():
    """Counted by hand: of ten ages in two groups of five, 4 of 9 steps are open in half the columns."""
    coarse = PEOPLE.assign(age=[("20-24" if int(age) < 25 else "25-29") for age in PEOPLE["age"]])
    found = compared(coarse)
    loss = next(m["value"] for m in found["utilities"] if m["utility"] == "ncp" and m["column"] is None)
    assert found["kept"]["values"]["share"] == pytest.approx(1 - loss) and 0 < loss < 1
    assert found["kept"]["relations"]["measure"] == "association_change"


def test_what_was_not_measured_is_no_share():
    """It says why, and a table that was drawn says nothing about values."""
    silent = [UtilityMeasurement(utility="ncp", status="not measured", reason="nothing is left")]
    values, distributions, _ = kept(silent)
    assert (values.share, values.reason) == (None, "nothing is left") and distributions.share is None
    drawn = kept([UtilityMeasurement(utility="k_marginal_score", value=900.0)], whole=True)
    assert drawn[0].share is None and "do not correspond" in drawn[0].reason and drawn[1].share == pytest.approx(0.9)

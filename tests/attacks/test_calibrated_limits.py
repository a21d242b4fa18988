"""A limit of a score for a wanted success rate: never one that lucky records or a higher band would break."""

import sys

import numpy as np
import pytest

from anonscope.io.samples import write_hospital
from benchmarks import calibration


def test_a_limit_is_the_highest_below_which_few_are_found():
    """By the upper end of the interval, over everything below; none where the lowest band fails, whatever higher ones do."""
    score = np.repeat([0.04, 0.15, 0.3, 0.9], 1000)
    hit = np.concatenate([np.zeros(1000), np.zeros(1000), np.arange(1000) < 60, np.ones(1000)]).astype(float)
    assert calibration.suggested(score, hit, 0.05) == 0.8  # 60 of 3,000 up to 0.3, and nobody between
    assert calibration.suggested(score, hit, 0.01) == 0.2
    assert calibration.suggested(score, 1 - hit, 0.05) is None
    # Twenty records of whom none was found may be as many as one in six: too few to tell.
    assert calibration.suggested(score[:20], hit[:20], 0.05) is None


def test_a_table_of_ones_own(tmp_path, capsys, monkeypatch):
    """The prompt prints bands and limits for it; what is missing is a sentence."""
    path = write_hospital(tmp_path, people=150).patients
    said = ["calibration", "--table", str(path), "-q", "age", "-q", "sex", "-s", "diagnosis", "-d", "name", "-d", "patient_id"]
    monkeypatch.setattr(calibration, "LEVELS", (1, 5))
    monkeypatch.setattr(sys, "argv", [*said, "--rate", "0.3"])
    calibration.main()
    told = capsys.readouterr().out
    assert "patients.csv, 5" in told and "< 30% up to" in told and "1 / k" in told
    for wrong in (["calibration", "--table", str(path)], ["calibration", "--rate", "2"]):
        monkeypatch.setattr(sys, "argv", wrong)
        with pytest.raises(SystemExit):
            calibration.main()

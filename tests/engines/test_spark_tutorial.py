"""The tutorial of a warehouse, carried out on Spark beside its other tests."""

import shutil

import pytest

from support.tutorials import TUTORIALS, carried_out


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_the_tutorial_of_a_warehouse_works(tmp_path, monkeypatch):
    """The numbers on Spark are those of this machine, as the page asserts."""
    monkeypatch.chdir(tmp_path)
    assert carried_out(TUTORIALS["warehouse-on-spark"]) >= 4

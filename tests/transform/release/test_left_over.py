"""A direct identifier is dealt with when nothing of it is left in the release, not when a step names it."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnsWithoutRole, NotPublished
from anonscope.operations.apply import apply
from anonscope.transform.steps.mask import Mask
from anonscope.transform.steps.permute_column import PermuteColumn
from anonscope.transform.steps.pseudonymise import Pseudonymise
from anonscope.transform.steps.suppress_cells import SuppressCells
from anonscope.transform.steps.suppress_column import SuppressColumn
from anonscope.transform.steps.swap_ranks import SwapRanks

FIRST = ("Anna", "David", "Maria", "Peter", "Laura", "Thomas", "Emma", "Michael")
LAST = ("Smith", "Miller", "Jones", "Brown", "Taylor", "Wilson", "Evans", "Meyer")
TABLE = pa.table({"name": [f"{FIRST[i % 8]} {LAST[i // 8]}" for i in range(64)], "age": [20 + i % 3 for i in range(64)]})
LEAVING = {
    "one cell": (SuppressCells(column="name", values=("Anna Smith",)), "63 values are as they were"),
    "moved to others": (PermuteColumn(column="name", seed=1), "values? (is|are)"),
    "swapped": (SwapRanks(column="name", percent=100, order="text", seed=1), "values? (is|are)"),
    "but the last letter": (Mask(column="name", pattern=".$", replacement=""), "its values still are names"),
}
GONE = {
    "pseudonyms": Pseudonymise(column="name"),
    "masked": Mask(column="name", first=1),
    "nothing": SuppressColumn(column="name"),
}


def released(step, tmp_path, **roles):
    with an.read(TABLE, **roles) as data:
        return apply(step, data).save(tmp_path / "release.csv")


@pytest.mark.parametrize("case", LEAVING)
def test_what_is_left_of_a_direct_identifier_is_not_released(case, tmp_path):
    step, told = LEAVING[case]
    with pytest.raises(NotPublished, match=told):
        released(step, tmp_path, direct_identifiers=["name"])
    for roles in ({}, {"quasi_identifiers": ["age"]}):
        with pytest.raises(ColumnsWithoutRole):
            released(step, tmp_path, **roles)
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.parametrize("case", GONE)
def test_what_is_gone_is_released(case, tmp_path):
    for i, roles in enumerate(({"direct_identifiers": ["name"]}, {}, {"quasi_identifiers": ["age"]})):
        (tmp_path / str(i)).mkdir()
        assert released(GONE[case], tmp_path / str(i), **roles).exists()

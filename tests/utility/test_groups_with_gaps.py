"""The penalty of numbers that are grouped with others between them counts values, as that of categories does."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.transform.steps import GeneraliseHierarchy, GeneraliseMapping

NUMBERS = [1, 2, 3, 4, 5, 9]


@pytest.fixture
def parity(tmp_path):
    """A hierarchy of odd and even numbers: the span of the odd ones is all of the range, and they are four of six values."""
    path = tmp_path / "parity.csv"
    path.write_text("".join(f"{i};{'odd' if i % 2 else 'even'};*\n" for i in NUMBERS), encoding="utf-8")
    return path


EXPECTED = (4 * 4 / 6 + 2 * 2 / 6) / 6


def test_the_search_and_the_comparison_count_values(tmp_path, parity):
    """Whether the release is at hand, is a file beside its recipe, or was made by a step."""
    with an.read(pa.table({"x": NUMBERS * 2}), quasi_identifiers=["x"]) as data:
        found = an.anonymise(data, limits={"k_anonymity": 4}, hierarchies={"x": parity}, method="global", suppression=0.0)
        assert found.losses["ncp"] == pytest.approx(EXPECTED)
        versions = [
            found,
            found.write(tmp_path / "release.csv"),
            an.apply(GeneraliseHierarchy(column="x", file=str(parity), level=1), data),
        ]
        versions.append(an.apply(GeneraliseMapping(column="x", groups=(("1", "3", "5", "9"), ("2", "4"))), data))
        for version in versions:
            assert an.compare(data, version).versions[1].utility("ncp").value == pytest.approx(EXPECTED)


def test_groups_in_one_piece_are_intervals(tmp_path):
    """1 to 3 of 1 to 9 is a quarter of the range, and half of the values."""
    path = tmp_path / "halves.csv"
    path.write_text("".join(f"{i};{'low' if i < 4 else 'high'};*\n" for i in NUMBERS), encoding="utf-8")
    with an.read(pa.table({"x": NUMBERS * 2}), quasi_identifiers=["x"]) as data:
        found = an.anonymise(data, limits={"k_anonymity": 4}, hierarchies={"x": path}, method="global", suppression=0.0)
    assert found.losses["ncp"] == pytest.approx((2 / 8 + 5 / 8) / 2)

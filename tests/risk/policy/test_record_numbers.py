"""A column that only numbers the records blocks no release: it is left out, with a sentence, unless somebody wants it."""

import pyarrow as pa
import pyarrow.csv
import pytest

import anonscope as an
from anonscope.errors import ColumnsWithoutRole
from anonscope.risk.policy import from_limits

LIMITS = {"k_anonymity": 3}


def table(column: str, numbers: list[int]) -> pa.Table:
    return pa.table({column: numbers, "age": [30 + i % 2 for i in range(len(numbers))], "sex": ["M"] * len(numbers)})


def opened(found: pa.Table, **more: object) -> an.Data:
    return an.read(found, quasi_identifiers=["age", "sex"], **more)


@pytest.mark.parametrize("column", ["Row_Number", "xqz", "id", "index", "lfd_nr"])
@pytest.mark.parametrize(("start", "records"), [(1, 60), (0, 3000)])
def test_a_running_number_is_left_out(column, start, records):
    """It looked like a direct identifier, and nothing was released until somebody found out what to say."""
    with opened(table(column, list(range(start, start + records)))) as data:
        assert an.audit(data, from_limits(LIMITS)).verdict.outcome == "release with acknowledgement"
        found = an.anonymise(data, limits=LIMITS)
        assert found.release is not None and found.release.columns == ("age", "sex")
        told = " ".join(found.notes)
        assert f"{column!r} only numbers the records and was left out of the release. To keep a column, say that it is insens" in told
        assert an.pipeline(data, from_limits(LIMITS)).release.columns == ("age", "sex")


@pytest.mark.parametrize("said", [{"insensitive": ["Row_Number"]}, {"acknowledge": {"Row_Number": "wanted"}}])
def test_whoever_wants_it_says_so(said, tmp_path):
    with opened(table("Row_Number", list(range(1, 61))), **said) as data:
        found = an.anonymise(data, limits=LIMITS)
        assert found.release.columns == ("Row_Number", "age", "sex")
        found.write(tmp_path / "release.csv")
    assert pyarrow.csv.read_csv(tmp_path / "release.csv").column_names == ["Row_Number", "age", "sex"]


@pytest.mark.parametrize("column", ["patient_id", "visit_no", "account_number", "employee_nr"])
def test_a_number_of_somebody_is_no_record_number(column):
    with opened(table(column, list(range(1, 61)))) as data, pytest.raises(ColumnsWithoutRole):
        an.anonymise(data, limits=LIMITS)


def test_numbers_in_another_order_are_ids():
    with opened(table("xqz", [(i * 7) % 60 + 1 for i in range(60)])) as data, pytest.raises(ColumnsWithoutRole):
        an.anonymise(data, limits=LIMITS)

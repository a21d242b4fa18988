"""Where records stand in the order of an id that was removed, line n of the release is person n: whoever makes it is told."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.transform.steps import DropColumn, Pseudonymise, SortRecords

ROWS = 60
SAYS = "stand in the order of 'patient_no'"


def people(numbers: list[object]) -> pa.Table:
    rows = range(ROWS)
    columns = {"age": [30 + i * 7 % 5 for i in rows], "ill": [("flu", "gout", "asthma")[i * 5 % 7 % 3] for i in rows]}
    return pa.table({"patient_no": numbers} | columns)


RISING = list(range(1, ROWS + 1))


@pytest.mark.parametrize("numbers", [RISING, RISING[::-1], [f"P{i}" for i in RISING], [None, *RISING[1:]]])
def test_an_anonymisation_says_that_the_order_tells_an_id_that_it_dropped(numbers):
    """Rising or falling, as numbers or as texts that are counted on; with a missing one too."""
    with an.read(people(numbers), direct_identifiers=["patient_no"], quasi_identifiers=["age"], sensitive=["ill"]) as data:
        found = an.anonymise(data, limits={"k_anonymity": 2}, method="global")
    assert any(SAYS in note and "sort_records" in note for note in found.notes)
    assert SAYS in found.render() and any(SAYS in note for note in found.to_dict()["notes"])


def test_records_in_no_order_tell_nothing():
    numbers = [i * 37 % 61 for i in RISING]
    with an.read(people(numbers), direct_identifiers=["patient_no"], quasi_identifiers=["age"], sensitive=["ill"]) as data:
        found = an.anonymise(data, limits={"k_anonymity": 2}, method="global")
    assert not any("in the order of" in note for note in found.notes)


@pytest.mark.parametrize("step", [DropColumn(column="patient_no"), Pseudonymise(column="patient_no")])
def test_a_recipe_says_it_until_it_sorts(step):
    with an.read(people(RISING)) as data:
        release = an.apply(step, data)
        assert not any(SAYS in line for line in an.apply([step, SortRecords()], data).remarks)
        assert not an.apply(DropColumn(column="ill"), data).order_notes(), "who keeps the id tells no more by the order"
    assert any(SAYS in line for line in release.remarks), "also once the table is closed"

"""The table record by record: right for every row, in the order of the file, and without values unless asked twice."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given

import anonscope as an
from anonscope.errors import OptionError, OutputError
from reference import metrics as reference
from support.explained import opened
from support.strategies import Table, law, tables

PEOPLE = pa.table(
    {
        "place": ["Rome", "Rome", "Zanzibar", None],
        "ill": ["flu", "gout", "Quinsy", "flu"],
        "name": ["n1", "n2", "n3", "n4"],
    }
)
ROLES = {"quasi_identifiers": ["place"], "sensitive": ["ill"], "direct_identifiers": ["name"]}


@law
@given(table=tables())
def test_every_row_has_its_own_risks(table: Table) -> None:
    """Class size, uniqueness, uniformity and correlation of each record equal the slow reference."""
    with opened(table) as data:
        rows = an.audit(data).records(None, scenario="default").to_pylist()
    seen = reference.view(table, table.quasi_identifiers)
    unique, uniform = reference.uniqueness(seen), reference.uniformity(seen)

    assert sorted(row["row"] for row in rows) == list(range(1, table.rows + 1))
    for row in rows:
        r = row["row"] - 1
        assert row["class_size"] == len(seen.members[seen.classes[r]])
        assert (row["uniqueness"], row["uniformity"]) == pytest.approx((unique[r], uniform[r]), abs=1e-9)
        for name in table.sensitive:
            expected = reference.correlation(reference.view(table, table.quasi_identifiers, name))[r]
            assert row[f"correlation with {name}"] == pytest.approx(expected, abs=1e-9)
        if table.person:
            assert row["persons_in_class"] == len({seen.persons[other] for other in seen.members[seen.classes[r]]})


def test_the_riskiest_come_first() -> None:
    """Smallest classes, then the largest risks, then the order of the file."""
    with an.read(PEOPLE, **ROLES) as data:
        table = an.audit(data).records(top=3)

    assert table["row"].to_pylist() == [3, 4, 1]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_row_numbers_follow_the_file(tmp_path: Path, suffix: str) -> None:
    """A file that several threads read in pieces keeps its order; row 1 is the first record, not the header."""
    rows = 300_000
    alone = {7, 123_456, 299_999}
    table = pa.table({"q": [f"alone {r}" if r in alone else f"crowd {r % 7}" for r in range(rows)], "pad": ["x" * 40] * rows})
    path = tmp_path / f"big{suffix}"
    pa.csv.write_csv(table, path) if suffix == ".csv" else pa.parquet.write_table(table, path, row_group_size=20_000)
    with an.read(path, quasi_identifiers=["q"]) as data:
        found = an.audit(data).records(top=3)["row"].to_pylist()

    assert sorted(found) == sorted(r + 1 for r in alone)


def test_values_are_shown_only_to_who_asks_twice() -> None:
    """Quasi-identifiers and sensitive values, missing ones as missing; never direct identifiers."""
    with an.read(PEOPLE, **ROLES) as data:
        audit = an.audit(data)
        assert not {"place", "ill"} & set(audit.records().column_names)
        with pytest.raises(OptionError, match="confirm=True"):
            audit.records(values=True)
        shown = audit.records(values=True, confirm=True)

    assert shown["place"].to_pylist()[:2] == ["Zanzibar", None]
    assert "name" not in shown.column_names


def test_a_rule_picks_the_records_that_break_it() -> None:
    """A metric whose rules all pass picks none, and says which fail."""
    with an.read(PEOPLE, **ROLES) as data:
        audit = an.audit(data, policy="pipeline")
        assert audit.records(None, rule="k_anonymity")["row"].to_pylist() == [3, 4]
        with pytest.raises(OptionError, match="Rules that fail are about: k_anonymity, l_diversity"):
            audit.records(rule="uniqueness")
        with pytest.raises(OptionError, match="at least 1"):
            audit.records(0)


@pytest.mark.parametrize("name", ["records.csv", "records.parquet"])
def test_records_are_written(tmp_path: Path, name: str) -> None:
    """As CSV or Parquet, by the ending; nothing else is understood."""
    target = tmp_path / name
    with an.read(PEOPLE, **ROLES) as data:
        audit = an.audit(data)
        table = audit.records(None, save=target)
        with pytest.raises(OutputError, match=r"\.csv or \.parquet"):
            audit.records(save=tmp_path / "records.txt")

    read = pa.csv.read_csv(target) if target.suffix == ".csv" else pa.parquet.read_table(target)
    assert read["row"].to_pylist() == table["row"].to_pylist()
    assert "Zanzibar" not in target.read_bytes().decode("latin-1")


def test_only_the_first_records_are_listed_where_only_they_were_measured() -> None:
    """The number of rows that was read is the number of rows there are."""
    with an.read(PEOPLE, **ROLES, rows=2) as data:
        assert an.audit(data).records(None)["row"].to_pylist() == [1, 2]

"""The table record by record: right for every row, in the order of the file, and without values unless asked twice."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given

import anonscope as an
from anonscope.errors import OptionError, OutputError
from anonscope.risk.metrics import METRICS
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
    """A metric whose rules all pass picks none, and puts first who comes nearest; what is no metric is refused."""
    with an.read(PEOPLE, **ROLES) as data:
        audit = an.audit(data, policy="pipeline")
        assert audit.records(None, rule="k_anonymity")["row"].to_pylist() == [3, 4]
        assert audit.records(None, rule="uniqueness")["uniqueness"].to_pylist() == sorted(
            audit.records(None)["uniqueness"].to_pylist(), reverse=True
        )
        with pytest.raises(OptionError, match="No metric is called"):
            audit.records(rule="uniquness")
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


TOY = pa.table({"person": ["u1", "u1", "u2", "u2", "u3", "u3"], "q": list("AAABBB"), "s": list("xxyxyy")})


def in_order(table: pa.Table, column: str) -> list[float]:
    """Return a column by row number."""
    pairs = zip(table["row"].to_pylist(), table[column].to_pylist(), strict=True)
    return [value for _, value in sorted(pairs)]


def test_the_markov_risk_of_every_record() -> None:
    """R_mm = 1 - P_d (1 - R_uf) (1 - R_co) (1 - P(u | SA)), by hand, where several records are one person's and where each is its own."""
    with an.read(TOY, quasi_identifiers=["q"], sensitive=["s"], person="person") as data:
        events = an.audit(data).records(None)
    with an.read(TOY.drop_columns(["person"]), quasi_identifiers=["q"], sensitive=["s"]) as data:
        people = an.audit(data).records(None)

    assert in_order(events, "markov with s") == pytest.approx([0.9815, 0.9815, 0.8519, 0.8519, 0.9815, 0.9815], abs=5e-5)
    assert in_order(people, "markov with s") == pytest.approx([0.9259, 0.9259, 0.8519, 0.8519, 0.9259, 0.9259], abs=5e-5)


def test_every_attribute_of_a_record_has_its_own_scores() -> None:
    """Of ages 30, 30, 47 and one sex for all: the 47 is alone by age, nobody is by sex."""
    table = pa.table({"age": [30, 30, 47], "sex": ["f"] * 3, "ill": ["a", "b", "b"]})
    with an.read(table, quasi_identifiers=["age", "sex"], sensitive=["ill"]) as data:
        audit = an.audit(data)
        found = audit.records(None)
        worst = audit.records(1, rule="uniformity")

    assert in_order(found, "records with the same age") == [2, 2, 1]
    assert in_order(found, "uniformity of age") == [0.5, 0.5, 1]
    assert in_order(found, "uniformity of sex") == pytest.approx([1 / 3] * 3)
    assert in_order(found, "correlation of sex with ill") == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    assert worst["row"].to_pylist() == [3]


def test_the_term_of_every_class_in_itpr() -> None:
    """Table 3, age case 4 of the ITPR paper: two classes, of which the smaller has the term 0.8333 that ITPR is; and what is left."""
    table = pa.table({"age": [30, 30, 30, 47, 30, 47, 30, 30]})
    with an.read(table, quasi_identifiers=["age"]) as data:
        audit = an.audit(data)
        found = audit.records(None, rule="itpr")
        assert audit["itpr"].value == pytest.approx(max(found["itpr"].to_pylist()))

    assert found["row"].to_pylist()[:2] == [4, 6]
    assert found["itpr"].to_pylist()[0] == pytest.approx(1 - 2 * 2 / 8 * 1 / 3)
    assert found["itpr"].to_pylist()[-1] == pytest.approx(1 - 2 * 6 / 8 * np.log2(6) / 3)


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"journalist", "k_map", "delta_presence", "individual_risk", "household_risk"}))
def test_a_rule_about_any_metric_orders_records_or_says_why_not(metric: str) -> None:
    """Also where every rule passes."""
    with an.read(TOY.drop_columns(["person"]), quasi_identifiers=["q"], sensitive=["s"]) as data:
        audit = an.audit(data, policy="arx-default")
        try:
            assert audit.records(None, rule=metric).num_rows >= 1
        except OptionError as told:
            assert "cannot be told record by record" in str(told)

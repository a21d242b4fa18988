"""The look at columns without a role: by a sample, the same on every run, never calmer than what was seen."""

import random

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import anonscope as an
from anonscope.columns.suggestion.sampled import RECORDS, Sample
from anonscope.columns.suggestion.unassigned import look_at
from anonscope.errors import AnonscopeError, ColumnsWithoutRole

ROWS = 20_000


@pytest.fixture(scope="module")
def table():
    draw = random.Random(3)
    return pa.table(
        {
            "patient_id": [f"P{i:06}" for i in range(ROWS)],
            "contact": [f"{draw.choice('abcdefgh')}{i}@example.org" for i in range(ROWS)],
            "age": [draw.randrange(18, 90) for _ in range(ROWS)],
            "salary": [round(draw.gauss(3000, 700), 2) for _ in range(ROWS)],
            "xqz": [draw.choice("abcdefg") for _ in range(ROWS)],
            "wvu": [None] * (ROWS - 100) + ["a"] * 100,
            "same": ["x"] * ROWS,
            "nested": [[i] for i in range(ROWS)],
        }
    )


EXPECTED = {
    "patient_id": "direct identifier",
    "contact": "direct identifier",
    "age": "quasi-identifier",
    "salary": "sensitive",
    "xqz": "unknown",
    "wvu": "unknown",
    "same": "unknown",  # a sample cannot tell that all records are like it
    "nested": "unknown",
}


def looked(source, **options):
    with an.read(source, **options) as data:
        return look_at(Sample(data.engine, data.relation), data.columns)[0]


def test_a_sample_tells_what_columns_look_like(table):
    assert {look.column: look.looks_like for look in looked(table)} == EXPECTED


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_look_the_same_on_every_run(table, tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    flat = table.drop_columns("nested")
    pyarrow.csv.write_csv(flat, path) if ending == "csv" else pyarrow.parquet.write_table(flat, path, row_group_size=1000)
    found = [looked(path, threads=threads) for threads in (1, 2, 2)]

    assert found[0] == found[1] == found[2]
    assert {look.column: look.looks_like for look in found[0]} == {k: v for k, v in EXPECTED.items() if k != "nested"}


def test_the_end_of_a_typed_table_is_looked_at(table):
    """Values that only the last records have are seen in one of the stretches."""
    contacts = pa.array([None] * (ROWS - RECORDS) + [f"person{i}@example.org" for i in range(RECORDS)])

    assert looked(pa.table({"xqz": contacts}))[0].looks_like == "direct identifier"


@pytest.mark.parametrize("held", ["anna.meier@mail.ch", "see anna.meier@mail.ch", "CH9300762011623852957"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_address_in_one_record_of_thousands_is_seen(tmp_path, ending, held):
    """Whatever the sample has: in columns without a role, and in those that were given one."""
    batch = ["A", "B", "C", "D"] * 1_000
    batch[1_501] = held
    path = tmp_path / f"table.{ending}"
    flat = pa.table({"batch": batch, "site": batch[::-1], "kind": ["x", "a@b", "+1", "z"] * 1_000})
    pyarrow.csv.write_csv(flat, path) if ending == "csv" else pyarrow.parquet.write_table(flat, path)
    with an.read(path) as data:
        looks, given = look_at(Sample(data.engine, data.relation), ["batch", "kind"], given=["site"])
    assert [look.looks_like for look in looks] == ["direct identifier", "unknown"]
    assert [look.column for look in given] == ["site"] and not given[0].doubtful
    assert held not in looks[0].reason + given[0].reason


def test_a_release_with_two_addresses_among_batches_is_withheld(tmp_path):
    """It was published as met."""
    batch = ["A", "B", "C", "D"] * 500
    batch[707] = batch[1_533] = "anna.meier@mail.ch"
    table = pa.table({"age": [30, 40] * 1_000, "batch": batch})
    target = tmp_path / "release.csv"
    with an.read(table, quasi_identifiers=["age"], sensitive=["batch"]) as data, pytest.raises(AnonscopeError, match="batch"):
        an.anonymise(data, limits={"k_anonymity": 5}).write(target)
    assert not target.exists()


def test_a_whole_table_may_look_harmless():
    few = pa.table({"same": ["x"] * 50, "none": pa.array([None] * 50, pa.string())})

    assert [look.looks_like for look in looked(few)] == ["insensitive", "insensitive"]


def test_reasons_hold_no_value(table):
    said = " ".join(look.reason for look in looked(table))

    assert "@example" not in said and "P0" not in said


def test_nothing_is_counted(table):
    """What it costs does not grow with the table: no statement groups, and none brings back more than the sample."""
    with an.read(table) as data:
        before = len(data.engine.statements)
        look_at(Sample(data.engine, data.relation), data.columns)
        assert not any("GROUP BY" in statement.sql for statement in data.engine.statements[before:])
        assert len(data.engine.rows("SELECT * FROM unassigned")) <= RECORDS


def test_rows_bound_what_is_looked_at(table):
    with an.read(table, rows=40) as data:
        assert [look.looks_like for look in look_at(Sample(data.engine, data.relation, 40), ["same"])[0]] == ["insensitive"]


@pytest.mark.parametrize("rows", [501, 560, 632, 633])
def test_what_only_later_records_of_a_text_have_is_not_called_harmless(tmp_path, rows):
    """A sample is never taken for the whole table."""
    path = tmp_path / "late.csv"
    remarks = ["none"] * 500 + [f"Anna Schmidt mail{i}@web.de" for i in range(500, rows)]
    path.write_text("remark,x\n" + "".join(f"{remark},1\n" for remark in remarks))

    assert {look.column: look.looks_like for look in looked(path)}["remark"] != "insensitive"


def test_what_stands_behind_the_beginning_of_long_texts_is_not_called_harmless():
    """Texts that begin alike may end with somebody's name; an address there is seen."""
    remarks = pa.table({"remark": ["x" * 200 + f" Greta Hoffmann {i}" for i in range(100)]})
    addresses = pa.table({"remark": ["x" * 200 + f" Greta Hoffmann mail{i}@web.de" for i in range(100)]})

    assert [look.looks_like for look in looked(remarks)] == ["unknown"]
    assert [look.looks_like for look in looked(addresses)] == ["direct identifier"]


def test_what_stands_beside_a_column_counts_as_in_a_suggestion():
    """The items of a questionnaire were unknown to audits, where suggestions knew them."""
    draw = random.Random(7)
    answers = ("agree", "neutral", "disagree")
    table = pa.table(
        {"age": [draw.randrange(18, 90) for _ in range(80)]} | {f"zq_{i}": [draw.choice(answers) for _ in range(80)] for i in range(1, 7)}
    )
    said = {look.column: look.reason for look in looked(table)}
    suggested = {column.name: column for column in an.suggest(table, time_budget=0).columns}

    assert suggested["zq_1"].evidence.concept is not None
    with an.read(table) as data:
        alone = {look.column: look for look in look_at(Sample(data.engine, data.relation), ["zq_1"])[0]}
    assert alone["zq_1"].reason == said["zq_1"]
    assert all(said[name] == column.reasons[0] for name, column in suggested.items() if not column.unknown)


@pytest.mark.parametrize("name", ["who", "case", "person", "name"])
@pytest.mark.parametrize("values", ["codes", "numbers", "dates"])
@pytest.mark.parametrize("records", [1, 4])
def test_what_is_called_after_a_person_and_holds_codes_holds_ids(name, values, records):
    """Called `who`, codes that repeat could not be told; numbers in a column of names and dates in one of persons passed as well."""
    numbers = [17 * (i // records) % 5_000 + 1_000 for i in range(120)]
    made = {"codes": [f"K{n}" for n in numbers], "numbers": numbers, "dates": [f"{n % 90 + 1900}-{n % 12 + 1:02}-17" for n in numbers]}
    with an.read(pa.table({name: made[values], "age": [20 + i % 3 for i in range(120)]})) as data:
        (look,) = look_at(Sample(data.engine, data.relation), [name])[0]
    if (name, values) == ("name", "dates"):
        assert look.looks_like == "quasi-identifier"  # of nobody by its name; a release needs a word about it all the same
    else:
        assert look.looks_like == "direct identifier"
        assert look.person == (records > 1 and name != "name")


def test_who_answers_for_what_cannot_be_told_reads_what_was_seen():
    plates = [f"B-{chr(65 + i % 26)}{chr(65 + i // 26)} {1_000 + 7 * i % 900}" for i in range(120)]
    table = pa.table({"age": [20] * 120, "xq": ["r", "s"] * 60, "zq": [f"lot {i % 110}" for i in range(120)], "plq": plates})
    with an.read(table, quasi_identifiers=["age"]) as data, pytest.raises(ColumnsWithoutRole) as told:
        an.anonymise(data, limits={"k_anonymity": 2})
    message = str(told.value)
    assert "'xq' cannot be told (words)" in message
    assert "'zq' cannot be told (words, nearly one for every record)" in message
    assert message.index("'zq'") < message.index("'xq'")

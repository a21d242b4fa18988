"""A folder or a pattern of parts is one table: every record counts once, in order, and what does not fit is named."""

import gzip
import hashlib
import json

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import NoRecords, OptionError, SourceError
from anonscope.transform.steps.drop_column import DropColumn

AGES = {"age": ["30", "30", "41"], "zip": ["01234", "01234", "1234"]}
MORE = {"age": ["41", "52"], "zip": ["1234", None]}


def as_csv(path, table, delimiter=",", encoding="utf-8"):
    rows = [list(table), *([value or "" for value in row] for row in zip(*table.values(), strict=True))]
    path.write_bytes("".join(delimiter.join(row) + "\n" for row in rows).encode(encoding))


def as_parquet(path, table):
    pyarrow.parquet.write_table(pa.table(table), path)


def as_json_lines(path, table):
    rows = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def as_arrow(path, table):
    pyarrow.feather.write_feather(pa.table(table), path)


WRITERS = {"csv": as_csv, "parquet": as_parquet, "jsonl": as_json_lines, "feather": as_arrow}


def sizes(source, columns=("age", "zip"), **options):
    with an.read(source, quasi_identifiers=list(columns), **options) as data:
        return an.audit(data).scenarios[0].sizes.records


def records(source, **options):
    """Return the records of a source as a recipe that changes nothing writes them."""
    with an.read(source, **options) as data:
        return data.engine.rows(f"SELECT {', '.join(f'c{i}' for i in range(len(data.columns)))} FROM {data.relation.origin}")


def refused(source, kind=SourceError, **options):
    """Return the sentence with which a source is refused."""
    with pytest.raises(kind) as caught, an.read(source, quasi_identifiers=["age"], **options) as data:
        an.audit(data)
    return str(caught.value)


@pytest.mark.parametrize("ending", WRITERS)
def test_parts_of_every_format_are_one_table(tmp_path, ending):
    """Two parts hold one look-alike pair each and a third across them; a pattern, nested folders and --rows give the same."""
    write = WRITERS[ending]
    write(tmp_path / f"part-1.{ending}", AGES)
    (tmp_path / "part-2").mkdir()
    write(tmp_path / "part-2" / f"b.{ending}", MORE)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-1.crc").write_bytes(b"\x00\x01")
    (tmp_path / "_temporary").mkdir()
    write(tmp_path / "_temporary" / f"half.{ending}", MORE)

    assert sizes(tmp_path) == sizes(f"{tmp_path}/**/*.{ending}") == sizes(f"{tmp_path}/*") == ((1, 1), (2, 2))
    assert sizes(tmp_path, rows=3) == sizes(f"{tmp_path}/part-?.{ending}") == ((1, 1), (2, 1))
    assert records(tmp_path) == [("30", "01234"), ("30", "01234"), ("41", "1234"), ("41", "1234"), ("52", None)]


@pytest.mark.parametrize("ending", WRITERS)
def test_folders_named_by_a_key_are_a_column(tmp_path, ending):
    """As Spark writes them: the value is unescaped and stays text, and its name for a missing one is a missing value."""
    for folder in ("zip=01234", "zip=a%2Fb", "zip=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / folder).mkdir()
        WRITERS[ending](tmp_path / folder / f"part.{ending}", {"age": ["30", "30"]})
    with an.read(tmp_path, quasi_identifiers=["zip"]) as data:
        found = an.audit(data)

    assert data.columns == ("age", "zip")
    assert found.scenarios[0].sizes.records == ((2, 3),)
    assert found.missing["zip"] == pytest.approx(1 / 3)
    assert records(tmp_path)[::2] == [("30", "01234"), ("30", None), ("30", "a/b")]
    # Below the folder that was given only: what lies above is not a part's own.
    with an.read(tmp_path / "zip=01234") as data:
        assert data.columns == ("age",)
    with an.read(tmp_path / "zip=01234" / f"part.{ending}") as data:
        assert data.columns == ("age",)


def test_many_partitions_are_looked_up(tmp_path):
    """A dozen folders, so that their values are found by a hash and not one by one; the records keep their order."""
    for i in range(12):
        (tmp_path / f"day={i:02}" / "hour=7").mkdir(parents=True)
        as_csv(tmp_path / f"day={i:02}" / "hour=7" / "x.csv", {"age": [str(i)]})

    assert records(tmp_path) == [(str(i), f"{i:02}", "7") for i in range(12)]


def test_a_key_that_is_a_column_too_is_refused(tmp_path):
    """Which of the two counts cannot be known; the value in the folder's name is not repeated."""
    (tmp_path / "Age=secret").mkdir()
    as_csv(tmp_path / "Age=secret" / "x.csv", AGES)

    assert "'Age=…'" in refused(tmp_path)
    assert "'age'" in refused(tmp_path)
    assert "secret" not in refused(tmp_path)


def test_parts_under_different_keys_are_refused(tmp_path):
    """One part has a year and the other none."""
    (tmp_path / "year=2026").mkdir()
    as_csv(tmp_path / "year=2026" / "x.csv", AGES)
    as_csv(tmp_path / "y.csv", AGES)

    assert "'y.csv' and 'year=…/x.csv' (part 2)" in refused(tmp_path)


def test_dialects_encodings_and_orders_may_differ(tmp_path):
    """Comma, semicolon and tab, gzip, Windows-1252 and swapped columns: matched by name, in order, with a note on the encoding."""
    as_csv(tmp_path / "1.csv", {"age": ["30"], "zip": ["Zoë"]})
    as_csv(tmp_path / "2.csv", {"zip": ["Zoë"], "age": ["31"]}, ";", "cp1252")
    as_csv(tmp_path / "3.tsv", {"age": ["32"], "zip": ["Zoë"]}, "\t")
    as_csv(tmp_path / "4", {"age": ["33"], "zip": ["Zoë"]})
    (tmp_path / "4.csv.gz").write_bytes(gzip.compress((tmp_path / "4").read_bytes()))
    (tmp_path / "4").unlink()

    assert records(tmp_path) == [(str(age), "Zoë") for age in (30, 31, 32, 33)]
    with an.read(tmp_path, quasi_identifiers=["zip"]) as data:
        assert [w for w in an.audit(data).warnings if "Windows-1252" in w] == [
            "1 part is not UTF-8 and read as Windows-1252. Say its encoding if it is wrong."
        ]


def test_steps_by_position_keep_to_their_records(tmp_path):
    """Three stretches of parts long enough for several threads: what is attached by position lands at its own record."""
    for k, delimiter in enumerate(",;,"):
        as_csv(tmp_path / f"{k}.csv", {"age": [str(i) for i in range(k * 100_000, (k + 1) * 100_000)]} | {"x": ["1"] * 100_000}, delimiter)
    with an.read(tmp_path, threads=2) as data:
        data.engine.register("beside", pa.table({"n": list(range(300_000))}))
        moved = data.engine.rows(f"SELECT COUNT(*) FROM {data.engine.beside(data.relation.origin, 'beside')} WHERE n <> CAST(c0 AS BIGINT)")

    assert moved == [(0,)]


def test_packed_and_plain_json_lines_go_together(tmp_path):
    """A key that only one part has is missing in the others."""
    as_json_lines(tmp_path / "1.jsonl", {"age": ["30"]})
    (tmp_path / "2.jsonl.gz").write_bytes(gzip.compress(b'{"age": "30", "sex": "F"}\n'))

    assert records(tmp_path) == [("30", None), ("30", "F")]


@pytest.mark.parametrize("ending", WRITERS)
def test_parts_without_records_are_left_out_with_a_note(tmp_path, ending):
    """No bytes, or a header only: harmless as long as another part has records."""
    WRITERS[ending](tmp_path / f"1.{ending}", AGES)
    (tmp_path / f"2.{ending}").touch()
    if ending != "jsonl":
        WRITERS[ending](tmp_path / f"3.{ending}", {"age": [], "zip": []})
    with an.read(tmp_path, quasi_identifiers=["age", "zip"]) as data:
        (note,) = [warning for warning in an.audit(data).warnings if "without records" in warning]

    assert f"'2.{ending}'" in note
    assert (f"'3.{ending}'" in note) == (ending != "jsonl")
    (tmp_path / f"1.{ending}").unlink()
    assert "none has records" in refused(tmp_path, NoRecords)


def test_whole_numbers_of_any_width_go_together(tmp_path):
    """Half of the parts have 64 bits, half 32, one never has a value, and columns stand in another order: values stay exact."""
    as_parquet(tmp_path / "1.parquet", {"age": pa.array([30], pa.int32()), "zip": ["a"]})
    as_parquet(tmp_path / "2.parquet", {"zip": ["a"], "age": pa.array([2**60 + 1], pa.int64())})
    as_parquet(tmp_path / "3.parquet", {"age": pa.nulls(1), "zip": ["b"]})
    as_arrow(tmp_path / "1.feather", {"age": pa.array([30], pa.int32()), "zip": ["a"]})
    as_arrow(tmp_path / "2.feather", {"zip": ["a"], "age": pa.array([2**60 + 1], pa.uint64())})
    as_arrow(tmp_path / "3.feather", {"age": pa.nulls(1), "zip": ["b"]})

    (tmp_path / "order").mkdir()
    as_parquet(tmp_path / "order" / "1.parquet", {"age": ["30"], "zip": ["a"]})
    as_parquet(tmp_path / "order" / "2.parquet", {"zip": ["b"], "age": ["31"]})

    assert records(tmp_path / "order") == [("30", "a"), ("31", "b")]
    expected = [(30, "a"), (2**60 + 1, "a"), (None, "b")]
    assert records(f"{tmp_path}/*.parquet") == records(f"{tmp_path}/*.feather") == expected


@pytest.mark.parametrize(
    ("tables", "sentences"),
    [
        ([AGES, {"age": ["30"]}], ["'2.parquet' lacks column 'zip', which '1.parquet' has."]),
        ([AGES, {**MORE, "sex": ["F", "M"]}], ["'2.parquet' has column 'sex', which '1.parquet' lacks."]),
        ([AGES, {**MORE, "age": [1, 2]}], ["Column 'age' is BIGINT in '2.parquet' and VARCHAR in '1.parquet'."]),
        ([{"age": pa.nulls(1)}, {"age": ["30"]}, {"age": [1.5]}], ["Column 'age' is DOUBLE in '3.parquet' and VARCHAR in '2.parquet'."]),
        ([{"age": [1]}, {"age": [1.0]}], ["Column 'age' is DOUBLE in '2.parquet' and BIGINT in '1.parquet'."]),
        ([AGES, *[{"age": ["30"]}] * 5], ["'4.parquet' lacks column 'zip'", "There are 2 more differences."]),
        ([AGES, {"Age": ["30"], "zip": ["1"]}], ["'2.parquet' lacks column 'age'", "'2.parquet' has column 'Age'"]),
    ],
)
def test_differences_between_parts_are_named(tmp_path, tables, sentences):
    """Which part lacks which column, has one more, or types one differently; the first few, then a count."""
    for i, table in enumerate(tables, start=1):
        as_parquet(tmp_path / f"{i}.parquet", table)

    said = refused(tmp_path)
    assert all(sentence in said for sentence in sentences), said


def test_a_part_without_a_header_does_not_show_its_first_record(tmp_path):
    """What looks like the names of columns is a person."""
    as_csv(tmp_path / "1.csv", AGES)
    (tmp_path / "2.csv").write_text("52,secret\n53,secret\n")

    said = refused(tmp_path)
    assert "'2.csv' in" in said and "seems to have no header" in said
    assert "secret" not in said


def test_an_unreadable_line_is_told_with_its_part(tmp_path):
    """Beyond the first look too, in whichever part it stands; neither the line nor the value in the folder's name is repeated."""
    for k, tail in (("a", ""), ("b", "secret\n")):
        (tmp_path / f"ward={k}").mkdir()
        (tmp_path / f"ward={k}" / "x.csv").write_text("age,zip\n" + "1,2\n" * 50_000 + tail)

    said = refused(tmp_path)
    assert "'ward=…/x.csv' (part 2)" in said
    assert "line 50,002" in said
    assert "secret" not in said
    assert "ward=b" not in said


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "feather", "csv"])
def test_a_damaged_part_is_named(tmp_path, ending):
    """Two parts are fine; the third is not what its name says."""
    for i in (1, 2):
        WRITERS[ending](tmp_path / f"{i}.{ending}", AGES)
    whole = (tmp_path / f"1.{ending}").read_bytes()
    (tmp_path / f"3.{ending}").write_bytes({"jsonl": b"[1, 2\n", "csv": b'age,zip\n1,"2\n'}.get(ending, whole[: len(whole) // 2]))

    assert f"'3.{ending}'" in refused(tmp_path)


def test_formats_are_not_mixed(tmp_path):
    """The first two files that differ are named."""
    as_csv(tmp_path / "a.csv", AGES)
    as_csv(tmp_path / "b.csv", AGES)
    as_parquet(tmp_path / "c.parquet", AGES)

    assert "'a.csv' is csv and 'c.parquet' is parquet" in refused(tmp_path)
    assert sizes(f"{tmp_path}/*.csv") == ((2, 1), (4, 1))


def test_nothing_to_read_is_said(tmp_path):
    """An empty folder, a pattern that fits nothing, and a folder that is not there."""
    (tmp_path / "_SUCCESS").touch()

    assert "without parts" in refused(tmp_path)
    assert "No file matches" in refused(tmp_path / "*.csv")
    assert "No such folder" in refused(tmp_path / "nowhere" / "*.csv")


def test_a_file_may_be_called_like_a_pattern(tmp_path):
    """Brackets in a name are no pattern if there is such a file."""
    as_csv(tmp_path / "people [1].csv", AGES)

    assert sizes(tmp_path / "people [1].csv") == ((1, 1), (2, 1))


@pytest.mark.parametrize("source", [".", "*.parquet", "year=2026", "year=2026/*"])
def test_the_files_of_a_delta_table_are_not_its_records(tmp_path, monkeypatch, source):
    """Deleted rows stay in the files, so neither the folder, a pattern in it nor one partition is read."""
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "year=2026").mkdir()
    as_parquet(tmp_path / "part.parquet", AGES)
    as_parquet(tmp_path / "year=2026" / "part.parquet", AGES)
    monkeypatch.chdir(tmp_path)

    said = refused(source)
    assert "Delta table" in said
    assert "--engine spark" in said


def test_links_that_lead_in_circles_end(tmp_path):
    """A folder that holds a link to itself has its files once."""
    as_csv(tmp_path / "a.csv", AGES)
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)

    assert sizes(tmp_path) == sizes(f"{tmp_path}/**/*.csv") == ((1, 1), (2, 1))


def test_a_release_of_a_folder_proves_what_it_was_made_from(tmp_path, monkeypatch):
    """The hash is that of the parts' hashes as sha256sum lists them, and a release never becomes a part."""
    folder = tmp_path / "parts"
    folder.mkdir()
    as_csv(folder / "a.csv", AGES)
    as_csv(folder / "b.csv", MORE)
    monkeypatch.chdir(folder)
    listed = "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in ("a.csv", "b.csv"))
    for source in (".", "*.csv", folder):
        with an.read(source) as data:
            release = an.apply(DropColumn(column="zip"), data)
            assert release.archive_manifest()["source"]["sha256"] == hashlib.sha256(listed.encode()).hexdigest()
            release.save(tmp_path / "release.csv", force=True)
            with pytest.raises(OptionError, match="become a part"):
                release.save(folder / "release.csv")
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "b.csv"]
    assert sizes(tmp_path / "release.csv", ["age"]) == ((1, 1), (2, 2))


def test_a_folder_is_compared_with_its_release(tmp_path):
    """Compare and link take folders and patterns too, in the order of their parts."""
    for folder, values in (("before", ("30", "41")), ("after", ("30", "*"))):
        (tmp_path / folder).mkdir()
        for i, value in enumerate(values):
            as_csv(tmp_path / folder / f"{i}.csv", {"age": [value]})
    with an.read(tmp_path / "before", quasi_identifiers=["age"]) as data:
        found = an.compare(data, tmp_path / "after", f"{tmp_path}/before/*.csv")
    with an.read(tmp_path / "after", quasi_identifiers=["age"]) as data:
        linked = an.link(data, f"{tmp_path}/before/*")

    assert [version.name for version in found.versions] == ["original", "after", "*.csv"]
    assert linked.records == 2


def test_a_population_may_be_a_folder(tmp_path):
    """Everybody in two partitions, with the table itself in parts on the same engine."""
    for table, copies in (("sample", 1), ("everybody", 3)):
        for sex in "FM":
            (tmp_path / table / f"sex={sex}").mkdir(parents=True)
            as_csv(tmp_path / table / f"sex={sex}" / "x.csv", {"age": ["30"] * copies})
    with an.read(tmp_path / "sample", quasi_identifiers=["age", "sex"], population=tmp_path / "everybody") as data:
        assert an.audit(data)["k_map"].value == 3


def test_the_command_takes_a_folder(tmp_path):
    """`anonscope audit parts/` is about the folder."""
    as_csv(tmp_path / "a.csv", AGES)
    as_csv(tmp_path / "b.csv", MORE)
    done = CliRunner().invoke(app, ["audit", f"{tmp_path}/", "-q", "age", "--format", "json"])

    assert json.loads(done.stdout)["data"]["rows"] == 5
    assert json.loads(done.stdout)["data"]["source"] == tmp_path.name

"""What a file holds beside the table that was judged goes out with it, so a verdict on that file says so."""

import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import anonscope as an
from anonscope.io.sources.also_held import in_parquet, in_workbook

_AGES, _ILLS = [30, 40] * 20, ["flu", "cold", "flu", "none"] * 10
_ROLES: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
_SECRET = "Anna Schmidt"


def _table(**also: Any) -> pa.Table:
    return pa.table({"age": _AGES, "ill": _ILLS} | also)


def _metadata(path: Path) -> None:
    parquet.write_table(_table().replace_schema_metadata({"originals": _SECRET}), path)


def _field(path: Path) -> None:
    made = _table()
    parquet.write_table(made.cast(made.schema.set(0, pa.field("age", pa.int64(), metadata={"before": _SECRET}))), path)


def _frame(path: Path) -> None:
    frame = _table().to_pandas()
    frame.attrs["source"] = _SECRET
    frame.to_parquet(path)


def _dictionary(path: Path) -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 20), ["flu", "cold", _SECRET])
    feather.write_feather(_table(ill=words), str(path))


def _arrow(path: Path) -> None:
    feather.write_feather(_table().replace_schema_metadata({"originals": _SECRET}), str(path))


def _plain(path: Path) -> None:
    parquet.write_table(_table(), path)


def _pandas(path: Path) -> None:
    frame = _table().to_pandas()
    frame["ill"] = frame["ill"].astype("category")
    frame.to_parquet(path)


def _feather(path: Path) -> None:
    feather.write_feather(_table(ill=pa.array(_ILLS).dictionary_encode()), str(path))


@pytest.mark.parametrize(
    ("write", "name", "told"),
    [
        (_metadata, "t.parquet", "metadata of the file"),
        (_field, "t.parquet", "metadata with a column"),
        (_frame, "t.parquet", "attributes of a data frame"),
        (_arrow, "t.arrow", "metadata of the file"),
        (_dictionary, "t.arrow", "values that no record has"),
    ],
)
def test_a_file_that_holds_more_needs_a_word(write: Any, name: str, told: str, tmp_path: Path) -> None:
    """Original values in metadata or unused categories were published with "may be released"; nothing of them is shown."""
    write(tmp_path / name)
    found = an.audit(tmp_path / name, "arx-default", **_ROLES)
    text, verdict = found.render("text"), found.verdict
    assert verdict.outcome == "release with acknowledgement" and verdict.exit_code == 1
    assert told in text and "--acknowledge-rest" in text and _SECRET not in text
    checked = an.check(tmp_path / name, "arx-default", **_ROLES)
    assert checked.exit_code == 1 and [one.rule for one in checked.tables[0].errors] == ["file-holds-more"]
    said = an.audit(tmp_path / name, "arx-default", acknowledge_rest="The recipient has all of it.", **_ROLES)
    assert said.verdict.exit_code == 0 and "The recipient has all of it." in said.render("text")


@pytest.mark.parametrize(("write", "name"), [(_plain, "t.parquet"), (_pandas, "t.parquet"), (_feather, "t.arrow")])
def test_what_programs_write_by_themselves_needs_none(write: Any, name: str, tmp_path: Path) -> None:
    """Types and names of columns, as Arrow and pandas write them, are no originals."""
    write(tmp_path / name)
    assert an.audit(tmp_path / name, "arx-default", **_ROLES).verdict.exit_code == 0


def test_a_release_holds_nothing_more(tmp_path: Path) -> None:
    """What anonscope writes of such a file is the table alone, and asks for no word."""
    _metadata(tmp_path / "t.parquet")
    with an.read(tmp_path / "t.parquet", **_ROLES) as data:
        an.anonymise(data, limits={"k_anonymity": 2}).write(tmp_path / "release.parquet")
    assert an.audit(tmp_path / "release.parquet", "arx-default", **_ROLES).verdict.exit_code == 0


def test_sheets_and_parts_of_a_workbook_are_named_by_their_kind(tmp_path: Path) -> None:
    """Hidden sheets, pivot tables and comments are told, and how many sheets are hidden; a part that is not there is not."""
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as made:
        for part in ("xl/workbook.xml", "xl/pivotCache/pivotCacheRecords1.xml", "xl/comments1.xml"):
            made.writestr(part, "<a/>")
    assert in_workbook(tmp_path / "t.xlsx", {"a": True, "b": False, "c": True}, "a") == (
        "2 further sheets, 1 of them hidden",
        "the records behind a pivot table",
        "comments",
    )
    assert in_workbook(tmp_path / "no.xls", {"a": True}, "a") == ()
    assert in_workbook(tmp_path / "no.xls", {"a": True, "b": False}, "a") == ("a further hidden sheet",)


def test_metadata_that_nobody_can_read_may_be_anything() -> None:
    """What pandas or Arrow is said to have written, and did not, is told."""
    assert in_parquet([(b"pandas", b"no JSON")], ["age"]) == ("attributes of a data frame",)
    assert in_parquet([(b"ARROW:schema", b"%%%")], ["age"]) == ("a schema that cannot be read",)

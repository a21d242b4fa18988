"""A text without a header is refused: its first line is a person, whose values nobody shows as names of columns."""

from pathlib import Path

import pytest

import anonscope as an
from anonscope.errors import SourceError
from anonscope.io.sources.headerless import is_record
from support.schemas import TABLES, table

_PEOPLE = [
    ("Anna Schmidt", "34", "female", "10115", "flu"),
    ("Peter Weber", "51", "male", "10117", "gout"),
    ("Maria Koch", "29", "female", "10119", "flu"),
    ("Thomas Wolf", "47", "male", "10115", "asthma"),
    ("Julia Klein", "34", "female", "10117", "gout"),
]


def _text(rows: list[tuple[str, ...]], sign: str = ",") -> str:
    return "\n".join(sign.join(row) for row in rows) + "\n"


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_text_without_a_header_is_refused_without_its_values(tmp_path: Path, sign: str) -> None:
    """Its first record was shown as names of columns, in messages, reports and to assistants."""
    path = tmp_path / "people.csv"
    path.write_text(_text(_PEOPLE, sign), encoding="utf-8")
    with pytest.raises(SourceError, match=r"seems to have no header.*--no-header") as refused:
        an.read(path)
    assert not any(cell in str(refused.value) for cell in _PEOPLE[0])
    with an.read(path, header=False) as data:
        assert data.columns == ("column_1", "column_2", "column_3", "column_4", "column_5")
        assert data.engine.rows(f"SELECT COUNT(*) FROM {data.relation.origin}") == [(5,)]
    with an.read(path, header=True) as data:
        assert data.columns == _PEOPLE[0]


def test_two_equal_cells_of_a_record_are_not_told(tmp_path: Path) -> None:
    """Two columns "named" alike were an error that printed the value."""
    path = tmp_path / "numbers.csv"
    path.write_text("34,34\n51,29\n34,47\n", encoding="utf-8")
    with pytest.raises(SourceError, match="seems to have no header"):
        an.read(path)


def test_a_release_of_a_table_without_header_has_one(tmp_path: Path) -> None:
    path, release = tmp_path / "people.csv", tmp_path / "release.csv"
    path.write_text(_text([row[1:] for row in _PEOPLE] * 6), encoding="utf-8")
    known = {"quasi_identifiers": ["column_1", "column_2", "column_3"], "sensitive": ["column_4"]}
    with an.read(path, header=False, **known) as data:
        an.anonymise(data, limits={"k_anonymity": 3}).write(release)
    lines = release.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "column_1,column_2,column_3,column_4" and len(lines) == 31


def test_a_sheet_without_header_is_refused(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, path = openpyxl.Workbook(), tmp_path / "people.xlsx"
    for name, age, *rest in _PEOPLE:
        book.active.append([name, int(age), *rest])
    book.save(path)
    with pytest.raises(SourceError, match="seems to have no header"):
        an.read(path)
    with an.read(path, header=False) as data:
        assert data.columns[0] == "column_1"


def test_each_part_of_a_table_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(_text([("name", "age", "sex", "zip", "ill"), *_PEOPLE]), encoding="utf-8")
    (tmp_path / "b.csv").write_text(_text(_PEOPLE), encoding="utf-8")
    with pytest.raises(SourceError, match=r"'b\.csv' in .* seems to have no header"):
        an.read(tmp_path)


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        (("country", "1990", "1991", "1992"), [("A", "23.1", "24.0", "25.5"), ("B", "3.1", "4.0", "5.5")]),
        (("1990", "2000", "2010"), [("1985", "1995", "2005"), ("1999", "2001", "2011")]),
        (("0", "1", "2"), [("5", "3", "1"), ("2", "0", "7")]),
        (("name", "2020"), [("x", "3"), ("y", "4")]),
        (("x", "y"), [("1", "2"), ("3", "4")]),
        (("q1", "q2", "q3"), [("1", "2", "3"), ("3", "1", "2")]),
        (("icd10", "code"), [("A10.1", "x1"), ("B12.3", "x2"), ("C13.4", "x3")]),
        (("name", "city"), [("Anna", "Rome"), ("Peter", "Oslo"), ("Maria", "Rome")]),
    ],
)
def test_real_headers_are_believed(first: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Years, positions, questions with a number and words are names of columns."""
    assert not is_record(first, rows)


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        (("a@mail.org", "x"), [("b@mail.org", "y")]),
        (("2020-01-31", "flu"), [("2021-03-02", "gout"), ("2021-04-02", "flu")]),
        (("P000001", "f"), [("P000002", "m"), ("P000003", "f"), ("P000004", "m")]),
        (("f", "yes"), [("m", "no"), ("f", "no"), ("m", "yes"), ("f", "no")]),
        (("34",), [("51",), ("29",)]),
    ],
)
def test_records_are_told(first: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    assert is_record(first, rows)


@pytest.mark.parametrize("name", list(TABLES)[::7])
def test_every_schema_has_its_header_and_no_record_is_one(name: str) -> None:
    """With its names a table is read, and without them it is refused."""
    columns, _ = table(name, rows=60)
    rows = [tuple(map(str, row)) for row in zip(*columns.values(), strict=True)]
    assert not is_record(list(columns), rows) and is_record(rows[0], rows[1:])


def test_public_tables_keep_their_headers(data_folder: Path) -> None:
    for path in sorted(data_folder.rglob("*.csv")):
        if "hierarch" not in path.name:
            with an.read(path, rows=5):
                pass

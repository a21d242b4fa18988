"""Delimited text: whatever dialect and encoding a file has, its values are counted as written."""

import gzip

import pytest

import anonscope as an
from anonscope.errors import OptionError, SourceError

ROWS = [["zip", "name"], ["01234", "Zoë"], ["01234", "Zoë"], ["1234", "Ann, B."]]


def write(path, rows=ROWS, delimiter=",", end="\n", encoding="utf-8", quote='"'):
    def cell(value):
        return f"{quote}{value}{quote}" if delimiter in value else value

    text = end.join(delimiter.join(map(cell, row)) for row in rows) + end
    path.write_bytes(text.encode(encoding))
    return path


def sizes(path, **options):
    """Return class sizes and columns of a file whose first column is the quasi-identifier."""
    with an.read(path, **options) as data:
        columns = data.columns
    with an.read(path, quasi_identifiers=list(columns[:2]), **options) as data:
        return columns, an.audit(data).scenarios[0].sizes.records


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_detected(tmp_path, delimiter, end):
    """Two records share zip and name, one stands alone; '01234' and '1234' are different."""
    path = write(tmp_path / "people.csv", delimiter=delimiter, end=end)

    assert sizes(path) == (("zip", "name"), ((1, 1), (2, 1)))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_encodings_are_detected(tmp_path, encoding):
    """The name with a diaeresis is one value in every encoding."""
    path = write(tmp_path / "people.csv", encoding=encoding)

    assert sizes(path) == (("zip", "name"), ((1, 1), (2, 1)))


def test_a_late_byte_that_is_not_utf8_changes_the_guess(tmp_path):
    """Two megabytes of ASCII and then Windows-1252: read as Windows-1252, with a note."""
    path = tmp_path / "late.csv"
    path.write_bytes(b"zip,name\n" + b"01234,Ann\n" * 300_000 + b"01234,Zo\xeb\n")
    with an.read(path, quasi_identifiers=["name"]) as data:
        audit = an.audit(data)

    assert audit.scenarios[0].sizes.records == ((1, 1), (300_000, 1))
    assert any("Windows-1252" in warning for warning in audit.warnings)


def test_a_stated_encoding_is_not_questioned(tmp_path):
    """Bytes that are not UTF-8 are an error when the user said UTF-8."""
    path = write(tmp_path / "people.csv", encoding="latin-1")

    with pytest.raises(SourceError, match="is not UTF-8"):
        an.read(path, encoding="utf-8")
    with pytest.raises(OptionError, match="klingon"):
        an.read(path, encoding="klingon")


def test_gzip_is_looked_through(tmp_path):
    """A packed file gives the same counts as the plain one."""
    plain = write(tmp_path / "people.csv", delimiter=";")
    packed = tmp_path / "people.csv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    assert sizes(packed) == sizes(plain)


def test_single_quotes_and_backslashes_are_detected(tmp_path):
    """A file that wraps values in single quotes, and one that escapes quotes with a backslash."""
    single = tmp_path / "single.csv"
    single.write_text("'a','b'\n'x, y','1'\n'x, y','1'\n")
    escaped = tmp_path / "escaped.csv"
    escaped.write_text('a,b\n"say \\"hi\\"",1\n"say \\"hi\\"",1\n')

    assert sizes(single) == (("a", "b"), ((2, 1),))
    assert sizes(escaped) == (("a", "b"), ((2, 1),))


def test_an_apostrophe_is_not_a_quote(tmp_path):
    """Names such as O'Brien do not turn the apostrophe into a quote."""
    path = tmp_path / "names.csv"
    path.write_text("name,n\nO'Brien,1\nD'Arcy,2\nO'Brien,1\n")

    assert sizes(path)[1] == ((1, 1), (2, 1))


def test_stated_delimiter_and_quote_win(tmp_path):
    """What looks like commas is one column when the user says so."""
    path = tmp_path / "text.csv"
    path.write_text("a,b;c\n1,2;3\n")

    with an.read(path, delimiter=";") as data:
        assert data.columns == ("a,b", "c")
    with pytest.raises(OptionError, match="one character"):
        an.read(path, delimiter="ab")


def test_an_empty_field_is_missing_and_missing_is_a_value(tmp_path):
    """Two records without a zip look alike; the text NULL is not missing."""
    path = tmp_path / "missing.csv"
    path.write_text('zip,x\n,1\n"",2\nNULL,3\n')
    with an.read(path, quasi_identifiers=["zip"]) as data:
        audit = an.audit(data)

    assert audit.scenarios[0].sizes.records == ((1, 1), (2, 1))
    assert audit.missing["zip"] == pytest.approx(2 / 3)


def test_a_line_end_inside_a_quoted_header_belongs_to_the_name(tmp_path):
    """The reader must not take it for the end of all lines, which would lose every record."""
    path = tmp_path / "header.csv"
    path.write_bytes(b'"two\nlines",b\r\nx,1\r\ny,2\r\n')

    assert sizes(path) == (("two\nlines", "b"), ((1, 2),))


def test_a_column_without_a_name_is_called_by_its_position(tmp_path):
    """Data frames written with their index begin with an empty name."""
    path = tmp_path / "index.csv"
    path.write_text(",age\n0,30\n1,40\n")

    with an.read(path) as data:
        assert data.columns == ("column_1", "age")


def test_rows_takes_the_first_records(tmp_path):
    """The first two of three records."""
    path = write(tmp_path / "people.csv")
    with an.read(path, quasi_identifiers=["zip"], rows=2) as data:
        audit = an.audit(data)

    assert audit.rows == 2
    assert audit.scenarios[0].sizes.records == ((2, 1),)
    assert any("first 2 records" in assumption for assumption in audit.assumptions)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b\n", "has a header but no records"),
        (b"a,b\n1,2\n3\n", "line 3: 1 values, but the header names 2 columns"),
        (b"a,b\n1,2,3\n", "line 2: 3 values"),
        (b'a,b\n1,"open\n', "not closed"),
        (bytes(range(256)) * 4, "binary"),
        (b"a,a\n1,2\n", "two columns named 'a'"),
        (b"Age,age\n1,2\n", "differ only by case"),
        (b"\x1f\x8b\x08\x00broken", "gzip"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, content, message):
    """One sentence, the file's name, no cell value."""
    path = tmp_path / "bad.csv"
    path.write_bytes(content)

    with pytest.raises(SourceError, match=message) as caught, an.read(path, quasi_identifiers=["a"]) as data:
        an.audit(data)
    assert "bad.csv" in str(caught.value)


def test_a_ragged_line_far_down_is_an_error_too(tmp_path):
    """A fault beyond the first look stops the audit and names the line, never the values."""
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + "1,2\n" * 200_000 + "secret\n")

    with pytest.raises(SourceError, match="200,002") as caught, an.read(path, quasi_identifiers=["a"]) as data:
        an.audit(data)
    assert "secret" not in str(caught.value)

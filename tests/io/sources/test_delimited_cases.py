"""Delimited text says what it says: the table on the page of sources, and files made at random, against Python's csv module."""

import csv
import io
import json
import random
import re

import pytest

import anonscope as an
from anonscope.errors import SourceError
from anonscope.io.sources.delimited_dialect import detect
from anonscope.io.sources.delimited_plain import is_plain
from benchmarks.fuzz_delimited import as_python_reads, as_we_read, drawn
from support.documentation import text_of

SIGNS = {"↵": "\n", "␍": "\r", "⇥": "\t", "␀": "\x00", "·": " ", "▪": "\ufeff"}


def spelled(text: str) -> str:
    return "".join(SIGNS.get(c, c) for c in text)


def cases():
    section = text_of("io/sources.md").partition("## Delimited text, case by case")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| `(.+)` \| (.+) \|$", section, re.MULTILINE)
    return [pytest.param(spelled(file), expected, id=case) for case, file, expected in rows]


@pytest.mark.parametrize(("text", "expected"), cases())
def test_every_case_on_the_page_is_read_as_it_says(tmp_path, text, expected):
    """Records are those of Python's csv module too, which knows nothing of us."""
    path = tmp_path / "case.csv"
    path.write_bytes(text.encode())
    if not expected.startswith("`["):
        with pytest.raises(SourceError) as caught, an.read(path) as data:
            as_we_read(data)
        assert expected in re.sub(r"cannot be read on (line [0-9]+)", r"\1", str(caught.value))
        return
    records = [json.loads(spelled(record).replace("\n", "\\n").replace("\r", "\\r")) for record in re.findall(r"`(\[.*?\])`", expected)]
    with an.read(path) as data:
        assert as_we_read(data) == records
    body = re.sub(r"^\ufeff?(?:sep=(.)\r?\n)?", "", text, flags=re.IGNORECASE)
    declared = re.match(r"sep=(.)", text, re.IGNORECASE)
    escaped = {"doublequote": False, "escapechar": "\\"} if '\\"hi' in text else {}
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=declared.group(1) if declared else ",", strict=True, **escaped)
    assert [record for record in list(reader)[1:] if record] == records


def test_the_page_lists_many_cases():
    """The pattern finds the rows, all of them."""
    section = text_of("io/sources.md").partition("## Delimited text, case by case")[2].partition("\n## ")[0]
    assert len(cases()) == section.count("\n| ") - 2 >= 30


@pytest.mark.parametrize("seed", range(4))
def test_files_made_at_random_are_read_as_python_reads_them(tmp_path, seed):
    """Or refused where that module refuses them, or where its records make no table. Ten thousand: python -m benchmarks.fuzz_delimited."""
    chance = random.Random(seed)
    read = 0
    for _ in range(75):
        file = drawn(chance)
        path = tmp_path / "drawn.csv"
        path.write_bytes(file.content)
        expected = as_python_reads(file)
        try:
            with an.read(path, delimiter=file.delimiter, quote='"', threads=1) as data:
                found = as_we_read(data)
        except SourceError as error:
            found = None
            assert "canary" not in str(error)
        assert found == expected, file
        read += found is not None
    assert read > 15


def test_a_blank_before_a_quote_is_noted(tmp_path):
    """Whoever wrote it may have meant the quote to open the value."""
    path = tmp_path / "late.csv"
    path.write_text('a,b\n "x",1\n "y",2\n"z",3\n')
    with an.read(path, quasi_identifiers=["a"]) as data:
        assert any("2 lines have a quote behind a blank" in note for note in data.relation.notes)


def test_a_fault_far_down_is_told_by_its_line(tmp_path):
    """Beyond any first look, and behind values with line ends of their own."""
    path = tmp_path / "far.csv"
    path.write_text("a,b\n" + '1,"x\ny"\n' * 100_000 + '1,"x" \n')
    with pytest.raises(SourceError, match="line 200,002"):
        an.read(path)


@pytest.mark.parametrize("pad", [2**17 - 12 + i for i in range(12)])
def test_pieces_of_a_file_may_end_anywhere(tmp_path, pad):
    """Quotes, pairs of quotes and line ends on both sides of the end of a piece are seen together."""
    path = tmp_path / "pieces.csv"
    path.write_bytes(b"a,b\r\n" + b"x" * pad + b',"y""z"\r\n1,"2"\r\n')
    with an.read(path) as data:
        assert as_we_read(data) == [["x" * pad, 'y"z'], ["1", "2"]]
    path.write_bytes(b"a,b\r\n" + b"x" * pad + b',"y"" \r\n1,2\r\n')
    with pytest.raises(SourceError, match="line 2"):
        an.read(path)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_plain_files_go_the_quick_way(tmp_path, end, quote):
    """A long file without anything odd is plain; with one byte changed it is so only if every record still has two fields."""
    chance = random.Random(0)
    text = f"a,b{end}" + "".join(f"{quote}{chance.randint(0, 10**6)}{quote},{quote}x{quote}{end}" for _ in range(15_000))
    path = tmp_path / "plain.csv"
    path.write_bytes(text.encode())
    written = detect(text)
    assert path.stat().st_size > 2**17 and is_plain(path, written)
    text = text[:2000]
    text = text[: text.rindex(end)]
    odd = 0
    for at in chance.sample(range(10, len(text)), 60):
        for sign in ',"\r\n\x00 ':
            changed = text[:at] + sign + text[at + 1 :]
            path.write_bytes(changed.encode())
            if is_plain(path, written):
                records = list(csv.reader(io.StringIO(changed, newline=""), strict=True))
                assert all(len(record) == 2 for record in records) and "\x00" not in changed
            else:
                odd += 1
    assert odd > 100

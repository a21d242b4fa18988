"""An input format is one entry: whatever reads, offers or refuses tables goes by it."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import OptionError, SourceError
from anonscope.io import formats
from anonscope.io.formats import KNOWN, Format
from anonscope.io.sources import FORMATS, open_source
from anonscope.io.sources.relation import ReadOptions
from anonscope.io.sources.spark import _named
from anonscope.io.sources.spark_files import look_at
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.words import wishes_of
from anonscope.web.hostile import check_width
from anonscope.web.storage import suffix_of

PIPES = Format(
    name="pipes",
    title="Pipes",
    plural="files of pipes",
    endings=(".pipes",),
    one="delimited:open_delimited",
    parts="one_table:open_delimited_parts",
    spark="csv",
    delimiter="|",
)
BLOCKS = Format(name="blocks", title="Blocks", plural="blocks", endings=(".blocks",), marks=(b"BLOCKS",), one="delimited:open_delimited")


@pytest.fixture
def pretended(monkeypatch):
    """Two formats that are none, one of text and one known by its first bytes."""
    for form in (PIPES, BLOCKS):
        monkeypatch.setitem(KNOWN, form.name, form)


def test_a_new_entry_is_read_alone_and_in_parts(tmp_path, pretended):
    """By its ending, and by its name; a folder of parts too, unless the entry says that there are none."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.pipes").write_text(f"x|y,z\n1|{name},1\n")
    with an.read(tmp_path / "a.pipes") as data:
        assert data.columns == ("x", "y,z")
        assert open_source(tmp_path / "a.pipes", data.engine, ReadOptions("pipes")).names == ("x", "y,z")
        assert open_source(tmp_path, data.engine, ReadOptions("pipes")).names == ("x", "y,z")
        with pytest.raises(OptionError, match=r"There are: .*pipes, blocks"):
            open_source(tmp_path / "a.pipes", data.engine, ReadOptions("drums"))
    for name in ("a", "b"):
        (tmp_path / f"{name}.pipes").unlink()
        (tmp_path / f"{name}.blocks").write_text("BLOCKS,x\n1,2\n")
    with pytest.raises(SourceError, match="holds blocks, which cannot be parts"):
        an.read(tmp_path)
    with an.read(tmp_path / "a.blocks") as data:
        assert data.columns == ("BLOCKS", "x")
    (tmp_path / "c.blocks").write_text("x\n1\n")
    with pytest.raises(SourceError, match="not a readable blocks file"):
        an.read(tmp_path / "c.blocks")


def test_a_new_entry_is_known_to_spark_and_to_the_web_app(tmp_path, pretended):
    """What Spark reads, by which delimiter; endings that are kept of files that were sent, and files that are no text."""
    (tmp_path / "a.pipes").write_text("x|y\n1|2\n")
    (tmp_path / "a.blocks").write_bytes(b"BLOCKS" + b"," * 100_000)
    assert look_at(str(tmp_path / "a.pipes"), ReadOptions()).delimiter == "|"
    assert _named("s3://bucket/a.pipes", ReadOptions()).delimiter == "|"
    with pytest.raises(SourceError, match="is blocks, which Spark does not read"):
        look_at(str(tmp_path / "a.blocks"), ReadOptions())
    assert suffix_of("Sent.PIPES.gz") == ".pipes.gz" and suffix_of("sent.drums") == ""
    check_width(tmp_path / "a.blocks", "a.blocks", 10)


def test_the_command_line_offers_every_format():
    """Its choices are the entries; and the literal that says so is made of them."""
    told = CliRunner().invoke(app, ["audit", "--help"], env={"COLUMNS": "200"}).output
    assert "|".join(FORMATS) in "".join(told.split())
    assert "CSV, TSV, Parquet, Arrow, JSON lines, Excel, SPSS, SAS or Stata file" in " ".join(told.split())
    assert FORMATS == get_args(formats.FormatName) == formats.format_names()
    (asked,) = [wish for wish in wishes_of(Reading) if wish.name == "format"]
    assert asked.choices == FORMATS and ", ".join(FORMATS) in asked.words.wrong


def test_every_entry_can_be_loaded_and_no_ending_has_two():
    """The functions are where the entries say."""
    for form in KNOWN.values():
        assert form.one is None or callable(form.opener())
        assert form.parts is None or callable(form.parts_opener())
    every = [ending for form in KNOWN.values() for ending in form.endings]
    assert len(every) == len(set(every)) and all(ending == ending.lower() and Path("a" + ending).suffix == ending for ending in every)


def test_entries_load_no_reader():
    """The prompt knows the formats without an engine."""
    code = "import sys, anonscope.io.formats; print([m for m in sys.modules if m in ('duckdb', 'pyarrow', 'anonscope.engines')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"

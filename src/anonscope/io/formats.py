"""The formats that tables are read from: an entry each, from which readers, options, the web app and Spark's readers follow.

Nothing here loads a reader: an entry names it, and it is loaded when such a file is opened.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anonscope.errors import SourceError, shown

_SOURCES = "anonscope.io.sources"
# How files of statistical programs begin; a portable file of SPSS says what it is after 456 bytes that may hold anything.
SPSS_PACKED, SPSS_PORTABLE = b"$FL3", b"SPSSPORT"
SPSS_SYSTEM = (b"$FL2", SPSS_PACKED)
SAS_TABLE = bytes(12) + b"\xc2\xea\x81\x60"
SAS_TRANSPORT = b"HEADER RECORD*******"
_STATA = (b"<stata_dta>", *(bytes((version, order, 1, 0)) for version in (105, 108, 110, 111, 113, 114, 115) for order in (1, 2)))
_WITHIN = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What files of a format are called and how they begin, and who reads them.

    `one` opens a file and `parts` the files of a folder as one table, both as "module:function" below `anonscope.io.sources`. A
    format without `one` is read by Spark only, one without `parts` cannot be in parts, one without `spark` is not read by Spark.
    """

    name: str
    title: str
    plural: str  # such files, in a sentence
    endings: tuple[str, ...]  # of names, in small letters
    marks: tuple[bytes, ...] = ()  # the first bytes; text has none
    within: bytes = b""  # what stands near the beginning of files that have no first bytes of their own; their name must fit too
    one: str | None = None
    parts: str | None = None
    spark: str | None = None  # what Spark's readers call it
    delimiter: str | None = None  # of delimited text, where the format says it

    @property
    def text(self) -> bool:
        """Whether it is text, which only its name tells from other text."""
        return not self.marks

    def opener(self) -> Callable[..., Any]:
        """Return what opens one file: it takes path, engine, options and name, and returns a relation."""
        assert self.one is not None, "asked of what is read here"
        return _reader(self.one)

    def parts_opener(self) -> Callable[..., Any]:
        """Return what opens parts: it takes parts, the keys of their folders, engine and options."""
        assert self.parts is not None, "asked of what can be in parts"
        return _reader(self.parts)


_ENTRIES = (
    Format(
        name="csv",
        title="CSV",
        plural="CSV files",
        endings=(".csv", ".txt"),
        one="delimited:open_delimited",
        parts="one_table:open_delimited_parts",
        spark="csv",
    ),
    Format(
        name="tsv",
        title="TSV",
        plural="TSV files",
        endings=(".tsv", ".tab"),
        one="delimited:open_delimited",
        parts="one_table:open_delimited_parts",
        spark="csv",
        delimiter="\t",
    ),
    Format(
        name="parquet",
        title="Parquet",
        plural="Parquet files",
        endings=(".parquet", ".pq"),
        marks=(b"PAR1",),
        one="columnar:open_parquet",
        parts="one_table:open_parquet_parts",
        spark="parquet",
    ),
    Format(
        name="arrow",
        title="Arrow",
        plural="Arrow files",
        endings=(".arrow", ".feather", ".ipc"),
        marks=(b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"),
        one="columnar:open_arrow",
        parts="one_table:open_arrow_parts",
    ),
    Format(
        name="jsonl",
        title="JSON lines",
        plural="files of JSON lines",
        endings=(".jsonl", ".ndjson"),
        one="json_lines:open_json_lines",
        parts="one_table:open_json_lines_parts",
        spark="json",
    ),
    Format(
        name="excel",
        title="Excel",
        plural="workbooks",
        endings=(".xlsx", ".xls", ".xlsb", ".ods"),
        marks=(b"PK\x03\x04", b"\xd0\xcf\x11\xe0"),
        one="excel:open_excel",
    ),
    Format(
        name="spss",
        title="SPSS",
        plural="files of SPSS",
        endings=(".sav", ".zsav", ".por"),
        marks=SPSS_SYSTEM,
        within=SPSS_PORTABLE,
        one="statistical:open_statistical",
    ),
    Format(
        name="sas",
        title="SAS",
        plural="files of SAS",
        endings=(".sas7bdat", ".xpt"),
        marks=(SAS_TABLE, SAS_TRANSPORT),
        one="statistical:open_statistical",
    ),
    Format(name="stata", title="Stata", plural="files of Stata", endings=(".dta",), marks=_STATA, one="statistical:open_statistical"),
    Format(name="orc", title="ORC", plural="ORC files", endings=(".orc",), marks=(b"ORC",), spark="orc"),
)
KNOWN: dict[str, Format] = {entry.name: entry for entry in _ENTRIES}
if TYPE_CHECKING:
    FormatName = str
else:
    # The formats that somebody may name.
    FormatName = Literal[tuple(entry.name for entry in _ENTRIES if entry.one)]


def format_names(*, spark: bool = False) -> tuple[str, ...]:
    """Return the formats that somebody may name; with `spark` those that Spark reads."""
    return tuple(name for name, form in KNOWN.items() if form.one and (form.spark or not spark))


def format_titles() -> str:
    """Return what can be read, in a sentence."""
    *titles, last = (KNOWN[name].title for name in format_names())
    return f"{', '.join(titles)} or {last}"


def endings(*, spark: bool = False) -> dict[str, str]:
    """Return the format that each ending of a name stands for; with `spark` among those that Spark reads."""
    return {ending: name for name, form in KNOWN.items() if (form.spark if spark else form.one) for ending in form.endings}


def marked(head: bytes, *, spark: bool = False) -> str | None:
    """Return the format that the first bytes of a file tell, if they tell one."""
    found = (name for name, form in KNOWN.items() if form.marks and (form.one or spark) and head.startswith(form.marks))
    return next(found, None)


def format_of(path: Path, head: bytes, name: str) -> str:
    """Return the format of a file: what the bytes say counts more than the name; the name decides between kinds of text."""
    if (by_bytes := marked(head)) is not None:
        return by_bytes
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    by_name = endings().get(suffixes[-1]) if suffixes else None
    if by_name is not None and (KNOWN[by_name].text or (KNOWN[by_name].within and KNOWN[by_name].within in head[:_WITHIN])):
        return by_name
    if by_name is not None:
        raise SourceError(f"{shown(name)} is not a readable {by_name} file, whatever its name says.")
    return "jsonl" if head.lstrip().startswith(b"{") else "csv"


def _reader(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{_SOURCES}.{module}"), function)
    return found

"""What a workbook will become in memory, found out by streaming its XML before anything reads it whole.

Readers of workbooks keep a place for every cell up to the last one, filled or not, so a kilobyte that names two cells in opposite corners
of a sheet asks for half a terabyte. Only the parts that will be read are looked at: the sheet that the workbook names, or the first.
"""

import posixpath
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

from anonscope.errors import SourceError, shown

_PIECE = 2**20
_MOST_CELLS = 50_000_000
_MOST_ENTRIES = 10_000
# A sheet is refused above so many places if fewer than one in a hundred of them is filled.
_FEW_CELLS, _SPARSE = 100_000, 100
_TALLEST, _WIDEST = 1_048_576, 16_384
_KINDS = ("n", "s", "str", "inlineStr", "b", "d", "e")
_WORKBOOK, _RELATIONS, _OPEN_DOCUMENT = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "content.xml"
Attributes = dict[str, str]


class TooLarge(SourceError):
    """The file unpacks to more than it may."""


def is_open_xml(path: Path) -> bool:
    """Return whether a file is a packed workbook with sheets of XML, as .xlsx is."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _WORKBOOK in archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def check_workbook(path: Path, name: str, sheet: str | None = None, limit: int | None = None) -> None:
    """Raise if a packed workbook is damaged, or its sheet would take far more room than what it holds, or all more than a limit."""
    if not zipfile.is_zipfile(path):
        return  # .xls is no archive, and its format allows no more than sixteen million cells
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            names = [entry.filename for entry in entries]
            if len(entries) > _MOST_ENTRIES or len({entry.lower() for entry in names}) < len(names):
                raise SourceError(
                    f"{shown(name)} is no workbook that a program saved: its list of parts is longer than any, or names one twice."
                )
            if limit is not None:
                _check_size(archive, name, limit)
            if _WORKBOOK in names:
                look: _Sheet | _OpenDocument = _Sheet()
                _stream(archive, _sheet_part(archive, sheet), look.start)
            elif _OPEN_DOCUMENT in names:
                look = _OpenDocument()
                _stream(archive, _OPEN_DOCUMENT, look.start)
            else:
                return  # .xlsb is not XML
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, KeyError, ValueError, StopIteration, expat.ExpatError):
        raise SourceError(f"{shown(name)} is not a readable workbook.") from None
    places = look.width * look.height
    if look.height > _TALLEST or look.width > _WIDEST or places > _MOST_CELLS or (places > _FEW_CELLS and places > _SPARSE * look.filled):
        raise TooLarge(
            f"{shown(name)} has cells so far apart that its sheet is {look.width:,} by {look.height:,}, "
            f"of which {look.filled:,} are filled. Delete the cells outside of the table, or save it as .csv."
        )


def _check_size(archive: zipfile.ZipFile, name: str, limit: int) -> None:
    """What an archive says of its own size is not believed."""
    left = limit
    for entry in archive.infolist():
        with archive.open(entry) as handle:
            while piece := handle.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise TooLarge(f"{shown(name)} unpacks to more than the limit of {limit:,} bytes.")


def _sheet_part(archive: zipfile.ZipFile, sheet: str | None) -> str:
    """Return the part that holds a sheet, as the workbook says."""
    sheets: list[tuple[str, str]] = []
    targets: dict[str, str] = {}

    def listed(element: str, attributes: Attributes) -> None:
        if element == "sheet":
            sheets.append((attributes["name"], next(value for key, value in attributes.items() if _local(key) == "id")))

    def related(element: str, attributes: Attributes) -> None:
        if element == "Relationship":
            targets[attributes["Id"]] = attributes["Target"]

    _stream(archive, _WORKBOOK, listed)
    _stream(archive, _RELATIONS, related)
    wanted = next((id for title, id in sheets if title == sheet), sheets[0][1] if sheets else "")
    target = targets[wanted]
    part = posixpath.normpath(target.lstrip("/") if target.startswith("/") else posixpath.join("xl", target))
    return next(entry for entry in archive.namelist() if entry.lower() == part.lower())


def _stream(archive: zipfile.ZipFile, part: str, start: Callable[[str, Attributes], None]) -> None:
    """Parse a part piece by piece; a document that defines entities could become anything, so it is refused."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda element, attributes: start(_local(element), attributes)
    parser.StartDoctypeDeclHandler = _refuse
    with archive.open(part) as handle:
        while piece := handle.read(_PIECE):
            parser.Parse(piece, False)
    parser.Parse(b"", True)


def _refuse(*_: object) -> None:
    raise ValueError("a document type")


def _local(name: str) -> str:
    return name.rpartition(":")[2]


class _Sheet:
    """How far the filled cells of a sheet reach; a cell that does not say where it is stands beside the last one."""

    def __init__(self) -> None:
        self.width = self.height = self.filled = 0
        self._row = self._column = 0
        self._kind = "n"

    def start(self, element: str, attributes: Attributes) -> None:
        """Take note of a row, a cell, or of what fills it."""
        if element == "row":
            self._row, self._column = int(attributes.get("r", self._row + 1)), 0
        elif element == "c":
            self._column, self._row = _place(attributes["r"]) if "r" in attributes else (self._column + 1, self._row)
            self._kind = attributes.get("t", "n")
            # What programs do not know, or did not expect there, one of them reads and another leaves empty.
            if self._kind not in _KINDS:
                raise ValueError("a kind of cell that there is not")
        elif element in ("v", "is"):
            if element == "is" and self._kind != "inlineStr":
                raise ValueError("a text within a cell that is not said to have one")
            self.filled += 1
            self.width, self.height = max(self.width, self._column), max(self.height, self._row)


def _place(name: str) -> tuple[int, int]:
    """Return column and row of a cell that is called such as B7."""
    letters = name.rstrip("0123456789")
    column = 0
    for letter in letters.upper():
        if not "A" <= letter <= "Z":
            raise ValueError("no name of a cell")
        column = 26 * column + ord(letter) - 64
    return column, int(name[len(letters) :])


class _OpenDocument:
    """The same of all sheets of an OpenDocument, where cells and rows are repeated by a number."""

    def __init__(self) -> None:
        self.width = self.height = self.filled = 0
        self._row = self._rows = self._column = self._columns = 0

    def start(self, element: str, attributes: Attributes) -> None:
        """Take note of a table, a row, a cell, or of the text that fills it."""
        named = {_local(key): value for key, value in attributes.items()}
        if element == "table":
            self._row = 0
        elif element == "table-row":
            self._rows = int(named.get("number-rows-repeated", 1))
            self._row += self._rows
            self._column = self._columns = 0
        elif element in ("table-cell", "covered-table-cell"):
            self._columns = int(named.get("number-columns-repeated", 1))
            self._column += self._columns
            if "value-type" in named:
                self._fill()
            elif self._rows > _TALLEST or self._columns > _WIDEST:
                raise ValueError("more empty cells than a sheet has")

    def _fill(self) -> None:
        self.filled += 1
        self.width, self.height = max(self.width, self._column), max(self.height, self._row)

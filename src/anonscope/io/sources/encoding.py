"""Which character encoding a text file has, and turning it into UTF-8."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from anonscope.errors import OptionError, SourceError, shown
from anonscope.io.formats import endings

HEAD = 2**20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Latin-1 gives every byte a meaning.
_UNDEFINED_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"
NAMES = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"} | {
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
}


def is_packed(path: Path) -> bool:
    """Return whether a file is gzip; one that is called so and is not is refused, for its first bytes may be damaged."""
    with open(path, "rb") as handle:
        packed = handle.read(2) == b"\x1f\x8b"
    if not packed and path.suffix.lower() == ".gz":
        raise SourceError(f"{shown(path.name)} is called .gz and does not begin as a gzip file does. If it is not packed, rename it.")
    return packed


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, looking through gzip; a package that is damaged is told, wherever the damage shows."""
    try:
        with cast("IO[bytes]", gzip.open(path, "rb")) if is_packed(path) else open(path, "rb") as handle:
            yield handle
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise SourceError(f"{shown(path.name)} is a damaged gzip file.") from None


def head_of(path: Path, size: int = HEAD) -> bytes:
    """Return the beginning of a file, by default a megabyte, unpacked."""
    with open_bytes(path) as handle:
        return handle.read(size)


def detect(path: Path, head: bytes, name: str) -> str:
    """Return the encoding of a text file; text that is not Unicode is taken for Windows-1252.

    The whole file is looked at, because one accented letter in the last line decides as much as one in the first; a megabyte
    of plain ASCII costs a quarter of a millisecond.
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if utf16 := _utf16_without_mark(head):
        return utf16
    if b"\x00" in head:
        kinds = ", ".join(endings())
        raise SourceError(f"{shown(name)} is a binary file, and none of the kinds that tables are read from: {kinds}.")
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with open_bytes(path) as handle:
            while piece := handle.read(HEAD):
                if not piece.isascii() or decoder.getstate()[0]:
                    decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _legacy(path)
    return "utf-8"


def _legacy(path: Path) -> str:
    """Return the one-byte encoding that gives every byte of the file a meaning."""
    with open_bytes(path) as handle:
        while piece := handle.read(HEAD):
            if len(piece.translate(None, _UNDEFINED_IN_CP1252)) < len(piece):
                return "latin-1"
    return "cp1252"


def known(encoding: str) -> str:
    """Return Python's name of an encoding that the user gave."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise OptionError(f"No encoding is called {encoding!r}. Usual ones: utf-8, utf-16, windows-1252, latin-1.") from None


def transcode(path: Path, encoding: str, target: Path) -> None:
    """Write a text file anew as UTF-8, a piece at a time."""
    decoder = codecs.getincrementaldecoder(encoding)()
    position = 0
    try:
        with open_bytes(path) as source, open(target, "wb") as out:
            while piece := source.read(HEAD):
                out.write(decoder.decode(piece).encode("utf-8"))
                position += len(piece)
            out.write(decoder.decode(b"", final=True).encode("utf-8"))
    except UnicodeError:
        name = NAMES.get(encoding, encoding)
        raise SourceError(
            f"{shown(path.name)} is not {name}: the bytes around position {position:,} have no meaning in it. Say which encoding it has."
        ) from None


def _utf16_without_mark(head: bytes) -> str | None:
    """Western text in UTF-16 has a zero in every second byte."""
    sample = head[:4096]
    if len(sample) < 4:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None

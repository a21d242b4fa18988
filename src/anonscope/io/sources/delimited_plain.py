"""Whether delimited text is written so plainly that no two readers disagree on it.

The engine's reader is quick and lenient: it takes away the quotes of ` "x"`, blanks after a quote, and surplus empty fields. So the bytes
are looked at first, many at once. What is not plain is not refused here; it goes to the strict reader (see `delimited_strict`), which
says on which line something is wrong.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from anonscope.io.sources.delimited_dialect import Dialect

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PIECE = 2**17  # with what is made of it, it fits into the cache of a core
_NEWLINE, _RETURN = 10, 13
_MARK = b"\xef\xbb\xbf"


def is_plain(path: Path, written: Dialect) -> bool:
    """Return whether UTF-8 text has quotes only around fields and doubled in them, one kind of line end, and as many fields as names.

    A line with too few fields could make up for one with too many; the engine's reader refuses the first of them.
    """
    if not (written.delimiter.isascii() and written.quote.isascii()) or written.line_end == "\r" or written.escape != written.quote:
        return False
    look = _Look(written.delimiter, written.quote, returns=written.line_end == "\r\n")
    with open(path, "rb") as file:
        held = file.read(len(_MARK))
        held = b"" if held == _MARK else held
        if written.skip:
            held = b""
            file.seek(0)
            for _ in range(written.skip):
                line = file.readline()
                if not line.endswith(written.line_end.encode()) or line.count(b"\r") != written.line_end.count("\r"):
                    return False
        while piece := file.read(_PIECE):
            held += piece
            if not look.take(held):
                return False
            held = held[-1:]
    # The end of the file ends its last line, whether it says so or not.
    end = written.line_end.encode()
    rest = held if held == b"\n" else held + end
    return look.take(rest + b"\n") and not look.inside and look.fields == look.lines * len(written.header)


class _Look:
    """What was seen so far: whether a quoted value is open, how many lines have ended, and how many fields they had."""

    def __init__(self, delimiter: str, quote: str, *, returns: bool) -> None:
        self.delimiter, self.quote, self.returns = ord(delimiter), ord(quote) if quote else None, returns
        self.inside = False
        self.lines = self.fields = 0
        self._before = _NEWLINE

    def take(self, piece: bytes) -> bool:
        """Look at every byte but the last, which tells what follows, and return whether nothing is odd."""
        if len(piece) < 2:
            return True
        if b"\x00" in piece:
            return False
        every = np.concatenate((np.array([self._before], np.uint8), np.frombuffer(piece, np.uint8)))
        here = every[1:-1]
        self._before = int(here[-1])
        all_newlines, all_delimiters = every == _NEWLINE, every == self.delimiter
        newlines, delimiters = all_newlines[1:-1], all_delimiters[1:-1]
        returns = here == _RETURN if b"\r" in piece else None
        after_newline, before_newline = all_newlines[:-2], all_newlines[2:]
        if self.quote is not None and (self.inside or self.quote in piece):
            all_quotes = every == self.quote
            quotes = all_quotes[1:-1]
            # Odd numbers of quotes are inside of a value: a doubled one leaves it and is back at once.
            inside = _odd(quotes)
            inside ^= self.inside
            # What may stand before a quote that opens a value, and behind one that closes it; a quote itself makes a pair.
            border = all_delimiters | all_newlines
            border |= all_quotes
            closes = border[2:] if not self.returns else border[2:] | (every[2:] == _RETURN)
            if (quotes & inside & ~border[:-2]).any() or (quotes & ~inside & ~closes).any():
                return False
            outside = ~inside
            self.inside = bool(inside[-1])
            newlines = newlines & outside
            delimiters = delimiters & outside
            returns = returns & outside if returns is not None else None
        lines = int(np.count_nonzero(newlines))
        self.lines += lines
        self.fields += lines + int(np.count_nonzero(delimiters))
        if not self.returns:
            return not (newlines & after_newline).any() and (returns is None or not returns.any())
        if (newlines & (every[:-2] != _RETURN)).any():
            return False
        return returns is None or not (returns & (~before_newline | after_newline)).any()


def _odd(marks: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
    """Return for every place whether the number of marks up to there is odd, sixty-four places at a time."""
    bits = np.packbits(marks, bitorder="little")
    words = np.concatenate((bits, np.zeros(-len(bits) % 8, np.uint8))).view(np.uint64)
    for width in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(width)
    ends = np.bitwise_xor.accumulate(words >> np.uint64(63))
    words[1:] ^= np.uint64(0) - ends[:-1]
    return np.unpackbits(words.view(np.uint8), count=len(marks), bitorder="little").view(bool)

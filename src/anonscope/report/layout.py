"""Lines of text and tables as a terminal shows them: at any width, no word is broken and no row lost."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from shlex import quote
from shlex import split as words_of
from textwrap import wrap
from typing import Any

from anonscope.report.words import legible

_APART = 2  # spaces between columns, and before the first
_CARDS = 10**6
_LONGEST_NAME = 28  # of a name that stays as it is in a column that has to give way


@dataclass(frozen=True, slots=True)
class Grid:
    """A table whose columns are not placed yet: how wide they may be is known only where it is printed."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers_right: bool = True

    def lines(self, width: int | None = None) -> Iterator[str]:
        """Yield the header and the rows; cells that a width does not hold go on below, and if none of them can, rows become cards."""
        plain = self._plain()
        placed = self._placed(plain, width)
        if placed is None:
            yield from self._cards(plain, width or 0)
        else:
            yield from (line for row in placed for line in row)

    def tallest(self, width: int) -> int:
        """Return how many lines its tallest row has beside each other; 0 if there is no row, more than any screen has if they are cards."""
        placed = self._placed(self._plain(), width)
        return max(map(len, placed[1:]), default=0) if placed is not None else _CARDS

    def _plain(self) -> list[list[str]]:
        return [[legible(text) for text in line] for line in (self.header, *self.rows)]

    def _placed(self, plain: Sequence[Sequence[str]], width: int | None) -> list[list[str]] | None:
        """Return the lines of the header and of every row; None if a width does not hold them."""
        natural = [max(len(line[i]) for line in plain) for i in range(len(self.header))]
        widths = natural if width is None else _narrowed(plain, natural, width - _APART * len(natural))
        if widths is None:
            return None
        # Numbers end in one column, words begin in one.
        right = [self.numbers_right and i > 0 and not any(c.isalpha() for line in plain[1:] for c in line[i]) for i in range(len(widths))]
        placed: list[list[str]] = []
        for line in plain:
            cells = [wrapped(t, w) or [""] if len(t) > w else [t] for t, w in zip(line, widths, strict=True)]
            rows = ([cell[at] if at < len(cell) else "" for cell in cells] for at in range(max(map(len, cells))))
            aligned = ([t.rjust(w) if end else t.ljust(w) for t, w, end in zip(row, widths, right, strict=True)] for row in rows)
            placed.append([(" " * _APART + (" " * _APART).join(parts)).rstrip() for parts in aligned])
        return placed

    def _cards(self, plain: Sequence[Sequence[str]], width: int) -> Iterator[str]:
        for line in plain[1:]:
            for at, (title, text) in enumerate(zip(plain[0], line, strict=True)):
                indent = "    " if at else "  "
                if text:
                    yield from wrapped(f"{title}: {text}" if title else text, width, initial_indent=indent, subsequent_indent="      ")


def wrapped(text: str, width: int, **wishes: Any) -> list[str]:
    """Return text in lines of a width; no line begins with the sign of a share."""
    return [line.replace("\xa0", " ") for line in wrap(text.replace(" %", "\xa0%"), width, break_on_hyphens=False, **wishes)]


def _narrowed(plain: Sequence[Sequence[str]], natural: Sequence[int], room: int) -> list[int] | None:
    """Return widths that fit the room: the widest columns give way first, none below its longest word; None if that is too much still."""
    longest = [max((len(word) for line in plain for word in line[i].split()), default=1) for i in range(len(natural))]
    # Endless names are broken only where all of them cannot stay whole.
    for least in (longest, [min(letters, _LONGEST_NAME) for letters in longest]):
        if sum(least) <= room:
            widths = list(natural)
            while sum(widths) > room:
                widest = max((i for i in range(len(widths)) if widths[i] > least[i]), key=lambda i: widths[i])
                widths[widest] -= 1
            return widths
    return None


def laid_out(pieces: Iterable[str | Grid], width: int | None = None) -> list[str]:
    """Return lines of text: tables are placed, and where there is a width, sentences and commands go on in the next line."""
    lines: list[str] = []
    for piece in pieces:
        if isinstance(piece, Grid):
            lines += piece.lines(width)
        else:
            lines += [piece] if width is None else folded(piece, width)
    return lines


def folded(line: str, width: int) -> list[str]:
    """Return a line in as many as it needs; a command can be copied all the same, and what is set out in columns stays as it is."""
    said = line.strip()
    if len(line) <= width or "  " in said or said.startswith("#"):
        return [line]
    if said.startswith("anonscope ") and line.startswith(" "):
        return continued(said, width)
    indent = line[: len(line) - len(line.lstrip())]
    below = f"{indent}  " if said.startswith("- ") else indent
    return wrapped(said, width, initial_indent=indent, subsequent_indent=below, break_long_words=False)


def continued(command: str, width: int) -> list[str]:
    """Return a command over several lines that a shell reads as one; no word of it is broken."""
    lines, line = [], " "
    for word in map(quote, words_of(command)):
        if len(line) + len(word) + 3 > width and line.strip():
            lines.append(f"{line} \\")
            line = "   "
        line += f" {word}"
    return [*lines, line]

"""The first screen of a sheet in a terminal: what it comes to, and as many of its sections as 24 lines hold; the rest is named.

Sections come in their own order, whole where they fit, else without their note, else with their first rows and how many more there are.
A sentence is never cut; where several are too many, the first ones stay. What a section must show is shown, whatever that displaces.
"""

from collections.abc import Iterator

from anonscope.report.audit.first_screen import CODES, COLUMNS, LINES
from anonscope.report.charts.scales import fitting
from anonscope.report.layout import Grid, continued, folded, wrapped
from anonscope.report.sheet import Section, Sheet
from anonscope.report.words import legible
from anonscope.version import VERSION

PAGE, BESIDE = "-o report.html", "--report report.html"
_MOST_LEAD, _MOST_COMMAND, _FEWEST_ROWS, _LONGEST_NAME = 8, 6, 2, 28
_TALLEST = 4  # lines of a row that is still read as one
_FOOT = 3  # lines that are kept for what is at the end


def sheet_screen(sheet: Sheet, *, width: int = COLUMNS, colour: bool = False, lines: int = LINES, page: str = PAGE) -> str:
    """Return the screen; `page` is the option that writes a page, if there is one."""
    head = [fitting(legible(f"anonscope {VERSION}: {sheet.source}"), width), "", *_wrapped(sheet.title, width)]
    titles = {head[-1]: CODES[sheet.tone] if sheet.tone is not None else ""}
    head += _sentences(sheet.lead, width, _MOST_LEAD)
    head += _sentences(f"In short: {sheet.conclusion}", width, _MOST_LEAD // 2) if sheet.conclusion else []
    room = lines - len(head) - _FOOT
    body: list[str] = []
    left: list[str] = []
    # What must be shown further below takes its room first.
    kept = sum(len(_least(section, width)) + 1 for section in sheet.sections if section.must)
    for section in sheet.sections:
        kept -= len(_least(section, width)) + 1 if section.must else 0
        free = room - kept - len(body) - 1
        found = next((v for v in _variants(section, width, free) if len(v) <= free), _least(section, width) if section.must else None)
        if found is None:
            left.append(section.title)
            continue
        body += ["", *found]
        titles[found[0]] = ""
        if found[-1].endswith(": --full"):
            left.append("")
    foot = list(_foot(sheet, [title for title in left if title], width, lines - len(head) - len(body), page))
    if left or len(foot) + len(head) + len(body) < lines:
        body.append("")
    printed = [*head, *body, *foot]
    if colour:
        printed = [f"\x1b[1{';' + titles[line] if titles[line] else ''}m{line}\x1b[0m" if line in titles else line for line in printed]
    return "\n".join(printed) + "\n"


def _least(section: Section, width: int) -> list[str]:
    """Return a section with nothing but what must be shown: no command of it is too long, and no word is shortened."""
    return [*_wrapped(section.title, width), *(line for text in section.must for line in folded(f"  {legible(text)}", width))]


def _variants(section: Section, width: int, room: int) -> Iterator[list[str]]:
    """Yield a section in fewer and fewer lines."""
    title, note = _wrapped(section.title, width), _wrapped(section.note, width)
    if section.must:
        least = _least(section, width)
        yield [*title, *note, *least[len(title) :]]
        return
    texts = tuple(tuple(_short(cell.text) for cell in line) for line in section.rows)
    columns = _readable(section.header, texts, width)
    if section.every_column and columns < len(section.header):
        return
    table = list(_grid(section.header, texts, columns).lines(width)) if columns else []
    missing = section.header[columns:]
    more = folded(f"  and {_listed(missing)}: --full", width) if missing else []
    below = [line for text in (*section.lines, *section.verbatim.splitlines()) for line in _line(text, width)]
    if any(len(line) > width for line in (*table, *below)):
        return
    yield [*title, *note, *table, *below, *more]
    if table or below:
        yield [*title, *table, *below, *more]
    if section.verbatim:
        return
    for kept in range(len(texts) - 1, _FEWEST_ROWS - 1, -1):
        fewer = list(_grid(section.header, texts[:kept], columns).lines(width))
        if len(fewer) + len(title) + 1 <= room:
            also = f", and {_listed(missing)}" if missing else ""
            yield [*title, *fewer, *folded(f"  and {len(texts) - kept:,} more{also}: --full", width)]


def _readable(header: tuple[str, ...], rows: tuple[tuple[str, ...], ...], width: int) -> int:
    """Return how many columns are shown, from the left: as many as leave no row a tower."""
    low = (kept for kept in range(len(header), 1, -1) if _grid(header, rows, kept).tallest(width) <= _TALLEST)
    return next(low, len(header))


def _grid(header: tuple[str, ...], rows: tuple[tuple[str, ...], ...], columns: int) -> Grid:
    return Grid(header[:columns], tuple(line[:columns] for line in rows))


def _listed(columns: tuple[str, ...]) -> str:
    return f"the column {columns[0]}" if len(columns) == 1 else f"the columns {', '.join(columns)}"


def _foot(sheet: Sheet, left: list[str], width: int, room: int, page: str) -> Iterator[str]:
    """Yield what else there is, in as many words as there is room for, and how to get it."""
    last = _wrapped(f"Everything: --full.{f' A page with charts: {page}.' if page else ''}", width)
    room -= len(last) + 1
    remarks = len(sheet.notes)
    count = "a remark" if remarks == 1 else f"{remarks} remarks"
    wordings = [f"Take note: {sheet.notes[0]}" if remarks == 1 else f"Take note of {count}: {sheet.notes[0]}"] if remarks else []
    wordings += [f"Take note of {count}: --full."] if remarks else []
    named = f"Not shown here: {'; '.join(left)}." if left else ""
    for wording in wordings:
        told = _wrapped(wording, width)
        if len(told) + (1 if left else 0) <= room:
            yield from told
            room -= len(told)
            break
    if named:
        told = _wrapped(named, width)
        if len(told) <= room:
            yield from told
        elif room > 0:
            yield f"Not shown here: {len(left)} more tables." if len(left) > 1 else "Not shown here: one more table."
    yield from last


def _line(text: str, width: int) -> list[str]:
    said = legible(text)
    if not said.startswith("anonscope "):
        return folded(f"  {said}", width)
    command = continued(said, width)
    return command if len(command) <= _MOST_COMMAND else ["  Its command is long: --full prints it."]


def _sentences(text: str, width: int, most: int) -> list[str]:
    """Return the first sentences of a text, as many as so many lines hold, and at least one."""
    parts = text.split(". ")
    for kept in range(len(parts), 0, -1):
        said = ". ".join(parts[:kept])
        lines = _wrapped(said if kept == len(parts) else f"{said}.", width)
        if len(lines) <= most:
            return lines
    # One sentence with names without end.
    return [*lines[: most - 1], f"{lines[most - 1][: width - 1]}…"]


def _wrapped(text: str, width: int) -> list[str]:
    return wrapped(_short(legible(text)), width)


def _short(text: str) -> str:
    """Return text whose endless words are shortened: a name may be cut, a sentence never."""
    return " ".join(fitting(word, _LONGEST_NAME) if len(word) > _LONGEST_NAME + 20 else word for word in text.split(" "))

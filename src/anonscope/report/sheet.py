"""A sheet: titled tables with notes, for results that are not audits. The same content as text, Markdown and HTML."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anonscope.errors import OptionError
from anonscope.report.audit.markdown import escape
from anonscope.report.charts.bars import Bars, bars
from anonscope.report.charts.chart import Chart
from anonscope.report.charts.points import Scatter, scatter
from anonscope.report.layout import Grid, laid_out
from anonscope.report.words import Tone, legible
from anonscope.version import VERSION


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell says, and how deep its colour is (0 to 1; None has none). The colour only repeats what the text says."""

    text: str
    depth: float | None = None
    tone: Tone | None = None  # the colour of a word that judges


@dataclass(frozen=True, slots=True)
class Section:
    """One table under a heading; the first cell of a row names the row."""

    title: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    note: str = ""
    chart: Scatter | Bars | Chart | None = None  # shows on a page what the table says
    matrix: bool = True  # narrow cells of one kind; else words and numbers
    lines: tuple[str, ...] = ()  # sentences below the table
    to_sign: bool = False  # rows have room for a hand
    verbatim: str = ""  # a document that is to be copied
    folded: bool = False  # the chart says it, and the table waits to be asked for
    of_chart: str = ""  # what is said of a chart, where there is one: on a page
    must: tuple[str, ...] = ()  # what a first screen shows of it in any case, however long that is; whole sentences and commands
    every_column: bool = False  # the last column is what it is about: a first screen shows all of them, or none

    @property
    def drawing(self) -> Chart | None:
        """The chart, drawn."""
        match self.chart:
            case Scatter():
                return scatter(self.chart)
            case Bars():
                return bars(self.chart)
        return self.chart


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything one page says."""

    title: str
    source: str
    lead: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    tone: Tone | None = None  # the colour of the lead, which repeats what it says
    shows_values: bool = False  # somebody asked for values of a column by name
    charts: tuple[Chart, ...] = ()  # what the first screen of its page shows
    whole: bool = False  # a document that is read from end to end, printed and signed: no section is folded
    signed: bool = False  # it decides about a release, so that somebody signs it
    foot: str = ""  # the file and its hash, at the foot of printed pages
    conclusion: str = ""  # what it comes to, in a sentence: a terminal ends with it, a page begins with it
    once: bool = False  # asked again it would be another one, and cost again: a terminal shows all of it at once

    @property
    def shaded(self) -> bool:
        """Whether colours of cells stand for numbers."""
        return any(cell.depth is not None for section in self.sections for line in section.rows for cell in line)


def row(*cells: str | Cell) -> tuple[Cell, ...]:
    """Return a row of cells; plain text is a cell without colour."""
    return tuple(Cell(cell) if isinstance(cell, str) else cell for cell in cells)


def render_sheet(sheet: Sheet, format: str) -> str:
    """Return a sheet as text, markdown, html, or as the fragment a notebook shows."""
    match format:
        case "text":
            return "\n".join(laid_out(sheet_text(sheet))) + "\n"
        case "markdown":
            return "\n".join(_markdown(sheet)) + "\n"
        case "html" | "fragment":
            from anonscope.report.html import environment

            page = environment().get_template("sheet.html.jinja")
            return str(page.render(sheet=sheet, version=VERSION, fragment=format == "fragment"))
        case _:
            raise OptionError(f"No format is called {format!r}. There are: text, json, markdown, html.")


def sheet_text(sheet: Sheet) -> Iterator[str | Grid]:
    """Yield a whole sheet as lines of text and tables."""
    yield f"anonscope {VERSION}: {legible(sheet.source)}"
    yield ""
    yield sheet.title
    yield legible(sheet.lead)
    for section in sheet.sections:
        yield from section_text(section)
    if sheet.notes:
        yield ""
        yield "Take note"
        yield from (f"  - {legible(note)}" for note in sheet.notes)
    if sheet.conclusion:
        yield ""
        yield f"In short: {legible(sheet.conclusion)}"


def section_text(section: Section) -> Iterator[str | Grid]:
    """Yield a section as lines of text and its table."""
    yield ""
    yield section.title
    if section.note:
        yield section.note
    if section.header:
        yield Grid(section.header, tuple(tuple(cell.text for cell in line) for line in section.rows))
    yield from (f"  {legible(line)}" for line in section.lines)
    yield from (f"  {line}".rstrip() for line in section.verbatim.splitlines())


def section_markdown(section: Section) -> Iterator[str]:
    """Yield a section as lines of Markdown."""
    yield ""
    yield f"## {escape(section.title)}"
    yield ""
    if section.note:
        yield escape(section.note)
        yield ""
    if section.header:
        yield from _table(section.header, [[cell.text for cell in line] for line in section.rows])
    if section.lines:
        yield ""
        yield from (f"- {escape(line)}" for line in section.lines)
    if section.verbatim:
        yield from ("```toml", *section.verbatim.rstrip().splitlines(), "```")


def _markdown(sheet: Sheet) -> Iterator[str]:
    yield f"# {escape(sheet.title)}"
    yield ""
    yield f"{escape(sheet.source)}, anonscope {VERSION}. {escape(sheet.lead)}"
    for section in sheet.sections:
        yield from section_markdown(section)
    if sheet.notes:
        yield ""
        yield "## Take note"
        yield ""
        yield from (f"- {escape(note)}" for note in sheet.notes)
    if sheet.conclusion:
        yield ""
        yield f"**In short:** {escape(sheet.conclusion)}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(escape, header))} |"
    yield f"|{' --- |' * len(header)}"
    for line in rows:
        yield f"| {' | '.join(map(escape, line))} |"

"""A finished chart: a figure with a title, a description, a key, and a table that says the same to whoever does not see it."""

from dataclasses import dataclass
from typing import Literal

from anonscope.report.charts.scales import fitting
from anonscope.report.charts.svg import Svg, element, joined

_LONG = 120  # letters that a cell of a small screen shows at once
Shape = Literal["plane", "lanes", "pairs", "flow", "panels"]


@dataclass(frozen=True, slots=True)
class Key:
    """What a colour or a line of a chart stands for; `mark` is the class that the drawing has too, or a number on the paper."""

    mark: str
    words: str
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several drawings of a chart, which stand side by side where there is room."""

    title: str
    description: str
    height: int
    drawing: Svg


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing and everything that is said beside it. Pages take it as it is (`__html__`)."""

    title: str
    description: str
    shape: Shape
    height: int
    drawing: Svg
    key: tuple[Key, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    panels: tuple[Panel, ...] = ()  # instead of one drawing

    def __html__(self) -> Svg:
        """Return the figure."""
        if self.panels:
            whole = (element("div", element("h4", p.title), _drawn(p.title, p.description, "panel", p)) for p in self.panels)
            drawn = element("div", *whole, class_="panels")
        else:
            drawn = _drawn(self.title, self.description, self.shape, self)
        caption = element("figcaption", element("strong", self.title), *((" ", self.note) if self.note else ()))
        return element("figure", caption, drawn, self._keys(), self._twin(), class_="chart")

    def _keys(self) -> Svg:
        if not self.key:
            return Svg("")
        lines = (
            element(
                "li", element("b", key.mark, class_="number") if key.numbered else element("i", class_=f"key {key.mark}"), " ", key.words
            )
            for key in self.key
        )
        return element("ul", *lines, class_="keys")

    def _twin(self) -> Svg:
        if not self.header:
            return Svg("")
        return element("details", element("summary", f"{self.title}, in numbers"), self._table(), class_="twin")

    @property
    def in_numbers(self) -> Svg:
        """The table under the chart's title, for paper, where the chart itself is on another page."""
        return joined(element("h3", self.title), self._table()) if self.header else Svg("")

    def _table(self) -> Svg:
        head = element("thead", element("tr", *(element("th", title, scope="col") for title in self.header)))
        lines = (
            element(
                "tr",
                element("th", _long(line[0]), scope="row"),
                *(element("td", _long(text), data_title=fitting(title, 40)) for title, text in zip(self.header[1:], line[1:], strict=True)),
            )
            for line in self.rows
        )
        return element("div", element("table", head, element("tbody", *lines), class_="cards"), class_="scroll")


def _drawn(title: str, description: str, shape: str, drawing: Chart | Panel) -> Svg:
    inside = (element("title", title), element("desc", description), drawing.drawing)
    said = f"{title}. {description}"
    return element("svg", *inside, role="img", aria_label=said, class_=shape, width="100%", height=drawing.height)


def _long(text: str) -> str:
    """Return text of a cell; a long one is cut on a small screen until somebody touches it."""
    return text if len(text) <= _LONG else element("span", text, class_="long endless", tabindex=0)


def empty(title: str, words: str, shape: Shape = "plane") -> Chart:
    """Return the chart of nothing, which says so."""
    told = element("text", words, x="50%", y=28, text_anchor="middle", class_="tick")
    return Chart(title, words, shape, 48, joined(told))

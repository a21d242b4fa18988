"""Markup that is escaped when it is made: elements of SVG and HTML as text that a page takes as it is."""

from html import escape


class Svg(str):
    """Markup whose contents are escaped already."""

    __slots__ = ()

    def __html__(self) -> "Svg":
        return self


def element(tag: str, *inside: str, **attributes: str | float | None) -> Svg:
    """Return an element; text in it is escaped, markup is not. `class_` is class, `text_anchor` is text-anchor; None leaves out."""
    said = "".join(f' {_name(name)}="{escape(_value(value))}"' for name, value in attributes.items() if value is not None)
    return Svg(f"<{tag}{said}>{joined(*inside)}</{tag}>")


def joined(*parts: str) -> Svg:
    """Return pieces one after the other."""
    return Svg("".join(part if isinstance(part, Svg) else escape(part) for part in parts))


def _name(name: str) -> str:
    known = {"viewbox": "viewBox", "preserveaspectratio": "preserveAspectRatio"}
    return known.get(name) or name.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"

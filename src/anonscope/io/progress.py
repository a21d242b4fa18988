"""How far long work has got: told to whoever asked, and shown by itself in a notebook."""

import sys
import time
from collections.abc import Callable
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar

from anonscope.io.figures import decimals

Progress = Callable[[str, int, int], None]
_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")
_PATIENCE, _AGAIN = 1.0, 0.2  # seconds before a bar is shown, and between two looks of it


def silent(label: str, done: int, of: int) -> None:
    """Tell nobody."""


def shown_in_notebooks(function: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Return a function that shows a bar in a notebook while it works, unless somebody asked to be told; elsewhere it shows nothing."""

    @wraps(function)
    def call(*given: _Given.args, **asked: _Given.kwargs) -> _Found:
        draw = None if asked.get("progress") is not None or NotebookBar.busy else _drawn_by()
        if draw is None:
            return function(*given, **asked)
        bar = NotebookBar(draw)
        try:
            # What it calls in turn shows no bar of its own.
            NotebookBar.busy = True
            asked["progress"] = bar
            return function(*given, **asked)
        finally:
            NotebookBar.busy = False
            bar.close()

    return call


class NotebookBar:
    """A bar below the cell of a notebook, or on the last line of IPython, that goes away when the work is done."""

    busy = False

    def __init__(self, draw: Callable[[str, str], None]) -> None:
        self._draw = draw
        self._began = self._last = time.monotonic()
        self._shown = False

    def __call__(self, label: str, done: int, of: int) -> None:
        """Show a step, if the work takes long enough to want it."""
        now = time.monotonic()
        if now - self._began < _PATIENCE or now - self._last < _AGAIN:
            return
        self._shown, self._last = True, now
        share = f"{done} of {of}" if of else ""
        page = (
            f'<label style="font: 14px system-ui, sans-serif">anonscope: {escape(label)} '
            f'<progress value="{done}" max="{max(of, 1)}" aria-label="{escape(label)}"></progress> '
            f"{decimals(now - self._began, 0)} s</label>"
        )
        self._draw(page, f"anonscope: {label} {share}, {decimals(now - self._began, 0)} s")

    def close(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._draw("", "")


def _drawn_by() -> Callable[[str, str], None] | None:
    """Return what draws in the IPython that runs this; None where there is none, and nothing is loaded to find out."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    if not hasattr(shell, "kernel"):
        return _on_the_line if sys.stderr.isatty() else None
    from importlib import import_module

    display = import_module("IPython.display")
    handle: Any = None

    def draw(page: str, _line: str) -> None:
        nonlocal handle
        if handle is None:
            handle = display.display(display.HTML(page), display_id=True)
        else:
            handle.update(display.HTML(page))

    return draw


def _on_the_line(_page: str, line: str) -> None:
    sys.stderr.write(f"\r{line[:79]:<79}\r" if not line else f"\r{line[:79]:<79}")
    sys.stderr.flush()

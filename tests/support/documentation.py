"""Pages of the documentation as tests read them."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


DOCS = ROOT / "docs"


FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Return language, title and content of every fenced block."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def prose(page: str) -> str:
    """Return a page without its fenced blocks, each run of blanks as one."""
    return " ".join(FENCE.sub("", text_of(page)).split())


def code_spans(page: str) -> str:
    """Return what a page sets as code, so that a common word in a sentence does not pass for a name."""
    return "\n".join(re.findall(r"`([^`]+)`", FENCE.sub("", text_of(page))))


def documented(name: str, page: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", code_spans(page)) is not None


def fits(expected: dict[str, Any], found: dict[str, Any]) -> bool:
    """Whether a found entry has everything the page shows of it, numbers to four decimals."""
    for key, value in expected.items():
        if key not in found:
            return False
        if isinstance(value, float) and found[key] is not None:
            if found[key] != pytest.approx(value, abs=5e-5):
                return False
        elif found[key] != value:
            return False
    return True

"""The versions that everybody gets: one each, from no particular place, for the Python that Debian has."""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
# Debian 12 stays with this one; some packages ask for a later 3.11, and nobody whose Python is newer would notice.
DEBIAN = "3.11.2"
PINNED = [line for line in CONSTRAINTS.read_text().splitlines() if line and not line.startswith("#")]


def test_every_line_pins_one_version() -> None:
    """Without addresses: where packages come from is for whoever installs them to say."""
    assert len(PINNED) > 50
    assert [line for line in PINNED if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+(\s*;.*)?", line)] == []


@pytest.mark.parametrize("line", PINNED)
def test_every_version_runs_on_debian(line: str) -> None:
    """What is pinned accepts the oldest Python that we promise to work with."""
    from packaging.specifiers import SpecifierSet

    name = line.partition("==")[0]
    try:
        asked = metadata(name)["Requires-Python"]
    except PackageNotFoundError:
        pytest.skip(f"{name} is not installed on this platform")
    assert asked is None or SpecifierSet(asked).contains(DEBIAN), f"{name} asks for Python {asked}"

"""One server and one browser for all tests of the pages that run in the same process."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server, with the token that lets one in."""
    from support.browsing import server

    with server(tmp_path_factory.mktemp("served")) as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running browser."""
    from support.browsing import browser

    with browser() as running:
        yield running


@pytest.fixture
def visitor(served: str, chromium: Any) -> Iterator[Any]:
    """Somebody who has just opened the address that the server printed."""
    from support.browsing import Visitor

    context = chromium.new_context()
    somebody = Visitor(context)
    somebody.page.goto(served)
    yield somebody
    context.close()

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


@pytest.fixture(scope="session")
def furnished(served: str, chromium: Any) -> Iterator[Any]:
    """A workspace in which everything has been done once, for whoever only looks: its address, and the cookie that opens it."""
    from support.browsing import Furnished, Visitor

    context = chromium.new_context()
    somebody = Visitor(context)
    somebody.page.goto(served)
    verdict = somebody.audits_sample()
    until_verdict = list(somebody.interactions)
    somebody.page.wait_for_selector("#releases .card")
    promised = somebody.told("plan.json")
    somebody.click("#releases .card button >> nth=0")
    somebody.page.wait_for_selector("#made .links")
    release = somebody.downloads()
    told = {"plan": promised, "anonymisation": somebody.told("anonymisation.json"), "workspace": somebody.told("workspace")}
    address, cookies = somebody.page.url.rpartition("/")[0], context.storage_state()
    context.close()
    yield Furnished(address, cookies, until_verdict, somebody.interactions, verdict, told, release, somebody.complaints)

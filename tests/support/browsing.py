"""A visitor in a real browser, who counts what they must do; and a server of our own to visit."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


def _chromium() -> str | None:
    """Return the browser of the system, or the one that `playwright install` fetched."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
        found = next((str(path) for path in sorted(folder.glob("chromium-*/chrome-linux*/chrome"))), None)
    return found


CHROMIUM = _chromium()
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine")
# Long enough for a machine that is busy with other things.
PATIENCE = 150_000


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Start `anonscope serve` and give the address it prints, with the token that lets one in."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"TMPDIR": str(folder)}
    command = [sys.executable, "-m", "anonscope", "serve", "--no-browser", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as process:
        try:
            said = []
            for line in process.stdout or ():
                said.append(line)
                found = re.search(r"http://\S+", line)
                if found:
                    break
            else:
                pytest.fail(f"the server did not start: {''.join(said)}")
            _wait(port)
            yield found[0]
        finally:
            process.terminate()
            process.stdout.close()
            process.wait(20)


def _wait(port: int) -> None:
    import time

    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server does not listen")


@contextmanager
def browser() -> Iterator[Any]:
    """Give Debian's Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@dataclass(frozen=True)
class Furnished:
    """A workspace that can be looked at: where its rooms are, what lets a browser in, and how somebody came to have its release in hand."""

    address: str
    cookies: Any
    until_verdict: list[str]  # interactions
    until_release: list[str]
    verdict: str
    told: dict[str, Any]  # plan, anonymisation and workspace, as programs get them
    release: str
    complaints: list[str]


# What stands in a room once it is complete.
COMPLETE = {
    "data": "#row-hint:not(:empty)",
    "columns": "#strip:not(:empty)",
    "risk": "#made .links",
    "repair": "#explorer .answer .word",
    "compare": "#versions li",
    "sign-off": "#report section",
}


class Visitor:
    """Somebody at the page. Every click, choice of a file and key counts as an interaction."""

    def __init__(self, context: Any) -> None:
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.interactions: list[str] = []
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def click(self, selector: str) -> None:
        """Click."""
        self.interactions.append(f"click {selector}")
        self.page.click(selector)

    def choose_file(self, selector: str, path: Path) -> None:
        """Choose a file."""
        self.interactions.append(f"choose a file at {selector}")
        self.page.set_input_files(selector, str(path))

    def press(self, key: str) -> None:
        """Press a key."""
        self.interactions.append(f"press {key}")
        self.page.keyboard.press(key)

    def says_rows_are_people(self) -> None:
        """Answer what a row is, and wait for the columns."""
        self.page.wait_for_selector("#row-person")
        self.click("#row-person")
        self.page.wait_for_selector("#roles:not([hidden])")

    def brings(self, path: Path) -> None:
        """Choose a table of people, a row each, and wait for its columns."""
        self.choose_file("#file", path)
        self.says_rows_are_people()

    def takes_sample(self) -> None:
        """Choose the sample, and wait for its columns."""
        self.click("#sample")
        self.says_rows_are_people()

    def downloads(self) -> str:
        """Take the release that is shown into the hand, and return what is in it."""
        with self.page.expect_download() as found:
            self.click("#made .links a >> nth=0")
        return str(found.value.path().read_text(encoding="utf-8"))

    def goes_to(self, room: str) -> None:
        """Go to a room by the navigation."""
        self.click(f".rooms a[href$='/{room}']")
        self.page.wait_for_url(f"**/{room}")

    @property
    def table(self) -> str:
        """The id of the table whose workspace is shown."""
        return str(self.page.get_attribute("#desk", "data-id"))

    def told(self, document: str) -> Any:
        """Return a document about the table, as a program gets it."""
        return self.page.evaluate("address => fetch(address).then(r => r.json())", f"/api/v1/tables/{self.table}/{document}")

    def audits(self) -> str:
        """Audit the table whose columns are shown, and return the verdict."""
        self.click("text=Audit this table")
        return self.sees_verdict()

    def sees_verdict(self) -> str:
        """Wait for the verdict and return it."""
        self.page.wait_for_selector("#report .verdict h1")
        return str(self.page.inner_text("#report .verdict h1"))

    def sees_sliders(self) -> None:
        """Go to the room of repairs, and wait until its sliders are ready."""
        self.goes_to("repair")
        self.page.wait_for_selector("#explorer .answer .word")

    def audits_sample(self) -> str:
        """Go from the first page to the verdict on the sample."""
        self.takes_sample()
        return self.audits()

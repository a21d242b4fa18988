"""Whole journeys in a real browser on public tables: python -m benchmarks.journeys [--rows 2000] [--width 1280 --width 380].

From the file to a release in hand, with the default policy and the suggested roles, as somebody does it who corrects nothing but what the
page asks about: people with several rows, reasons, and a plan that must look for longer. Printed are interactions, what came of it, whether
a page is wider than the window, and what the browser complained about. Tables come from the folder that ANONSCOPE_DATA names.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TABLES = {
    "OULAD": "oulad/studentInfo.csv",
    "SPARCS": "sparcs/sparcs_2016_sample1000.csv",
    "ACS": "nist_acs/national2019.csv",
}
# What somebody takes out who looks at the columns: weights that tell who somebody is stop a release.
_TAKEN_OUT = {"ACS": ("PWGTP", "WGTP")}
_REASON = "a journey on public data"
_PATIENCE = 240_000
_ROOMS = ("data", "columns", "risk", "repair", "compare", "sign-off")


@contextmanager
def serving() -> Iterator[str]:
    """Give the address of a server."""
    with subprocess.Popen([sys.executable, "-m", "anonscope", "serve", "--no-browser"], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
        finally:
            server.terminate()


class Journey:
    """Somebody on the way through the rooms, who counts what they must do."""

    def __init__(self, page: Any) -> None:
        self.page, self.done, self.complaints = page, [], []
        page.set_default_timeout(_PATIENCE)
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def click(self, selector: str) -> None:
        """Click, and count it."""
        self.done.append(selector)
        self.page.locator(selector).first.click()

    def told(self) -> dict[str, Any]:
        """Return the workspace as a program gets it."""
        id = self.page.get_attribute("#desk", "data-id")
        found: dict[str, Any] = self.page.evaluate("a => fetch(a).then(r => r.json())", f"/api/v1/tables/{id}/workspace")
        return found

    def to_the_verdict(self, file: Path, person: str | None, taken_out: tuple[str, ...]) -> str:
        """Go from the file to the verdict."""
        page = self.page
        self.done.append("choose the file")
        page.set_input_files("#file", str(file))
        page.wait_for_function("() => (document.querySelector('#row-hint')?.textContent ?? 'Looking').startsWith('Looking') === false")
        self.click("#row-person" if person is None else "#row-event")
        if person is not None and page.is_visible("#person"):
            page.select_option("#person", person)
            self.done.append("whose row it is")
        page.wait_for_url("**/columns")
        page.wait_for_selector("#strip:not(:empty)")
        for column in taken_out:
            self.page.locator(f"tr:has(.name:text-is('{column}'))").focus()
            self.page.keyboard.press("d")
            self.done.append(f"press d on {column}")
            self.page.wait_for_selector("#undo:enabled")
        self.click("text=Audit this table")
        page.wait_for_selector("#report .verdict h1")
        return str(page.inner_text("#report .verdict h1"))

    def to_the_release(self) -> int:
        """Make the first release that is offered, with a reason where one is asked for; return how many records are in hand."""
        page = self.page
        page.wait_for_selector("#planned .lead")
        for box in page.locator("#asked input[type=text]").all():
            box.fill(_REASON)
            self.done.append("type a reason for columns")
        if not page.locator("#releases .card button").count() and page.locator("#plan-longer").count():
            self.click("#plan-longer")
            page.wait_for_selector("#releases .card button")
        leaves = "#releases .card button:has-text('out, and plan again')"
        if page.locator(leaves).count():
            self.click(leaves)
            page.wait_for_selector(leaves, state="detached")
            page.wait_for_selector("#releases .card button")
        card = page.locator("#releases .card:has(button)").first
        for box in card.locator("input[type=text]").all():
            box.fill(_REASON)
            self.done.append("type a reason")
        self.done.append("make the release")
        card.locator("button").first.click()
        page.wait_for_selector("#made .links, #releases .problem:not([hidden]), #desk-problem:not([hidden])")
        if not page.locator("#made .links").count():
            self.done.extend(f"stopped: {text}" for text in page.locator(".problem:visible").all_inner_texts())
            return 0
        with page.expect_download() as found:
            self.click("#made .links a")
        return len(Path(found.value.path()).read_text(encoding="utf-8").splitlines()) - 1

    def wider(self) -> list[str]:
        """Return the rooms that are wider than the window, after a reload each."""
        base, found = self.page.url.rpartition("/")[0], []
        for room in _ROOMS:
            self.page.goto(f"{base}/{room}")
            self.page.reload()
            self.page.wait_for_load_state("networkidle")
            if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append(room)
        return found


def main() -> int:
    """Go every way, and say what came of it; 1 if somebody got stuck."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=2000)
    asked.add_argument("--width", type=int, action="append")
    asked.add_argument("--only", choices=TABLES)
    wanted = asked.parse_args()
    from playwright.sync_api import sync_playwright

    folder, stuck = Path(os.environ["ANONSCOPE_DATA"]), 0
    with serving() as address, sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        for name, path in TABLES.items():
            if wanted.only not in (None, name):
                continue
            lines = (folder / path).read_text(encoding="utf-8").splitlines()[: wanted.rows + 1]
            file = Path(temporary) / Path(path).name
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
            for width in wanted.width or [1280, 380]:
                context = browser.new_context(viewport={"width": width, "height": 900})
                journey = Journey(context.new_page())
                journey.page.goto(address)
                said = journey.to_the_verdict(file, "id_student" if name == "OULAD" else None, _TAKEN_OUT.get(name, ()))
                records = journey.to_the_release()
                verdict, wide = journey.told()["verdict"]["words"], journey.wider()
                stuck += not records
                print(f"{name} at {width} px: {said!r}; {len(journey.done)} interactions to {records:,} records in hand ({verdict}); ")
                print(f"  {journey.done}; wider than the window: {wide or 'none'}; complaints: {journey.complaints or 'none'}", flush=True)
                context.close()
        browser.close()
    return 1 if stuck else 0


def _chromium() -> str | None:
    from shutil import which

    return which("chromium") or which("chromium-browser")


if __name__ == "__main__":
    sys.exit(main())

"""The pictures of README and documentation, made anew: python -m benchmarks.pictures [FOLDER] (or make pictures).

The sample is audited, planned, released and compared, and the pages are looked at by a real browser: as files, and in the web app.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

PATIENCE = 120_000
WIDTH = 1180


def run(*said: str, folder: Path) -> None:
    """Run a command as people do; a verdict that says no is no failure."""
    done = subprocess.run([sys.executable, "-m", "anonscope", *said], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 4):
        raise SystemExit(done.stderr)


def files(page: Page, folder: Path, to: Path) -> None:
    """Take the pages that commands write."""
    run("demo", "--folder", ".", folder=folder)
    roles = ("--roles", "patients.roles.toml", "--policy", "ema-0070")
    run("anonymise", "patients.csv", *roles, "-o", "release.csv", "--report", "anonymised.html", folder=folder)
    run("compare", "patients.csv", "release.csv", *roles, "-o", "comparison.html", folder=folder)
    run("link", "release.csv", "voters.csv", "--column", "age=age_at_election", "-o", "linkage.html", folder=folder)
    for name, height in (("report", 1500), ("anonymised", 1500), ("comparison", 1400), ("linkage", 1000)):
        if (folder / f"{name}.html").exists():
            page.set_viewport_size({"width": WIDTH, "height": height})
            page.goto((folder / f"{name}.html").as_uri())
            page.screenshot(path=to / f"{name}.png")


def app(page: Page, folder: Path, to: Path) -> None:
    """Take the web app: the columns, the results, the plan and the sliders."""
    environment = os.environ | {"TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "anonscope", "serve", "--no-browser"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            page.set_viewport_size({"width": WIDTH, "height": 860})
            address = server.stdout.readline().split()[-1]
            page.wait_for_timeout(2000)  # it listens a moment after it says where
            page.goto(address)
            page.click("#sample")
            page.wait_for_selector("#roles:not([hidden])")
            page.screenshot(path=to / "web-roles.png")
            page.click("text=Audit this table")
            page.wait_for_selector("#report .verdict h1")
            page.wait_for_selector("#explorer .answer .word")
            page.wait_for_timeout(500)
            page.screenshot(path=to / "web-results.png")
            _show(page, "#releases", to / "web-plan.png")
            for slider in page.query_selector_all(".slider input[id^=level-]")[:3]:
                slider.focus()
                page.keyboard.press("ArrowRight")
            page.wait_for_timeout(1500)
            _show(page, "#explore", to / "web-what-if.png")
        finally:
            server.terminate()
            server.wait(30)


def _show(page: Page, section: str, to: Path) -> None:
    page.evaluate("section => document.querySelector(section)?.scrollIntoView()", section)
    page.wait_for_timeout(700)
    page.screenshot(path=to)


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("docs/images"))
    to = parser.parse_args().folder
    options: dict[str, Any] = {"args": ["--no-sandbox"], "executable_path": shutil.which("chromium") or shutil.which("chromium-browser")}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        page = browser.new_context(color_scheme="light").new_page()
        page.set_default_timeout(PATIENCE)
        for take in (files, app):
            folder = Path(place) / take.__name__
            folder.mkdir()
            take(page, folder, to)
        browser.close()


if __name__ == "__main__":
    main()

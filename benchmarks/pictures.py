"""The pictures of README and documentation, made anew: python -m benchmarks.pictures [FOLDER] (or make pictures).

The sample is audited, planned, released and compared, and the pages are looked at by a real browser: as files, and in the web app.
With --check every page of every table is made and looked at at four widths, in light and dark; --keep FOLDER keeps them with screenshots.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from base64 import b64encode
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks.pages import pages, tables
from benchmarks.printing import Lines
from benchmarks.widths import SCHEMES, WIDTHS, faults, serious

PATIENCE = 120_000
WIDTH = 1180
TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
_BLOCK = re.compile(r'^```(\w+)(?: title="(.+?)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
# What a tutorial's picture shows: the page of this command, said in a folder with what the tutorial wrote until then; None: of its program.
PICTURED = {
    "ci-gate": "audit people.csv --roles people.roles.toml --policy two.toml -o page.html",
    "from-arx": "anonymise people.csv -q age -q sex -s ill --hierarchy age=age.csv --limit k_anonymity=2 --method global --loss arx_loss "
    "-o release.csv --report page.html",
    "from-sdcmicro": None,
    "open-data-portal": "anonymise survey.csv -q age -q district -q transport -s complaint --limit k_anonymity=11 --limit l_diversity=2 "
    "-o open.csv --report page.html",
    "survey-weights-households": "audit survey.sav -q v1 -q v2 -s income -w w --household home --no-plan -o page.html",
    "university-learning-data": "anonymise clicks.csv -q age_band -q region -q week -q clicks -s result -p student --limit k_anonymity=5 "
    "-o release.csv --report page.html",
    "warehouse-on-spark": "audit visits -q age -q zip -s ill --no-plan -o page.html",
}


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
            states(page, folder / f"{name}.html", to / f"{name}-at-every-width.png")


def tutorials(page: Page, folder: Path, to: Path) -> None:
    """Take the page that each tutorial leads to."""
    for name, command in PICTURED.items():
        place = folder / name
        place.mkdir()
        programs = []
        for language, title, content in _BLOCK.findall((TUTORIALS / f"{name}.md").read_text(encoding="utf-8")):
            if language in ("csv", "toml") and not (place / title).exists():
                (place / title).write_text(content)
            elif language == "shell":
                break
            elif language == "python":
                programs.append(content)
        programs += [] if command else ['open("page.html", "w").write(audit.render("html"))']
        if programs:
            subprocess.run([sys.executable, "-c", "\n".join(programs)], cwd=place, check=True)
        if command:
            run(*shlex.split(command), folder=place)
        page.set_viewport_size({"width": 1000, "height": 640})
        page.goto((place / "page.html").as_uri())
        page.screenshot(path=to / f"tutorial-{name}.png")


def states(page: Page, shown: Path, to: Path) -> None:
    """Take one picture of a page at four widths, in light and in dark, side by side at two fifths of its size."""
    browser = page.context.browser
    assert browser is not None
    rows = []
    for scheme in SCHEMES:
        taken = []
        for width in WIDTHS:
            context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 1500})
            one = context.new_page()
            one.goto(shown.as_uri())
            picture = b64encode(one.screenshot()).decode()
            taken.append(f"<img width={width * 2 // 5} src='data:image/png;base64,{picture}'>")
            context.close()
        rows.append(f"<div>{''.join(taken)}</div>")
    # A page of ours allows no pictures from elsewhere, and would go on doing so.
    page.goto("about:blank")
    page.set_viewport_size({"width": sum(WIDTHS) * 2 // 5 + 80, "height": 1250})
    page.set_content(f"<style>body {{ background: #888 }} img {{ margin: 8px }}</style>{''.join(rows)}")
    page.wait_for_function("[...document.images].every((picture) => picture.naturalWidth > 0)")
    page.screenshot(path=to)


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
            page.click("#row-person")
            page.wait_for_selector("#strip:not(:empty)")
            page.screenshot(path=to / "web-roles.png")
            page.click("text=Audit this table")
            page.wait_for_selector("#releases .card")
            page.wait_for_timeout(500)
            page.screenshot(path=to / "web-results.png")
            page.click(".rooms a[href$='/repair']")
            page.wait_for_selector("#explorer .answer .word")
            page.wait_for_selector("#releases .card")
            page.wait_for_timeout(500)
            page.screenshot(path=to / "web-plan.png")
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


def check(browser: Any, folder: Path, keep: Path | None, names: list[str]) -> int:
    """Print a line a page: its height at 1280 pixels, its words, and what is wrong with it at any width; return how many have faults."""
    lines, bad = Lines("Pages at 320, 380, 768 and 1280 pixels", ("page", "height", "words", "faults"), 30), 0
    for table, shown in tables(folder).items():
        for verb, result in pages(shown) if not names or table in names else ():
            title = f"{table}: {verb}"
            if isinstance(result, Exception):
                lines.note(title, result)
                continue
            html, found = result.render("html"), []
            if keep is not None:
                (keep / f"{table}-{verb}.html".replace(" ", "-")).write_text(html)
            for scheme in SCHEMES:
                context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})
                page = context.new_page()
                page.set_content(html)
                height = page.evaluate("document.documentElement.scrollHeight")
                words = len(page.inner_text("body").split())
                if keep is not None:
                    page.screenshot(path=keep / f"{table}-{verb}-{scheme}.png".replace(" ", "-"), full_page=True)
                found += [str(fault) for fault in faults(page, html)] if scheme == SCHEMES[0] else []
                found += [f"{scheme}: {fault}" for fault in serious(page)]
                context.close()
            lines.add(title, f"{height:,}", f"{words:,}", len(found))
            for fault in found[:5]:
                print(f"    {fault}")
            bad += bool(found)
    return bad


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("docs/images"))
    parser.add_argument("--check", action="store_true", help="look at every page of every table instead")
    parser.add_argument("--keep", type=Path, help="where screenshots of the pages that are checked go")
    parser.add_argument("--only", choices=["files", "tutorials", "app"], help="make these pictures only")
    parser.add_argument("--table", action="append", default=[], help="check this table only; repeat for several")
    asked = parser.parse_args()
    to = asked.folder
    options: dict[str, Any] = {"args": ["--no-sandbox"], "executable_path": shutil.which("chromium") or shutil.which("chromium-browser")}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        if asked.check:
            if asked.keep is not None:
                asked.keep.mkdir(parents=True, exist_ok=True)
            raise SystemExit(bool(check(browser, Path(place), asked.keep, asked.table)))
        page = browser.new_context(color_scheme="light").new_page()
        page.set_default_timeout(PATIENCE)
        for take in (files, tutorials, app):
            if asked.only not in (None, take.__name__):
                continue
            folder = Path(place) / take.__name__
            folder.mkdir()
            take(page, folder, to)
        browser.close()


if __name__ == "__main__":
    main()

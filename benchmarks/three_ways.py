"""One page for three ways of releasing Adult, as a picture: python -m benchmarks.three_ways [FOLDER] [--keep FOLDER].

Adult's complete rows (30,162 people, nine columns) are recoded by a policy, drawn with differential privacy and drawn by trees without a
guarantee, and `compare` puts the three beside the original. The domain is drafted from the data, for the picture only, so nothing is
guaranteed of that private table. Needs ANONSCOPE_DATA and a browser; the figures beside the picture are printed.
"""

import argparse
import json
import os
import shutil
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

from playwright.sync_api import sync_playwright

import anonscope as an
from benchmarks.pictures import WIDTH
from benchmarks.printing import Lines

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
SENSITIVE = "salary-class"
HEIGHT = 1700


def made(folder: Path) -> dict[str, Any]:
    """Make the three releases of Adult, and return what was said of each."""
    source = Path(os.environ["ANONSCOPE_DATA"]) / "arx_adult" / "adult.csv"
    roles = {"quasi_identifiers": QUASI, "sensitive": [SENSITIVE]}
    found: dict[str, Any] = {}
    with an.read(source, **roles) as data:
        start = process_time()
        recoded = an.anonymise(data, "ema-0070")
        recoded.write(folder / "recoded.csv")
        found["recoded"] = (process_time() - start, recoded)
        domain = an.draft_domain(data)
        for name, wishes in (
            ("private", {"method": "tree", "epsilon": 1.0}),
            ("synthetic", {"method": "cart"}),
        ):
            start = process_time()
            drawn = an.synthesise(data, domain, hold_out=0.2, **wishes)  # type: ignore[arg-type]
            drawn.write(folder / f"{name}.csv")
            found[name] = (process_time() - start, drawn)
        compared = an.compare(data, *(folder / f"{name}.csv" for name in ("recoded", "private", "synthetic")), policy="ema-0070")
        compared.save(folder / "three-ways.html")
        compared.save(folder / "three-ways.json")
    return found


def told(folder: Path, found: dict[str, Any]) -> None:
    """Print the figures of the table beside the picture."""
    lines = Lines("Three ways of Adult", ("release", "figure", "value"), first=14)
    for name, (seconds, result) in found.items():
        lines.add(name, "CPU s", f"{seconds:.1f}")
        if isinstance(result, an.Synthesis):
            best = max(
                (attack for attack in result.attacks if attack.success is not None and not attack.smoke_test), key=lambda a: a.success or 0
            )
            lines.add(
                name,
                f"best membership AUC ({best.variant})",
                f"{best.success:.3f} ({best.figures['auc_low']:.3f} to {best.figures['auc_high']:.3f})",
            )
    document = json.loads((folder / "three-ways.json").read_text(encoding="utf-8"))
    for version in document["versions"]:
        for found_of in version["utilities"]:
            if found_of["column"] is None and found_of["value"] is not None:
                lines.add(version["version"], f"{found_of['utility']} {found_of['variant'] or ''}".strip(), f"{found_of['value']:.4g}")


def main() -> None:
    """Make the releases, compare them, and take the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("docs/images"))
    parser.add_argument("--keep", type=Path, default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        found = made(folder)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("chromium-browser"))
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto((folder / "three-ways.html").absolute().as_uri())
            page.screenshot(path=given.folder / "three-ways.png")
            browser.close()
        told(folder, found)


if __name__ == "__main__":
    main()

"""Write docs/papers.md from the data that the tests of published numbers hold: python -m benchmarks.papers.

One file a paper in tests/published/papers: what is printed, what comes out here, which of three it is, why, and the test or page that shows
it. `tests/published/test_papers.py` holds the page to these files, and the files to the tests that they name.
"""

import tomllib
from pathlib import Path
from typing import Any

from benchmarks.job import ROOT

FOLDER, PAGE = ROOT / "tests/published/papers", ROOT / "docs/papers.md"
STATUSES = {
    "reproduced": "reproduced",
    "corrected": "reproduced with a correction",
    "not reproducible": "not reproducible",
}
_HEAD = """# The five papers

What five papers print, and what comes out here: every table, figure, formula and claim.
*Reproduced* means that our value rounds to the printed one, or that the claim holds; *with a correction*, that it holds once what is said
beside it is set right; *not reproducible*, that it cannot be had, with the reason. Nothing here is planned.
This page is written by `python -m benchmarks.papers` from the files in `tests/published/papers`, and a test holds every number of ours to
the test or the page that is named beside it.

"""


def papers(folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Return the papers in their order."""
    return [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.toml"))]


def page() -> str:
    """Return the page as Markdown."""
    found = papers()
    parts = [_HEAD, "| Paper | " + " | ".join(STATUSES.values()) + " |\n| --- | --- | --- | --- |\n"]
    for paper in found:
        counts = [sum(row["status"] == status for row in paper["rows"]) for status in STATUSES]
        parts.append(f"| {paper['title']} | {' | '.join(map(str, counts))} |\n")
    for paper in found:
        parts.append(f"\n## {paper['title']}\n\n{paper['source']}.\n\n")
        parts.append("| Where | What | Printed | Ours | | Why | Shown by |\n| --- | --- | --- | --- | --- | --- | --- |\n")
        for row in paper["rows"]:
            cells = [
                row["item"],
                row["what"],
                row["printed"],
                row["ours"],
                STATUSES[row["status"]],
                row.get("why", ""),
                _shown(row["test"]),
            ]
            parts.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n")
    return "".join(parts)


def _shown(test: str) -> str:
    """Return where a row is shown: a link to a page, or the name of a test."""
    if test.startswith("docs/"):
        path = test.removeprefix("docs/")
        return f"[{Path(path).stem}]({path})"
    return f"`{test.rpartition('::')[2] if '::' in test else Path(test).name}`"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

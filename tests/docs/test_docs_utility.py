"""Every measure of utility has its section on the page of its family, which agrees with the registry, and whose example is run."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from markdown.extensions.toc import slugify

from anonscope.columns.hierarchy import read_hierarchy
from anonscope.utility import UTILITIES, Utility, measure_all
from anonscope.utility.measure import Family
from anonscope.utility.model.model import MODELS, ModelScore
from anonscope.utility.model.scores import SCORES
from anonscope.utility.unpaired import UNPAIRED
from anonscope.utility.unpaired.measures import UnpairedUtility
from support.compared import compared
from support.documentation import DOCS, blocks, fits, prose, text_of

FAMILIES = Family.__args__
BETTER = {"higher": "Higher is better", "lower": "Lower is better"}


def values(utility: Utility) -> str:
    low, high = utility.range
    return f"{low} and up" if high is None else f"{low} to {high}"


@pytest.mark.parametrize("utility", UTILITIES.values(), ids=str)
def test_every_measure_has_a_section_that_agrees_with_the_registry(utility: Utility) -> None:
    """Title, question, reading, formula, source, what it is measured for, and its variants."""
    page = f"utility/{utility.family}.md"
    _, _, section = text_of(page).partition(f"\n## {utility.title}\n\n**{utility.question}**\n{utility.reading}\n")
    section = section.partition("\n## ")[0]

    assert f"```text\n{utility.formula}\n```\n" in section
    assert f"Source: {utility.source}.\n" in section
    assert f"Name: `{utility.name}`. {BETTER[utility.better]}; {values(utility)}. Measured for: {', '.join(utility.scopes)}." in section
    assert [variant for variant in utility.variants if f"`{variant}`" not in section] == []
    assert (f"`raw`: {utility.raw}." in section) == (utility.raw is not None)
    assert ("Saying less never makes it better." in section) == utility.monotone
    assert "What it misses: " in section


@pytest.mark.parametrize("utility", UTILITIES.values(), ids=str)
def test_the_list_of_measures_is_complete(utility: Utility) -> None:
    """The overview has a row for every measure, in the order of the registry."""
    row = (
        f"| [{utility.title}]({utility.family}.md#{slugify(utility.title, '-')}) | {utility.question} | {utility.better} "
        f"| {values(utility)} | {', '.join(utility.scopes)} |"
    )
    listed = [line for line in text_of("utility/index.md").splitlines() if line.startswith("| [")]
    assert listed[list(UTILITIES).index(utility.name)] == row


@pytest.mark.parametrize("utility", UNPAIRED.values(), ids=str)
def test_every_measure_of_wholes_has_a_section_and_a_row(utility: UnpairedUtility) -> None:
    """Title, question, reading, formula and source stand on their page as the registry has them; the overview has a row."""
    low, high = utility.range
    span = f"{low} and up" if high is None else f"{low} to {high}"
    _, _, section = text_of("utility/synthetic.md").partition(f"\n## {utility.title}\n\n**{utility.question}**\n{utility.reading}\n")
    section = section.partition("\n## ")[0]

    assert f"```text\n{utility.formula}\n```\n" in section and f"Source: {utility.source}.\n" in section
    assert f"Name: `{utility.name}`. {BETTER[utility.better]}; {span}. Measured for: {', '.join(utility.scopes)}." in section
    assert [variant for variant in utility.variants if f"`{variant}`" not in section] == []
    assert (f"`raw`: {utility.raw}." in section) == (utility.raw is not None) and "What it misses: " in section
    row = f"| [{utility.title}](synthetic.md#{slugify(utility.title, '-')}) | {utility.question} | {utility.better} | {span} "
    assert row in text_of("utility/index.md")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_example_of_every_family_gives_what_its_page_says(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An original, a release, hierarchies if there are any, and measurements; every measure of the family is among them."""
    monkeypatch.chdir(tmp_path)
    trees: dict[str, Any] = {}
    shown: set[str] = set()
    for _, title, content in blocks(DOCS / f"utility/{family}.md"):
        if title.endswith(".csv"):
            Path(title).write_text(content, encoding="utf-8")
        if title.endswith(".hierarchy.csv"):
            trees[title.removesuffix(".hierarchy.csv")] = read_hierarchy(Path(title))
        if title != "utilities":
            continue
        found = [
            {"utility": m.utility, "variant": m.variant, "column": m.column, "value": m.value, "raw": m.raw}
            | {"status": m.status, "reason": m.reason}
            for m in measure_all(compared(Path("original.csv"), Path("release.csv"), hierarchies=trees))
        ]
        for line in content.splitlines():
            expected = {"column": None} | json.loads(line)
            assert any(fits(expected, entry) for entry in found), line
            shown.add(expected["utility"])
    assert shown == {name for name, utility in UTILITIES.items() if utility.family == family}


def test_the_page_of_model_utility_names_everything() -> None:
    """Every model, every score, and the parts of a result that need explaining."""
    names = [*MODELS, *(score for task in SCORES.values() for score in task), "seed", "difference_interval"]
    page = text_of("utility/model.md")
    assert [name for name in names if not re.search(rf"`{name}`", page)] == []
    assert "difference_interval" in ModelScore.__slots__
    assert "bootstrap" in prose("utility/model.md")

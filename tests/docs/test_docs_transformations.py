"""Every transformation has a page that agrees with the registry, and whose example is run."""

import csv
from dataclasses import fields
from pathlib import Path

import pytest

from anonscope.engines import DuckDB
from anonscope.io.sources import open_source
from anonscope.transform.carry_out import carry_out
from anonscope.transform.recipe import load_recipe
from anonscope.transform.release.writing import write_release
from anonscope.transform.steps import TRANSFORMATIONS
from support.documentation import DOCS, blocks, documented, prose, text_of


@pytest.mark.parametrize("kind", TRANSFORMATIONS.values(), ids=lambda kind: kind.name)
def test_every_transformation_has_a_page_that_agrees_with_the_registry(kind):
    """Its title, the name of its technique, its kind and every setting."""
    page = f"transform/steps/{kind.name}.md"
    assert text_of(page).startswith(f"# {kind.title}\n")
    assert f"ISO/IEC 20889: {kind.standard}. Kind: {kind.effect}." in prose(page)
    assert [f.name for f in fields(kind) if not documented(f.name, page)] == []
    assert f"({kind.name}.md)" in text_of("transform/steps/index.md")


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_the_example_of_every_transformation_gives_what_its_page_says(name, tmp_path, monkeypatch):
    """A table before, a recipe with this step, and the table after; further files by their titles."""
    monkeypatch.chdir(tmp_path)
    before = after = None
    shown = 0
    for language, title, content in blocks(DOCS / f"transform/steps/{name}.md"):
        if title == "after.csv":
            after = content
        elif title:
            Path(title).write_text(content, encoding="utf-8")
            Path(title).chmod(0o600)
            before = content if title == "before.csv" else before
        if before is None or after is None or language != "csv":
            continue
        recipe = load_recipe("recipe.toml")
        assert name in {step.name for step in recipe.steps}
        engine = DuckDB(threads=1)
        try:
            table, _ = carry_out(engine, open_source("before.csv", engine), recipe)
            write_release(table, Path("made.csv"))
        finally:
            engine.close()
        made = Path("made.csv").read_text(encoding="utf-8")
        # Noise that nobody can repeat: the page shows one of many results, and whatever is not drawn must be as it says.
        undrawn = {column for step in recipe.steps if not step.reproducible for column in step.columns}
        assert _without(made, undrawn) == _without(after, undrawn)
        shown, after = shown + 1, None
    assert shown, "the page has no example: csv before.csv, toml recipe.toml, csv after.csv"


def _without(table: str, columns: set[str]) -> list[list[str]]:
    """Return a table as rows, of some columns only whether a value is missing."""
    head, *rows = csv.reader(table.splitlines())
    return [head, *([str(bool(cell)) if name in columns else cell for name, cell in zip(head, row, strict=True)] for row in rows)]

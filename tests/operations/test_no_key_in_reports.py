"""The key of pseudonyms is in the archive, and in nothing that is shown or given away."""

import json

import pyarrow as pa
import pytest

import anonscope as an


@pytest.fixture(scope="module")
def visits():
    people = [i // 2 for i in range(120)]
    return pa.table(
        {"who": [f"p{i}" for i in people], "age": [20 + 10 * (i % 3) for i in people], "ill": ["abc"[i % 3] for i in range(120)]}
    )


def test_no_report_has_the_key_of_the_pseudonyms(visits, tmp_path):
    """Text, page, Markdown and JSON, before and after writing; the archive has it, so that it is not lost."""
    with an.read(visits, quasi_identifiers=["age"], sensitive=["ill"], person="who") as data:
        found = an.anonymise(data, limits={"k_anonymity": 3})
        before = [found.render(form) for form in ("text", "html", "markdown", "json")]
        found.write(tmp_path / "release.csv")
        (seed,) = [step.seed for step in found.recipe.steps if getattr(step, "seed", None) is not None]
        after = [found.render(form) for form in ("text", "html", "markdown", "json")]

    assert len(seed) == 64
    assert not any(seed in text for text in (*before, *after, (tmp_path / "release.csv.manifest.json").read_text()))
    assert seed in (tmp_path / "release.csv.archive" / "recipe.toml").read_text()
    assert "pseudonymise" in json.loads(after[3])["recipe"]

"""The page about the balance runs, and names every choice there is."""

import re
from pathlib import Path

from anonscope.utility.balance import TABLE_7, WEIGHT_PRESETS

TEXT = (Path(__file__).parents[3] / "docs/utility/balance.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_runs():
    """Its blocks of Python are one program of assertions."""
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
    assert "assert" in program
    exec(program, {})


def test_kinds_and_presets_are_listed_as_they_are():
    """Every kind stands with its components, every preset with its weights."""
    words = {"generalisation_loss": "generalisation loss", "entropy_loss": "entropy loss", "proximity_loss": "proximity loss"}
    words |= {"cosine_similarity": "cosine", "jaccard_similarity": "Jaccard"}
    for kind, components in TABLE_7.items():
        (row,) = [line for line in TEXT.splitlines() if line.startswith(f"| `{kind}` |")]
        assert row.endswith(f"| {words[components.losses[0]]} | {words[components.similarities[0]]} |")
    for name, weights in WEIGHT_PRESETS.items():
        assert f"| `{name}` | {weights.alpha:g} | {weights.beta:g} |" in TEXT

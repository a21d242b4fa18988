"""The dossier in the documentation: sealed, verified as it stands, and refused after any byte changes."""

import re
import shutil
from pathlib import Path

import pytest

import anonscope as an
from anonscope.risk.policy.law import HELD, laws

DOSSIER = Path(__file__).parents[2] / "docs" / "dossier"


@pytest.fixture
def folder(tmp_path) -> Path:
    pytest.importorskip("cryptography")
    shutil.copytree(DOSSIER, tmp_path / "dossier")
    return tmp_path / "dossier"


@pytest.mark.parametrize("name", ["dossier-publishable.html", "dossier-publishable.pdf"])
def test_it_is_what_was_sealed(folder, name):
    """By the key beside it; and after a change anywhere it is not."""
    found = an.verify(folder / name, signer=folder / "officer.key.pub")
    assert found.holds and "sealed by An invented data protection officer" in found.sentence
    content = (folder / name).read_bytes()
    for at in range(0, len(content), len(content) // 40):
        changed = bytearray(content)
        changed[at] ^= 0x01
        (folder / name).write_bytes(bytes(changed))
        assert not an.verify(folder / name).holds


def test_it_is_complete_and_says_no_more_than_it_may():
    """Thirteen sections, signatories, a review date; no hash of the source or of the recipe, and neither of two words."""
    page = (DOSSIER / "dossier-publishable.html").read_text(encoding="utf-8")
    assert [int(n) for n in re.findall(r"<h2>(\d+)\. ", page)] == list(range(1, 14))
    assert "An invented data protection officer" in page and "2027-11-01" in page and "7b. Motivated intruder test" in page
    assert "SHA-256 of the source" not in page and "SHA-256 of the recipe" not in page and "hierarchies/" not in page
    assert re.findall(r"\b(legal|anonymous)\b", page, re.IGNORECASE) == []


def test_the_page_says_how_the_texts_of_the_law_were_confirmed():
    """A row a text, with as many points as its file says were read in the text, in reports, or nowhere."""
    page = (DOSSIER.parent / "commands" / "sign_off.md").read_text(encoding="utf-8")
    for law in laws():
        counts = " | ".join(str(sum(point.confirmed == how for point in law.points)) for how in HELD)
        assert f"| {law.title} | {law.source} | {counts} |" in page

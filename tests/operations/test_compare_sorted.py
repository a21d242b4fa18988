"""Releases that were sorted, so that nothing tells which records are one person's, are compared with what they were made of."""

import random
import shutil

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app

ROLES = {"person": "patient", "quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["illness"]}


def visits(path):
    """Write visits of invented patients, in no order of their own."""
    drawn = random.Random(3)
    rows = ["patient,age,zip,sex,illness"]
    for patient in range(120):
        about = f"{drawn.randrange(20, 80)},{drawn.choice(['01067', '10115', '20095'])},{drawn.choice('FM')}"
        rows += [f"P{patient:04},{about},{drawn.choice(['I10', 'J45', 'E11'])}" for _ in range(drawn.choice([1, 2, 3]))]
    path.write_text("\n".join(rows) + "\n")
    return path


def lost(found):
    """Return the detail that the release of a comparison lost; None if that was not measured."""
    (version,) = found.versions[1:]
    return next(m.value for m in version.utilities if m.utility == "ncp" and m.column is None)


def test_a_sorted_release_is_compared_with_its_own_records(tmp_path):
    """What it lost is what the search says; without the archive it is compared as a whole, and that is said."""
    source, target = visits(tmp_path / "visits.csv"), tmp_path / "release.csv"
    options = ["-p", "patient", "-q", "age", "-q", "zip", "-q", "sex", "-s", "illness", "--limit", "k_anonymity=4", "--quiet"]
    done = CliRunner().invoke(app, ["anonymise", str(source), *options, "-o", str(target), "--format", "json"])
    assert done.exit_code == 0, done.output
    with an.read(source, **ROLES) as data:
        made = an.anonymise(data, limits={"k_anonymity": 4})
        assert [step.name for step in made.release.recipe.steps][-1] == "sort_records"
        found, memory = an.compare(data, target), an.compare(data, made)
        shutil.rmtree(tmp_path / "release.csv.archive")
        alone = an.compare(data, target)

    assert lost(found) == pytest.approx(made.loss) and lost(memory) == pytest.approx(made.loss)
    assert not [note for note in found.notes if "say something else" in note]
    assert lost(alone) is None and alone.versions[1].balance is None
    assert any("compared as wholes" in note for note in alone.notes)

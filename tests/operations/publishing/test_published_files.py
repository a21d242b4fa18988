"""What is said of a release is true of its files: random typed tables, every method, both fates of suppressed records, every format."""

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from benchmarks.random_tables import FATES, FORMATS, METHODS, case
from benchmarks.releases import violations
from benchmarks.stranger import found_in, read

TABLES = 304
PARTS = 8  # so that several processes can share them


@pytest.mark.parametrize("part", range(PARTS))
def test_no_file_breaks_what_was_promised(tmp_path, part):
    """Where the limits are said to be met, a stranger who reads the file finds them met, and the very numbers that were measured."""
    said = 0
    for seed in range(part, TABLES, PARTS):
        # Formats take turns, in another rhythm than methods and fates do.
        met, wrong = violations(case(seed), tmp_path, (FORMATS[seed // (len(METHODS) * len(FATES)) % len(FORMATS)],))
        assert wrong == []
        said += met
    # A yes that is never given would be true as well.
    assert said > TABLES / PARTS / 2


def test_the_stranger_sees_what_is_wrong():
    """The slow reference tells apart whatever looks different, and counts by definition."""
    rows = [{"q": 0.0, "s": "x"}, {"q": -0.0, "s": "y"}, {"q": 1.0, "s": ""}, {"q": 1.0, "s": None}]
    found = found_in(rows, ["q"], ["s"], None)
    assert (found.k, found.diversities["s"], found.distances["s"]) == (1, 1, 0.75)
    assert list(found.broken({"k_anonymity": 2, "l_diversity": 2, "t_closeness": 0.5})) == ["k is 1", "l of s is 1", "t of s is 0.75"]


@pytest.mark.parametrize("seed", range(8))
def test_the_command_line_promises_the_same(tmp_path, seed):
    """From a file to a file."""
    import pyarrow.parquet as pq

    given = case(seed)
    pq.write_table(given.table, tmp_path / "table.parquet")
    release = tmp_path / f"release.{FORMATS[seed % len(FORMATS)]}"
    arguments = ["anonymise", str(tmp_path / "table.parquet"), "-o", str(release), "--method", given.method]
    arguments += [part for name in given.roles["quasi_identifiers"] for part in ("-q", name)]
    arguments += [part for name in given.roles["sensitive"] for part in ("-s", name)]
    arguments += ["--person", given.roles["person"]] if "person" in given.roles else []
    arguments += [part for name, limit in given.limits.items() for part in ("--limit", f"{name}={limit}")]
    arguments += ["--suppression", str(given.suppression), "--suppressed", given.suppressed]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code in (0, 1), done.output
    assert release.exists() == (done.exit_code == 0)
    if release.exists():
        rows, person = read(release), given.roles.get("person")
        found = found_in(rows, given.roles["quasi_identifiers"], given.roles["sensitive"], person if person in rows[0] else None)
        assert list(found.broken(given.limits)) == []

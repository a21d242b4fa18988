"""The register in every verb that makes a release: held against the earlier ones before it is placed, and added after."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import NotPublished, OptionError
from anonscope.transform.steps.drop_column import DropColumn

# By age alone, or by place alone, eight look alike; by both, two do.
PEOPLE = pa.table({"age": [20 + i // 8 for i in range(32)], "place": [f"town {i % 4}" for i in range(32)], "ill": ["a", "b", "c", "d"] * 8})
KEEPS = {"age": "place", "place": "age"}  # what is dropped where the key is kept


@pytest.fixture
def folder(tmp_path) -> Path:
    pyarrow.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    (tmp_path / "register").mkdir()
    for kept, dropped in KEEPS.items():
        (tmp_path / f"{kept}.toml").write_text(f'schema = "anonscope/recipe/1"\n[[steps]]\napply = "drop_column"\ncolumn = "{dropped}"\n')
    return tmp_path


def ran(folder: Path, verb: str, *said: object, population: str | None = "people") -> tuple[int, str]:
    """Return how a command ends that publishes with a register, and what it says."""
    register = ["--register", folder / "register", *(["--population-name", population] if population is not None else [])]
    done = CliRunner().invoke(app, [*map(str, (verb, *said, "--quiet", *register))])
    if isinstance(done.exception, an.AnonscopeError):
        return 1 if isinstance(done.exception, NotPublished) else 2, str(done.exception)
    return done.exit_code, done.output


def applied(folder: Path, kept: str, limit: int = 8) -> tuple[int, str]:
    """Return what came of a recipe that keeps one of the two quasi-identifiers."""
    told = {"schema": "anonscope/policy/1", "name": "own", "title": "Own", "version": "1", "origin": "a test", "summary": "So many."}
    head = "".join(f'{key} = "{value}"\n' for key, value in told.items())
    (folder / "policy.toml").write_text(f'{head}[[rules]]\nmetric = "k_anonymity"\nminimum = {limit}\n')
    columns = ("-q", "age", "-q", "place", "-s", "ill", "--policy", folder / "policy.toml")
    return ran(folder, "apply", folder / f"{kept}.toml", folder / "people.csv", "-o", folder / f"by-{kept}.csv", *columns)


def entries(folder: Path) -> list[tuple[str | None, str, int | None]]:
    return [(e.release, e.made_by, e.composition["candidates"]) for e in an.register(folder / "register").entries]


def test_apply_is_registered_and_refused_for_what_it_tells_with_another(folder):
    """By age, then by place: two are left together, and eight were asked for. What is refused is not placed."""
    assert applied(folder, "age")[0] == 0
    code, told = applied(folder, "place")
    assert code == 1 and "somebody is left with 2 candidates, and nobody with fewer; " in told
    assert entries(folder) == [("by-age.csv", "apply", None)] and not list(folder.glob("by-place*"))
    # An independent count.
    pairs = list(zip(PEOPLE["age"].to_pylist(), PEOPLE["place"].to_pylist(), strict=True))
    assert min(pairs.count(pair) for pair in pairs) == 2
    assert applied(folder, "place", limit=2)[0] == 0
    assert entries(folder)[1] == ("by-place.csv", "apply", 2)


def test_apply_without_a_policy_asks_for_no_k_so_it_is_never_fine(folder):
    """As the first release it is noted; after it nothing says how many candidates must be left."""
    said = (folder / "age.toml", folder / "people.csv", "-q", "age", "-s", "ill", "-i", "place")
    assert ran(folder, "apply", *said, "-o", folder / "first.csv")[0] == 0
    code, told = ran(folder, "apply", *said, "-o", folder / "second.csv")
    assert code == 1 and "'first.csv' was judged by no policy" in told and not list(folder.glob("second*"))


def test_pipeline_is_registered_and_refused(folder):
    """The stages end in a release as any other."""
    assert applied(folder, "place")[0] == 0
    said = (folder / "people.csv", "-q", "age", "-s", "ill", "-d", "place", "--policy", folder / "policy.toml", "--level", "age=0")
    code, told = ran(folder, "pipeline", *said, "-o", folder / "piped.csv")
    assert code == 1 and "2 candidates" in told and not list(folder.glob("piped*"))
    assert ran(folder, "pipeline", *said, "-o", folder / "piped.csv", population="others")[0] == 0
    assert entries(folder)[-1] == ("piped.csv", "pipeline", None)


def test_fragments_are_held_against_each_other(folder):
    """Whoever has one may have the other: each hides eight, both together two."""
    said = (folder / "people.csv", "-q", "age", "-q", "place", "-s", "ill", "--fragment", "age", "--fragment", "place")
    code, told = ran(folder, "fragment", *said, "--limit", "k_anonymity=8", "-o", folder / "parts")
    assert code == 1 and "'fragment-2.csv' is not published" in told and "2 candidates" in told
    assert entries(folder) == [] and not (folder / "parts").exists()
    assert ran(folder, "fragment", *said, "--limit", "k_anonymity=2", "-o", folder / "parts")[0] == 0
    assert entries(folder) == [("fragment-1.csv", "fragment", None), ("fragment-2.csv", "fragment", 2)]
    assert all(an.verify(folder / "parts" / f"fragment-{i}.csv").holds for i in (1, 2))
    # Both lines are kept against what follows.
    assert applied(folder, "age", limit=3)[0] == 1 and applied(folder, "age", limit=2)[0] == 0


def test_a_register_holds_files_of_this_machine(folder):
    """A storage that only Spark reaches is none; and a population without a register means nothing."""
    with an.read(folder / "people.csv", quasi_identifiers=["age"], sensitive=["ill"], insensitive=["place"], threads=1) as data:
        release = an.apply([DropColumn(column="place")], data)
        asked = an.Registration(folder=folder / "register", population="people")
        with pytest.raises(OptionError, match="holds files of this machine"):
            release.save("s3a://bucket/release.parquet", registration=asked)
    for verb in ("apply", "pipeline", "fragment"):
        where = [folder / "age.toml", folder / "people.csv"] if verb == "apply" else [folder / "people.csv"]
        done = CliRunner().invoke(app, [*map(str, (verb, *where, "-o", folder / "r.csv", "--population-name", "p"))])
        assert "--register FOLDER" in str(done.exception)

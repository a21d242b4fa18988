"""A recipe is applied, the release written with its manifest, and an audit of it knows what was perturbed."""

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError, NotPublished, OptionError, OutputError, RecipeError
from anonscope.transform.release.manifest import archive_path, manifest_path
from anonscope.transform.steps import DropColumn, PermuteColumn, RandomisedResponse, Round

PEOPLE = "name;age;sex;ill\nAda;39;F;flu\nBen;41;M;flu\nCem;;M;asthma\nDee;62;F;asthma\n"
RECIPE = """schema = "anonscope/recipe/1"

# Names identify.
[[steps]]
apply = "drop_column"
column = "name"

[[steps]]
apply = "round"
column = "age"
to = 10
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def test_a_release_is_written_as_its_source_was(people, tmp_path):
    """Column order and delimiter are kept, a missing value stays missing, and the counts tell what changed."""
    with an.read(people, direct_identifiers=["name"], quasi_identifiers=["age", "sex"], sensitive=["ill"]) as data:
        release = an.apply([DropColumn(column="name"), Round(column="age", to=10)], data)
        assert release.columns == ("age", "sex", "ill")
        release.save(tmp_path / "release.csv")
        assert release.table.column("age").to_pylist() == ["40", "40", None, "60"]
        assert release.roles.direct_identifiers == ()
    assert (tmp_path / "release.csv").read_text() == "age;sex;ill\n40;F;flu\n40;M;flu\n;M;asthma\n60;F;asthma\n"
    assert (release.changes.dropped, release.changes.columns[0].changed) == (("name",), 3)


def test_the_command_writes_release_and_manifest(people, tmp_path, monkeypatch):
    """The manifest proves which file became which, by which recipe."""
    monkeypatch.chdir(tmp_path)
    Path("recipe.toml").write_text(RECIPE, encoding="utf-8")
    result = CliRunner().invoke(app, ["apply", "recipe.toml", "people.csv", "-o", "release.parquet", "--quiet"])
    assert result.exit_code == 0, result.output
    assert "4 of 4 records are in the release." in result.stdout
    assert "Column 'age': 3 cells changed." in result.stdout
    manifest = json.loads(manifest_path(Path("release.parquet")).read_text(encoding="utf-8"))
    kept = json.loads((archive_path(Path("release.parquet")) / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["steps"] == kept["steps"] == ["drop 'name'", "round 'age' to 10"]
    assert kept["recipe"]["sha256"] == an.load_recipe("recipe.toml").hash
    assert kept["source"]["sha256"] == hashlib.sha256(people.read_bytes()).hexdigest()
    assert manifest["release"]["sha256"] == hashlib.sha256(Path("release.parquet").read_bytes()).hexdigest()
    assert (manifest["release"]["records"], manifest["release"]["columns"]) == (4, ["age", "sex", "ill"])
    assert manifest["columns"] == [{"column": "age", "changed": 3, "suppressed": 0}]
    assert manifest["dropped"] == ["name"]
    assert "Ada" not in json.dumps(manifest)


def test_two_releases_of_one_table_stand_side_by_side(people):
    """The second recipe does not change what the first one made."""
    with an.read(people) as data:
        first, second = an.apply(Round(column="age", to=10), data), an.apply(Round(column="age", to=50), data)
        assert first.table.column("age").to_pylist() == ["40", "40", None, "60"]
        assert second.table.column("age").to_pylist() == ["50", "50", None, "50"]


def test_a_release_is_audited_with_the_roles_that_are_left(people):
    """Roles of dropped columns are gone."""
    with an.read(people, direct_identifiers=["name"], quasi_identifiers=["sex"], sensitive=["ill"]) as data:
        release = an.apply(DropColumn(column="name"), data)
        with release.read() as left:
            assert an.audit(left, "pipeline")["k_anonymity"].value == 2


@pytest.mark.parametrize("how", ["manifest", "recipe", "release"])
def test_a_perturbed_quasi_identifier_leaves_class_rules_unmeasured(people, tmp_path, how):
    """Known from the manifest beside the file, from the recipe, or from the release itself; never shown as safe."""
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"], "insensitive": ["name"], "scenarios": {"sight": ["sex"]}}
    with an.read(people, **roles) as data:
        release = an.apply(PermuteColumn(column="age", seed=1), data)
        target = release.save(tmp_path / "release.csv")
        if how == "release":
            opened = release.read()
        elif how == "manifest":
            opened = an.read(target, **roles)
        else:
            manifest_path(target).unlink()
            opened = an.read(target, recipe=release.recipe, **roles)
        with opened:
            audit = an.audit(opened, "pipeline")
    assert audit["k_anonymity"].status == "not measured"
    assert "age" in str(audit["k_anonymity"].reason)
    assert {rule.status for rule in audit.verdict.rules} == {"not measured"}
    assert audit.verdict.outcome == "withhold"
    assert audit.select("k_anonymity", scenario="sight")[0].value == 2
    assert any("perturbed" in warning for warning in audit.warnings)


def test_a_file_that_was_changed_since_may_still_hold_made_up_values(people, tmp_path):
    """One more blank line does not make them true; but what its steps promised is promised no longer."""
    with an.read(people, insensitive=["name"]) as data:
        steps = [PermuteColumn(column="age"), RandomisedResponse(column="sex", values=("F", "M"), epsilon=1)]
        target = an.apply(steps, data).save(tmp_path / "release.csv")
    with an.read(target) as data:
        assert (data.perturbed, data.privacy_loss.per_person) == (("age", "sex"), 1)
    target.write_text(target.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with an.read(target) as data:
        assert (data.perturbed, data.privacy_loss) == (("age", "sex"), None)


@pytest.mark.parametrize(
    ("recipe", "release", "says"),
    [
        (RECIPE, "folder/release.csv", "does not exist"),
        (RECIPE, "release.docx", "does not tell the format"),
        (RECIPE, "taken.csv", "exists. Say --force"),
        (RECIPE.replace('"age"', '"agee"'), "release.csv", "Did you mean 'age'?"),
        (RECIPE.replace("to = 10", "to = 0"), "release.csv", "line 11: steps.to: to must be a number above 0"),
        (RECIPE.replace('column = "age"', 'column = "ill"'), "release.csv", "2 values of column 'ill' (in 4 records)"),
        (RECIPE.replace("round", "rund"), "release.csv", "no such transformation"),
        (RECIPE.replace("recipe/1", "recipe/9"), "release.csv", "must begin with"),
        (RECIPE + "colour = 3\n", "release.csv", "no such key"),
        ('schema = "anonscope/recipe/1"\n', "release.csv", "at least one"),
    ],
)
def test_whatever_is_wrong_is_said_and_nothing_is_written(people, tmp_path, monkeypatch, recipe, release, says):
    """One sentence, exit 2, no file, no value of the data."""
    monkeypatch.chdir(tmp_path)
    Path("taken.csv").write_text("x", encoding="utf-8")
    Path("recipe.toml").write_text(recipe, encoding="utf-8")
    before = sorted(path.name for path in tmp_path.iterdir())
    result = CliRunner().invoke(app, ["apply", "recipe.toml", "people.csv", "-o", release, "--quiet"])
    assert isinstance(result.exception, AnonscopeError)
    assert says in str(result.exception)
    assert "asthma" not in str(result.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_release_never_replaces_its_source(people):
    """Not even with force."""
    with an.read(people) as data:
        release = an.apply(DropColumn(column="name"), data)
        with pytest.raises(OutputError, match="exists"):
            release.save(people)
        with pytest.raises(AnonscopeError, match="must not replace the table"):
            release.save(people, force=True)
    assert people.read_text(encoding="utf-8") == PEOPLE


def test_nothing_left_is_an_error(people, tmp_path):
    """A table without columns is no release."""
    with an.read(people) as data, pytest.raises(RecipeError, match="the last one"):
        an.apply([DropColumn(column=c) for c in ("name", "age", "sex", "ill")], data)


def test_a_direct_identifier_that_a_recipe_leaves_alone_is_not_published(tmp_path):
    """Whoever says that a column holds names cannot mean to publish them; with a step for it, the release goes out."""
    people = pa.table({"name": ["Ada", "Bob", "Cy", "Di"], "age": [31, 31, 42, 42]})
    with an.read(people, quasi_identifiers=["age"], direct_identifiers=["name"]) as data:
        left = an.apply(Round(column="age", to=10), data)
        with pytest.raises(NotPublished, match="'name'"):
            left.save(tmp_path / "release.csv")
        assert list(tmp_path.iterdir()) == []

        left.then(DropColumn(column="name")).save(tmp_path / "release.csv")

    assert (tmp_path / "release.csv").read_text().splitlines()[0] == "age"


def test_a_policy_that_is_asked_for_must_be_met(people, tmp_path, monkeypatch):
    """Published if an audit of the file says so; not if a rule fails, and not if one cannot be measured. Nothing is written then."""
    monkeypatch.chdir(tmp_path)
    dropped = '\n\n[[steps]]\napply = "drop_column"\ncolumn = "name"'
    begin = 'schema = "anonscope/recipe/1"'
    Path("good.toml").write_text(f'{begin}{dropped}\n\n[[steps]]\napply = "drop_column"\ncolumn = "age"\n')
    Path("fine.toml").write_text(begin + dropped)
    Path("noise.toml").write_text(f'{begin}{dropped}\n\n[[steps]]\napply = "permute_column"\ncolumn = "age"\n')
    Path("two.toml").write_text(
        'schema = "anonscope/policy/1"\nname = "two"\ntitle = "two"\nversion = "1"\norigin = "a test"\n\n'
        '[[rules]]\nmetric = "k_anonymity"\nminimum = 2\n'
    )
    roles = ["-q", "age", "-q", "sex", "-s", "ill", "--policy", "two.toml", "--quiet"]
    for recipe, code, says in (("good", 0, "It meets the policy two"), ("fine", 1, "must be ≥ 2"), ("noise", 1, "perturbed")):
        result = CliRunner().invoke(app, ["apply", f"{recipe}.toml", "people.csv", "-o", f"{recipe}.csv", *roles])
        said = result.stderr if result.exception is None or code == 0 else str(result.exception)
        assert says in said, (recipe, result.output, result.exception)
        assert Path(f"{recipe}.csv").exists() == (code == 0)
        assert result.exit_code == code or isinstance(result.exception, NotPublished)
    (verdict,) = json.loads(manifest_path(Path("good.csv")).read_text(encoding="utf-8"))["verdicts"]
    assert verdict["met"] is True and verdict["policy"]["name"] == "two"
    with an.read(people, direct_identifiers=["name"]) as data, pytest.raises(OptionError, match="no column that is left"):
        an.apply(DropColumn(column="name"), data).save("r.csv", policy="ema-0070")

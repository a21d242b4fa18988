"""Whether a release is what was published: any change of a byte shows, and what needs the archive is said."""

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import SourceError
from anonscope.transform.release.manifest import file_hash, is_sealed, manifest_path, sealed
from anonscope.transform.steps import Round

TABLE = pa.table({"age": list(range(20, 32)) * 2, "sex": ["f", "m"] * 12, "ill": ["a", "b", "c", "d"] * 6})


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A folder with a published release."""
    folder = tmp_path_factory.mktemp("made")
    with an.read(TABLE, quasi_identifiers=["age", "sex"], sensitive=["ill"], threads=1) as data:
        found = an.anonymise(data, limits={"k_anonymity": 3, "l_diversity": 2, "t_closeness": 0.6})
        found.write(folder / "release.csv")
    return folder


@pytest.fixture
def release(made, tmp_path) -> Path:
    """A copy of it."""
    shutil.copytree(made, tmp_path / "set")
    return tmp_path / "set" / "release.csv"


def test_a_release_is_what_was_published(release):
    """Everything is compared, the verdict is measured again, and one sentence says so in every format."""
    found = an.verify(release)
    result = CliRunner().invoke(app, ["verify", str(release), "--format", "json"])

    assert found.holds and {check.status for check in found.checks} == {"holds"}
    assert found.outcomes == ("release by limits",)
    assert found.sentence == "'release.csv' is what was published, and measured again, its verdict is the same: release by limits."
    assert result.exit_code == 0 and json.loads(result.stdout) == found.to_dict()
    for form in ("text", "markdown", "html"):
        assert "is what was published" in found.render(form)


def flipped(path: Path, at: int) -> None:
    """Change one byte of a file to another one."""
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= 0x01
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("at", [0, 7, 40, -2, -1])
@pytest.mark.parametrize(
    "name",
    ["release.csv", "release.csv.manifest.json", "release.csv.archive/manifest.json", "release.csv.archive/recipe.toml", "hierarchy"],
)
def test_it_fails_after_any_byte_changed(release, name, at):
    """Of any file of the set: exit 1, or 2 where the manifest cannot be read any more."""
    file = next((release.parent / "release.csv.archive/hierarchies").iterdir()) if name == "hierarchy" else release.parent / name
    flipped(file, at)
    result = CliRunner().invoke(app, ["verify", str(release)])
    if isinstance(result.exception, SourceError):
        assert file.name.endswith("manifest.json")
    else:
        assert result.exit_code == 1 and "is not what was published" in result.stdout


def test_a_seal_is_of_every_byte():
    """Also of blanks and of the seal itself."""
    text = sealed('{\n  "a": 1\n}\n').encode()
    assert is_sealed(text) and json.loads(text)["a"] == 1
    for i in range(len(text)):
        assert not is_sealed(text[:i] + bytes([text[i] ^ 1]) + text[i + 1 :])
    assert not is_sealed(text + b" ") and not is_sealed(b"{}")


def test_a_manifest_that_was_made_to_fit_another_file_is_told_by_its_verdict(release):
    """Hash and seal are right, but the verdict is not that of the file; and the archive knows another manifest."""
    lines = release.read_text().splitlines()
    release.write_text("\n".join([lines[0], lines[1].replace(lines[1].split(",")[0], "unlike"), *lines[2:]]) + "\n")
    document = json.loads(manifest_path(release).read_text())
    document["release"]["sha256"] = file_hash(release)
    del document["sealed"]
    manifest_path(release).write_text(sealed(json.dumps(document, indent=2)))
    wrong = {check.what for check in an.verify(release).checks if check.status == "differs"}

    assert {"verdict by limits", "release.csv.manifest.json", "release.csv"} <= wrong
    assert not {"manifest", "release"} & wrong


def test_without_the_archive_it_says_what_was_not_checked(release):
    """What a recipient can do: hash, records, columns, verdict; and the archive may stand elsewhere."""
    archive = (release.parent / "release.csv.archive").rename(release.parent.parent / "kept")
    alone, with_it = an.verify(release), an.verify(release, archive=archive)

    assert alone.holds and alone.outcomes == ("release by limits",)
    assert [check.what for check in alone.checks if check.status == "not checked"] == ["archive"]
    assert "Not everything could be checked" in alone.sentence
    assert with_it.holds and {check.status for check in with_it.checks} == {"holds"}


@pytest.mark.skipif(os.name != "posix", reason="who may read a file is told by modes")
@pytest.mark.parametrize("mode", [0o755, 0o740, 0o701])
def test_an_archive_that_others_may_read_is_said(release, mode):
    """It holds original values: exit 1 with the command that closes it, though the release is what was published."""
    archive = release.with_name("release.csv.archive")
    assert an.verify(release).holds
    archive.chmod(mode)
    result = CliRunner().invoke(app, ["verify", str(release)])
    said = " ".join(result.output.split())
    assert result.exit_code == 1 and f"others than its owner may open it (mode {mode:04o})" in said, result.output
    assert "is what was published, but" in said and "chmod -R go= 'release.csv.archive'" in said
    archive.chmod(0o700)
    assert an.verify(release).holds


def test_a_release_that_was_renamed_with_its_manifest_is_still_known(release):
    """Recipients call files as they like."""
    new = release.rename(release.with_name("data.csv"))
    (release.parent / "release.csv.manifest.json").rename(manifest_path(new))
    assert an.verify(new).holds and an.verify(new, archive=release.parent / "release.csv.archive").holds


def test_a_manifest_lists_all_that_a_recipient_gets(release):
    """Every file by its hash, software, epsilon and composition; what is changed there and sealed again still shows."""
    document = json.loads(manifest_path(release).read_text())
    assert document["files"] == {"release.csv": file_hash(release)} and document["software"]["anonscope"] == an.__version__
    assert (document["epsilon"], document["composition"]) == (None, None)
    for change, wrong in (({"files": {}}, "files"), ({"epsilon": "1/2"}, "epsilon")):
        changed = {key: value for key, value in (document | change).items() if key != "sealed"}
        manifest_path(release).write_text(sealed(json.dumps(changed, indent=2)))
        assert wrong in {check.what for check in an.verify(release).checks if check.status == "differs"}


def test_a_manifest_of_the_first_version_still_verifies(release):
    """A release outlives the program that made it; what the first version did not list is not asked for."""
    for path, schema in ((manifest_path(release), "manifest"), (release.with_name("release.csv.archive") / "manifest.json", "archive")):
        document = json.loads(path.read_text())
        old = {key: value for key, value in document.items() if key not in ("sealed", "software", "epsilon", "composition")}
        old |= {"schema": f"anonscope/{schema}/1", "anonscope": "0.1.0", "versions": {}}
        if schema == "manifest":
            del old["files"]
        else:
            old["files"]["release.csv.manifest.json"] = file_hash(manifest_path(release))
        path.write_text(sealed(json.dumps(old, indent=2)))
    found = an.verify(release)
    assert found.holds and {check.status for check in found.checks} == {"holds"} and len(found.outcomes) == 1
    with an.read(release) as data:
        assert data.perturbed == ()


def test_what_is_missing_is_said(release):
    """No release, no manifest, a manifest of something else."""
    manifest = manifest_path(release)
    text = manifest.read_text()
    for content, says in ((None, "unfinished, or was not published"), ("{}", "not a manifest"), ("x", "cannot be read")):
        manifest.unlink(missing_ok=True)
        if content is not None:
            manifest.write_text(content)
        with pytest.raises(SourceError, match=says):
            an.verify(release)
    manifest.write_text(sealed(json.dumps({"schema": json.loads(text)["schema"]}, indent=2)))
    with pytest.raises(SourceError, match="does not have the fields"):
        an.verify(release)
    with pytest.raises(SourceError, match="No such file"):
        an.verify(release.with_name("nothing.csv"))


def test_a_release_without_a_policy_says_so(tmp_path):
    """A recipe that was applied promises nothing about risk."""
    with an.read(TABLE, threads=1) as data:
        an.apply(Round(column="age", to=5), data).save(tmp_path / "release.parquet")
    found = an.verify(tmp_path / "release.parquet")

    assert found.holds and found.outcomes == ()
    assert "no policy was to be met" in found.sentence


def test_a_verdict_that_rests_on_a_hierarchy_needs_the_archive(tmp_path):
    """t-closeness along a hierarchy of the sensitive attribute: measured again with the archive, not checked without it."""
    (tmp_path / "ill.csv").write_text("a;x;*\nb;x;*\nc;y;*\nd;y;*\n")
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"], "distance": {"ill": "hierarchical"}}
    with an.read(TABLE, **roles, hierarchies={"ill": tmp_path / "ill.csv"}, threads=1) as data:
        an.anonymise(data, limits={"t_closeness": 0.2}).write(tmp_path / "release.csv")
    with_it = an.verify(tmp_path / "release.csv")
    shutil.rmtree(tmp_path / "release.csv.archive")
    without = an.verify(tmp_path / "release.csv")

    assert with_it.holds and with_it.outcomes
    assert without.holds
    assert all(check.status == "not checked" for check in without.checks if check.what.startswith("verdict")) or without.outcomes


def test_an_unfinished_set_is_finished_first(release, tmp_path):
    """And it is said."""
    from anonscope.io.placing import JOURNAL, Staging

    staging = Staging(release.parent)
    made = manifest_path(release).rename(staging.path / "manifest")
    journal = [{"made": str(made), "target": str(manifest_path(release).resolve()), "before": str(staging.path / "b"), "last": True}]
    (staging.path / JOURNAL).write_text(json.dumps(journal))
    staging._lock.close()
    found = an.verify(release)

    assert found.holds
    assert "finished now" in found.recovered[0] and "finished now" in found.to_text()

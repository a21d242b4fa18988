"""Seals: who put a key under which bytes; any change of a byte shows, and whose key it is is never taken for granted."""

import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import OutputError, SealError
from anonscope.operations.signing.seal_file import differing, read_seal
from anonscope.transform.release.manifest import manifest_path

pytest.importorskip("cryptography")
TABLE = pa.table({"age": [20, 20, 30, 30] * 3, "ill": ["a", "b"] * 6})
FILES = ["release.csv", "release.csv.manifest.json", "release.csv.manifest.json.sig", "dossier.html", "dossier.html.sig"]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A release and a document about it, both sealed."""
    folder = tmp_path_factory.mktemp("sealed")
    with an.read(TABLE, quasi_identifiers=["age"], sensitive=["ill"], threads=1) as data:
        an.anonymise(data, limits={"k_anonymity": 2}).write(folder / "release.csv")
    (folder / "dossier.html").write_text("<!doctype html><p>A dossier.")
    an.seal_key(folder / "officer.key")
    an.seal_key(folder / "other.key")
    an.seal(folder / "release.csv", folder / "officer.key", "The officer")
    an.seal(folder / "dossier.html", folder / "officer.key", "The officer", also=[folder / "release.csv"])
    return folder


@pytest.fixture
def folder(made, tmp_path) -> Path:
    shutil.copytree(made, tmp_path / "set")
    return tmp_path / "set"


def verified(path: Path, *said: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["verify", str(path), *map(str, said)])
    return (2, str(done.exception)) if isinstance(done.exception, an.AnonscopeError) else (done.exit_code, done.output)


def test_verify_says_who(folder):
    """By name and fingerprint; that it is the officer's key is said only where that key is given."""
    found = an.verify(folder / "release.csv")
    assert found.holds and "sealed by The officer" in found.sentence and "only a comparison" in found.sentence
    trusted = an.verify(folder / "release.csv", signer=folder / "officer.key.pub")
    assert trusted.holds and "the key that was given" in trusted.sentence
    code, told = verified(folder / "release.csv", "--signer", folder / "other.key.pub")
    assert code == 1 and "not the key that was given" in told
    document = an.verify(folder / "dossier.html")
    assert document.holds and document.sentence.startswith("'dossier.html' is what was sealed. It is sealed by The officer")
    assert {check.what for check in document.checks} == {"seal", *(f"sealed {name}" for name in ("dossier.html", *FILES[:2]))}


def test_a_sealed_file_that_is_not_there_is_in_the_headline(folder):
    """What was not checked is not said to be what was sealed."""
    (folder / "release.csv.manifest.json").unlink()
    found = an.verify(folder / "dossier.html")
    assert "not everything that was sealed with it is here: 'release.csv.manifest.json'" in found.sentence
    assert "sealed by The officer" in found.sentence


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("at", [0, 11, 37, 123, 401, -2])
def test_any_byte_that_changes_is_told(folder, name, at):
    """Of the release, its manifest, the document or a seal."""
    path = folder / name
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= 0x01
    path.write_bytes(bytes(content))
    checked = folder / ("dossier.html" if "dossier" in name else "release.csv")
    assert verified(checked)[0] in (1, 2)
    if name in FILES[:2]:
        assert verified(folder / "dossier.html")[0] == 1  # it is about that release


def test_a_name_cannot_be_put_into_a_seal(folder):
    """The name is under the key, too."""
    path = folder / "dossier.html.sig"
    path.write_text(path.read_text().replace("The officer", "The minister"))
    code, told = verified(folder / "dossier.html")
    assert code == 1 and "the signature does not fit" in told


def test_keys_are_private_and_bad_input_is_a_sentence(folder, tmp_path):
    """Exit 2: no key, an open key, what is no key, a release that was changed, a seal that is there, nobody's name."""
    key = folder / "officer.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and b"PRIVATE" not in (folder / "officer.key.pub").read_bytes()

    def ran(*said: object) -> str:
        done = CliRunner().invoke(app, ["seal", *map(str, said)])
        assert isinstance(done.exception, an.AnonscopeError), done.output
        return str(done.exception)

    assert "exists, and is never replaced" in ran("keygen", key)
    assert "--key FILE --name NAME" in ran("sign", folder / "dossier.html")
    assert "exists. Say --force" in ran("sign", folder / "dossier.html", "--key", key, "--name", "x")
    assert "No such file" in ran("sign", folder / "none.html", "--key", key, "--name", "x")
    assert "is no private key" in ran("sign", folder / "dossier.html", "--key", folder / "officer.key.pub", "--name", "x", "--force")
    assert "says who made it" in ran("sign", folder / "dossier.html", "--key", key, "--name", " ", "--force")
    with pytest.raises(SealError, match="is no public key"):
        an.verify(folder / "release.csv", signer=key)
    key.chmod(0o644)
    assert "Others than its owner may read the key" in ran("sign", folder / "dossier.html", "--key", key, "--name", "x", "--force")
    key.chmod(0o600)
    (folder / "release.csv").write_text((folder / "release.csv").read_text() + "20,a\n")
    assert "Nothing was sealed" in ran("sign", folder / "release.csv", "--key", key, "--name", "x", "--force")
    (folder / "release.csv.manifest.json.sig").unlink()
    assert "nobody sealed" in verified(folder / "release.csv", "--signer", folder / "officer.key.pub")[1]
    assert manifest_path(folder / "release.csv").is_file()


def test_a_key_is_written_with_its_public_half_or_not_at_all(tmp_path, monkeypatch):
    """Half of it would stand in the way of the next."""

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("anonscope.operations.signing.seal_file.open_mode", full)
        with pytest.raises(OutputError, match="No space left"):
            an.seal_key(tmp_path / "officer.key")
    assert list(tmp_path.iterdir()) == []
    an.seal_key(tmp_path / "officer.key")
    assert {path.name for path in tmp_path.iterdir()} == {"officer.key", "officer.key.pub"}


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end")
def test_a_seal_of_a_stranger_names_no_device_and_no_folder_elsewhere(folder):
    """They would be read for ever; they are not here."""
    seal = replace(read_seal(folder / "dossier.html"), files={"/dev/zero": "0", "/": "0", "../..": "0"})
    assert [same for _, same in differing(folder / "dossier.html", seal)] == [None] * 3

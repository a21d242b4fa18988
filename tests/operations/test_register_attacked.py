"""A register on a full disk, and one that somebody else made."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import RegisterError
from anonscope.operations.registering import chain
from anonscope.operations.registering.chain import FILE


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "register").mkdir()
    return tmp_path


def released(folder: Path, name: str, population: str = "people") -> None:
    """Publish a release with a register."""
    table = pa.table({"age": [20, 20, 30, 30] * 3, "ill": ["a", "b"] * 6})
    with an.read(table, quasi_identifiers=["age"], sensitive=["ill"], threads=1) as data:
        registration = an.Registration(folder=folder / "register", population=population)
        an.anonymise(data, limits={"k_anonymity": 2}).write(folder / name, registration=registration)


def test_a_name_may_hold_what_looks_like_the_end_of_a_line(folder):
    """A line separator of Unicode is no end of a line of a register, which would be broken for good."""
    released(folder, "by-age-hidden.csv", "people\u2028of\x85town")
    assert an.register(folder / "register").fine


def test_a_full_disk_breaks_no_chain(folder, monkeypatch):
    """What was there is there, to the byte."""
    an.register_budget(folder / "register", "people", 1)
    before = (folder / "register" / FILE).read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RegisterError, match="No space left"):
        an.register_budget(folder / "register", "people", 2)
    assert (folder / "register" / FILE).read_bytes() == before
    assert {path.name for path in (folder / "register").iterdir()} == {FILE, f".{FILE}.lock"}


def test_no_release_is_out_that_the_register_does_not_know(folder, monkeypatch):
    """Where the register cannot be written, nothing is put in place."""

    def refused(*_):
        raise RegisterError("The register cannot be written.")

    monkeypatch.setattr("anonscope.operations.registering.registration.append", refused)
    with pytest.raises(RegisterError):
        released(folder, "by-age-hidden.csv")
    assert not list(folder.glob("by-age-hidden.csv*")) and not list(folder.glob(".anonscope-*"))


@pytest.mark.parametrize(
    ("field", "value"), [("epsilon", "1e999999999"), ("epsilon", "-1"), ("delta", "1/0"), ("records", "many"), ("composition", {})]
)
def test_a_line_that_somebody_made_with_hashes_that_fit_must_mean_something(folder, field, value):
    """Else it would keep the machine busy for hours, give budget back, or be a defect where it is told."""
    an.register_budget(folder / "register", "people", 1)
    file = folder / "register" / FILE
    line = json.loads(file.read_text())
    line["entry"][field] = value
    line["hash"] = chain._hash(line["previous"], line["entry"])
    file.write_text(json.dumps(line) + "\n")
    assert "line 1 is none of a register" in an.register(folder / "register").problems[0]

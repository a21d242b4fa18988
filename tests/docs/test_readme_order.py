"""The commands of the README can be copied in their order: each reads what is there by then, and none writes over another's result."""

import fnmatch
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.io.samples import write_hospital

README = Path(__file__).parents[2] / "README.md"
WRITTEN = ("-o", "--report", "--save-roles", "--questions")
ELSEWHERE = ("postgresql://auditor@db/hospital", "s3a://lake/visits")


def test_the_commands_of_the_readme_follow_each_other(tmp_path: Path) -> None:
    """Starting with the sample that `make demo` writes."""
    write_hospital(tmp_path, people=3)
    there = {path.name for path in tmp_path.iterdir()} | {"report.html", "visits-report.html"}
    lines = [line for block in re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL) for line in block.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("anonscope ")]
    assert len(commands) > 9
    for words in commands:
        written = [words[i + 1] for i, word in enumerate(words[:-1]) if word in WRITTEN]
        # A pattern stands for what it matches.
        words = [name for word in words for name in (sorted(fnmatch.filter(there, word)) if "*" in word else [word])]
        read = [word for word in words[2:] if re.fullmatch(r"[\w.-]+\.(csv|toml|pdf)", word) and word not in written]
        assert set(read) <= there, f"{shlex.join(words)} reads what is not there yet"
        assert not set(written) & there, f"{shlex.join(words)} writes over what is there"
        assert read or words[2] in ELSEWHERE
        there |= set(written)


@pytest.mark.parametrize("verb", ["synthesise", "answer"])
def test_what_the_readme_says_about_noise_works_in_the_folder_of_the_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """With the guarantee in words: the domain and the questions that come with the sample fit it."""
    pytest.importorskip("opendp")
    write_hospital(tmp_path, people=60)
    monkeypatch.chdir(tmp_path)
    line = next(line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith(f"anonscope {verb} "))

    done = CliRunner().invoke(app, shlex.split(line)[1:])

    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "by at most a factor 2.72" in said and "a person is one patient_id with at most 1 record" in said

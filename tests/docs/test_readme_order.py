"""The commands of the README can be copied in their order: each reads what is there by then, and none writes over another's result."""

import fnmatch
import re
import shlex
from pathlib import Path

from anonscope.io.samples import write_hospital

README = Path(__file__).parents[2] / "README.md"
WRITTEN = ("-o", "--report", "--save-roles")
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
        read = [word for word in words[2:] if re.fullmatch(r"[\w-]+\.(csv|toml)", word) and word not in written]
        assert set(read) <= there, f"{shlex.join(words)} reads what is not there yet"
        assert not set(written) & there, f"{shlex.join(words)} writes over what is there"
        assert read or words[2] in ELSEWHERE
        there |= set(written)

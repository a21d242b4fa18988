"""Tutorials carried out as a reader would: files as they come, commands in order, programs as one."""

import io
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.io.samples import write_hospital
from support.documentation import DOCS, blocks

TUTORIALS = {page.stem: page for page in sorted((DOCS / "tutorials").glob("*.md")) if page.stem != "notebooks"}
_EXITS = re.compile(r"#\s*exits (\d)\s*$")


def carried_out(page: Path) -> int:
    """Run a page in the working folder, and return how many commands and programs it had."""
    names, printed, count = {}, "", 0
    for language, title, content in blocks(page):
        if title == "prints":
            assert all(line.strip() in printed for line in content.splitlines()), (page.name, printed[-2000:])
        elif language in ("csv", "toml"):
            Path(title).write_text(content, encoding="utf-8")
        elif language == "python":
            count += 1
            with redirect_stdout(io.StringIO()):
                exec(content, names)
        elif language == "shell":
            printed = ""
            for line in content.splitlines():
                count += 1
                expected = int(found.group(1)) if (found := _EXITS.search(line)) else 0
                words = shlex.split(line, comments=True)[1:]
                if words[0] == "demo":
                    # The sample as it is, with fewer people: the page shows no number of it.
                    folder = Path(words[words.index("--folder") + 1])
                    folder.mkdir()
                    write_hospital(folder, people=600)
                    continue
                if "spark" in words:
                    # A process has one Spark, and that of the tests is not the one that the page starts.
                    told = subprocess.run([sys.executable, "-m", "anonscope", *words], capture_output=True, text=True, timeout=300)
                    assert told.returncode == expected, (page.name, line, told.stderr[-2000:])
                    continue
                ran = CliRunner().invoke(app, words)
                assert ran.exit_code == expected, (page.name, line, ran.output[-2000:], ran.exception)
                # A defect would end in 1 too, like a policy that is not met.
                assert ran.exception is None or isinstance(ran.exception, SystemExit), (page.name, line, ran.exception)
                printed += ran.output
    return count

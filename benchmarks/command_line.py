"""What a user waits for at the prompt: processor time of whole commands, interpreter and imports included."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from anonscope.io.samples import write_hospital
from benchmarks.data import file_of
from benchmarks.job import ROOT, NotMeasured
from benchmarks.options import Options
from benchmarks.printing import Lines, at_most, seconds
from benchmarks.tables import CENSUS, Size

_ROWS = 5000
_MET_OR_NOT = (0, 1)


def commands(options: Options) -> None:
    """The help text, and two audits of five thousand records."""
    lines = Lines("Command line: median CPU seconds of the whole command", ("command", "CPU s", "wall s", "target"))
    plain = file_of(CENSUS, Size(_ROWS), "csv")
    roles = [part for column in CENSUS.quasi_identifiers[:6] for part in ("-q", column)] + ["-s", CENSUS.sensitive]
    with tempfile.TemporaryDirectory() as folder:
        sample = write_hospital(Path(folder), people=_ROWS)
        roles_file = str(sample.patient_roles)
        for title, arguments, most in (
            ("anonscope --help", ["--help"], 0.3),
            ("audit, 6 quasi-identifiers", ["audit", str(plain), *roles, "--no-plan"], 0.7),
            ("audit, sample with 2 attackers, 2 sensitive", ["audit", str(sample.patients), "--roles", roles_file, "--no-plan"], 1.0),
            ("the same with its plan", ["audit", str(sample.patients), "--roles", roles_file], 4.0),
        ):
            try:
                runs = [_run(arguments) for _ in range(options.repeat)]
            except NotMeasured as reason:
                lines.note(title, reason)
                continue
            cpu = median(run[0] for run in runs)
            lines.add(title, seconds(cpu), seconds(median(run[1] for run in runs)), at_most(cpu, most, " s"))


def _run(arguments: list[str]) -> tuple[float, float]:
    """Run the command as installed, and return its CPU and wall seconds."""
    command = Path(sys.executable).with_name("anonscope")
    if not command.exists():
        raise NotMeasured("the command is not installed")
    start = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([str(command), *arguments], cwd=ROOT, stdout=said, stderr=said)
        # wait4 tells what this one child used; getrusage would add up all of them.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in _MET_OR_NOT:
            said.seek(0)
            text = said.read().decode(errors="replace").strip()
            raise NotMeasured((text or f"exit status {process.returncode}").splitlines()[-1])
    return used.ru_utime + used.ru_stime, time.perf_counter() - start

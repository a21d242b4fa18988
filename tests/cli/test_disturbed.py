"""Commands that are disturbed while they write: a few of the cases of `python -m benchmarks.faults`."""

import json
import os
import subprocess
import sys

import pytest

from benchmarks.disturbed import DISTURBANCES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
RUN = """
import json, random, sys
from pathlib import Path
from benchmarks.disturbed import DISTURBANCES
from benchmarks.faults import COMMANDS, disturbed
command, disturbance = COMMANDS[int(sys.argv[1])], DISTURBANCES[int(sys.argv[2])]
points, ended, found = disturbed(command, disturbance, 2, random.Random(3), Path(sys.argv[3]))
print(json.dumps([points, dict(found)]))
"""


@pytest.mark.parametrize("name", ["no space from a file on", "Ctrl-C twice", "two runs at once"])
def test_what_was_there_stays_or_is_replaced_whole(tmp_path, name):
    """Nothing is lost, nothing is left over, and no value is in a message. In a process of its own: engines do not like to be forked."""
    index = [disturbance.name for disturbance in DISTURBANCES].index(name)
    done = subprocess.run(
        [sys.executable, "-c", RUN, "0", str(index), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    points, found = json.loads(done.stdout)
    assert points > 0 and found == {}

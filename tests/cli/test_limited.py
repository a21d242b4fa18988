"""A machine that gives too little is told in a sentence, and is no defect."""

import errno
import os
import signal
import subprocess
import sys

import duckdb
import pyarrow as pa
import pytest

from anonscope.engines import duckdb as engine
from anonscope.errors import OutOfMemory, lack

limited = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other limits")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError("canary"), "not enough memory"),
        (pa.ArrowMemoryError("canary"), "not enough memory"),
        (RuntimeError("can't start new thread"), "No further thread"),
        (OSError(errno.ENOMEM, "canary"), "too little: memory"),
        (OSError(errno.EAGAIN, "canary"), "too little: threads"),
        (OSError(errno.ENOSPC, "canary"), "too little: space on the disk"),
        (OSError(errno.EMFILE, "canary"), "too little: open files"),
    ],
)
def test_what_the_machine_lacks_is_a_sentence(error, said):
    """Memory, threads, space and open files, by whoever missed them."""
    assert said in str(lack(error)) and "canary" not in str(lack(error))


def test_other_errors_are_nothing_that_lacks():
    """A defect stays one."""
    assert lack(RuntimeError("canary")) is None and lack(FileNotFoundError(errno.ENOENT, "canary")) is None and lack(ValueError()) is None


@pytest.mark.parametrize(
    "text", ["Failed to launch worker thread: Resource temporarily unavailable canary", "malloc of size 8 failed canary"]
)
def test_an_engine_whose_stream_gets_no_thread_or_memory_does_not_call_the_file_unreadable(text):
    """Arrow's messages come by way of the engine; a release read back is not damaged for that."""
    found = engine._refusal(duckdb.InvalidInputException(text))
    assert isinstance(found, OutOfMemory) and "canary" not in str(found)


def run(tmp_path, megabytes, *said):
    import resource

    (tmp_path / "people.csv").write_text("age,ill\n" + "30,canary\n" * 9)
    return subprocess.run(
        said or [sys.executable, "-m", "anonscope", "audit", "people.csv", "-q", "age", "--no-plan"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@limited
def test_a_command_without_memory_ends_in_a_sentence(tmp_path):
    """Libraries that die of it included."""
    done = run(tmp_path, 200)
    assert done.returncode == 2 and "memory" in done.stderr and "canary" not in done.stderr


DYING = """
import os, signal, sys
from anonscope.cli import limited
limited.go_on_in_a_child()
{}
"""


@limited
@pytest.mark.parametrize(
    ("dies", "status", "said"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", 2, "the system allows it 900 MB"),
        ("os.abort()", 2, "the system allows it 900 MB"),
        ("os._exit(127)", 2, "the system allows it 900 MB"),
        ("sys.exit(1)", 1, ""),
        ("os.kill(os.getppid(), signal.SIGTERM); signal.pause()", -signal.SIGTERM, ""),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
    ],
)
def test_whoever_watches_a_limited_command_says_how_it_ended(tmp_path, dies, status, said):
    """A death of the libraries is a sentence; every other end is passed on, as signals to it are."""
    done = run(tmp_path, 900, sys.executable, "-c", DYING.format(dies))
    assert done.returncode == status and (said in done.stderr if said else not done.stderr)

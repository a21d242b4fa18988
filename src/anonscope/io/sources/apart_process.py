"""The process that reads files apart: it loads the readers once, and forks for every file.

It speaks JSON lines: a request comes in by standard input, what came of it goes out by standard output.
"""

import ctypes
import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows: there a file is read by this process, without limits, and then it ends.
    resource = None  # type: ignore[assignment]  # a module that is not there; whoever uses it asks first

_LONGEST_ANSWER = 2**24  # labels of a codebook may be long
# Of Linux: no privileges by way of other programs, no look into our memory, an end with whoever started us; networks of our own, empty.
_NO_NEW_PRIVILEGES, _DUMPABLE, _DEATH_SIGNAL = 38, 4, 1
_NEW_NETWORK, _NEW_USER = 0x40000000, 0x10000000


def main() -> None:
    """Answer requests until nobody asks any more."""
    from anonscope.io.sources import apart_reading

    apart_reading.load()
    replies = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    # Readers may print, and what they print may hold data.
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        forks = hasattr(os, "fork")
        reply = _forked(request) if forks else {"ended": "fine", "answer": apart_reading.read(request)}
        replies.write(json.dumps(reply).encode() + b"\n")
        replies.flush()
        if not forks:
            return


def _forked(request: dict[str, Any]) -> dict[str, Any]:
    answers, child_answers = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(answers)
        _read_and_end(request, child_answers)
    os.close(child_answers)
    deadline = time.monotonic() + request["limits"]["seconds"]
    received = b""
    ended: str | None = None
    while ended is None and len(received) < _LONGEST_ANSWER:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([answers], [], [], left)[0]:
            ended = "time"
        elif piece := os.read(answers, 65_536):
            received += piece
        else:
            break
    if ended is not None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(answers)
    if ended is None and status == 0:
        with suppress(ValueError):
            return {"ended": "fine", "answer": json.loads(received)}
    if ended is None:
        ended = _died(status)
    return {"ended": ended}


def _died(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "time" if number == signal.SIGXCPU else f"signal {number}"
    return "memory" if os.WEXITSTATUS(status) == _OUT_OF_MEMORY else f"status {os.WEXITSTATUS(status)}"


_OUT_OF_MEMORY = 77


def _read_and_end(request: dict[str, Any], answers: int) -> None:
    """Read a file within its limits, answer, and never return."""
    status = 1
    try:
        from anonscope.io.sources import apart_reading

        _limit(request["limits"])
        found = json.dumps(apart_reading.read(request)).encode()
        os.write(answers, found[:_LONGEST_ANSWER])
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)


def _limit(limits: dict[str, Any]) -> None:
    """Take away from this process what reading a file does not need."""
    if resource is not None:
        pages = Path("/proc/self/statm")
        own = int(pages.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if pages.exists() else 0
        for kind, most in (
            (resource.RLIMIT_AS, own + limits["memory"]),
            (resource.RLIMIT_CPU, int(limits["seconds"]) + 1),
            (resource.RLIMIT_NOFILE, limits["files"]),
            (resource.RLIMIT_FSIZE, limits["output"]),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(kind)
            allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (allowed, allowed))
    with suppress(OSError, AttributeError):
        os.nice(5)
    if sys.platform == "linux":
        system = ctypes.CDLL(None, use_errno=True)
        system.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        system.prctl(_DUMPABLE, 0, 0, 0, 0)
        # Whoever may not make a network of their own may as a user of their own; where the system allows neither, there is one.
        if system.unshare(_NEW_NETWORK) != 0:
            system.unshare(_NEW_NETWORK | _NEW_USER)


if __name__ == "__main__":
    main()

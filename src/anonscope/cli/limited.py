"""A command whose memory the system limits (`ulimit -v`) goes on in a child, and whoever started it says so if that dies.

Where the system refuses memory, some libraries end the process without a word: a fault in the allocator, an abort for want of a stack.
Nobody in that process can say anything then.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]  # a module that is not there; whoever uses it asks first

# How C libraries end a process that gets no memory, and the status of one that the loader ends.
_DEATHS = tuple(getattr(signal, name) for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP") if hasattr(signal, name))
_ENDED_BY_LOADER = 127
# Address space that libraries reserve and do not use: a pool of a gigabyte, stacks and heaps for each thread.
_SPARING = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_MOST_HEAPS, _DEATH_SIGNAL = -8, 1  # of mallopt and of prctl


def memory() -> int | None:
    """Return how many bytes the system lets this process have, if it says so."""
    if resource is None or not hasattr(os, "fork"):
        return None
    kinds = [getattr(resource, name) for name in ("RLIMIT_AS", "RLIMIT_DATA") if hasattr(resource, name)]
    limits = [limit for limit in (resource.getrlimit(kind)[0] for kind in kinds) if limit != resource.RLIM_INFINITY]
    return min(limits, default=None)


def go_on_in_a_child() -> None:
    """Return in a child that is sparing with memory; where it ends, its parent ends as it did, or with a sentence."""
    started = os.getpid()
    child = os.fork()
    if child == 0:
        _be_sparing(started)
        return

    def passed_on(number: int, _: FrameType | None) -> None:
        os.kill(child, number)

    # A terminal interrupts both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, passed_on)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) not in _DEATHS:
        with suppress(OSError):  # of SIGKILL nobody decides what it does
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    code = os.waitstatus_to_exitcode(status)
    if code < 0 or code == _ENDED_BY_LOADER:
        allowed = memory() or 0
        sys.stderr.write(
            f"Error: The process died, most likely for want of memory: the system allows it {allowed >> 20:,} MB (ulimit -v). "
            "Allow more, or use less with --memory-limit. Where it was to write, all is as it was or all is new; `anonscope verify` "
            "and the next run see to that.\n"
        )
        code = 2
    sys.stderr.flush()
    os._exit(code)


def _be_sparing(started: int) -> None:
    os.environ.update({name: value for name, value in _SPARING.items() if name not in os.environ})
    if sys.platform == "linux":
        system = ctypes.CDLL(None)
        system.mallopt(_MOST_HEAPS, 1)
        system.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != started:  # it ended before this was said
            os._exit(1)

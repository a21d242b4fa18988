"""Wall clock, processor time and peak memory of this process. Needs nothing but the standard library."""

import resource
import sys
import time
from pathlib import Path
from typing import Any


class Clock:
    """Started when it is made."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = time.process_time()

    def read(self, **facts: Any) -> dict[str, Any]:
        """Return what has passed since, and the highest memory of the whole process."""
        return {
            "wall": time.perf_counter() - self._wall,
            "cpu": time.process_time() - self._cpu,
            "peak": peak_bytes() / 10**6,
            "facts": facts,
        }


def peak_bytes() -> int:
    """Return the most memory this process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: on Linux its maximum includes the parent's memory at the moment of the fork.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024

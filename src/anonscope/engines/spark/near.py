"""Work that one worker does by itself, with a function of ours, on rows that stay on the cluster.

Spark plans and starts every statement anew, which for what is small takes far longer than the work. Counts of a table are mostly
small: one worker takes them all, does with them what would be fifty statements, and hands back what these would have given.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from anonscope.version import VERSION

SCHEMA = "found binary"


def worked_by_one(frame: Any, module: str, function: str, given: bytes, processors: int) -> bytes | None:
    """Return what a function makes of a data frame on one worker; None where that has not this version of anonscope."""
    work = _worker(module, function, given, processors, VERSION)
    ((found,),) = frame.coalesce(1).mapInArrow(work, SCHEMA).collect()
    return None if found is None else bytes(found)


def processors_of(session: Any) -> int:
    """Return how many processors a task may keep busy: all of this machine that Spark has, or as many as a cluster gives to a task."""
    context = session.sparkContext
    if context.master.startswith("local"):
        return int(context.defaultParallelism)
    return int(context.getConf().get("spark.task.cpus", "1"))


def _worker(module: str, function: str, given: bytes, processors: int, version: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        # This travels as it is, to workers where there may be nothing of ours; so it looks for everything there.
        import pyarrow as pa

        found = None
        try:
            there = version == import_module("anonscope.version").VERSION
            made = getattr(import_module(module), function) if there else None
        except ImportError:
            made = None
        if made is not None:
            table = pa.Table.from_batches(list(batches))
            found = made(table, processors, given)
        yield pa.RecordBatch.from_arrays([pa.array([found], pa.binary())], names=["found"])

    return work

"""Work that travels to a worker finds what it needs there, or says that it is not there."""

import pyarrow as pa
import pytest

from anonscope.engines.spark.near import _worker
from anonscope.version import VERSION


def handed(table: pa.Table, processors: int, given: bytes) -> bytes:
    """Tell what came."""
    return b"%d rows, %d processors, %s" % (table.num_rows, processors, given)


@pytest.mark.parametrize(
    ("module", "version", "found"),
    [
        (__name__, VERSION, b"3 rows, 2 processors, x"),
        ("anonscope.nowhere", VERSION, None),
        (__name__, "another version", None),
    ],
    ids=["there", "not there", "another version"],
)
def test_a_worker_without_our_version_does_nothing(module: str, version: str, found: bytes | None) -> None:
    """Then the statements are run instead, which need nothing of ours; otherwise it is given all rows at once."""
    batches = pa.table({"n": [1, 2, 3]}).to_batches(max_chunksize=2)
    (answer,) = _worker(module, "handed", b"x", 2, version)(iter(batches))

    assert answer.to_pylist() == [{"found": found}]

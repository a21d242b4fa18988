"""Rows of Spark as a stream of Arrow batches, a part at a time, so that no more than a part is ever in the memory of the driver."""

from collections.abc import Callable, Iterator
from typing import Any


def batches_of(frame: Any, guarded: Callable[[Callable[[], Any]], Any]) -> Any:
    """Return the rows of a data frame, in its order; `guarded` runs what Spark may refuse."""
    import pyarrow as pa

    # None of its rows, to know how Arrow will call the types.
    schema = guarded(lambda: frame.limit(0).toArrow()).schema
    packed = guarded(lambda: frame.mapInArrow(_packer(), "batch BINARY").toLocalIterator())

    def read() -> Iterator[Any]:
        while (row := guarded(lambda: next(packed, None))) is not None:
            for batch in pa.ipc.open_stream(row[0]):
                columns = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, read())


def _packer() -> Callable[[Iterator[Any]], Iterator[Any]]:
    # A function within a function travels to the workers as it is; they need not have this package.
    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        """Yield every batch as one value: what the driver goes through one by one are batches then, and not records."""
        import pyarrow as pa

        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], names=["batch"])

    return pack

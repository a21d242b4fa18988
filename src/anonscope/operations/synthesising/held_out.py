"""People kept aside before anything is learnt: with their records in no count, they are the control of an attack."""

from typing import Any

import numpy as np

from anonscope.errors import OptionError
from anonscope.operations.read import Data, engine_limits, read
from anonscope.synthesis.mechanisms import chance_of

_LEAST = 10


def held_out(data: Data, share: float, unit: str | None, seed: int | None) -> tuple[Data, Any]:
    """Return the table that is learnt from, and the records of those kept aside as an Arrow table: all records of a person, or none."""
    if not share:
        return data, None
    if data.engine.remote:
        raise OptionError(
            f"People are kept aside record by record, and on {data.engine.title} records stay where they are. Keep some aside there, and "
            "attack the release with them as --control."
        )
    import pyarrow as pa

    limit = f" LIMIT {data.rows}" if data.rows is not None else ""
    listed = ", ".join(f"c{i}" for i in range(len(data.columns)))
    whole = data.engine.batches(f"SELECT {listed} FROM {data.relation.origin}{limit}").read_all().rename_columns(list(data.columns))
    number = np.arange(whole.num_rows)
    if unit is not None and unit in data.columns:
        encoded = whole.column(unit).combine_chunks().dictionary_encode(null_encoding="encode")
        encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
        number = encoded.indices.to_numpy(zero_copy_only=False)
    people = int(number.max()) + 1 if len(number) else 0
    aside = round(people * share)
    if aside < _LEAST:
        raise OptionError(f"{aside} people would be kept aside, too few to measure anything with. Hold out a larger share, or nobody.")
    # Everybody by a draw of their own. Were their number fixed, one more person could push another aside: two would change where the
    # guarantee speaks of one.
    mask = (chance_of(seed).random(people) < share)[number]
    learnt = read(whole.filter(pa.array(~mask)), roles=data.roles, **engine_limits(data))
    learnt.acknowledged = data.acknowledged
    return learnt, whole.filter(pa.array(mask))

"""Many columns in codes, read a few at a time, where records lie in this machine's memory.

A join a column and a scan a column for its dictionary are what a wide table costs most. Read as they stand, with whole numbers never
made into text, columns are coded in one pass each; what comes of it is what `encode` describes by statements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.engines.values import WHOLE, canonical
from anonscope.io.sources import Relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Columns that are read at a time, and what a value of theirs may take meanwhile.
_GROUP, _VALUE_BYTES = 8, 24


@dataclass(frozen=True, slots=True)
class CodedColumns:
    """The columns of `source` in codes, in the order of the records, and the texts that these stand for; code 0 is a missing value."""

    texts: tuple[tuple[str, ...], ...]
    codes: "tuple[NDArray[Any], ...]"

    def dictionary(self) -> "dict[str, NDArray[Any]]":
        """Return `dictionary`."""
        import numpy as np

        counts = [len(texts) for texts in self.texts]
        return {
            "attribute": np.repeat(np.arange(len(counts)), counts),
            "v": np.array([text for texts in self.texts for text in texts], dtype=object),
            "code": np.concatenate([np.arange(1, count + 1) for count in counts]),
        }

    def packed(self, sums: "Mapping[str, Sequence[tuple[int, int]]]") -> "dict[str, NDArray[Any]]":
        """Return the columns that records are told apart by, each the sum of some columns times a number."""
        import numpy as np

        found = {}
        for name, parts in sums.items():
            word = np.zeros(len(self.codes[0]), dtype=np.int64)
            for column, factor in parts:
                word += np.multiply(self.codes[column], factor, dtype=np.int64)
            found[name] = word
        return found


def read_codes(engine: Engine, relation: Relation, columns: Sequence[str], names: Sequence[str], staged: bool) -> CodedColumns | None:
    """Return the columns of `source`, by their names there, in codes; None where they take more room than there is."""
    if not engine.room:
        return None
    ((records,),) = engine.rows("SELECT COUNT(*) AS n FROM source")
    if not 0 < records * (len(columns) + _GROUP * _VALUE_BYTES) <= engine.room:
        return None
    asked = [_as_it_stands(relation, column) if not staged else name for column, name in zip(columns, names, strict=True)]
    origin, taken = "source" if staged else relation.origin, 0
    texts: list[tuple[str, ...]] = []
    codes: list[NDArray[Any]] = []
    for begin in range(0, len(asked), _GROUP):
        listed = ", ".join(f"{sql} AS x{i}" for i, sql in enumerate(asked[begin : begin + _GROUP]))
        for column in engine.batches(f"SELECT {listed} FROM {origin}").read_all().columns:
            found, code = _coded(column)
            texts.append(found)
            codes.append(code)
            taken += code.nbytes
        if taken > engine.room:
            return None
    return CodedColumns(tuple(texts), tuple(codes))


def _as_it_stands(relation: Relation, column: str) -> str:
    """Return the SQL for a column by which its values can be told apart: whole numbers as they are, all else as canonical text."""
    place = relation.position(column)
    kind = relation.columns[place].type
    return f"c{place}" if kind in WHOLE else canonical(f"c{place}", kind, column)


def _coded(column: Any) -> "tuple[tuple[str, ...], NDArray[Any]]":
    """Return the texts of a column in their order, and for every record the place of its text from 1 on; 0 is a missing value."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(column.combine_chunks())
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    texts = [str(value) for value in encoded.dictionary.to_pylist()]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.zeros(len(texts) + 1, dtype=np.min_scalar_type(len(texts)))
    place[order] = np.arange(1, len(texts) + 1)
    # A missing value has no place in the dictionary; it takes the one behind the last, whose code is 0.
    indices = pc.fill_null(encoded.indices, len(texts)) if encoded.null_count else encoded.indices
    return tuple(texts[i] for i in order), place[indices.to_numpy(zero_copy_only=False)]

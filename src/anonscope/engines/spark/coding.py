"""Texts to numbers in one pass over a wide table.

One join a column is what a database does best, but Spark plans and compiles every join anew: 130 of them in one statement fail,
and in several statements the table is written as often. Here each worker gets the dictionaries, hands its records to Arrow by the
batch, and gives back the packed numbers: one pass, whatever the number of columns. A column with very many values would make the
dictionaries too large to hand out, so those few are joined.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

# Distinct values in all dictionaries that are handed out to every worker.
HANDED_OUT = 1_000_000


def coded_in_one_pass(
    frame_of: Callable[[str], Any], source: str, weight: str, sums: Mapping[str, Sequence[tuple[int, str]]], kept: Sequence[str]
) -> tuple[Any, Any]:
    """Return the data frame that `Engine.coded` promises, and the dictionaries that were handed out for it."""
    from pyspark.sql.types import LongType, StructField, StructType

    numbers = [number for parts in sums.values() for number, _ in parts]
    sizes = dict(frame_of(f"SELECT attribute, COUNT(*) AS n FROM {weight} GROUP BY attribute").collect())
    joined, handed = _divided({number: sizes.get(number, 0) for number in numbers})
    frame = _joined(frame_of, source, weight, sums, kept, joined)
    dictionaries = _dictionaries(frame_of(f"SELECT attribute, v, w FROM {weight}"), handed)
    shape = frame.schema
    fields = [StructField(name, LongType(), False) for name in sums] + [shape[column] for column in kept]
    broadcast = frame.sparkSession.sparkContext.broadcast(dictionaries)
    packer = _packer(broadcast, {name: list(parts) for name, parts in sums.items()}, list(kept))
    return frame.mapInArrow(packer, StructType(fields)), broadcast


def distinct_in_one_pass(frame_of: Callable[[str], Any], source: str, columns: Mapping[int, str]) -> Any:
    """Return the data frame that `Engine.distinct` promises: each worker tells the different texts of a batch, and Spark unites them."""
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType

    named = dict(columns)
    shape = StructType([StructField("attribute", IntegerType(), False), StructField("v", StringType(), False)])

    def tell(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        for batch in batches:
            found = [(number, pc.unique(batch.column(name)).drop_null()) for number, name in named.items()]
            numbers = pa.concat_arrays([pa.array([number] * len(texts), pa.int32()) for number, texts in found])
            texts = pa.concat_arrays([texts.cast(pa.string()) for _, texts in found])
            yield pa.RecordBatch.from_arrays([numbers, texts], names=["attribute", "v"])

    return frame_of(f"SELECT {', '.join(named.values())} FROM {source}").mapInArrow(tell, shape).distinct()


def distinct_in_one_scan(frame_of: Callable[[str], Any], source: str, columns: Mapping[int, str]) -> Any:
    """Return the same of a few columns: every record is laid out as one row a column, and Spark tells the different ones."""
    laid_out = f"stack({len(columns)}, {', '.join(f'{number}, {name}' for number, name in columns.items())}) AS (attribute, v)"
    return frame_of(f"SELECT {', '.join(columns.values())} FROM {source}").selectExpr(laid_out).where("v IS NOT NULL").distinct()


def _divided(sizes: Mapping[int, int]) -> tuple[frozenset[int], frozenset[int]]:
    """Return which attributes are joined and which are handed out: the smallest ones, as long as there is room."""
    handed, room = set(), HANDED_OUT
    for number, size in sorted(sizes.items(), key=lambda item: item[1]):
        if size > room:
            break
        room -= size
        handed.add(number)
    return frozenset(sizes) - frozenset(handed), frozenset(handed)


def _joined(
    frame_of: Callable[[str], Any],
    source: str,
    weight: str,
    sums: Mapping[str, Sequence[tuple[int, str]]],
    kept: Sequence[str],
    joined: frozenset[int],
) -> Any:
    """Return the source with the columns that have too many values replaced by their numbers."""
    parts = [part for parts in sums.values() for part in parts]
    listed = [f"COALESCE(d{n}.w, 0) AS {column}" if n in joined else f"b.{column}" for n, column in parts]
    joins = "".join(
        f" LEFT JOIN {weight} AS d{number} ON d{number}.attribute = {number} AND d{number}.v = b.{column}"
        for number, column in parts
        if number in joined
    )
    return frame_of(f"SELECT {', '.join([*listed, *(f'b.{column}' for column in kept)])} FROM {source} AS b{joins}")


def _dictionaries(weight: Any, handed: frozenset[int]) -> dict[int, tuple[Any, Any]]:
    import pyarrow.compute as pc

    if not handed:
        return {}
    table = weight.where(weight.attribute.isin(sorted(handed))).toArrow()
    found = {}
    for number in handed:
        part = table.filter(pc.equal(table.column("attribute"), number))
        found[number] = (part.column("v").combine_chunks(), part.column("w").combine_chunks())
    return found


def _packer(broadcast: Any, sums: dict[str, list[tuple[int, str]]], kept: list[str]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        dictionaries = broadcast.value
        for batch in batches:
            columns = []
            for parts in sums.values():
                word = np.zeros(batch.num_rows, dtype=np.int64)
                for number, column in parts:
                    values = batch.column(column)
                    if number in dictionaries:
                        texts, codes = dictionaries[number]
                        if len(texts) == 0:
                            continue
                        # A batch has fewer distinct texts than rows: each is looked up once.
                        encoded = pc.dictionary_encode(values.cast(texts.type))
                        place = pc.index_in(encoded.dictionary, value_set=texts)
                        known = np.append(pc.fill_null(codes.take(place), 0).to_numpy(zero_copy_only=False), 0)
                        word += known[pc.fill_null(encoded.indices, len(known) - 1).to_numpy(zero_copy_only=False)]
                    else:
                        word += values.to_numpy(zero_copy_only=False)
                columns.append(pa.array(word))
            yield pa.RecordBatch.from_arrays([*columns, *(batch.column(column) for column in kept)], names=[*sums, *kept])

    return pack

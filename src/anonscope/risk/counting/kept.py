"""Counts of earlier parts of a table, so that a part which is appended costs the part.

What was counted is kept as numbers: `record` as it was packed, and for every value a keyed hash with its code. A value of the next part
finds its code by its hash; one that is new gets the next code. So codes never change, and counts of all parts are one table. Hashes tell
which values are the same and nothing of their order, which distances between sensitive values need: these alone are kept as texts too,
each under a stream of its own (a synthetic initialisation vector, P. Rogaway and T. Shrimpton (2006), EUROCRYPT; the hash is the vector).

    kept_key(attribute, i, o)           the key of each column's hashes; never in a statement
    kept_value(attribute, code, h, x)   values of earlier parts: hash, and of sensitive ones the hidden text
    kept_most(attribute, most)          the last code of each column
    part_value(attribute, v, h)         values of this part
    kept_record(w0.., t0.., u, n)       records of earlier parts, packed as this audit packs them
    part_record(w0.., t0.., u, n)       records of this part
"""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import shake_256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.columns.suggestion.evidence import ColumnLook, GivenLook
from anonscope.engines import Engine
from anonscope.engines.keyed import forms_of, keyed
from anonscope.errors import CountsError
from anonscope.risk.counting.sweep import mixed

if TYPE_CHECKING:
    from anonscope.risk.counting.encode import Layout, Radix

_DIGITS = 32  # of a hash: 128 bits
_STEP = 32  # bytes; lengths of hidden texts are multiples
_WORD = 2**64


@dataclass(frozen=True, slots=True)
class KeptPart:
    """One part: how many records it has, and two sums by which it is known again, in whatever order its records stand."""

    records: int
    sums: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """What earlier parts showed of their columns, which no count tells."""

    looks: tuple[ColumnLook, ...] = ()
    given: tuple[GivenLook, ...] = ()
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # in which forms values of a column stood


@dataclass(frozen=True, slots=True)
class Earlier:
    """Where counts of earlier parts lie, and how they are packed."""

    records: Path
    values: Path
    radices: "tuple[Radix, ...]"
    most: tuple[int, ...]  # the last code of each column, in the order of quasi-identifiers, sensitive attributes, person
    parts: tuple[KeptPart, ...]
    seen: Seen

    @property
    def count(self) -> int:
        """How many records they are of."""
        return sum(part.records for part in self.parts)


class KeptCounts:
    """Counts that go along in an audit: those of earlier parts, and what is to be kept of this one."""

    def __init__(self, key: bytes, earlier: Earlier | None) -> None:
        self._key, self.earlier = key, earlier
        self.part: KeptPart | None = None
        self.seen = earlier.seen if earlier is not None else Seen()
        self.layout: Layout | None = None  # as which all parts were counted
        self.last: dict[int, int] = {}  # the last code of every column
        self._keys: tuple[str, ...] = ()
        self._columns: tuple[str, ...] = ()
        self._sensitive: tuple[int, ...] = ()

    def derived(self, purpose: str) -> bytes:
        """Return a key of its own for a purpose."""
        return hmac.digest(self._key, f"anonscope/counts/{purpose}".encode(), "sha256")

    @cached_property
    def repeated(self) -> bool:
        """Whether this very part was counted before, or all parts stand in it once more; then it is not counted again."""
        if self.earlier is None or self.part is None:
            return False
        whole = tuple(sum(part.sums[i] for part in self.earlier.parts) % _WORD for i in (0, 1))
        return self.part in self.earlier.parts or (self.part.sums == whole and self.part.records == self.earlier.count)

    def dictionary(self, engine: Engine, columns: Sequence[str], names: Sequence[str]) -> dict[int, int]:
        """Make `dictionary` with the codes that values had before, and return the last code of every column."""
        self._columns = tuple(columns)
        self._sensitive = tuple(i for i, name in enumerate(names) if name.startswith("s"))
        most = self.earlier.most if self.earlier is not None else (0,) * len(columns)
        keys = [(i, *forms_of(self.derived(f"value\0{column}"))) for i, column in enumerate(columns)]
        _registered(engine, "kept_key", ("attribute", "i", "o"), keys, (-1, b"", b""))
        engine.constants("kept_most", [{"attribute": i, "most": last} for i, last in enumerate(most)])
        hashed = f"SUBSTR({keyed('k.i', 'k.o', 'd.v')}, 1, {_DIGITS}) AS h"
        different = engine.distinct("source", dict(enumerate(names)))
        engine.materialise(
            "part_value", f"SELECT d.attribute, d.v, {hashed} FROM {different} JOIN kept_key AS k ON k.attribute = d.attribute"
        )
        if self.earlier is not None:
            kept = f"SELECT attribute, code, h, x FROM read_parquet({engine.text(str(self.earlier.values))})"
        else:
            kept = "SELECT attribute, CAST(0 AS BIGINT) AS code, h, CAST(NULL AS BLOB) AS x FROM part_value WHERE attribute < 0"
        engine.materialise("kept_value", kept)
        self._texts(engine)
        # New values are numbered by their hashes, so that codes tell nothing of the order of values.
        coded = (
            "SELECT p.attribute, p.v, COALESCE(k.code, m.most + ROW_NUMBER() OVER (PARTITION BY p.attribute, CASE WHEN k.code IS NULL THEN "
            "0 ELSE 1 END ORDER BY p.h)) AS code FROM part_value AS p LEFT JOIN kept_value AS k ON k.attribute = p.attribute AND k.h = p.h "
            "JOIN kept_most AS m ON m.attribute = p.attribute"
        )
        alone = "SELECT t.attribute, t.v, t.code FROM kept_text AS t LEFT JOIN part_value AS p ON p.attribute = t.attribute AND p.v = t.v"
        engine.materialise("dictionary", f"{coded} UNION ALL {alone} WHERE p.v IS NULL AND t.attribute >= 0")
        last = self.last = dict(enumerate(most))
        for attribute, code in engine.rows("SELECT attribute, MAX(code) AS n FROM dictionary GROUP BY attribute"):
            last[int(attribute)] = max(last[int(attribute)], int(code))
        return last

    def counted(self, engine: Engine, layout: "Layout", keys: Sequence[str], select: str) -> str:
        """Count this part, and return the SELECT of all parts: the keys, and how many records have them."""
        listed = ", ".join(keys)
        self.layout, self._keys = layout, tuple(keys)
        engine.materialise("part_record", select)
        self.part = self._sums(engine, layout, keys)
        if self.earlier is None:
            return f"SELECT {listed}, n FROM part_record"
        others = [key for key in keys if not key.startswith("w")]
        words = [f"{_packed(layout, self.earlier.radices, word)} AS w{word}" for word in range(layout.words)]
        stored = f"read_parquet({engine.text(str(self.earlier.records))})"
        engine.define("kept_record", f"SELECT {', '.join([*words, *others, 'n'])} FROM {stored}")
        if self.repeated:
            return f"SELECT {listed}, n FROM kept_record"
        self._check_apart(engine, keys)
        return f"SELECT {listed}, n FROM kept_record UNION ALL SELECT {listed}, n FROM part_record"

    def write(self, engine: Engine, records: Path, values: Path) -> None:
        """Write what was counted of all parts to two files."""
        engine.write(f"SELECT {', '.join([*self._keys, 'n'])} FROM record", records, "parquet")
        new = "SELECT p.attribute, d.code, p.h, p.v FROM part_value AS p JOIN dictionary AS d ON d.attribute = p.attribute AND d.v = p.v"
        engine.materialise("new_value", f"{new} JOIN kept_most AS m ON m.attribute = p.attribute WHERE d.code > m.most")
        texts = engine.rows(f"SELECT attribute, code, h, v FROM new_value WHERE {self._secret}")
        hidden = [(attribute, code, self._hidden(int(attribute), h, v)) for attribute, code, h, v in texts]
        _registered(engine, "hidden_text", ("attribute", "code", "x"), hidden, (-1, 0, b""))
        added = "SELECT n.attribute, n.code, n.h, t.x FROM new_value AS n LEFT JOIN hidden_text AS t"
        select = f"SELECT attribute, code, h, x FROM kept_value UNION ALL {added} ON t.attribute = n.attribute AND t.code = n.code"
        engine.write(f"SELECT attribute, code, h, x FROM ({select}) AS y ORDER BY attribute, code", values, "parquet")

    @property
    def _secret(self) -> str:
        return f"attribute IN ({', '.join(map(str, self._sensitive))})" if self._sensitive else "attribute < 0"

    def _texts(self, engine: Engine) -> None:
        """Put the texts of sensitive values of earlier parts on the engine."""
        kept = engine.rows(f"SELECT attribute, code, h, x FROM kept_value WHERE {self._secret}")
        rows = [(attribute, self._shown(int(attribute), h, x), code) for attribute, code, h, x in kept]
        _registered(engine, "kept_text", ("attribute", "v", "code"), rows, (-1, "", 0))

    def _hash(self, attribute: int, text: bytes) -> str:
        return hmac.digest(self.derived(f"value\0{self._columns[attribute]}"), text, "sha256").hex()[:_DIGITS]

    def _stream(self, attribute: int, h: str, length: int) -> int:
        # SHAKE with the key in front is a keyed function; the hash makes every stream another one.
        key = self.derived(f"text\0{self._columns[attribute]}")
        return int.from_bytes(shake_256(key + h.encode()).digest(length))

    def _hidden(self, attribute: int, h: str, text: str) -> bytes:
        content = text.encode() + b"\x80"
        content += b"\0" * (-len(content) % _STEP)
        return (int.from_bytes(content) ^ self._stream(attribute, h, len(content))).to_bytes(len(content))

    def _shown(self, attribute: int, h: str, hidden: bytes) -> str:
        content = (int.from_bytes(hidden) ^ self._stream(attribute, h, len(hidden))).to_bytes(len(hidden))
        text = content.rstrip(b"\0")[:-1]
        if not hmac.compare_digest(self._hash(attribute, text), h):
            raise CountsError("The kept counts hold a value that is not what its hash says. They are damaged; count the whole table anew.")
        return text.decode()

    def _sums(self, engine: Engine, layout: "Layout", keys: Sequence[str]) -> KeptPart:
        """Return by what this part is known again: sums over its records of two keyed numbers, by codes, which never change."""
        import numpy as np

        codes = [_code(f"w{radix.word}", radix) for radix in layout.radices] + [key for key in keys if not key.startswith("w")]
        *columns, n = engine.arrays(f"SELECT {', '.join(f'{code} AS x{i}' for i, code in enumerate(codes))}, n FROM part_record")
        secret = self.derived("sums")
        sums = []
        for begin in (0, 8):
            numbers = np.full(len(n), int.from_bytes(secret[begin : begin + 8]), dtype=np.uint64)
            for column in columns:
                numbers = mixed(numbers ^ column.astype(np.uint64))
            sums.append(int((numbers * n.astype(np.uint64)).sum(dtype=np.uint64)))
        return KeptPart(int(n.sum()), (sums[0], sums[1]))

    def _check_apart(self, engine: Engine, keys: Sequence[str]) -> None:
        """Raise if every record that was counted before stands in this part too: then it is the whole table and no part."""
        assert self.earlier is not None and self.part is not None, "there are counts of both"
        if self.part.records < self.earlier.count:
            return
        same = " AND ".join(f"p.{key} = k.{key}" for key in keys)
        ((lacking,),) = engine.rows(
            f"SELECT COUNT(*) FROM kept_record AS k LEFT JOIN part_record AS p ON {same} WHERE p.n IS NULL OR p.n < k.n"
        )
        if not lacking:
            raise CountsError(
                f"All {self.earlier.count:,} records of the kept counts stand in this table too: it looks like the whole table and not "
                "like a part that was appended, and they would count twice. Give the new records alone, or start a new folder."
            )


def _registered(engine: Engine, name: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]], nobody: tuple[Any, ...]) -> None:
    """Put a few rows on the engine, with one of no attribute among them that says the types of the columns."""
    import numpy as np

    held = zip(*[nobody, *rows], strict=True)
    engine.register(name, {c: np.array(x, dtype=np.int64 if isinstance(x[0], int) else object) for c, x in zip(columns, held, strict=True)})


def _code(word: str, radix: "Radix") -> str:
    """Return the SQL for the code of an attribute."""
    return f"((({word} % {radix.hi}) - ({word} % {radix.lo})) // {radix.lo})"


def _packed(layout: "Layout", stored: "Sequence[Radix]", word: int) -> str:
    """Return the SQL that packs stored codes into a word of a layout."""
    if tuple(stored) == layout.radices:
        return f"w{word}"
    before = {radix.attribute: radix for radix in stored}
    places = [radix for radix in layout.radices if radix.word == word]
    return " + ".join(f"{_code(f'w{before[r.attribute].word}', before[r.attribute])} * {r.lo}" for r in places)

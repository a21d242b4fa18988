"""A small table as SAS stores it (.sas7bdat), written by what is publicly known of the format: there is no library that writes it.

32 bits, little-endian, not compressed: a header, and one page that holds the descriptions of the columns at its end and the records at
its beginning. M. Shotwell, "SAS7BDAT Database Binary Format", 2013, describes what is where.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

_MAGIC = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_HEADER, _PAGE = 1024, 8192
_WIDTH = 8  # of a number


def sas_table(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """Return a file with columns of numbers and of texts; None is a missing value."""
    names, count = list(columns), len(next(iter(columns.values())))
    texts = [any(isinstance(value, str) for value in values) for values in columns.values()]
    widths = [max(len(value or "") for value in values) if text else _WIDTH for text, values in zip(texts, columns.values(), strict=True)]
    places = [sum(widths[:i]) for i in range(len(widths))]
    records = b"".join(
        b"".join(_cell(value, text, width) for value, text, width in zip(record, texts, widths, strict=True))
        for record in zip(*columns.values(), strict=True)
    )
    return _header() + _page(_described(names, texts, widths, places, count), records)


def _cell(value: Any, text: bool, width: int) -> bytes:
    if text:
        return (value or "").encode().ljust(width)
    return struct.pack("<d", float(value)) if value is not None else b"\0\0\0\0\0\xfe\xff\xff"


def _header() -> bytes:
    made = bytearray(_HEADER)
    made[: len(_MAGIC)] = _MAGIC
    made[32], made[35], made[37], made[39], made[70] = 0x22, 0x22, 0x01, ord("1"), 20  # 32 bits, little-endian, Unix, UTF-8
    made[84:92], made[92:156], made[156:164] = b"SAS FILE", b"PEOPLE".ljust(64), b"DATA".ljust(8)
    struct.pack_into("<dd", made, 164, 0.0, 0.0)
    struct.pack_into("<III", made, 196, _HEADER, _PAGE, 1)
    made[216:224], made[224:240] = b"9.0401M6", b"Linux".ljust(16)
    return bytes(made)


def _described(names: Sequence[str], texts: Sequence[bool], widths: Sequence[int], places: Sequence[int], count: int) -> list[bytes]:
    """Return the descriptions of the table: of its records, of how many columns, of their names, places, widths and kinds."""
    rows = bytearray(480)
    rows[:4] = b"\xf7\xf7\xf7\xf7"
    struct.pack_into("<II", rows, 20, sum(widths), count)
    struct.pack_into("<II", rows, 36, len(names), 0)
    struct.pack_into("<I", rows, 52, _PAGE)
    struct.pack_into("<I", rows, 60, count)
    # Twelve bytes of the first text say how records are packed, and are blank where they are not.
    begin, text = 28, b""
    starts = []
    for name in names:
        starts.append(begin + len(text))
        text += name.encode().ljust(-(-len(name) // 4) * 4)
    body = struct.pack("<HHHH", begin + len(text), 0, 0, 0) + b" " * (begin - 8) + text
    named = b"\xff\xff\xff\xff" + struct.pack("<HHHH", 8 * len(names) + 8, 0, 0, 0)
    named += b"".join(struct.pack("<HHHH", 0, start, len(name), 0) for start, name in zip(starts, names, strict=True)) + bytes(8)
    kinds = b"\xfc\xff\xff\xff" + struct.pack("<HHHH", 12 * len(names) + 8, 0, 0, 0)
    for text_, width, place in zip(texts, widths, places, strict=True):
        kinds += struct.pack("<IIHBB", place, width, 4, 2 if text_ else 1, 0)
    formats = [b"\xfe\xfb\xff\xff" + bytes(48) for _ in names]
    counted = b"\xf6\xf6\xf6\xf6" + struct.pack("<II", len(names), 0)
    # Every list has eight bytes more than it says.
    return [bytes(rows), counted, b"\xfd\xff\xff\xff" + body + bytes(8), named, kinds + bytes(8), *formats]


def _page(described: Sequence[bytes], records: bytes) -> bytes:
    made, end = bytearray(_PAGE), _PAGE
    struct.pack_into("<HHH", made, 16, 0x0200, len(described), len(described))
    for i, one in enumerate(described):
        end -= -(-len(one) // 4) * 4
        made[end : end + len(one)] = one
        struct.pack_into("<IIBB", made, 24 + 12 * i, end, len(one), 0, i > 4)
    first = -(-(24 + 12 * len(described)) // 8) * 8
    if first + len(records) > end:
        raise ValueError("the records do not fit into one page")
    made[first : first + len(records)] = records
    return bytes(made)

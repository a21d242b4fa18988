"""Keyed hashing on the engine: HMAC-SHA-256 as in RFC 2104, with the key never in a statement."""

from collections.abc import Mapping

from anonscope.engines.engine import Engine

_BLOCK = 64  # bytes that SHA-256 reads at a time


def register_keys(engine: Engine, name: str, keys: Mapping[int, bytes]) -> None:
    """Put keys on the engine under a name, by number: each is shorter than a block, so it is padded and never hashed first."""
    import pyarrow as pa

    padded = [key.ljust(_BLOCK, b"\0") for key in keys.values()]
    inner, outer = ([bytes(byte ^ pad for byte in key) for key in padded] for pad in (0x36, 0x5C))
    columns = {"attribute": pa.array(list(keys), pa.int32()), "i": pa.array(inner, pa.binary()), "o": pa.array(outer, pa.binary())}
    engine.register(name, pa.table(columns))


def keyed(inner: str, outer: str, text: str) -> str:
    """Return the SQL for the HMAC-SHA-256 of a text, in hexadecimal digits, from the two forms of a key that stands on the engine."""
    return f"SHA256({outer} || UNHEX(SHA256({inner} || ENCODE({text}))))"

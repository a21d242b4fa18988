"""Keyed hashing on the engine: HMAC-SHA-256 as in RFC 2104, with the key never in a statement."""

_BLOCK = 64  # bytes that SHA-256 reads at a time


def forms_of(key: bytes) -> tuple[bytes, bytes]:
    """Return the inner and the outer form of a key, which is shorter than a block, so that it is padded and never hashed first."""
    padded = key.ljust(_BLOCK, b"\0")
    return bytes(byte ^ 0x36 for byte in padded), bytes(byte ^ 0x5C for byte in padded)


def keyed(inner: str, outer: str, text: str) -> str:
    """Return the SQL for the HMAC-SHA-256 of a text, in hexadecimal digits, from the two forms of a key that stand on the engine."""
    return f"SHA256({outer} || UNHEX(SHA256({inner} || ENCODE({text}))))"

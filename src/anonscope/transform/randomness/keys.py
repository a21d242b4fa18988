"""A secret key, and keyed hashing on the engine: HMAC-SHA-256 as in RFC 2104, with the key never in a statement.

Every step derives a key of its own from the one in the file, HMAC(key, "anonscope/<step>" NUL <domain>), so that one key file
serves pseudonyms and date shifts without either telling anything about the other.
"""

import hmac
import os
import stat
from pathlib import Path

from anonscope.engines.keyed import forms_of, keyed
from anonscope.errors import RecipeError, shown
from anonscope.transform.table import Table
from anonscope.transform.transformation import Transformation

SHORTEST = 16  # bytes; guessing 128 bits is out of reach
_HOW_TO_MAKE = "Make one with: openssl rand -hex 32"


def read_key(table: Table, key_file: str, key_variable: str) -> bytes:
    """Return the key that a step names, from a file that only its owner may read, or from the environment."""
    if key_file:
        path = table.file(key_file)
        key, where = _content(path), shown(path)
    else:
        where = f"the environment variable {shown(key_variable)}"
        if key_variable not in os.environ:
            raise RecipeError(f"The key is missing: {where} is not set. {_HOW_TO_MAKE}")
        key = os.environb[os.fsencode(key_variable)] if os.supports_bytes_environ else os.environ[key_variable].encode()
    # Editors and shells end a file with a line break, which is no part of the key.
    key = key.rstrip(b"\r\n")
    if len(key) < SHORTEST:
        raise RecipeError(f"The key in {where} has {len(key)} bytes; it needs at least {SHORTEST}. {_HOW_TO_MAKE}")
    return key


def _content(path: Path) -> bytes:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if os.name == "posix" and mode & 0o077:
            raise RecipeError(f"The key file {shown(path)} can be read or changed by others (mode {mode:o}). Run: chmod 600 {path}")
        return path.read_bytes()
    except OSError as error:
        raise RecipeError(f"The key file {shown(path)} cannot be read: {error.strerror}.") from None


def derived_key(key: bytes, step: Transformation, domain: str) -> bytes:
    """Return the key of one kind of step in one domain."""
    return hmac.digest(key, f"anonscope/{step.name}\0{domain}".encode(), "sha256")


def keyed_hash(table: Table, key: bytes, text: str) -> str:
    """Return the SQL for the HMAC-SHA-256 of a text, in hexadecimal digits; the key is on the engine as a table of one row."""
    import pyarrow as pa

    inner, outer = forms_of(key)
    name = f"arrow_source_key_{table.made + 1}"
    table.engine.register(name, pa.table({"i": pa.array([inner], pa.binary()), "o": pa.array([outer], pa.binary())}))
    return keyed(f"(SELECT i FROM {name})", f"(SELECT o FROM {name})", text)

"""A detached signature: which files, by their hashes, somebody put their key under (Ed25519, through `cryptography`).

It proves that whoever holds the key sealed these very bytes under that name. Whose key it is, no signature proves: that is known by
comparing the key, or its fingerprint, with one that came another way.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anonscope.errors import MissingExtra, OutputError, SealError, shown
from anonscope.io.placing import Move, Staging, recover
from anonscope.io.writing import check_absent, open_mode, write_text
from anonscope.transform.release.beside import write_private_bytes
from anonscope.transform.release.manifest import file_hash

SCHEMA = "anonscope/seal/1"
_KEYS = {"schema", "algorithm", "by", "sealed", "public_key", "files", "signature"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SealRead:
    """A seal that was read: who says to have made it, by which key, when, over which files; and whether the signature fits."""

    by: str
    key: str  # the public key, in hexadecimal digits
    sealed: str
    files: Mapping[str, str]
    genuine: bool

    @property
    def fingerprint(self) -> str:
        """The first digits of the key's hash, for people to compare."""
        return fingerprint(self.key)


def seal_path(path: Path) -> Path:
    """Return where the seal of a file stands: beside it."""
    return path.with_name(path.name + ".sig")


def fingerprint(key: str) -> str:
    """Return the first 32 digits of the hash of a public key, in groups of four."""
    found = hashlib.sha256(bytes.fromhex(key)).hexdigest()[:32]
    return " ".join(found[i : i + 4] for i in range(0, len(found), 4))


def make_key(path: Path) -> str:
    """Write a new private key for its owner's eyes only, and the public one beside it as .pub; return the public one."""
    serialization, ed25519 = _library()
    public = path.with_name(path.name + ".pub")
    recover([path.parent])
    for file in (path, public):
        check_absent(file)
    key = ed25519.Ed25519PrivateKey.generate()
    text = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    found = _public(key.public_key())
    # Both or none: half a key, or one without the other, would stand in the way of the next.
    with Staging(path.parent) as staging:
        halves = staging.beside(path), staging.beside(public)
        try:
            write_private_bytes(halves[0], text)
            halves[1].write_text(found + "\n", encoding="ascii")
            open_mode(halves[1])
        except OSError as error:
            raise OutputError(f"{shown(path)} cannot be written: {error.strerror}.") from None
        staging.place([Move(halves[0], path, replaces=False), Move(halves[1], public, replaces=False, last=True)])
    return found


def read_public_key(path: Path) -> str:
    """Return the public key of a file that `make_key` wrote."""
    try:
        found = path.read_text(encoding="ascii").strip()
        if len(bytes.fromhex(found)) == 32:
            return found
    except FileNotFoundError:
        raise SealError(f"No such file: {shown(path)}.") from None
    except (OSError, ValueError):
        pass
    raise SealError(f"{shown(path)} is no public key: 64 hexadecimal digits, as seal keygen writes them to a .pub file.")


def check_key(path: Path) -> None:
    """Raise where a file is no private key that its owner alone may read."""
    _private(path)


def write_seal(target: Path, files: Sequence[Path], key_file: Path, by: str) -> SealRead:
    """Put a key under files, and write the seal beside the first of them."""
    key = _private(key_file)
    if not by.strip():
        raise SealError("A seal says who made it, and no name is given (--name NAME).")
    # Beside each other, or one inside the other's folder: a seal names files as they are seen from where it stands.
    named = {os.path.relpath(path.resolve(), target.resolve().parent): file_hash(path) for path in files}
    told = {
        "schema": SCHEMA,
        "algorithm": "Ed25519",
        "by": by,
        "sealed": datetime.now(UTC).isoformat(timespec="seconds"),
        "public_key": _public(key.public_key()),
        "files": named,
    }
    write_text(seal_path(target), _written(told | {"signature": key.sign(_signed(told)).hex()}))
    return read_seal(target)


def read_seal(target: Path) -> SealRead:
    """Return the seal beside a file; raise where there is none that can be read."""
    path = seal_path(target)
    try:
        content = path.read_bytes()
        document = json.loads(content)
        # Only as it was written: any change of a byte shows, also one that means nothing.
        if content.decode() != _written(document):
            raise ValueError("a seal is as it was written")
        if not isinstance(document, dict) or set(document) != _KEYS or document["schema"] != SCHEMA or document["algorithm"] != "Ed25519":
            raise ValueError("a seal has the fields of one")
        files = {str(name): str(known) for name, known in document["files"].items()}
        texts = {key: str(document[key]) for key in ("by", "sealed", "public_key")}
        bytes.fromhex(texts["public_key"]), bytes.fromhex(document["signature"])
    except FileNotFoundError:
        raise SealError(f"There is no {shown(path.name)}: nobody sealed {shown(target.name)}.") from None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        raise SealError(f"{shown(path)} cannot be read as a seal.") from None
    return SealRead(
        by=texts["by"], key=texts["public_key"], sealed=texts["sealed"], files=files, genuine=_genuine(document, texts["public_key"])
    )


def differing(target: Path, seal: SealRead) -> Iterator[tuple[str, bool | None]]:
    """Yield every sealed file and whether its bytes are those that were sealed; None: it is not at hand."""
    for name, known in seal.files.items():
        path = target.parent / name
        # Of a stranger's seal: neither a device nor a folder beyond its own is looked through.
        here = path.is_file() or (path.is_dir() and not Path(name).is_absolute() and ".." not in Path(name).parts)
        yield name, (file_hash(path) == known if here else None)


def _written(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _signed(told: Mapping[str, Any]) -> bytes:
    return json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _genuine(document: Mapping[str, Any], key: str) -> bool:
    _, ed25519 = _library()
    from cryptography.exceptions import InvalidSignature

    told = {name: value for name, value in document.items() if name != "signature"}
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(document["signature"]), _signed(told))
    except (InvalidSignature, ValueError):
        return False
    return True


def _private(path: Path) -> Any:
    serialization, ed25519 = _library()
    try:
        mode = path.stat().st_mode
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except FileNotFoundError:
        raise SealError(f"No such file: {shown(path)}.") from None
    except (OSError, ValueError, TypeError):
        raise SealError(f"{shown(path)} is no private key that seal keygen wrote.") from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise SealError(f"{shown(path)} is no Ed25519 key.")
    if os.name == "posix" and mode & 0o077:
        raise SealError(f"Others than its owner may read the key {shown(path)}: chmod go= {shown(path.name)}, and think about a new one.")
    return key


def _public(key: Any) -> str:
    found: bytes = key.public_bytes_raw()
    return found.hex()


def _library() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("A seal", "seal") from None
    return serialization, ed25519

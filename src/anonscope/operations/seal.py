"""Put a key under a release or a dossier, so that whoever receives it can tell by whom it is, and that no byte was changed."""

from collections.abc import Sequence
from pathlib import Path

from anonscope.errors import SealError, shown
from anonscope.io.writing import check_writable
from anonscope.operations.signing.seal_file import SealRead, fingerprint, make_key, seal_path, write_seal
from anonscope.operations.verify import verify
from anonscope.transform.release.manifest import manifest_path


def seal_key(path: str | Path) -> str:
    """Write a new Ed25519 key (mode 0600) and its public half (.pub); return the fingerprint of the latter, to hand on another way."""
    return fingerprint(make_key(Path(path)))


def seal(path: str | Path, key: str | Path, by: str, *, also: Sequence[str | Path] = (), force: bool = False) -> SealRead:
    """Seal a release, or a document such as a dossier, and write the signature beside it.

    Of a release the manifest is sealed, which lists all other files by hash, and the release itself; it must be what was published.
    `also` are further files that belong to it: the release that a dossier is about is sealed with it then.
    """
    target = Path(path)
    files: list[Path] = []
    for one in (target, *map(Path, also)):
        if not one.exists():
            raise SealError(f"No such file: {shown(one)}.")
        released = manifest_path(one).is_file()
        if released and not (found := verify(one)).holds:
            raise SealError(f"{found.sentence} Nothing was sealed.")
        files += [one, *([manifest_path(one)] if released else [])]
    place = manifest_path(target) if manifest_path(target).is_file() else target
    check_writable(seal_path(place))
    if seal_path(place).exists() and not force:
        raise SealError(f"{shown(seal_path(place).name)} exists. Say --force (force=True) to put another key under it.")
    return write_seal(place, files, Path(key), by)

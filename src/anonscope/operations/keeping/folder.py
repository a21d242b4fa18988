"""The folder of kept counts: whole or not at all, of one table, under one key, and told when it was changed.

counts.json                 what was counted, by which files, and a seal over it: HMAC-SHA-256 with the key
records-*.parquet           `record` of all parts
values-*.parquet            keyed hashes of their values
"""

import hmac
import json
import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.evidence import ColumnLook, GivenLook
from anonscope.engines import Engine
from anonscope.errors import CountsError, shown
from anonscope.io.writing import WRITING, write_bytes
from anonscope.risk.counting.encode import Radix
from anonscope.risk.counting.kept import Earlier, KeptCounts, KeptPart, Seen

SCHEMA = "anonscope/counts/1"
_FILE = "counts.json"
_SHORTEST = 16  # bytes of a key
_ANEW = "Count the whole table into a new folder."


@dataclass(frozen=True, slots=True)
class KeptTable:
    """What parts of one table have in common."""

    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    person: str | None
    perturbed: tuple[str, ...]

    @classmethod
    def of(cls, columns: tuple[str, ...], roles: Roles, perturbed: tuple[str, ...]) -> "KeptTable":
        """Return it, with columns in an order that does not depend on how they stand in a file."""
        return cls(tuple(sorted(columns)), roles.attributes, roles.sensitive, roles.person, tuple(sorted(perturbed)))


@dataclass(slots=True)
class CountsFolder:
    """A folder of kept counts that was opened for an audit."""

    path: Path
    key: bytes
    table: KeptTable
    stated: bytes | None  # what the folder said when it was opened; None: nothing was kept yet

    def kept(self) -> KeptCounts:
        """Return the counts that go along in an audit."""
        return KeptCounts(self.key, self._earlier())

    def add(self, engine: Engine, kept: KeptCounts) -> None:
        """Keep what was counted of all parts in the place of what was kept before."""
        assert kept.layout is not None and kept.part is not None, "an audit has counted something"
        parts = (*(kept.earlier.parts if kept.earlier is not None else ()), kept.part)
        name = secrets.token_hex(8)
        files = {what: self.path / f"{what}-{name}.parquet" for what in ("records", "values")}
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
            _check_private(self.path)
            kept.write(engine, files["records"], files["values"])
            for file in files.values():
                file.chmod(0o600)  # the folder is private already
            told = {
                "schema": SCHEMA,
                "table": asdict(self.table),
                "parts": [[part.records, *part.sums] for part in parts],
                "radices": [[r.attribute, r.word, r.lo, r.hi] for r in kept.layout.radices],
                "last": [kept.last[i] for i in sorted(kept.last)],
                "looks": [asdict(look) for look in kept.seen.looks],
                "given": [asdict(look) for look in kept.seen.given],
                "forms": {column: list(names) for column, names in kept.seen.forms.items()},
                "files": {what: [file.name, _hash(file)] for what, file in files.items()},
                "key": _known_by(kept),
            }
            body = json.dumps(told, sort_keys=True)
            stated = json.dumps({"counts": told, "seal": hmac.digest(kept.derived("folder"), body.encode(), "sha256").hex()}).encode()
            if _stated(self.path) != self.stated:
                raise CountsError(
                    f"The counts in {shown(self.path)} were changed by another run meanwhile. Nothing was kept; run this again."
                )
            write_bytes(self.path / _FILE, stated, private=True)
        except BaseException as error:
            for file in files.values():
                with suppress(OSError):
                    file.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise CountsError(f"Counts cannot be kept in {shown(self.path)}: {error.strerror}.") from None
            raise
        self.stated = stated
        for old in (*self.path.glob("records-*.parquet"), *self.path.glob("values-*.parquet")):
            if old not in files.values():
                with suppress(OSError):
                    old.unlink()

    def _earlier(self) -> Earlier | None:
        if self.stated is None:
            return None
        told = self._opened(self.stated)
        stated: dict[str, Any] = {name: tuple(x) if isinstance(x, list) else x for name, x in told["table"].items()}
        before = KeptTable(**stated)
        for what, then, now in (
            ("has the columns", before.columns, self.table.columns),
            ("has the quasi-identifiers", before.quasi_identifiers, self.table.quasi_identifiers),
            ("has the sensitive attributes", before.sensitive, self.table.sensitive),
            ("counts people by", _one(before.person), _one(self.table.person)),
            ("has the perturbed columns", before.perturbed, self.table.perturbed),
        ):
            if then != now:
                raise CountsError(
                    f"The kept counts are of another table: it {what} {_listed(then)}, and this one {_listed(now)}. Parts of a table have "
                    "the same columns with the same roles, in the same order."
                )
        files = {}
        for what, (name, digest) in told["files"].items():
            files[what] = self.path / name
            if not files[what].is_file() or _hash(files[what]) != digest:
                raise self._damaged()
        return Earlier(
            files["records"],
            files["values"],
            tuple(Radix(*radix) for radix in told["radices"]),
            tuple(told["last"]),
            tuple(KeptPart(records, (one, other)) for records, one, other in told["parts"]),
            Seen(
                tuple(ColumnLook(**look) for look in told["looks"]),
                tuple(GivenLook(**look) for look in told["given"]),
                {column: tuple(names) for column, names in told["forms"].items()},
            ),
        )

    def _opened(self, stated: bytes) -> Mapping[str, Any]:
        """Return what the folder says, if it was said with this key and not changed since."""
        keys = KeptCounts(self.key, None)
        try:
            document = json.loads(stated)
            told, seal = document["counts"], str(document["seal"])
            schema, known = told["schema"], str(told["key"])
        except (ValueError, TypeError, KeyError):
            raise self._damaged() from None
        if schema != SCHEMA:
            raise CountsError(f"The counts in {shown(self.path)} were kept by another version ({shown(str(schema))}). {_ANEW}")
        if not hmac.compare_digest(known, _known_by(keys)):
            raise CountsError(f"The key does not fit the counts in {shown(self.path)}: they were kept with another one.")
        body = json.dumps(told, sort_keys=True)
        if not hmac.compare_digest(seal, hmac.digest(keys.derived("folder"), body.encode(), "sha256").hex()):
            raise self._damaged()
        found: Mapping[str, Any] = told
        return found

    def _damaged(self) -> CountsError:
        return CountsError(f"The counts in {shown(self.path)} are damaged or were changed, so nothing is said from them. {_ANEW}")


def open_folder(path: Path, key_file: Path, table: KeptTable, *, new: bool) -> CountsFolder:
    """Return a folder of kept counts; if `new`, it may have none yet, and a key is drawn where there is none."""
    if key_file.resolve().is_relative_to(path.resolve()):
        raise CountsError(f"The key must not lie in {shown(path)}, beside what it protects. Keep it elsewhere.")
    if path.exists() and not path.is_dir():
        raise CountsError(f"{shown(path)} is a file. Give the name of a folder.")
    if not path.parent.is_dir():
        raise CountsError(f"The folder {shown(path.parent)} does not exist, so {shown(path.name)} cannot be made in it.")
    if path.is_dir():
        _check_private(path)
        others = [entry for entry in path.iterdir() if entry.name != _FILE and not _is_ours(entry)]
        if others and not (path / _FILE).exists():
            raise CountsError(f"{shown(path)} holds other things than counts. Give a new folder.")
    stated = _stated(path)
    if stated is None and not new:
        raise CountsError(f"No counts are kept in {shown(path)}. Keep some first (--keep-counts).")
    return CountsFolder(path, _key(key_file, new=stated is None), table, stated)


def _key(path: Path, *, new: bool) -> bytes:
    """Return the key in a file that only its owner may read; one is drawn if there is none and nothing was kept with it yet."""
    try:
        if new and not path.exists():
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_hex(32).encode() + b"\n")
        mode = stat.S_IMODE(path.stat().st_mode)
        if os.name == "posix" and mode & 0o077:
            raise CountsError(f"The key file {shown(path)} can be read or changed by others (mode {mode:o}). Run: chmod 600 {path}")
        # Editors and shells end a file with a line break, which is no part of the key.
        key = path.read_bytes().rstrip(b"\r\n")
    except OSError as error:
        raise CountsError(f"The key file {shown(path)} cannot be read or made: {error.strerror}.") from None
    if len(key) < _SHORTEST:
        raise CountsError(
            f"The key in {shown(path)} has {len(key)} bytes; it needs at least {_SHORTEST}. Make one with: openssl rand -hex 32"
        )
    return key


def _check_private(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        raise CountsError(f"Others may enter {shown(path)} (mode {mode:o}), and counts are as secret as the data. Run: chmod 700 {path}")


def _stated(path: Path) -> bytes | None:
    try:
        return (path / _FILE).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CountsError(f"The counts in {shown(path)} cannot be read: {error.strerror}.") from None


def _is_ours(entry: Path) -> bool:
    return entry.name.startswith(("records-", "values-", WRITING))


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _known_by(kept: KeptCounts) -> str:
    """Return by what a key is known again."""
    return kept.derived("known by").hex()


def _one(column: str | None) -> tuple[str, ...]:
    return () if column is None else (column,)


def _listed(columns: tuple[str, ...]) -> str:
    return ", ".join(map(shown, columns[:12])) + (f" and {len(columns) - 12} more" if len(columns) > 12 else "") if columns else "none"

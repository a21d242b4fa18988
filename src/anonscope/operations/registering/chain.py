"""The file of a register: JSON lines, each with the hash of the one before, so that no line can be changed or taken out unseen.

A line has no cell value: names, counts, hashes, dates. The last line is not protected by a later one; whoever keeps the register notes
the hash of its head elsewhere, or signs it.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from anonscope.engines.scratch import sweep
from anonscope.errors import OutputError, RegisterError, shown
from anonscope.io.writing import WRITING, replacing

SCHEMA = "anonscope/register/1"
FILE = "register.jsonl"
FIRST = "0" * 64
_FRACTION = re.compile(r"[0-9]{1,2000}(/[1-9][0-9]{0,1999})?")
Kind = Literal["release", "budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line: a release of a population to somebody, or the budget of a population."""

    kind: Kind
    population: str  # as whoever keeps the register calls it
    added: str  # when, in UTC
    release: str | None = None  # its name
    path: str | None = None  # seen from the folder of the register, where it was when it was registered
    sha256: str | None = None
    made_by: str = ""  # the verb that made it, or "register add" where that was before it was registered
    recipient: str | None = None
    records: int | None = None
    policy: str | None = None
    outcome: str | None = None
    recipe: str | None = None  # the hash of what made it
    k: int | None = None  # that its policy asks for
    epsilon: str | None = None  # of a person, as an exact fraction; None: no guarantee
    delta: str | None = None  # what is lost beyond that; None: no guarantee, or it was registered before this was kept
    unit: str | None = None  # whom the epsilon protects: record, person or household; None: no epsilon, or it was not kept then
    review: str | None = None  # when it is to be looked at again
    expires: str | None = None  # after that the recipient may not use it any more
    source: str | None = None  # the hash of the table that it was made of; None: it was no file, or it was registered before this was kept
    composition: Mapping[str, Any] | None = None  # what was found when it was held against the earlier ones
    quasi_identifiers: Sequence[str] | None = (
        None  # the columns by which its groups were made; None: it was registered before they were kept
    )

    @property
    def by_epsilon(self) -> bool:
        """Whether all that it tells of somebody adds up by epsilon: drawn or noisy, with a guarantee. A noisy column alone is no such."""
        return self.made_by in ("synthesise", "answer") and self.epsilon is not None

    @property
    def unmeasured(self) -> bool:
        """Whether it was not held against the earlier ones, and no epsilon bounds what it adds to them."""
        return not self.composition["measured"] if self.composition is not None else not self.by_epsilon

    @property
    def lost(self) -> Fraction:
        """What it takes from the budget of a person."""
        return Fraction(self.epsilon) if self.epsilon is not None else Fraction()


@dataclass(frozen=True, slots=True)
class Chain:
    """The lines of a register that fit each other, and what is wrong with the first that does not."""

    entries: tuple[Entry, ...]
    head: str
    broken: str | None = None


def place(folder: Path) -> Path:
    """Return the file of a register."""
    return folder / FILE


def read_chain(folder: Path) -> Chain:
    """Return the lines of a register; a folder without the file is an empty one."""
    try:
        text = place(folder).read_text(encoding="utf-8")
    except FileNotFoundError:
        return Chain((), FIRST)
    except (OSError, UnicodeDecodeError):
        raise RegisterError(f"The register {shown(place(folder))} cannot be read.") from None
    entries: list[Entry] = []
    head = FIRST
    if text and not text.endswith("\n"):
        return Chain((), FIRST, "its last line is cut off")
    # By the end of a line alone: a name may hold other characters that Python takes for one.
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            content = json.loads(line)
            told, entry = content["entry"], _entry(content["entry"])
            fits = content["schema"] == SCHEMA and content["previous"] == head and content["hash"] == _hash(head, told)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, ZeroDivisionError):
            return Chain(tuple(entries), head, f"line {number} is none of a register")
        if not fits:
            return Chain(tuple(entries), head, f"line {number} was changed, or a line before it was taken out")
        entries.append(entry)
        head = content["hash"]
    return Chain(tuple(entries), head)


def append(folder: Path, entry: Entry) -> None:
    """Add a line to the end of a register whose chain is whole; whoever calls holds its lock."""
    chain = read_chain(folder)
    check_whole(chain, folder)
    told = asdict(entry)
    line = {"schema": SCHEMA, "previous": chain.head, "entry": told, "hash": _hash(chain.head, told)}
    try:
        content = (json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except UnicodeEncodeError:
        raise RegisterError("A name that goes into a register must be text in UTF-8.") from None
    target = place(folder)
    try:
        # Written anew and whole: half a line, of a full disk, would break the chain for good.
        with replacing(target, private=True) as made, open(made, "wb") as file:
            file.write((target.read_bytes() if target.exists() else b"") + content)
            file.flush()
            os.fsync(file.fileno())
    except OutputError as error:
        raise RegisterError(f"The register cannot be written: {error}") from None


def check_whole(chain: Chain, folder: Path) -> None:
    """Raise where a chain is broken: nothing is added to, or judged by, a register that somebody changed."""
    if chain.broken is not None:
        raise RegisterError(f"The register {shown(place(folder))} is broken: {chain.broken}. Take it from where it is backed up.")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others from adding between what is checked and what is added."""
    if not folder.is_dir():
        raise RegisterError(f"The folder of the register, {shown(folder)}, does not exist. Make it first.")
    try:
        file = os.open(folder / f".{FILE}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise RegisterError(f"The register in {shown(folder)} cannot be written: {error.strerror}.") from None
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        # A run that was killed here cannot have taken its file away.
        sweep(folder.resolve(), WRITING)
        yield
    finally:
        os.close(file)


def day(text: str | None, what: str) -> str | None:
    """Return a day as it is kept; raise where it is none."""
    try:
        return date.fromisoformat(text).isoformat() if text is not None else None
    except ValueError:
        raise RegisterError(f"{what} is a day, such as 2027-12-31, not {shown(str(text))}.") from None


def _entry(content: Mapping[str, Any]) -> Entry:
    known = {field.name for field in fields(Entry)}
    if set(content) - known or content["kind"] not in ("release", "budget") or not isinstance(content["population"], str):
        raise ValueError("an entry has the fields of one")
    for name, value in content.items():
        if not _fits(name, value):
            raise ValueError("a field of an entry is of its kind")
    entry = Entry(**content)
    for told in (entry.review, entry.expires):
        day(told, "A day of the register")
    return entry


def _fits(name: str, value: object) -> bool:
    if value is None:
        return name not in ("kind", "population", "added", "made_by")
    if name in ("records", "k"):
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "composition":
        return isinstance(value, dict) and isinstance(value.get("sentence"), str) and {"measured", "accepted"} <= value.keys()
    if name == "quasi_identifiers":
        return isinstance(value, list) and all(isinstance(column, str) for column in value)
    # Never below zero, for nothing is given back; and no power of ten, which takes for ever to write out.
    return isinstance(value, str) and (name not in ("epsilon", "delta") or _FRACTION.fullmatch(value) is not None)


def _hash(previous: str, entry: Mapping[str, Any]) -> str:
    text = json.dumps(entry, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()

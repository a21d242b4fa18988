"""What a server was started with: where it listens, who may come in, and how much it takes."""

import hashlib
import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from anonscope.engines.duckdb import parse_bytes
from anonscope.errors import OptionError, shown
from anonscope.io.sources.apart import ReadingLimits
from anonscope.operations.signing.seal_file import check_key

UPLOAD_LIMIT = 2**30
ROW_LIMIT = 20_000_000
COLUMN_LIMIT = 5_000
EXPIRY = 120  # minutes
_SHORTEST_PASSWORD = 12
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 (compared with, not bound to)


@dataclass(frozen=True, slots=True)
class Password:
    """A password as it is kept: salted, and slow to guess."""

    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, text: str) -> "Password":
        """Return what is kept of a password."""
        if len(text) < _SHORTEST_PASSWORD:
            raise OptionError(f"A password must have at least {_SHORTEST_PASSWORD} characters.")
        salt = secrets.token_bytes(16)
        return cls(salt, _digest(text, salt))

    def fits(self, text: str) -> bool:
        """Return whether this is the password; it takes as long whether it is or not."""
        return hmac.compare_digest(self.digest, _digest(text, self.salt))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Everything a server must know before it starts."""

    host: str = "127.0.0.1"
    port: int = 8765
    public_name: str | None = None  # under which it is reached, if not by its host
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    password: Password | None = field(default=None, repr=False)
    upload_limit: int = UPLOAD_LIMIT
    row_limit: int = ROW_LIMIT
    column_limit: int = COLUMN_LIMIT
    expiry: float = EXPIRY
    jobs_at_once: int = 2
    memory_limit: str | None = None
    reading_seconds: float = ReadingLimits().seconds  # for the first look at a file
    sources: tuple[Path | str, ...] = ()  # folders of this machine below which tables may be opened, and addresses of databases
    spark_master: str | None = None  # where Spark runs that reads those of them that it reaches alone
    project: Path | None = None  # a folder that keeps what was said and found out
    keep_data: bool = False  # whether it keeps the tables and the releases as well
    folder: Path | None = None  # in which the private folder is made; the system's, if none is given
    register: Path | None = None  # the folder of the register that releases are added to
    seal_key: Path | None = field(default=None, repr=False)  # the key of whoever runs it, for releases that somebody wants sealed
    seal_name: str | None = None

    def __post_init__(self) -> None:
        if not self.local:
            if self.password is None:
                raise OptionError(
                    f"The host {shown(self.host)} can be reached from other machines, so a password is needed: give --password-file FILE, "
                    "or set ANONSCOPE_PASSWORD. Put TLS in front as well: a reverse proxy with a certificate."
                )
            if self.host in _ANYWHERE and self.public_name is None:
                raise OptionError("A server that listens everywhere needs --public-name, the name that people type to reach it.")
        if self.keep_data and self.project is None:
            raise OptionError("--keep-data says that a project keeps the tables as well, so it needs --project FOLDER.")
        if self.register is not None and not self.register.is_dir():
            raise OptionError(f"The folder of the register, {shown(self.register)}, does not exist. Make it first.")
        if (self.seal_key is None) != (self.seal_name is None):
            raise OptionError("A server that seals needs a key and the name that it seals in: --seal-key FILE --seal-name NAME.")
        if self.seal_key is not None:
            check_key(self.seal_key)
        if self.upload_limit < 1 or self.row_limit < 1 or self.column_limit < 1 or self.jobs_at_once < 1:
            raise OptionError("Limits must be at least 1.")
        if not self.expiry > 0:
            raise OptionError(f"Tables expire after a number of minutes above 0, not {self.expiry:g}.")

    @property
    def reading_limits(self) -> ReadingLimits:
        """What a file that was sent may cost to read, before it is opened by the server itself."""
        memory = parse_bytes(self.memory_limit) if self.memory_limit is not None else ReadingLimits().memory
        return ReadingLimits(memory=memory, seconds=self.reading_seconds, unpacked=self.upload_limit)

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host) and self.public_name is None

    @property
    def hosts(self) -> frozenset[str]:
        """The values of the Host header that mean this server; anything else is a name that was bent to point here."""
        names = ("127.0.0.1", "localhost", "[::1]") if self.local else (self.public_name or _bracketed(self.host),)
        # Behind a reverse proxy the port of the name is the proxy's; a name without a port is the usual port.
        plain = names if not self.local or self.port == 80 else ()
        return frozenset(name.lower() for name in (*(f"{name}:{self.port}" for name in names), *plain))

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers share cookies between the ports of a host."""
        return f"anonscope-{self.port}"

    @property
    def url(self) -> str:
        """Where to go; on this machine with the token that lets one in."""
        base = f"http://{_bracketed(self.host)}:{self.port}/"
        return f"{base}enter?token={self.token}" if self.password is None else base


def is_loopback(host: str) -> bool:
    """Return whether a host can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _digest(text: str, salt: bytes) -> bytes:
    return hashlib.scrypt(text.encode(), salt=salt, n=2**14, r=8, p=1)

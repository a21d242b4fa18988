"""What a database refused, in one sentence of ours.

Messages of drivers quote cells, statements and users, so only the class of an error decides what is said (the first characters of
its SQLSTATE), and where a server could not be reached, which of a few known phrases the driver used.
"""

from anonscope.engines.database.address import PASSWORD, Address
from anonscope.errors import AnonscopeError, EngineError, SourceError, shown

# By the longest beginning of the SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html
_BY_STATE = {
    "08": "The connection to {title} at {place} was lost in the middle. Nothing was measured; try again.",
    "57P": "{title} at {place} shut down or ended the session in the middle. Nothing was measured; try again when it is up.",
    "57014": "{title} cancelled a statement: it took longer than the server allows, or somebody stopped it. Raise statement_timeout "
    "for this user, or measure fewer records with --rows.",
    "53100": "{title} has no disk space left for temporary tables. Make room, or measure fewer records with --rows.",
    "53200": "{title} ran out of memory. Measure fewer columns, or fewer records with --rows.",
    "53400": "{title} reached a limit of its configuration (such as temp_file_limit). Raise it, or measure fewer records with --rows.",
    "42501": "This user may not read the table or what it is made of. Ask for: GRANT SELECT ON the table.",
    "25006": "{title} is read-only here and refused a statement that stores something.",
    "40": "{title} could not keep one state of the table while it was read. Try again.",
    "22": "{title} could not convert a value of the table ({state}); which one is withheld, as it is data.",
}
# In the words of libpq and of the server, in English; anything else is said in general.
_CONNECTING = (
    (("certificate", "SSL error", "SSL connection", "not support SSL"), "A secure connection to {title} at {place} could not be made. "
     "Check sslmode and the certificates."),
    (("password authentication failed", "no password supplied", "authentication failed"), "{title} at {place} refused user or password. "
     f"Give the password in the URL, in {PASSWORD}, or in a netrc file."),
    (("no pg_hba.conf entry", "pg_hba.conf rejects"), "{title} at {place} lets nobody in from this machine as this user (pg_hba.conf). "
     "Ask its administrator."),
    (("too many clients", "remaining connection slots"), "{title} at {place} has no free connection. Try again later."),
    (("permission denied for database",), "This user may not connect to the database {database} at {place}. Ask its administrator."),
    (('role "',), "{title} at {place} has no such user. Check the URL."),
    (('database "',), "{title} at {place} has no database {database}. Check the URL."),
    (("starting up", "shutting down"), "{title} at {place} is starting or shutting down. Try again in a moment."),
    (("invalid connection option", "invalid URI query parameter", "invalid sslmode", "invalid port"), "An option in the URL of the "
     "database is not known to {title}. Check what stands behind the question mark."),
    (("resolve host", "translate host name", "Name or service not known"), "There is no host as in {place}. Check the URL."),
    (("timeout expired", "timed out", "timeout"), "{title} at {place} did not answer in time. Check host, port and firewall."),
    (("refused", "No such file", "not accept", "unreachable", "No route"), "Nothing answers at {place}. Check host and port, and that "
     "{title} is running."),
)  # fmt: skip
_IN_A_FILE = (
    (("unable to open", "not a directory"), "The SQLite file {database} does not exist or cannot be opened."),
    (("not a database", "malformed", "encrypted"), "{database} is not a SQLite database, or it is damaged."),
    (("locked", "busy"), "The SQLite file {database} is locked by another program. Try again when it is done."),
    (("disk is full", "disk I/O"), "There is no disk space left for temporary tables of SQLite, or the disk cannot be read."),
    (("permission", "readonly"), "The SQLite file {database} may not be read."),
)


def not_connected(error: Exception, address: Address, title: str) -> AnonscopeError:
    """Return why no connection could be made."""
    if address.kind == "sqlite":
        return _in_a_file(error, address) or SourceError(f"The SQLite file {shown(address.database)} cannot be opened.")
    said = _first(_CONNECTING, str(error))
    told = said or "{title} at {place} could not be connected to; its message is withheld, as it may hold credentials."
    return SourceError(told.format(title=title, place=address.place, database=shown(address.database)))


def refused(error: Exception, address: Address, title: str) -> AnonscopeError:
    """Return why a statement failed, without its text and without the driver's."""
    original = getattr(error, "orig", None) or error
    if isinstance(error, UnicodeDecodeError) or "decode to utf-8" in str(original).lower():
        return EngineError(f"A text in the table is not UTF-8, so {title} cannot hand it over; which one is withheld, as it is data.")
    state = str(getattr(original, "sqlstate", None) or "")
    if address.kind == "sqlite":
        if (known := _in_a_file(original, address)) is not None:
            return known
    elif not state and _is_lost(error, original):
        state = "08"
    for length in range(len(state), 1, -1):
        if (told := _BY_STATE.get(state[:length])) is not None:
            return EngineError(told.format(title=title, place=address.place, state=state))
    kind = f"SQLSTATE {state}" if state else type(original).__name__
    return EngineError(f"{title} refused a statement ({kind}); its message is withheld, as it may hold data.")


def _is_lost(error: Exception, original: BaseException) -> bool:
    # A driver that finds the connection gone has no SQLSTATE to pass on.
    return bool(getattr(error, "connection_invalidated", False)) or type(original).__name__ in ("OperationalError", "InterfaceError")


def _in_a_file(error: BaseException, address: Address) -> SourceError | None:
    said = _first(_IN_A_FILE, str(error))
    return SourceError(said.format(database=shown(address.database))) if said else None


def _first(known: tuple[tuple[tuple[str, ...], str], ...], message: str) -> str | None:
    lower = message.lower()
    return next((told for signs, told in known if any(sign.lower() in lower for sign in signs)), None)

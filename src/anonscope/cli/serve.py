"""`anonscope serve`: the web app, on this machine unless somebody asks for more."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonscope.cli.flattened import flattened
from anonscope.operations.wishes.engine import Memory, SparkPlace

if TYPE_CHECKING:
    from socket import socket

_WHO = "Who may come in"
_LIMITS = "How much it takes"
_KEEPS = "What it keeps and seals"
PASSWORD_VARIABLE = "ANONSCOPE_PASSWORD"  # noqa: S105 (the name of a variable)
Port = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 takes a free one.")]
Host = Annotated[
    str, typer.Option("--host", metavar="HOST", rich_help_panel=_WHO, help="Address to listen on; beyond this machine it needs a password.")
]
PublicName = Annotated[
    str | None,
    typer.Option("--public-name", metavar="NAME", rich_help_panel=_WHO, help="Name under which others reach it, for instance a proxy's."),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--password-file", metavar="FILE", rich_help_panel=_WHO, help=f"File whose first line is the password; or set {PASSWORD_VARIABLE}."
    ),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address only.")]
UploadLimit = Annotated[
    str, typer.Option("--upload-limit", metavar="SIZE", rich_help_panel=_LIMITS, help="Largest file, packed or unpacked.")
]
RowLimit = Annotated[int, typer.Option("--row-limit", metavar="N", min=1, rich_help_panel=_LIMITS, help="Most records of a table.")]
_KEPT = "What outlives it"
ProjectFolder = Annotated[
    Path | None,
    typer.Option(
        "--project", metavar="FOLDER", rich_help_panel=_KEPT, help="Keep roles, recipes, verdicts and notes in this folder, and reopen it."
    ),
]
KeepData = Annotated[
    bool, typer.Option("--keep-data", rich_help_panel=_KEPT, help="Keep tables and releases in the project as well, not only their hashes.")
]
Export = Annotated[
    Path | None,
    typer.Option(
        "--export",
        metavar="FOLDER",
        rich_help_panel=_KEPT,
        help="Write the project for others, without original values and seeds; serve nothing.",
    ),
]
AllowSources = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-sources",
        metavar="FOLDER|URL",
        rich_help_panel=_WHO,
        help="Let tables below this folder, of this database, or (spark:ADDRESS) what Spark reads there be opened. Repeat.",
    ),
]
Expiry = Annotated[
    float, typer.Option("--expiry", metavar="MINUTES", rich_help_panel=_LIMITS, help="Delete tables that nobody has used for so long.")
]

RegisterFolder = Annotated[
    Path | None,
    typer.Option("--register", metavar="FOLDER", rich_help_panel=_KEEPS, help="The register that users hold their releases against."),
]
SealKey = Annotated[
    Path | None,
    typer.Option(
        "--seal-key", metavar="FILE", rich_help_panel=_KEEPS, help="A key of seal keygen: whoever may come in can seal releases with it."
    ),
]
SealName = Annotated[str | None, typer.Option("--seal-name", metavar="NAME", rich_help_panel=_KEEPS, help="Who seals them.")]


@flattened
def serve(
    *,
    port: Port = 0,
    host: Host = "127.0.0.1",
    public_name: PublicName = None,
    password_file: PasswordFile = None,
    no_browser: NoBrowser = False,
    upload_limit: UploadLimit = "1GiB",
    row_limit: RowLimit = 20_000_000,
    expiry: Expiry = 120.0,
    allow_sources: AllowSources = None,
    project: ProjectFolder = None,
    keep_data: KeepData = False,
    export: Export = None,
    register: RegisterFolder = None,
    seal_key: SealKey = None,
    seal_name: SealName = None,
    spark: SparkPlace,
    memory: Memory,
) -> None:
    """Open the web app: from file to verdict in a browser, on this machine.

    Tables are kept in a private folder and deleted when they are forgotten, when they expire, and when the server ends. Whoever
    listens beyond this machine must set a password, and should put TLS in front. With a project, what was said and found out is kept in
    its folder and is there again at the next start.

    Example: anonscope serve
    """
    from anonscope.engines.duckdb import parse_bytes
    from anonscope.errors import MissingExtra

    try:
        import fastapi  # noqa: F401
        import python_multipart  # noqa: F401
        import uvicorn
    except ImportError:
        raise MissingExtra("The web app", "'anonscope[web]'") from None
    from anonscope.web.app import create_app
    from anonscope.web.settings import Password, ServerSettings

    if export is not None:
        _exported(project, export)
        return
    secret = _password(password_file)
    wanted = ServerSettings(
        host=host,
        port=port,
        public_name=public_name,
        password=Password.of(secret) if secret is not None else None,
        upload_limit=parse_bytes(upload_limit),
        row_limit=row_limit,
        expiry=expiry,
        memory_limit=memory.memory_limit,
        sources=tuple(allow_sources or ()),
        spark_master=spark.spark_master,
        project=project,
        keep_data=keep_data,
        register=register,
        seal_key=seal_key,
        seal_name=seal_name,
    )
    with _listen(host, port) as listening:
        settings = replace(wanted, port=listening.getsockname()[1])
        app = create_app(settings)
        typer.echo(f"anonscope is at {settings.url}")
        if not settings.local:
            typer.echo("Others can reach it. Put TLS in front: what travels in the open can be read on the way.", err=True)
        kept = "all tables are deleted then" if project is None else f"the project {project.name} stays, copies of tables are deleted then"
        typer.echo(f"End it with Ctrl-C; {kept}.", err=True)
        if not no_browser:
            _open_soon(settings.url)
        # Addresses hold the token, so they are not logged.
        config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=3, ws="none")
        uvicorn.Server(config).run(sockets=[listening])


def _exported(project: Path | None, target: Path) -> None:
    from anonscope.errors import OptionError
    from anonscope.web.project.export import export

    if project is None:
        raise OptionError("--export writes a project for others, so it needs --project FOLDER.")
    tables = export(project, target)
    typer.echo(f"Exported {tables} table{'' if tables == 1 else 's'}, without hierarchies, recipes, seeds, hashes and data.")


def _password(file: Path | None) -> str | None:
    """Return the password, from a file or the environment; never from an argument, which other users of a machine can see."""
    import os

    from anonscope.errors import OptionError, shown

    if file is None:
        return os.environ.get(PASSWORD_VARIABLE)
    try:
        return file.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeError):
        raise OptionError(f"The password file {shown(file)} cannot be read.") from None


def _listen(host: str, port: int) -> "socket":
    """Return a socket that listens, so that the port is known, and taken, before the address is printed."""
    import socket as sockets

    from anonscope.errors import OptionError, shown

    try:
        family, kind, protocol, _, address = sockets.getaddrinfo(host or None, port, type=sockets.SOCK_STREAM, flags=sockets.AI_PASSIVE)[0]
        listening = sockets.socket(family, kind, protocol)
        listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        raise OptionError(f"Nobody can listen on {shown(host)}, port {port}: {error.strerror}.") from None
    return listening


def _open_soon(url: str) -> None:
    """Open a browser once the server has had time to begin."""
    import threading
    import webbrowser

    timer = threading.Timer(0.5, webbrowser.open, [url])
    timer.daemon = True
    timer.start()

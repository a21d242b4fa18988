"""`anonscope mcp`: tools for assistants over the files of one folder."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli.flattened import flattened
from anonscope.operations.wishes.engine import Memory
from anonscope.operations.wishes.policy import Judging


@flattened
def mcp(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder whose files may be named, and releases written to.")],
    *,
    judging: Judging,
    memory: Memory,
) -> None:
    """Serve an assistant over standard input and output (Model Context Protocol): it protects tables that it never sees.

    Tools answer with columns, counts and verdicts. Acknowledgements, insensitive columns, exceptions and the policy are yours to say.

    Example: anonscope mcp tables --policy ema-0070
    """
    from anonscope.errors import MissingExtra
    from anonscope.risk.policy import load

    try:
        from anonscope.web.assistants import assistant_server
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "anonscope":
            raise
        raise MissingExtra("Serving assistants", "anonscope[mcp]") from None
    assistant_server(folder, load(judging.policy), memory_limit=memory.memory_limit).run("stdio")

"""Tools for assistants, by the Model Context Protocol: they protect tables that they never see.

Tools take names of files in one folder, and answer with the JSON contract, which has no cell values. What only a person may say is no
argument of any tool: acknowledgements, that a column is insensitive, exceptions, other limits than the policy of whoever started it.
"""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from anonscope.columns.roles import load
from anonscope.errors import AnonscopeError, OptionError, lack, shown
from anonscope.io.sources.parts import find_parts
from anonscope.operations.anonymise import anonymise
from anonscope.operations.audit import audit
from anonscope.operations.compare import compare
from anonscope.operations.plan import plan
from anonscope.operations.read import Data, read
from anonscope.operations.suggest import suggest
from anonscope.operations.verify import verify
from anonscope.risk.policy import Policy
from anonscope.version import VERSION

TOOLS = ("tables", "suggest", "audit", "plan", "anonymise", "compare", "verify")
_INSTRUCTIONS = (
    "Measures how easily people in a table can be re-identified, and makes releases that meet a policy. You see columns, counts and "
    "verdicts, never values. Begin with suggest, give roles, audit, plan, anonymise, then compare. Where a tool says that a word is "
    "needed (an acknowledgement, an insensitive column, an exception, another limit), ask the person: no tool takes it."
)
_HERE = Path(__file__).parent / "documentation"  # in an installed package
_REPOSITORY = Path(__file__).parents[3] / "docs"
# Recipes hold values of the table; whoever owns it finds them in the archive.
_WITHHELD = ("recipe",)

Table = Annotated[str, Field(description="A table in the folder, by its relative path.")]
Known = Annotated[list[str] | None, Field(description="Columns that an outsider may know about somebody (quasi-identifiers).")]
Secret = Annotated[list[str] | None, Field(description="Columns that nobody may learn (sensitive attributes).")]
Direct = Annotated[list[str] | None, Field(description="Names and numbers of people, which must go (direct identifiers).")]
Person = Annotated[str | None, Field(description="The id of the person, if one person may have several records.")]
RolesFile = Annotated[str | None, Field(description="A roles file in the folder, written by a person; columns named here go first.")]


class Folder:
    """The one folder whose files may be named; nothing outside of it is read or written, whatever a link or a path says."""

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise OptionError(f"There is no folder {shown(path)}.")
        self.root = path.resolve()

    def existing(self, name: str) -> Path:
        """Return a file of the folder."""
        found = self._inside(name)
        if not found.exists():
            raise ToolError(f"No such file in the folder: {shown(name)}.")
        # A folder of parts is read whole, so a link in it, or an archive, would be read with it.
        for part in find_parts(found).files if found.is_dir() else ():
            self._inside(part.path.relative_to(self.root).as_posix())
        return found

    def new(self, name: str) -> Path:
        """Return where a file may be written; nothing that exists is replaced."""
        target = self._inside(name)
        if (self.root / name).is_symlink() or target.exists():
            raise ToolError(f"{shown(name)} exists already, and is not replaced. Give another name.")
        if not target.parent.is_dir():
            raise ToolError(f"There is no folder for {shown(name)}.")
        return target

    def names(self) -> Iterator[str]:
        """Yield the files of the folder, without hidden ones and without archives, which hold original values."""
        for path in sorted(self.root.rglob("*")):
            inside = path.relative_to(self.root)
            hidden = any(part.startswith(".") or part.endswith(".archive") for part in inside.parts)
            if path.is_file() and not hidden and path.resolve().is_relative_to(self.root):
                yield inside.as_posix()

    def _inside(self, name: str) -> Path:
        try:
            place = (self.root / name).resolve()
        except (OSError, RuntimeError, ValueError):
            place = Path("/")
        parts = place.relative_to(self.root).parts if place.is_relative_to(self.root) else ()
        if not parts or any(part.startswith(".") or part.endswith(".archive") for part in parts):
            raise ToolError("Only files in the folder that the server was started with may be named, no hidden ones and no archives.")
        return place


def assistant_server(path: Path, policy: Policy, *, memory_limit: str | None = None) -> MCPServer:
    """Return the server of a folder, which judges by one policy."""
    folder = Folder(path)
    guarded = partial(_guarded, root=folder.root)
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its messages could quote what a file holds
    server = MCPServer("anonscope", instructions=f"{_INSTRUCTIONS} The policy is {policy.name}.", version=VERSION)

    def opened(table: str, roles: str | None, known: Any, secret: Any, direct: Any, person: str | None) -> Data:
        given: dict[str, Any] = {
            "quasi_identifiers": known or (),
            "sensitive": secret or (),
            "direct_identifiers": direct or (),
            "person": person,
        }
        file = folder.existing(roles) if roles is not None else None
        if file is not None:
            # A file in the folder may name others, and those have to be in it too.
            for named in load(file).hierarchies.values():
                folder.existing(named)
        return read(folder.existing(table), roles=file, memory_limit=memory_limit, isolate=True, **given)

    @server.tool()
    @guarded
    def tables() -> dict[str, Any]:
        """List the files of the folder."""
        return {"policy": policy.name, "files": list(folder.names())}

    @server.tool(name="suggest")
    @guarded
    def ask_suggest(table: Table) -> dict[str, Any]:
        """Propose the role of every column, with reasons. A person should confirm it before it is used."""
        with opened(table, None, None, None, None, None) as data:
            return suggest(data).to_dict()

    @server.tool(name="audit")
    @guarded
    def ask_audit(
        table: Table, quasi_identifiers: Known = None, sensitive: Secret = None, direct_identifiers: Direct = None,
        person: Person = None, roles: RolesFile = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Measure the risk of releasing a table, and judge it by the policy."""
        with opened(table, roles, quasi_identifiers, sensitive, direct_identifiers, person) as data:
            return audit(data, policy).to_dict()

    @server.tool(name="plan")
    @guarded
    def ask_plan(
        table: Table, quasi_identifiers: Known = None, sensitive: Secret = None, direct_identifiers: Direct = None,
        person: Person = None, roles: RolesFile = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Say how the table can be released under the policy, or what would have to give. Nothing is written."""
        with opened(table, roles, quasi_identifiers, sensitive, direct_identifiers, person) as data:
            return plan(data, policy).to_dict()

    @server.tool(name="anonymise")
    @guarded
    def ask_anonymise(
        table: Table,
        release: Annotated[str, Field(description="The release to write into the folder: .csv, .tsv, .parquet, .arrow, .sav or .dta.")],
        quasi_identifiers: Known = None, sensitive: Secret = None, direct_identifiers: Direct = None,
        person: Person = None, roles: RolesFile = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Make the release that meets the policy at the least loss, and write it with its manifest; nothing if there is none."""
        target = folder.new(release)
        with opened(table, roles, quasi_identifiers, sensitive, direct_identifiers, person) as data:
            made = anonymise(data, policy)
            if made.release is not None:
                made.write(target)
            found = {key: value for key, value in made.to_dict().items() if key not in _WITHHELD}
            return found | {"written": release if made.release is not None else None}

    @server.tool(name="compare")
    @guarded
    def ask_compare(
        table: Table,
        releases: Annotated[list[str], Field(description="Releases of that table in the folder.", min_length=1, max_length=9)],
        quasi_identifiers: Known = None, sensitive: Secret = None, direct_identifiers: Direct = None,
        person: Person = None, roles: RolesFile = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Put releases beside their original: what each risks, and what it still tells."""
        others = [folder.existing(name) for name in releases]
        with opened(table, roles, quasi_identifiers, sensitive, direct_identifiers, person) as data:
            return compare(data, *others, policy=policy).to_dict()

    @server.tool(name="verify")
    @guarded
    def ask_verify(release: Annotated[str, Field(description="A release in the folder, with its manifest beside it.")]) -> dict[str, Any]:
        """Say whether a release still is what was published, and measure its verdict again."""
        return verify(folder.existing(release), memory_limit=memory_limit, isolate=True).to_dict()

    for name, file in _pages():
        server.resource(f"docs://{name}", name=name, mime_type="text/markdown")(_reading(file))
    return server


def _guarded(tool: Callable[..., dict[str, Any]], root: Path) -> Callable[..., dict[str, Any]]:
    """Let only our own sentences out: what other errors say may hold data. Where the folder lies is nobody's business."""

    @wraps(tool)
    def call(*given: Any, **named: Any) -> dict[str, Any]:
        try:
            return tool(*given, **named)
        except AnonscopeError as error:
            raise ToolError(str(error).replace(f"{root}{os.sep}", "").replace(str(root), "the folder")) from None
        except ToolError:
            raise
        except Exception as error:
            if lacking := lack(error):
                raise ToolError(lacking) from None
            raise ToolError(f"This is a defect in anonscope ({type(error).__name__}). No data is in this message.") from None

    return call


def _pages() -> Sequence[tuple[str, Path]]:
    """Return the pages of the documentation, as they were installed or as they lie in the repository."""
    folder = _HERE if _HERE.is_dir() else _REPOSITORY
    return [(path.relative_to(folder).as_posix(), path) for path in sorted(folder.rglob("*.md"))]


def _reading(path: Path) -> Callable[[], str]:
    return lambda: path.read_text(encoding="utf-8")

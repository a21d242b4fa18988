"""`anonscope doctor`: what is installed, what lacks, and where temporary files go."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import typer

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w-]+)['"]""")
# What each extra is for, in the words of the documentation.
EXTRAS = {
    "dp": "noisy answers and tables drawn with differential privacy",
    "linkage": "linking by likeness",
    "mcp": "assistants",
    "ml": "models in comparisons and attacks",
    "pdf": "reports as PDF",
    "seal": "signatures of releases",
    "spark": "tables on Spark",
    "sql": "tables of PostgreSQL and SQLite",
    "stats": "files of SPSS, SAS and Stata",
    "web": "the web app",
}
_MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Package:
    """A package that is needed: its version, or None if it lacks."""

    package: str
    version: str | None


@dataclass(frozen=True, slots=True)
class Installation:
    """What was found of an installation."""

    version: str
    python: str
    platform: str
    core: tuple[Package, ...]
    extras: dict[str, tuple[Package, ...]]
    java: str | None
    temporary_folder: str
    free_megabytes: int | None  # None: it cannot be written to
    left_behind: int

    @property
    def fine(self) -> bool:
        """Whether tables can be audited; extras are nobody's duty."""
        return all(part.version is not None for part in self.core) and self.free_megabytes is not None


def doctor(
    format: Annotated[Literal["text", "json"], typer.Option("--format", help="How to print it.")] = "text",
) -> None:
    """Say what is installed, which extras lack, and where temporary files go. Nothing is sent or written.

    Exits 0 if tables can be audited, 1 if something for that lacks.

    Example: anonscope doctor
    """
    found = examined()
    typer.echo(json.dumps(asdict(found), indent=2) if format == "json" else "\n".join(_lines(found)))
    raise typer.Exit(0 if found.fine else 1)


def examined() -> Installation:
    """Look at this installation."""
    import platform
    import shutil
    import tempfile
    from pathlib import Path

    from anonscope.engines.scratch import PREFIX
    from anonscope.io.writing import WRITING
    from anonscope.version import VERSION

    core, extras = _wanted()
    folder = Path(tempfile.gettempdir())
    try:
        with tempfile.TemporaryFile(dir=folder):
            free: int | None = shutil.disk_usage(folder).free // _MEGABYTE
    except OSError:
        free = None
    left = sum(path.name.startswith((PREFIX, WRITING)) for path in folder.iterdir()) if folder.is_dir() else 0
    machine = f"{platform.system()} {platform.machine()}"
    java = shutil.which("java")
    return Installation(VERSION, platform.python_version(), machine, core, extras, java, str(folder), free, left)


def _wanted() -> tuple[tuple[Package, ...], dict[str, tuple[Package, ...]]]:
    """Return the packages that anonscope and each of its extras ask for, as its own metadata say."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        asked = requires("anonscope") or []
    except PackageNotFoundError:
        return (Package("anonscope", None),), {}
    core: list[Package] = []
    extras: dict[str, list[Package]] = {}
    for line in asked:
        found = _NAME.match(line)
        part = _part(found.group()) if found else None
        extra = _EXTRA.search(line)
        if part is not None and extra is None:
            core.append(part)
        elif part is not None and extra is not None and extra.group(1) != "dev":
            extras.setdefault(extra.group(1), []).append(part)
    return tuple(core), {name: tuple(parts) for name, parts in sorted(extras.items())}


def _part(package: str) -> Package:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Package(package, version(package))
    except PackageNotFoundError:
        return Package(package, None)


def _lines(found: Installation) -> list[str]:
    lacking = [part.package for part in found.core if part.version is None]
    lines = [
        f"anonscope {found.version}, Python {found.python}, {found.platform}",
        f"Needed:    {len(found.core) - len(lacking)} of {len(found.core)} packages"
        + (f"; lacking: {', '.join(lacking)}" if lacking else ""),
    ]
    for name, parts in found.extras.items():
        missing = [part.package for part in parts if part.version is None]
        told = "installed" if not missing else f"lacking {', '.join(missing)}: pip install 'anonscope[{name}]'"
        lines.append(f"  {name:<9}{told} ({EXTRAS.get(name, 'further')})")
    if "spark" in found.extras:
        lines.append(f"Java:      {found.java or 'not found; Spark needs it'}")
    room = f"{found.free_megabytes:,} MB free" if found.free_megabytes is not None else "cannot be written to; set TMPDIR or --temp-folder"
    lines.append(f"Temporary: {found.temporary_folder}, {room}")
    if found.left_behind:
        lines.append(f"           {found.left_behind} private folders, of runs under way or ended by force; the next run sweeps the latter")
    return lines

"""Wheel and sdist tried in clean environments, with each extra: python -m benchmarks.install [--extra NAME ...] [--folder DIST].

It needs an index to install from, and takes minutes: it is no part of the suite.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What shows that an extra works, in its own environment.
TRIED = {
    "": "import anonscope as an; assert an.preset_names()",
    "dp": "import opendp.prelude",
    "linkage": "import splink",
    "mcp": "from anonscope.web.assistants import assistant_server, _pages; assert len(_pages()) > 50",
    "ml": "import sklearn",
    "pdf": "import weasyprint",
    "seal": "import cryptography",
    "spark": "import pyspark, sqlglot",
    "sql": "import sqlalchemy, psycopg, sqlglot",
    "stats": "import pyreadstat, pandas",
    "web": "from anonscope.web.app import create_app",
}


def extras() -> list[str]:
    """Return the extras of the project, without that of its developers."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [name for name in content["project"]["optional-dependencies"] if name != "dev"]


def built(folder: Path) -> list[Path]:
    """Build wheel and sdist, and return where they are."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True, capture_output=True)
    return sorted(folder.iterdir())


def tried(package: Path, extra: str) -> float:
    """Install a package with an extra into an empty environment, run it there, and return the seconds that it took."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        subprocess.run([sys.executable, "-m", "venv", str(place / "env")], check=True)
        python = place / "env" / "bin" / "python"
        asked = f"{package}[{extra}]" if extra else str(package)
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-c",
            str(ROOT / "constraints.txt"),
            asked,
        ]
        subprocess.run(install, check=True, capture_output=True)
        empty = {"PATH": f"{python.parent}:/usr/bin:/bin", "TMPDIR": folder}
        for command in (
            [str(python.parent / "anonscope"), "doctor"],
            [str(python.parent / "anonscope"), "demo", "--folder", str(place / "demo")],
            [str(python), "-c", TRIED[extra]],
        ):
            subprocess.run(command, check=True, capture_output=True, cwd=folder, env=empty)
    return time.monotonic() - began


def main() -> None:
    """Try everything, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extra", action="append", help="only this one; repeat for several")
    parser.add_argument("--folder", type=Path, help="where the packages are built; by default a temporary folder")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        packages = built(asked.folder or Path(temporary))
        for package in packages:
            # The sdist is built to the same wheel, so it is tried once.
            for extra in (asked.extra or ["", *extras()]) if package.suffix == ".whl" else [""]:
                try:
                    print(f"{package.name} [{extra or 'none'}]: works, {tried(package, extra):.0f} s", flush=True)
                except subprocess.CalledProcessError as error:
                    print(f"{package.name} [{extra or 'none'}]: FAILS in {error.cmd[:3]}: {(error.stderr or b'')[-400:]!r}", flush=True)


if __name__ == "__main__":
    main()

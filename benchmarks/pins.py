"""What CI installs, each file by its hash: python -m benchmarks.pins > requirements-ci.txt (or make pins)."""

import json
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

# What builds the package is fetched like everything else, so that nothing comes in beside the list.
BUILT_WITH = ("hatchling", "editables")
WHERE = f"{platform.system()} {platform.machine()}, Python {platform.python_version_tuple()[0]}.{platform.python_version_tuple()[1]}"


def resolved() -> list[Mapping[str, Any]]:
    """Return what pip would install for developers, by the exact versions of constraints.txt."""
    asked = ["--dry-run", "--ignore-installed", "--quiet", "--report", "-", "-c", "constraints.txt", "-e", ".[dev]", *BUILT_WITH]
    told = subprocess.run([sys.executable, "-m", "pip", "install", *asked], capture_output=True, text=True, check=True)
    found: list[Mapping[str, Any]] = json.loads(told.stdout)["install"]
    return found


def pins(installed: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for every package: its version and the hash of its file, and never an address."""
    for one in sorted(installed, key=lambda one: normal(one["metadata"]["name"])):
        if "archive_info" in one["download_info"]:  # the project itself has none
            told = one["metadata"]
            yield f"{normal(told['name'])}=={told['version']} --hash=sha256:{one['download_info']['archive_info']['hashes']['sha256']}"


def normal(name: str) -> str:
    """Return the name under which packages are the same."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    print(f"# What CI installs ({WHERE}), each file by its hash; elsewhere constraints.txt says the versions. Made by `make pins`.")
    print("\n".join(pins(resolved())))

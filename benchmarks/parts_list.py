"""What the package is made of, as CycloneDX 1.5: python -m benchmarks.parts_list > sbom.json (or make sbom)."""

import json
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

ROOT = "anonscope"


def dependencies(root: str = ROOT) -> dict[str, Distribution]:
    """Return every installed distribution that the package and its extras need, by its normal name; tools of developers are none."""
    found: dict[str, Distribution] = {}
    waiting = [requirement for requirement in distribution(root).requires or () if not re.search(r"extra == .dev", requirement)]
    while waiting:
        name = re.match(r"[A-Za-z0-9._-]+", waiting.pop())
        key = re.sub(r"[-_.]+", "-", name.group()).lower() if name else ""
        if key in found:
            continue
        try:
            found[key] = distribution(key)
        except PackageNotFoundError:
            continue  # for another system, or another Python
        waiting += [requirement for requirement in found[key].requires or () if "extra ==" not in requirement]
    return dict(sorted(found.items()))


def licence(package: Distribution) -> str:
    """Return what a package says of its licence, in its own words."""
    told = package.metadata
    classified = [line.rpartition("::")[2].strip() for line in told.get_all("Classifier") or () if line.startswith("License ::")]
    return str(told.get("License-Expression") or " or ".join(classified) or (told.get("License") or "").partition("\n")[0])


def parts_list() -> dict[str, Any]:
    """Return the list as CycloneDX has it."""
    own = distribution(ROOT)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": ROOT, "version": own.version, "bom-ref": ROOT}},
        "components": [
            {
                "type": "library",
                "name": package.metadata["Name"],
                "version": package.version,
                "bom-ref": key,
                "purl": f"pkg:pypi/{key}@{package.version}",
                "licenses": [{"license": {"name": licence(package)}}],
            }
            for key, package in dependencies().items()
        ],
        "dependencies": [{"ref": ROOT, "dependsOn": list(dependencies())}],
    }


if __name__ == "__main__":
    print(json.dumps(parts_list(), indent=2))

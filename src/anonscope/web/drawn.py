"""What a version that was drawn promises, and what it still tells: from its manifest, so that it is known whenever the version is."""

import json

from anonscope.operations.synthesise import Synthesis
from anonscope.transform.release.manifest import manifest_path
from anonscope.web.desk import Version

NO_PROMISE = "no guarantee"


def promise_of(version: Version) -> str | None:
    """Return the budget that a drawn version keeps, or that it guarantees nothing; None of one that was not drawn."""
    if version.how != "synthesise":
        return None
    path = manifest_path(version.release)
    told = json.loads(path.read_text(encoding="utf-8")).get("synthesis") if path.is_file() else None
    guarantee = (told or {}).get("guarantee") or {}
    if not guarantee.get("holds"):
        return NO_PROMISE
    return f"epsilon {guarantee['epsilon']}, delta {guarantee['delta']}"


def tells_of(version: Version) -> str | None:
    """Return how like the table a drawn version is; None where that is not known."""
    found = version.report
    return found.likeness.in_words if isinstance(found, Synthesis) and found.likeness is not None else None

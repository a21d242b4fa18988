"""What a release was published with: its manifest for others, and what only its archive has."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonscope.columns.roles import Roles, Scenario
from anonscope.errors import SourceError, shown
from anonscope.operations.publishing.judging import policy_from_dict
from anonscope.risk.policy import Policy
from anonscope.transform.release.manifest import MANIFEST, archive_path, file_hash, read_manifest


@dataclass(frozen=True, slots=True)
class Published:
    """The papers of a release; `kept` is None where its archive is not at hand."""

    manifest: Mapping[str, Any]
    kept: Mapping[str, Any] | None

    @property
    def policy(self) -> Policy | None:
        """The policy that it was published by; None where there was none."""
        verdicts = self.manifest["verdicts"]
        return policy_from_dict(verdicts[0]["policy"]) if verdicts else None

    @property
    def roles(self) -> Roles | None:
        """The roles that its verdict was measured with, and what was dropped as direct identifiers; None where there was no verdict."""
        verdicts = self.manifest["verdicts"]
        if not verdicts:
            return None
        content = verdicts[0]["roles"]
        told: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
        told["scenarios"] = tuple(Scenario(name, tuple(columns)) for name, columns in content.get("scenarios", {}).items())
        for key in ("hierarchies", "distance"):
            told.pop(key, None)
        roles = Roles(**told)
        dropped = tuple(column for column in self.manifest["dropped"] if column not in roles.assigned)
        return replace(roles, direct_identifiers=(*roles.direct_identifiers, *dropped))

    @property
    def decided_by(self) -> Mapping[str, str]:
        """Who said of a column which role it has, where the archive knows."""
        return self.kept.get("decided_by", {}) if self.kept is not None else {}

    def made_of(self, table: Path | None) -> bool | None:
        """Return whether a file is the table that the release was made of, by the hash in its archive; None where nobody can know."""
        known = self.kept["source"]["sha256"] if self.kept is not None else None
        return None if known is None or table is None else file_hash(table) == known

    def done_to(self, column: str) -> str:
        """Return what became of a column of the original, in words and counts."""
        if column in self.manifest["dropped"]:
            return "left out of the release"
        changed = next((c for c in self.manifest["columns"] if c["column"] == column), None)
        made_up = ", by values that were made up" if column in self.manifest["perturbed"] else ""
        if changed is None or not changed["changed"]:
            return "released as it is" if column in self.manifest["release"]["columns"] else "not in the release"
        return f"{changed['changed']:,} cells changed{made_up}, {changed['suppressed']:,} of them suppressed"


def published(release: Path) -> Published:
    """Return the papers of a release; raise where there is no manifest, or none that can be read."""
    manifest = read_manifest(release)
    if manifest is None:
        raise SourceError(f"The manifest of {shown(release.name)} cannot be read. A dossier is about a release that anonscope published.")
    try:
        kept = json.loads((archive_path(release) / MANIFEST).read_bytes())
    except FileNotFoundError:
        return _checked(Published(manifest, None), release)
    except (OSError, ValueError, RecursionError):
        raise SourceError(f"The manifest in the archive of {shown(release.name)} cannot be read.") from None
    return _checked(Published(manifest, kept if isinstance(kept, dict) else None), release)


def _checked(papers: Published, release: Path) -> Published:
    """Raise where a manifest lacks what a dossier tells of it."""
    try:
        assert papers.policy is None or papers.roles is not None, "a verdict has both"
        papers.done_to("")
        told = (
            papers.manifest[key] for key in ("release", "steps", "records", "software" if "software" in papers.manifest else "versions")
        )
        kept = [papers.kept[key] for key in ("source", "recipe", "seeds", "hierarchies", "files")] if papers.kept is not None else []
        assert all(part is not None for part in (*told, *kept)), "papers have all their fields"
    except (LookupError, TypeError, AttributeError, ValueError, AssertionError):
        raise SourceError(f"The manifest of {shown(release.name)} does not have the fields of one.") from None
    return papers

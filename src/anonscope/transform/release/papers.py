"""What the two papers of a release say: the manifest for whoever receives it, and the one that stays in the archive.

The first travels with the release, so nothing is in it from which an original could be guessed: no hash of the source or of the recipe
(one unknown cell, or a small seed, is found by trying all of them), no seed, no key, no hierarchy. The second has them, and proves the
first by its hash.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anonscope.engines import Engine
from anonscope.risk.policy import UnassignedColumn
from anonscope.risk.privacy_loss import PrivacyLoss
from anonscope.transform.carry_out import Changes
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.manifest import ARCHIVE_SCHEMA, SCHEMA, epsilon_in, sealed
from anonscope.version import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a release when its papers are written."""

    recipe: Recipe | None  # None: a synthesis made it, no steps
    changes: Changes
    engine: Engine
    source: str
    source_hash: str | None = None
    release: Mapping[str, Any] | None = None  # name, hash, and what a stranger reads in it
    verdicts: tuple[Mapping[str, Any], ...] = ()  # measured on the written file
    perturbed: tuple[str, ...] = ()  # columns whose values this recipe, or one before it, made up
    privacy_loss: PrivacyLoss | None = None  # of differentially private steps, of this recipe and of those before it
    hierarchies: Mapping[str, str] = field(default_factory=dict)  # column -> file in the archive
    unassigned: tuple[UnassignedColumn, ...] = ()  # columns in no measurement, and what was said of them
    synthesis: Mapping[str, Any] | None = None  # method and guarantee of a table that was drawn
    decided_by: Mapping[str, str] = field(default_factory=dict)  # who said of a column which role it has
    files: Mapping[str, str] = field(default_factory=dict)  # what the recipient gets beside the manifest, by hash
    composition: Mapping[str, Any] | None = None  # what it tells together with earlier releases; None: nobody looked


def for_recipient(facts: Facts) -> dict[str, Any]:
    """Return what whoever receives a release may know of how it was made; nothing of the original can be guessed from it."""
    recipe, changes = facts.recipe, facts.changes
    document = {
        "schema": SCHEMA,
        "software": _software(facts.engine),
        "release": dict(facts.release) if facts.release is not None else None,
        "files": dict(facts.files),
        "verdicts": [dict(verdict) for verdict in facts.verdicts],
        "steps": [step.told for step in recipe.steps] if recipe is not None else [],
        "records": _records(facts),
        "columns": [{"column": c.column, "changed": c.changed, "suppressed": c.suppressed} for c in changes.columns],
        "dropped": list(changes.dropped),
        "columns_without_role": [column.to_dict() for column in facts.unassigned],
        "perturbed": list(facts.perturbed),
        "epsilons": [{"column": column, "epsilon": epsilon} for column, epsilon in recipe.epsilons] if recipe is not None else [],
        "privacy_loss": facts.privacy_loss.to_dict() if facts.privacy_loss else None,
        "reproducible": recipe is not None and recipe.reproducible,
        "composition": dict(facts.composition) if facts.composition is not None else None,
    } | ({"synthesis": dict(facts.synthesis)} if facts.synthesis is not None else {})
    lost = epsilon_in(document)
    return document | {"epsilon": str(lost) if lost is not None else None}


def _records(facts: Facts) -> dict[str, int]:
    """Return how many records there are, and were; of a drawn table nobody is told how many people it was learnt from."""
    changes = facts.changes
    if facts.synthesis is not None:
        return {"after": changes.records_after}
    return {
        "before": changes.records_before,
        "after": changes.records_after,
        "removed": changes.records_removed,
        "starred": changes.records_starred,
        "suppressed": changes.records_suppressed,
    }


def for_archive(facts: Facts, files: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return what only the archive keeps, beside all that the recipient knows; `files` are the hashes of everything else in the set."""
    return for_recipient(facts) | {
        "schema": ARCHIVE_SCHEMA,
        "source": {"name": facts.source, "sha256": facts.source_hash},
        "recipe": {"sha256": facts.recipe.hash if facts.recipe is not None else None},
        "seeds": list(facts.recipe.seeds) if facts.recipe is not None else [],
        "hierarchies": dict(facts.hierarchies),
        "decided_by": dict(facts.decided_by),
        "files": dict(files or {}),
    }


def text_of(document: Mapping[str, Any]) -> str:
    """Return a manifest as it is written, sealed by a hash of itself."""
    return sealed(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _software(engine: Engine) -> dict[str, str]:
    from importlib.metadata import version
    from platform import python_version

    packages = ("duckdb", "numpy", "pyarrow", *(("pyspark",) if engine.remote else ()))
    return {"anonscope": VERSION, "python": python_version()} | {package: version(package) for package in packages}

"""The command that somebody typed, with what was missing in it, to copy."""

import shlex
from collections.abc import Sequence

from anonscope.errors import ColumnsWithoutRole, without_credentials


def with_words(typed: Sequence[str], missing: ColumnsWithoutRole) -> str:
    """Return how to go on: the same command, which drops what looks like a direct identifier and gives a reason for the rest."""
    added = [part for column in missing.identifiers for part in ("-d", column)]
    if missing.others:
        added += ["--acknowledge-rest", "REASON"]
    command = shlex.join(["anonscope", *map(without_credentials, typed), *added])
    notes = ["-d drops a column; say -i instead for one that is no direct identifier"] if missing.identifiers else []
    notes += ["put your reason in the place of REASON"] if missing.others else []
    told = "; ".join(notes)
    return f"To go on ({told}):\n  {command}"

"""The smallest group that a release had to have, which is what downcoding concludes from: stated, of a policy, or of the manifest."""

from pathlib import Path
from typing import Any

from anonscope.errors import AnonscopeError
from anonscope.operations.signing.published import published
from anonscope.risk.policy import Policy

_NOBODY = "Nobody said how large the groups of the release had to be (--class-size K, --policy), so groups of one are taken to be allowed."


def asked_size(stated: int | None, policy: Policy | None, release: Any) -> tuple[int, tuple[str, ...]]:
    """Return the size, and what a reader must know of it.

    The manifest goes out with the release, so that an attacker reads in it by which policy the release was made.
    """
    if stated or policy is not None:
        return stated or (policy.class_size if policy is not None else 1), ()
    if isinstance(made_by := getattr(release, "policy", None), Policy):
        return made_by.class_size, ()  # a release that was not written yet: its manifest will say the same
    path = release if isinstance(release, str | Path) else getattr(release, "path", None)
    try:
        told = published(Path(path)).policy if path is not None else None
    except AnonscopeError:
        told = None  # it has none that can be read, and so an attacker has none either
    return (told.class_size, ()) if told is not None else (1, (_NOBODY,))

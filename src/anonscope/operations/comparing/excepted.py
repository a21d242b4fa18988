"""What somebody stated to accept of a release when it was published: its manifest has it, and a comparison judges by it as verify does."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from anonscope.errors import AnonscopeError
from anonscope.operations.signing.published import published
from anonscope.risk.policy import Policy


def as_published(policy: Policy, release: Any, sensitive: tuple[str, ...]) -> Policy:
    """Return a policy with the exceptions that a release was published with by the very same rules; else the policy as it is.

    They never make it meet the policy. One about a column that is not sensitive here was stated of another judgement, and is none.
    """
    path = release if isinstance(release, str | Path) else getattr(release, "path", None)
    if policy.exceptions or path is None:
        return policy
    try:
        told = published(Path(path)).policy
    except AnonscopeError:
        return policy
    if told is None or (told.name, told.version, told.rules) != (policy.name, policy.version, policy.rules):
        return policy
    return replace(policy, exceptions=tuple(e for e in told.exceptions if e.sensitive is None or e.sensitive in sensitive))

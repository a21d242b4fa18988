"""Columns that nobody gave a role: the utility does not see them, so a comparison says so, and whether a release changed them."""

from collections.abc import Iterable, Mapping
from typing import Any

from anonscope.columns.roles import Roles

# None: not looked at.
Unweighed = Mapping[str, bool | None]


def unweighed(roles: Roles, names: Iterable[str], compared: Iterable[str | None]) -> Unweighed:
    """Return the columns of the original without a role that are not compared either."""
    seen = {*roles.assigned, *compared}
    return {name: None for name in names if name not in seen}


def changed_too(known: Unweighed, original: Any, released: Any, *, ordered: bool) -> Unweighed:
    """Return the columns with what one more release did to them; records are told by their order, or not at all."""
    names, theirs = getattr(original, "column_names", ()), getattr(released, "column_names", ())
    found: dict[str, bool | None] = {}
    for name, before in known.items():
        if before or name not in names:
            found[name] = before
        elif name not in theirs:
            found[name] = True
        else:
            same = ordered and len(original) == len(released)
            found[name] = not original[name].cast("string").equals(released[name].cast("string")) if same else before
    return found

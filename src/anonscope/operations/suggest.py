"""Propose roles for columns: the public function."""

from collections.abc import Iterable, Mapping
from typing import Any

from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.risk_rate import ALPHA, BETA
from anonscope.columns.suggestion.separation import BUDGET
from anonscope.columns.suggestion.suggestion import Suggestion
from anonscope.io.progress import Progress
from anonscope.operations.read import Data, names, read


def suggest(
    source: Any,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    force: Mapping[str, str] | None = None,
    forbid: Iterable[str] = (),
    time_budget: float = BUDGET,
    progress: Progress | None = None,
) -> Suggestion:
    """Return a role for every column of a table, with confidence and reasons; nothing is applied.

    `source` is what `read` returns or what `read` takes. Roles that `read` was given are kept. `force` gives columns a role and
    `forbid` gives them none, whatever is found. `alpha` and `beta` are the thresholds of the risk rate, in percent; `time_budget` is
    how many seconds may go into the search for sets of columns that tell all records apart.
    """
    if not isinstance(source, Data):
        with read(source) as data:
            return suggest(data, alpha=alpha, beta=beta, force=force, forbid=forbid, time_budget=time_budget, progress=progress)
    given = _given_roles(source.roles) | dict(force or {})
    from anonscope.columns.suggestion.propose import propose  # late: an audit with roles needs no proposal

    return propose(
        source.engine,
        source.relation,
        rows=source.rows,
        alpha=alpha,
        beta=beta,
        force=given,
        forbid=names(forbid, "forbid"),
        budget=time_budget,
        progress=progress,
    )


def _given_roles(roles: Roles) -> dict[str, str]:
    """Return the roles of columns that were given, as a suggestion calls them."""
    lists: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("direct identifier", roles.direct_identifiers),
        ("quasi-identifier", roles.attributes),
        ("sensitive", roles.sensitive),
        ("insensitive", roles.insensitive),
        ("person", (roles.person,) if roles.person else ()),
        ("household", (roles.household,) if roles.household else ()),
        ("weight", (roles.weight,) if roles.weight else ()),
    )
    return {column: role for role, columns in lists for column in columns}

"""Propose roles for columns: the public function."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.risk_rate import ALPHA, BETA
from anonscope.columns.suggestion.separation import BUDGET
from anonscope.columns.suggestion.suggestion import Suggestion
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.operations.read import Data, read
from anonscope.operations.result import Shown
from anonscope.operations.wishes.suggestion import Suggesting


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedRoles(Suggestion, Shown):
    """A suggestion that shows itself in notebooks."""


@shown_in_notebooks
def suggest(
    source: Any,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    force: Mapping[str, str] | None = None,
    forbid: Iterable[str] = (),
    time_budget: float = BUDGET,
    dictionary: str | Path | Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> SuggestedRoles:
    """Return a role for every column of a table, with confidence and reasons; nothing is applied.

    `source` is what `read` returns or what `read` takes. Roles that `read` was given are kept. `force` gives columns a role and
    `forbid` gives them none, whatever is found. `alpha` and `beta` are the thresholds of the risk rate, in percent; `time_budget` is
    how many seconds of a usual machine may go into the search for sets of columns that tell all records apart, counted in steps.
    `dictionary` says what columns are: a CSV table of names and labels, a Table Schema, a DDI Codebook, a file of
    SPSS, SAS or Stata with labels, or a mapping. A table that is such a file itself is asked for its own labels, of
    columns and of codes: reasons name what codes stand for, unless that looks like somebody's name.
    """
    if not isinstance(source, Data):
        with read(source) as data:
            wishes: dict[str, Any] = {"alpha": alpha, "beta": beta, "force": force, "forbid": forbid, "time_budget": time_budget}
            return suggest(data, **wishes, dictionary=dictionary, progress=progress)
    asked = Suggesting(alpha=alpha, beta=beta, force=force, forbid=forbid, time_budget=time_budget)
    given = _given_roles(source.roles) | dict(asked.force or {})
    from anonscope.columns.suggestion.dictionary import read_dictionary
    from anonscope.columns.suggestion.propose import propose  # late: an audit with roles needs no proposal

    said = read_dictionary(dictionary) if isinstance(dictionary, (str, Path)) else dictionary
    own = source.relation.labels
    # What somebody says of a column goes before what its file does.
    labels = {**(own.columns if own is not None else {}), **(said or {})} or None
    found = propose(
        source.engine,
        source.relation,
        rows=source.rows,
        alpha=alpha,
        beta=beta,
        force=given,
        forbid=tuple(asked.forbid),
        budget=time_budget,
        labels=labels,
        codes=_codes(source),
        progress=progress,
    )
    return SuggestedRoles(**{f.name: getattr(found, f.name) for f in fields(found)})


def _codes(data: Data) -> Mapping[str, Mapping[str, str]]:
    """Return what the file of a table says that its codes stand for, but for names and the like: reports show it."""
    if data.relation.labels is None:
        return {}
    from anonscope.columns.suggestion.labels import publishable

    return publishable(data.relation.labels).labels.values


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

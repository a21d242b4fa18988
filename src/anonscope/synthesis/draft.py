"""A first draft of a domain from the data, marked as such: somebody replaces what it read by what is known without the data."""

from collections.abc import Mapping, Sequence
from datetime import date

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.engines.values import canonical, number
from anonscope.errors import DomainError
from anonscope.io.sources import Relation
from anonscope.synthesis.cells import looks_like_a_date
from anonscope.synthesis.domain import RECORDS, Categories, Dates, DeclaredColumn, Domain, Numbers
from anonscope.synthesis.domain_file import equal_bins

MOST_CATEGORIES = 200


def draft_domain(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    *,
    rows: int | None = None,
    columns: Sequence[str] = (),
    known: Mapping[str, DeclaredColumn] | None = None,
) -> Domain:
    """Return a domain that fits a table as it is, everything in it marked as read from the data but what was `known` without it.

    Direct identifiers, the columns that tell people and households apart, and weights are no columns of it; nor are columns with more
    than some hundred categories, which no count could tell apart.
    """
    aside = {*roles.direct_identifiers, roles.person, roles.household, roles.weight}
    wanted = [c for c in (columns or relation.names) if c not in aside]
    limit = f" LIMIT {rows}" if rows is not None else ""
    declared = known or {}
    found = [column for name in wanted if (column := declared.get(name) or _drafted(engine, relation, name, limit)) is not None]
    if not found:
        raise DomainError("No column of this table fits into a domain: direct identifiers are left out, and so are texts of many values.")
    bound = 1
    if roles.person is not None:
        place = relation.position(roles.person)
        person = canonical(f"c{place}", relation.columns[place].type, roles.person)
        counted = f"SELECT u, COUNT(*) AS n FROM (SELECT {person} AS u FROM {relation.origin}{limit}) AS t WHERE NOT u IS NULL GROUP BY u"
        ((largest,),) = engine.rows(f"SELECT COALESCE(MAX(n), 1) FROM ({counted}) AS g")
        bound = int(largest)
    names = tuple(column.name for column in found if column.name not in declared)
    drafted = (*names, RECORDS) if roles.person is not None else names
    return Domain(columns=tuple(found), unit=roles.person, records_per_unit=bound, drafted=drafted)


def _drafted(engine: Engine, relation: Relation, name: str, limit: str) -> DeclaredColumn | None:
    """Return a column as its values suggest it; None if they are too many."""
    place = relation.position(name)
    kind = relation.columns[place].type
    text, value = canonical(f"c{place}", kind, name), number(f"c{place}", kind, name)
    source = f"(SELECT {text} AS t, {value} AS x FROM {relation.origin}{limit}) AS s"
    dated = f"SUM(CASE WHEN {looks_like_a_date('t')} THEN 1 ELSE 0 END)"
    # In its canonical text a whole number has neither point nor exponent.
    whole = "SUM(CASE WHEN t LIKE '%.%' OR t LIKE '%e%' THEN 0 ELSE 1 END)"
    ((records, present, numeric, dates, wholes, low, high, first, last, different),) = engine.rows(
        f"SELECT COUNT(*), COUNT(t), COUNT(x), {dated}, {whole}, MIN(x), MAX(x), MIN(t), MAX(t), COUNT(DISTINCT t) FROM {source}"
    )
    missing = present < records
    if not present:
        return None
    if numeric == present:
        decimals = 0 if wholes == present else None
        lower, upper = float(low), float(high)
        return Numbers(
            name=name,
            missing=missing,
            lower=lower,
            upper=upper,
            starts=equal_bins(lower, upper, None, whole=decimals == 0),
            decimals=decimals,
        )
    begin, end = (_day(str(bound)) for bound in (first, last))
    if dates == present and begin is not None and end is not None:
        return Dates(name=name, missing=missing, first=begin, last=end, unit="month" if (end - begin).days > 62 else "day")
    if different > MOST_CATEGORIES:
        return None
    values = engine.rows(f"SELECT DISTINCT t FROM {source} WHERE NOT t IS NULL")
    return Categories(name=name, missing=missing, categories=tuple(sorted(str(t) for (t,) in values)))


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None

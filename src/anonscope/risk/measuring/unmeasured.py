"""Columns that no measurement is about: what they look like, and whether one of them tells that a person has several records."""

import re
from collections.abc import Sequence

from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.columns.suggestion.evidence import ColumnLook
from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.errors import NotPublished, shown
from anonscope.io.sources import Relation
from anonscope.risk.policy import RepeatedIdentifier, UnassignedColumn
from anonscope.risk.policy.repeated import with_reasons
from anonscope.risk.policy.unassigned import looked_at, with_words

# What no name of an id of persons lacks, in whatever language: whether it is one is then read properly.
_ID_WORD = re.compile(
    r"(^|[_\W])(id|nr|no|num|nbr|key|code|pid)([_\W\d]|$)|^id[A-Z]|(id|nr|no|nbr|num|key|code|hash)$|numm?er|kenn|pseudo|matric|legajo|folio|mrn",
    re.IGNORECASE,
)


def look_at_unassigned(
    engine: Engine, relation: Relation, roles: Roles, acknowledged: Acknowledgements, rows: int | None = None
) -> tuple[UnassignedColumn, ...]:
    """Return what the columns look like that are in no measurement, and what was said of them."""
    columns = looked_at(relation.names, roles)
    looks: tuple[ColumnLook, ...] = ()
    if columns:
        from anonscope.columns.suggestion.unassigned import look_at  # late: many tables have no such column

        looks = look_at(engine, relation, columns, rows=rows)
    return with_words(looks, roles, acknowledged, relation.names)


def check_given(engine: Engine, relation: Relation, roles: Roles, acknowledged: Acknowledgements, rows: int | None = None) -> None:
    """Raise if a sensitive attribute or the weight, which a release has as it is, looks like a direct identifier and nobody said why."""
    from anonscope.columns.suggestion.unassigned import given_identifiers  # late: the lexicon takes a moment to read

    found = given_identifiers(engine, relation, roles.sensitive, roles.weight, rows=rows)
    if left := [(column, reason) for column, reason in found if column not in acknowledged.columns]:
        told = " ".join(
            f"Column {shown(column)} was given as {'the weight' if column == roles.weight else 'sensitive'}, would be released as it is, "
            f"and looks like a direct identifier ({reason.rstrip('.')})."
            for column, reason in left
        )
        raise NotPublished(
            f"Withheld, and nothing was written: {told} Say that it is one, and it is dropped (-d COLUMN instead), or why it may be "
            "released (--acknowledge COLUMN=REASON, acknowledge)."
        )


def own_weights_note(engine: Engine, relation: Relation, weight: str, rows: int | None = None) -> str | None:
    """Say how many records have a weight that no other has, which tells them apart for whoever knows it; None if none has."""
    position = relation.position(weight)
    text = canonical(f"c{position}", relation.columns[position].type, weight)
    origin = relation.origin if rows is None else f"(SELECT * FROM {relation.origin} LIMIT {rows}) AS limited"
    counted = f"SELECT v, COUNT(*) AS n FROM (SELECT {text} AS v FROM {origin}) AS weights WHERE v IS NOT NULL GROUP BY v"
    ((alone,),) = engine.rows(f"SELECT COUNT(*) AS n FROM ({counted}) AS counted WHERE n = 1")
    if not alone:
        return None
    have = "1 record has" if alone == 1 else f"{alone:,} records have"
    return (
        f"The weight, {shown(weight)}, is released as it is, and {have} a weight that no other has: whoever knows it finds the record. "
        "Round it, or answer for that."
    )


def find_repeated(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    acknowledged: Acknowledgements,
    rows: int | None = None,
    *,
    named: Sequence[str] | None = None,
) -> tuple[RepeatedIdentifier, ...]:
    """Return the ids that tell that one person has several records, where nobody named the person.

    These are direct identifiers, and what is called an id of persons though somebody gave it another role. Whoever `named` a direct
    identifier, by default each of them, has said that it tells people apart; what only looks like one has to look like an id of persons.
    """
    if roles.person is not None:
        return ()
    measured = tuple(column for column in (*roles.attributes, *roles.sensitive) if _ID_WORD.search(column))
    if not measured and not roles.direct_identifiers:
        return ()
    from anonscope.columns.suggestion.repeated import called_ids, repeated_ids  # late: the lexicon takes a moment to read

    measured = called_ids(relation.names, measured)
    told = roles.direct_identifiers if named is None else named
    return with_reasons(repeated_ids(engine, relation, (*roles.direct_identifiers, *measured), named=told, rows=rows), acknowledged)

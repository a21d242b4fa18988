"""Whom a budget protects: stated before an epsilon is, where a column tells that one person has several records."""

import pyarrow as pa

from anonscope.columns.suggestion.clues import clues_of
from anonscope.columns.suggestion.repeated import repeated_ids, repeated_names
from anonscope.columns.suggestion.unassigned import profiles_of
from anonscope.columns.suggestion.vocabulary import Reader
from anonscope.errors import DomainError, shown
from anonscope.operations.read import Data, read
from anonscope.synthesis.domain import Categories, Domain

# So many values tell what they are.
_ENOUGH = 3


def check_unit(data: Data, domain: Domain, *, looking: bool = True) -> None:
    """Raise if others than the people of the roles would be protected, or every record taken for a person where ids of people repeat."""
    person = data.roles.person
    if person is not None and domain.unit is None:
        raise DomainError(
            f"Several records may belong to one person ({shown(person)}), and the domain does not say whom it protects. Declare "
            f'person = "{person}" and records_per_person in it. Nothing was spent.'
        )
    if person is not None and domain.unit_kind == "person" and domain.unit != person:
        raise DomainError(f"The domain tells people apart by {shown(str(domain.unit))}, and the roles by {shown(person)}. Name one.")
    if domain.unit is not None or domain.record_is_person:
        return
    if not looking:
        raise DomainError(
            "Only noisy numbers may leave the cluster, so it is not looked at whether one person has several records. Declare person and "
            "records_per_person in the domain, or record_is_person = true. Nothing was spent."
        )
    named = data.roles.direct_identifiers
    found = repeated_ids(data.engine, data.relation, data.relation.names, named=named, rows=data.rows)
    if not (found := found or repeated_names(data.engine, data.relation, data.rows)):
        return
    told = "; ".join(f"{shown(c.column)}, {c.values:,} values in {c.records:,} records" for c in found[:3])
    raise DomainError(
        f"One person seems to have several records ({told}), and the domain does not say whom it protects: an epsilon for every "
        f'record would be too small for a person. Declare person = "{found[0].column}" and records_per_person in it, or record_is_person = '
        "true if every record is another person all the same. Nothing was spent."
    )


def check_categories(data: Data, domain: Domain) -> None:
    """Raise if declared categories are names, addresses or numbers of people: every drawn record would carry one of them."""
    reader = Reader(domain.names)
    for column in domain.columns:
        if not isinstance(column, Categories) or column.name in data.roles.insensitive or len(column.categories) < _ENOUGH:
            continue
        with read(pa.table({column.name: list(column.categories)})) as listed:
            (profile,), _ = profiles_of(listed.engine, listed.relation, [column.name], None)
            found = clues_of(profile, reader).identifier
        if found is not None and found.shown:
            what = found.by_form or found.concept.title
            raise DomainError(
                f"The categories of {shown(column.name)} look like {what}, so every drawn record would carry "
                "those of somebody. Leave the column out of the domain, or say that it tells of nobody (-i COLUMN, insensitive=[...])."
            )

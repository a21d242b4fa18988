"""Whom a budget protects: stated before an epsilon is, where a column tells that one person has several records."""

import pyarrow as pa

from anonscope.columns.suggestion.clues import clues_of
from anonscope.columns.suggestion.perhaps_people import perhaps_people
from anonscope.columns.suggestion.repeated import ids_by_look, ids_by_sex, repeated_ids, repeated_names
from anonscope.columns.suggestion.sampled import Sample
from anonscope.columns.suggestion.vocabulary import Reader
from anonscope.columns.written_ids import written_ids
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
    if domain.unit is not None and looking and domain.unit in data.columns and domain.unit not in data.acknowledged.columns:
        written = written_ids(data.engine, data.relation, domain.unit, data.rows)
        if written is not None:
            raise DomainError(
                f"{written.sentence} An epsilon would be too small for that person. Write every id in one way. Nothing was spent."
            )
    if domain.unit is not None or domain.record_is_person:
        return
    if not looking:
        raise DomainError(
            "Only noisy numbers may leave the cluster, so it is not looked at whether one person has several records. Declare person and "
            "records_per_person in the domain, or record_is_person = true. Nothing was spent."
        )
    named = data.roles.direct_identifiers
    sample = Sample(data.engine, data.relation, data.rows)
    found = repeated_ids(sample, data.relation.names, named=named)
    # What was named as a direct identifier and does not repeat, or not as people do, is settled.
    others = [column for column in data.relation.names if column not in named and column not in data.roles.insensitive]
    found = found or repeated_names(sample) or ids_by_look(sample, others, beside=named) or ids_by_sex(sample, others, given=others)
    doubts = perhaps_people(sample, others) if not found else ()
    if not found and not doubts:
        return
    told = "; ".join(f"{shown(c.column)}, {c.values:,} values in {c.records:,} records" for c in found[:3])
    told = told or "; ".join(f"{shown(c.column)}, whose values repeat and mean nothing" for c in doubts[:3])
    person = [*(c.column for c in found), *(c.column for c in doubts)][0]
    raise DomainError(
        f"One person seems to have several records ({told}), and the domain does not say whom it protects: an epsilon for every "
        f'record would be too small for a person. Declare person = "{person}" and records_per_person in it, or record_is_person = '
        "true if every record is another person all the same. Nothing was spent."
    )


def check_categories(data: Data, domain: Domain) -> None:
    """Raise if declared categories are names, addresses or numbers of people: every drawn record would carry one of them."""
    reader = Reader(domain.names)
    for column in domain.columns:
        if not isinstance(column, Categories) or column.name in data.roles.insensitive or len(column.categories) < _ENOUGH:
            continue
        with read(pa.table({column.name: list(column.categories)})) as listed:
            (profile,) = Sample(listed.engine, listed.relation).profiles([column.name])
            found = clues_of(profile, reader).identifier
        if found is not None and found.shown:
            what = found.by_form or found.concept.title
            raise DomainError(
                f"The categories of {shown(column.name)} look like {what}, so every drawn record would carry "
                "those of somebody. Leave the column out of the domain, or say that it tells of nobody (-i COLUMN, insensitive=[...])."
            )

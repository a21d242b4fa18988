"""A table of events as one of people: what its domain takes of all records of somebody."""

from anonscope.columns.roles import Roles
from anonscope.operations.read import Data
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.summary import summarised

# What is taken is a number of records, and no value of any.
_NO_VALUE = ("count", "distinct")


def per_person(data: Data, domain: Domain) -> Data:
    """Return the table of people, on the same engine; roles are those of the columns that are taken of."""
    found = Data(summarised(data.engine, data.relation, domain, data.rows), data.engine, _roles(data.roles, domain))
    found.acknowledged, found.path = data.acknowledged, data.path
    return found


def _roles(roles: Roles, domain: Domain) -> Roles:
    taken = {column.name: column.of or column.name for column in domain.columns if column.take not in _NO_VALUE}

    def of(role: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name, source in taken.items() if source in role)

    return Roles(
        direct_identifiers=of(roles.direct_identifiers),
        quasi_identifiers=of(roles.quasi_identifiers),
        sensitive=of(roles.sensitive),
        insensitive=of(roles.insensitive),
        person=domain.unit if domain.unit_kind == "person" else None,
        household=domain.unit if domain.unit_kind == "household" else None,
    )

"""What all records of a person tell together, measured where a column ties them to each other."""

from collections.abc import Iterator, Sequence

from anonscope.columns.roles import Acknowledgements, Roles, Scenario
from anonscope.engines import Engine
from anonscope.risk.counting.linked import count_profiles
from anonscope.risk.metrics import Totals
from anonscope.risk.policy import Policy
from anonscope.risk.policy.linked import LinkedRecords


def linked_records(
    engine: Engine,
    scenario: Scenario,
    roles: Roles,
    totals: Totals,
    policy: Policy,
    perturbed: Sequence[str],
    acknowledged: Acknowledgements,
) -> Iterator[LinkedRecords]:
    """Yield who is found by all records of a person together in the scenario that is open; where everybody has one, none are tied."""
    if roles.person is None or totals.persons == totals.records:
        return
    # To be like nobody else is never enough, whatever a policy asks for.
    wanted = max(2, policy.class_size)
    made_up = [column for column in (*scenario.quasi_identifiers, roles.person) if column in perturbed]
    found = None if made_up else count_profiles(engine, wanted)
    yield LinkedRecords(
        column=roles.person,
        scenario=scenario.name,
        people=totals.persons,
        size=wanted,
        alone=found.alone if found is not None else None,
        below=found.below if found is not None else None,
        reason=f"a recipe perturbed {made_up[0]!r}" if made_up else None,
        said=acknowledged.columns.get(roles.person),
    )

"""Whether the people that were counted are people, or writings of their ids."""

from typing import TYPE_CHECKING

from anonscope.columns.written_ids import written_ids
from anonscope.risk.policy import Verdict
from anonscope.risk.policy.look_alikes import of_people
from anonscope.risk.policy.verdict import with_look_alikes

if TYPE_CHECKING:
    from anonscope.risk.measuring.run import Run


def with_written_ids(run: "Run", verdict: Verdict) -> Verdict:
    """Return a verdict that also states where people were counted by how their ids are written."""
    person = run.roles.person
    if person is None or (found := written_ids(run.engine, run.relation, person, run.rows)) is None:
        return verdict
    # A word about all the rest is none about whom everything is said of.
    return with_look_alikes(verdict, (*verdict.look_alikes, of_people(found, run.words.columns.get(person))))

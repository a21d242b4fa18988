"""The attack on membership: can those who were learnt from be told from those who were kept aside?"""

from typing import Any

from anonscope.attacks.membership import tell_members
from anonscope.attacks.people import TARGETS, targets
from anonscope.attacks.success import Success
from anonscope.operations.attacking.tables import Tables
from anonscope.operations.comparing.versions import Opened
from anonscope.operations.read import Data


def told_apart(table: Any, learnt: Data, control: Any, seed: int) -> tuple[Success, ...]:
    """Return how well members are told from the people kept aside, by all columns of the synthetic table."""
    with Tables(learnt, control, None) as tables:
        main, _, _ = tables.attacked(Opened(table, None, {}), {}, key=None, paired=False, seed=seed, group=None)
        people = targets(main, main.original, TARGETS, 1)
        others = targets(main, main.control, TARGETS, 2) if main.control is not None else None
        return tell_members(main, people, others, main.columns)

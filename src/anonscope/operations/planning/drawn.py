"""A drawn table instead of a recoded one: what is and is not guaranteed, and the commands, where recoding costs too much."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from anonscope.operations.planning.command import ending_of, free_name, opened_by
from anonscope.operations.read import Data
from anonscope.risk.policy import Verdict

# Above this share of the detail a recoded table has lost so much that a drawn one is worth a look.
LOSES_MUCH = 0.4
_EPSILON, _DELTA = Fraction(1), Fraction(1, 10**9)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnInstead:
    """A table that a method would draw: what it guarantees, and how like the table a trial draw was."""

    method: str
    guaranteed: str
    not_guaranteed: str
    commands: tuple[str, ...]
    utility: str


def drawn_instead(data: Data, verdict: Verdict, policy: str, tried: Sequence[str] = ("tree", "cart")) -> tuple[DrawnInstead, ...]:
    """Return the differentially private method and the one that is closest to the data, in this order; some are tried out."""
    from anonscope.synthesis.guarantee import factor_in_words
    from anonscope.synthesis.ledger import Loss

    unit = "household" if data.roles.household is not None else "person"
    several = " and how many records of one person count" if data.roles.person is not None else ""
    domain, ending = free_name("domain.toml"), ending_of(data)
    said = ["anonscope", "synthesise", *opened_by(data)]
    for column in verdict.unassigned:
        said += ["-d", column.column] if column.unanswered and column.identifies else []
    return (
        DrawnInstead(
            method="tree",
            guaranteed=(
                f"{factor_in_words(Loss(_EPSILON, _DELTA))}, once somebody has replaced in the drafted domain what was read from the data: "
                f"the values of every column{several}. As drafted, nothing is guaranteed"
            ),
            not_guaranteed=(
                f"the limits of {policy}, which are about groups of real people, and a drawn table has none; what is true of people in "
                f"general; whole {unit}s, unless the domain says which column tells them apart"
            ),
            utility=_foreseen(data, "tree", tried),
            commands=(
                shlex.join([*said, "--draft-domain", domain]),
                shlex.join(
                    [*said, "--domain", domain, "--method", "tree", "--epsilon", f"{_EPSILON}", "-o", free_name(f"private{ending}")]
                ),
            ),
        ),
        DrawnInstead(
            method="cart",
            guaranteed="nothing",
            not_guaranteed=(
                "anything about anybody: it learns from the records as they are. What it gives away is attacked with people who were kept "
                "aside, and an attack that fails is no proof"
            ),
            utility=_foreseen(data, "cart", tried),
            commands=(shlex.join([*said, "--method", "cart", "--hold-out", "0.2", "-o", free_name(f"synthetic{ending}")]),),
        ),
    )


def _foreseen(data: Data, method: str, tried: Sequence[str]) -> str:
    """Return what a trial draw was like: in a sentence, with what it was drawn from."""
    if method not in tried:
        return "not tried: learning takes longer than a plan has. Given longer (--seconds 30) it is; and whoever draws it is told"
    from anonscope.operations.synthesising.trial import trial
    from anonscope.synthesis.method import RecordMethod
    from anonscope.synthesis.methods import method_of

    chosen = method_of(method)
    found = trial(data, chosen, _EPSILON, _DELTA)
    if isinstance(found, str):
        return f"not computed: {found.rstrip('.')}. `anonscope compare` tells it of the table once it is drawn"
    doubt = chosen.doubt(found.of) if isinstance(chosen, RecordMethod) else None
    return found.in_words + (f". {doubt}" if doubt is not None else "")

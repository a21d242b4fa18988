"""What a policy says of a table in which sensitive values that look alike are one value, for the verdict to state beside it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anonscope.risk.counting import Layout, encode
from anonscope.risk.counting.forms import Alike, made_one
from anonscope.risk.findings import Findings, Request
from anonscope.risk.metrics import Measurement
from anonscope.risk.policy import LookAlike, RuleResult, Verdict
from anonscope.risk.policy.verdict import with_look_alikes

if TYPE_CHECKING:
    from anonscope.risk.measuring.run import Run

Stated = Callable[[Verdict, Sequence[Measurement]], Verdict]
_DIVERSITY = "l_diversity"


def beside_as_one(run: "Run", columns: tuple[Alike, ...], layout: Layout) -> tuple[Layout, Stated]:
    """Return what was counted of the table as it is, and what states in a verdict what becomes of it if values that are alike are one."""
    one = _measured_as_one(run, columns)
    if one is not None:
        # Reasons and plans are worked out of what was counted last.
        layout = encode(run.engine, run.relation, run.counted, run.rows, run.kept)
    return layout, lambda verdict, found: _look_alikes(run, columns, one, verdict, found)


def _measured_as_one(run: "Run", columns: tuple[Alike, ...]) -> Findings | None:
    """Return what is found where values that are alike are one; None of a table in parts, whose earlier values are not here."""
    from anonscope.risk.measuring.run import run as measure  # late: it is what calls this

    if run.kept is not None:
        return None
    judged = {rule.metric for rule in run.policy.rules} | {_DIVERSITY}
    asked = Request(only=frozenset(judged), perturbed=run.perturbed, acknowledged=run.words, named=run.named)
    # A list of checks goes through all columns, and says nothing of how sensitive values are written.
    policy = replace(run.policy, checklist=None, guarantee=None)
    return measure(run.engine, made_one(run.engine, run.relation, columns), run.roles, policy, rows=run.rows, request=asked)


def _look_alikes(run: "Run", columns: tuple[Alike, ...], one: Findings | None, written: Verdict, found: Sequence[Measurement]) -> Verdict:
    """Return a verdict that also states what becomes of it if values that are alike are one."""
    return with_look_alikes(
        written,
        tuple(
            LookAlike(
                column=column.column,
                values=column.values,
                kinds=column.kinds,
                as_written=_least(found, column.column),
                made_one=_least(one.measurements, column.column) if one is not None else None,
                breaking=_breaking(column.column, len(columns), one.verdict, written) if one is not None else (),
                measured=one is not None,
                said=run.words.of(column.column),
            )
            for column in columns
        ),
    )


def _least(measurements: Sequence[Measurement], column: str) -> float | None:
    values = [m.value for m in measurements if m.metric == _DIVERSITY and m.sensitive == column and m.level == "record"]
    known = [value for value in values if value is not None]
    return min(known) if known else None


def _breaking(column: str, columns: int, one: Verdict, written: Verdict) -> tuple[RuleResult, ...]:
    """Return the rules that are broken only then; a rule names its worst attribute, and of several each may break it."""
    kept = {result.rule for result in written.rules if result.status == "pass"}
    broken = [result for result in one.rules if result.status == "fail" and result.rule in kept]
    return tuple(result for result in broken if columns > 1 or result.measurement is None or result.measurement.sensitive in (None, column))

"""What to do next: the one-step changes that help a failing rule most, each with its effect computed, not guessed.

A step coarsens one attribute, drops one, or suppresses the records that break the rule. Its effect is the rule applied to the
changed tuples. Steps are ranked by what is left to mend plus what the step takes away: the share of records that still break
the rule, plus the share of quasi-identifier cells that the step changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from anonscope.io.rounding import LEFT_OVER
from anonscope.risk.counting.grouping import sums
from anonscope.risk.explain.coarsen import WAYS, Way
from anonscope.risk.explain.effect import Cells, CodedScenario, EffectTable, Found
from anonscope.risk.explain.tuples import CountedBeside, ExplainedTuples
from anonscope.risk.policy import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEST = 5
# A step that mends less than this share of the records that break a rule is not worth the reader's time.
_FAIR_PART = 0.05
# Tuples that are regrouped over all steps; beyond, fewer ways to coarsen each attribute are tried.
_WORK = 4 * 10**7


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One change and what the rule would then say."""

    kind: Literal["coarsen", "drop", "suppress"]
    attribute: str | None
    words: str
    value: float
    meets: bool
    records_failing: int
    records_changed: int
    share_changed: float
    share_suppressed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The best steps for one failing rule; without any, `reason` says why."""

    rule: int  # number of the rule in the policy
    metric: str
    label: str
    value: float | None
    records_failing: int | None
    steps: tuple[Step, ...]
    reason: str | None = None


def ways_to_try(tuples: int, attributes: int) -> int:
    """Return how many coarsenings of each attribute are affordable."""
    return max(1, min(WAYS, _WORK // (tuples * attributes)))


def advise(table: EffectTable, rules: list[tuple[int, Rule]], coarsenings: dict[int, list[Way]]) -> tuple[Advice, ...]:
    """Return the best one-step changes for every failing rule; each changed table is grouped once for all rules."""
    before = {number: table.apply(rule) for number, rule in rules}
    steps: dict[int, list[Step]] = {number: [] for number, _ in rules}
    for change in _changes(table, coarsenings):
        for number, rule in rules:
            found = before[number] and change.table.apply(rule)
            if found:
                steps[number].append(_step(change, found, table.tuples.records))
    for number, rule in rules:
        found = before[number]
        suppressed = found and _suppressed(table, found)
        after = suppressed and suppressed.table.apply(rule)
        if suppressed and after:
            steps[number].append(_step(suppressed, after, table.tuples.records))
    return tuple(_advice(number, rule, before[number], steps[number], table) for number, rule in rules)


@dataclass(frozen=True, slots=True)
class _Change:
    kind: Literal["coarsen", "drop", "suppress"]
    attribute: str | None
    words: str
    table: EffectTable
    changed: int
    suppressed: int = 0


def _changes(table: EffectTable, coarsenings: dict[int, list[Way]]) -> Iterator[_Change]:
    tuples = table.tuples
    for a, name in enumerate(tuples.attributes):
        for way in coarsenings.get(a, []):
            yield _Change("coarsen", name, f"coarsen {name} {way.words}", _coarsened(table, a, way), _records_changed(tuples, a, way))
        if all(attacker.attributes != (a,) for attacker in table.attackers):
            attackers = tuple(CodedScenario(x.name, tuple(b for b in x.attributes if b != a)) for x in table.attackers)
            known = int(tuples.n[tuples.codes[a] > 0].sum())
            yield _Change("drop", name, f"drop {name}", EffectTable(tuples, table.cells, attackers), known)


def _coarsened(table: EffectTable, attribute: int, way: Way) -> EffectTable:
    tuples = table.tuples
    codes, radices = list(tuples.codes), list(tuples.radices)
    codes[attribute], radices[attribute] = way.coarser[tuples.codes[attribute]], way.codes
    return EffectTable(replace(tuples, codes=tuple(codes), radices=tuple(radices)), table.cells, table.attackers)


def _records_changed(tuples: ExplainedTuples, attribute: int, way: Way) -> int:
    """Return how many records have a value that can no longer be told from another one."""
    import numpy as np

    together = np.bincount(way.coarser, minlength=way.codes)
    return int(sums(tuples.codes[attribute], tuples.n, tuples.radices[attribute])[together[way.coarser] > 1].sum())


def _suppressed(table: EffectTable, found: Found) -> _Change | None:
    """Return the table without the records that break the rule, if any would be left."""
    kept = ~found.tuples
    if not found.records or not kept.any():
        return None
    words = (
        f"suppress the {found.records:,} records that break the rule" if found.records > 1 else "suppress the record that breaks the rule"
    )
    tuples, cells = _kept(table.tuples, kept), {name: _kept_cells(c, kept) for name, c in table.cells.items()}
    return _Change("suppress", None, words, EffectTable(tuples, cells, table.attackers), found.records, found.records)


def _kept(tuples: ExplainedTuples, kept: "NDArray[Any]") -> ExplainedTuples:
    return replace(
        tuples,
        codes=tuple(codes[kept] for codes in tuples.codes),
        n=tuples.n[kept],
        persons=None if tuples.persons is None else _kept_beside(tuples.persons, kept),
    )


def _kept_cells(cells: Cells, kept: "NDArray[Any]") -> Cells:
    return replace(cells, spread=_kept_beside(cells.spread, kept))


def _kept_beside(beside: CountedBeside, kept: "NDArray[Any]") -> CountedBeside:
    import numpy as np

    chosen = kept[beside.tuple]
    number = np.cumsum(kept) - 1
    return CountedBeside(number[beside.tuple[chosen]], beside.code[chosen], beside.n[chosen], beside.codes)


def _step(change: _Change, found: Found, records: int) -> Step:
    return Step(
        kind=change.kind,
        attribute=change.attribute,
        words=change.words,
        value=found.value,
        meets=found.keeps,
        records_failing=found.records,
        records_changed=change.changed,
        share_changed=change.changed / records,
        share_suppressed=change.suppressed / records,
    )


def _advice(number: int, rule: Rule, found: Found | None, steps: list[Step], table: EffectTable) -> Advice:
    records, attributes = table.tuples.records, len(table.tuples.attributes)

    def cost(step: Step) -> tuple[float, bool, float]:
        cells = step.share_suppressed or step.share_changed / attributes
        return step.records_failing / records + cells, not step.meets, step.share_changed

    reason = None
    if found is None:
        reason = "the effect of a change on this measure is not computed"
    helpful = [step for step in steps if found and _helps(rule, step, found)]
    if found is not None and not helpful:
        reason = "no single step helps much"
    return Advice(
        rule=number,
        metric=rule.metric,
        label=rule.label,
        value=None if found is None else found.value,
        records_failing=None if found is None else found.records,
        steps=tuple(sorted(helpful, key=cost)[:BEST]),
        reason=reason,
    )


def _helps(rule: Rule, step: Step, found: Found) -> bool:
    """Return whether a step meets the rule, mends a fair part of the records that break it, or brings the value nearer to the limit."""
    nearer = step.value > found.value if rule.minimum is not None else step.value < found.value - LEFT_OVER
    return step.meets or nearer or found.records - step.records_failing >= _FAIR_PART * max(found.records, 1)

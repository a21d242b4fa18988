"""How few facts single somebody out: records that are unique on the worst one, two, three attributes and so on, and on every pair."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.risk.explain.blame import tuples_at_risk
from anonscope.risk.explain.minimal_unique import MinimalUniques, UniqueSet
from anonscope.risk.explain.tuples import ExplainedTuples

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Cells that are looked at beyond the sets that were counted anyway: part of a second's worth.
_WORK = 3 * 10**7


@dataclass(frozen=True, slots=True, kw_only=True)
class FewFacts:
    """Records unique on a set, whatever its parts do: of every size the worst set, every attribute alone, and every pair."""

    records: int
    worst: tuple[UniqueSet, ...]  # one of each size, smaller sets first
    exhaustive_up_to: int  # up to this size every set was counted; beyond, one attribute was added at a time
    alone: dict[str, int]
    pairs: dict[tuple[str, str], int]


def few_facts(tuples: ExplainedTuples, attributes: tuple[int, ...], uniques: MinimalUniques, everybody: int) -> FewFacts:
    """Return the counts; `everybody` is how many records are unique when all attributes are known."""
    names = [tuples.attributes[a] for a in attributes]
    place = dict(zip(names, attributes, strict=True))
    worst = [UniqueSet(names, records) for names, records in uniques.worst_by_size]
    work = 0
    while worst and len(worst) < len(attributes) and worst[-1].records < everybody and work < _WORK:
        known = worst[-1].attributes
        work += len(tuples) * (len(known) + 1) * (len(attributes) - len(known))
        tried = ((name, _unique(tuples, tuple(place[n] for n in (*known, name)))) for name in names if name not in known)
        name, records = max(tried, key=lambda one: one[1])
        worst.append(UniqueSet((*known, name), records))
    if worst and worst[-1].records < everybody:
        worst.append(UniqueSet(tuple(names), everybody))
    counted = uniques.unique_on
    return FewFacts(
        records=tuples.records,
        worst=tuple(worst),
        exhaustive_up_to=len(uniques.worst_by_size),
        alone={one[0]: records for one, records in counted.items() if len(one) == 1},
        pairs={(one[0], one[1]): records for one, records in counted.items() if len(one) == 2},
    )


def _unique(tuples: ExplainedTuples, known: tuple[int, ...]) -> int:
    at_risk: NDArray[Any] = tuples_at_risk(tuples, known, 2)
    return int(tuples.n[at_risk].sum())

"""Markov chain risk of an attacker who begins with several attributes at once.

Aufschläger et al. 2023, equations 24 to 26, for any set J of quasi-identifiers, in the forms in which Vatsalan et al. 2022 and 2014
summarise it: least, mean, median, largest, and the marketer's, the share of records that are found for sure (PR = 1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.errors import OptionError, shown
from anonscope.io.rounding import rounded
from anonscope.risk.explain.effect import EffectTable
from anonscope.risk.explain.why import Picture
from anonscope.risk.findings import Findings
from anonscope.risk.rounding import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRisk:
    """What somebody risks whose values of some attributes are known, before the others are guessed one after the other."""

    scenario: str
    known: tuple[str, ...]
    least: float
    mean: float
    median: float
    largest: float
    marketer: float  # the share of records whose risk is 1

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        numbers = {name: rounded(getattr(self, name)) for name in ("least", "mean", "median", "largest", "marketer")}
        return {"scenario": self.scenario, "known": list(self.known)} | numbers


def chain_risks_of(engine: Engine, findings: Findings, chains: Sequence[Sequence[str]]) -> tuple[ChainRisk, ...]:
    """Return the risk of every chain for every attacker who knows its attributes."""
    table = Picture(engine, findings).table
    found = []
    for chain in chains:
        attackers = [s for s in findings.scenarios if set(chain) <= set(s.quasi_identifiers)]
        if not chain or not attackers:
            raise OptionError(f"A chain begins with quasi-identifiers of an attacker, and no attacker knows {shown(', '.join(chain))}.")
        for scenario in attackers:
            places = table.tuples.places(scenario.quasi_identifiers)
            begin = tuple(places[scenario.quasi_identifiers.index(name)] for name in dict.fromkeys(chain))
            found.append(_summary(scenario.name, tuple(dict.fromkeys(chain)), chain_from(table, places, begin), table))
    return tuple(found)


def chain_from(table: EffectTable, known: tuple[int, ...], begin: tuple[int, ...]) -> "Array":
    """Return the bounded risk 1 - PP of every tuple, the chain beginning with some attributes and going on in the order of the others."""

    def sharing(*attributes: int) -> "Array":
        classes = table.classes(tuple(sorted(attributes)))
        shared: Array = classes.n[classes.group].astype(float)
        return shared

    record, before = sharing(*known), sharing(*begin)
    missed = before / table.tuples.records * (1 - record / before)
    last = begin
    for place in (place for place in known if place not in begin):
        shared = sharing(place)
        missed = missed * sharing(*last, place) / before * (1 - record / shared)
        last, before = (place,), shared
    risk: Array = (1 - missed).clip(0, 1)
    return risk


def _summary(scenario: str, known: tuple[str, ...], risk: "Array", table: EffectTable) -> ChainRisk:
    import numpy as np

    order = np.argsort(risk, kind="stable")
    n = table.tuples.n[order]
    running, total = np.cumsum(n), int(n.sum())
    middle = [risk[order[np.searchsorted(running, place, side="right")]] for place in ((total - 1) // 2, total // 2)]
    return ChainRisk(
        scenario=scenario,
        known=known,
        least=float(risk.min()),
        mean=float(np.average(risk, weights=table.tuples.n)),
        median=float(sum(middle) / 2),
        largest=float(risk.max()),
        marketer=float(table.tuples.n[risk >= 1 - ROUNDING].sum() / total),
    )

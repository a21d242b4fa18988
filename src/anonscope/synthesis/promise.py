"""What a synthetic table guarantees, in words: exactly so much, to whom, under which assumptions; or nothing, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from anonscope.errors import shown
from anonscope.synthesis.domain import RECORDS, Domain
from anonscope.synthesis.guarantee import factor_in_words, unit_in_words
from anonscope.synthesis.ledger import Ledger, Loss
from anonscope.synthesis.method import NO_GUARANTEE, Method

SEEDED = "no guarantee: it was drawn from a chosen seed, which is for tests; whoever tries such seeds takes the noise off again"
FIRST_ONLY = "no guarantee: only the first records were read, and which these are depends on everybody's: without one, another moves up"
PROVEN = (
    "the discrete Gaussian noise and the choice among noisy scores, whose loss OpenDP itself states and is checked against the budget",
    "the budget, added up in exact fractions (zero-concentrated privacy, then epsilon and delta by Canonne, Kamath and Steinke 2020)",
    "the number of records of one person that count, which is limited before anything is counted",
)
UNPROVEN = (
    "that whoever wrote the domain did so without looking at the data",
    "how the table was read: the encoding, separators and types of a file that does not state them are found in its content",
    "side channels: how long it took, how much memory it used, and what was decided because of the data before this command was run",
    "the implementation of OpenDP and of this program",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """What is promised of a table; without an epsilon nothing is, and `reasons` say why."""

    promised: Loss | None = None
    domain: Domain | None = None
    reasons: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether anything is guaranteed."""
        return self.promised is not None and not self.reasons

    @property
    def epsilon(self) -> Fraction | None:
        """What is lost at most, exactly; None where nothing is guaranteed."""
        return self.promised.epsilon if self.promised is not None and self.holds else None

    @property
    def delta(self) -> Fraction | None:
        """What is lost beyond that."""
        return self.promised.delta if self.promised is not None and self.holds else None

    @property
    def sentence(self) -> str:
        """What is guaranteed, or that nothing is."""
        if self.promised is None or self.domain is None or not self.holds:
            return "; ".join(self.reasons) or NO_GUARANTEE
        return f"{factor_in_words(self.promised)}; {unit_in_words(self.domain)}; the domain was declared"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; fractions as text, which is exact."""
        return {
            "holds": self.holds,
            "sentence": self.sentence,
            "epsilon": str(self.epsilon) if self.holds else None,
            "delta": str(self.delta) if self.holds else None,
            "unit": self.domain.unit if self.domain is not None else None,
            "unit_kind": self.domain.unit_kind if self.domain is not None else None,
            "records_per_unit": self.domain.records_per_unit if self.domain is not None else None,
            "protects": self.domain.protects if self.domain is not None and self.holds else None,
            "reasons": list(self.reasons),
            "proven": list(PROVEN) if self.holds else [],
            "not_proven": list(UNPROVEN) if self.holds else [],
        }


def guarantee_of(method: Method, domain: Domain, ledger: Ledger | None, *, guarded: bool, further: Sequence[str] = ()) -> Guarantee:
    """Return what a method guarantees that spent a ledger on a domain."""
    if ledger is None or not method.private:
        return Guarantee(reasons=(NO_GUARANTEE,))
    reasons = [*further]
    if not domain.declared:
        columns = [name for name in domain.drafted if name != RECORDS]
        what = f"the values of {_listed(columns)}" if columns else ""
        bound = f"the number of records of one {domain.unit_kind}" if RECORDS in domain.drafted else ""
        both = " and ".join(part for part in (what, bound) if part)
        reasons.append(f"no guarantee: {both} came from the data, not from a declaration")
    if not guarded:
        reasons.append(SEEDED)
    return Guarantee(promised=ledger.promised, domain=domain, reasons=tuple(reasons))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 6} more columns" if len(names) > 6 else ""
    return ", ".join(map(shown, names[:6])) + more

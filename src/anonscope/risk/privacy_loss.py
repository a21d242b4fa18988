"""What differentially private steps lose in total, per person, and when that is a guarantee.

Sequential composition (C. Dwork and A. Roth, 2014, "The Algorithmic Foundations of Differential Privacy", theorem 3.16): what is lost
by several mechanisms about one person adds up. So the epsilons of all columns add up to that of a record, and a person loses so much
for every record. Without a bound on the records of a person there is no such sum, and nothing is promised.

Epsilons are added as fractions, as they are written: three times 0.1 is 0.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, log10
from typing import Any

from anonscope.io.rounding import fraction_of

# Longer decimal fractions are rounded up to so many digits: what is lost is never understated.
_DIGITS = 6
UNBOUNDED = "no guarantee: nothing bounds how many records one person has"


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One step that is differentially private by itself."""

    column: str
    name: str
    epsilon: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyLoss:
    """The mechanisms behind a release, and what is known of the people: from which follows what is lost about each."""

    mechanisms: tuple[Mechanism, ...] = ()
    tests: tuple[str, ...] = ()  # columns drawn from a chosen seed, which is for tests: they claim nothing
    flaws: tuple[str, ...] = ()  # why the mechanisms do not hide what they are about
    person: str | None = None  # the column that tells people apart, if that is known
    records_per_person: int | None = None  # how many records of one person the recipe allows, which was checked

    @property
    def per_record(self) -> Fraction:
        """What a record loses: the sum over all mechanisms."""
        return sum((mechanism.epsilon for mechanism in self.mechanisms), Fraction())

    @property
    def per_person(self) -> Fraction | None:
        """What a person loses in total; None if that is not bounded, or nothing is private."""
        if not self.mechanisms or self.flaws:
            return None
        if self.person is None:
            return self.per_record
        return self.per_record * self.records_per_person if self.records_per_person is not None else None

    def judged_by(self, person: str | None) -> "PrivacyLoss":
        """Return the same for whoever says which column tells people apart; a bound for another column is none for this one."""
        if person is None or person == self.person:
            return self
        return replace(self, person=person, records_per_person=None)

    def with_earlier(self, earlier: "PrivacyLoss | None") -> "PrivacyLoss":
        """Return the loss of a release that was made from a release: both are lost."""
        if earlier is None or not earlier:
            return self
        if not self:
            return earlier
        knows = [loss for loss in (self, earlier) if loss.mechanisms]
        bounds = {(loss.person, loss.records_per_person) for loss in knows}
        # Where they differ, either knows of people whom the other does not bound.
        person, bound = bounds.pop() if len(bounds) == 1 else (self.person or earlier.person, None)
        return PrivacyLoss(
            mechanisms=(*earlier.mechanisms, *self.mechanisms),
            tests=tuple(dict.fromkeys((*earlier.tests, *self.tests))),
            flaws=tuple(dict.fromkeys((*earlier.flaws, *self.flaws))),
            person=person,
            records_per_person=bound,
        )

    def __bool__(self) -> bool:
        return bool(self.mechanisms or self.tests)

    def sentences(self) -> tuple[str, ...]:
        """Return what is promised and what is not, for people."""
        said = [self._total()] if self.mechanisms else []
        if self.mechanisms:
            columns = _listed(dict.fromkeys(mechanism.column for mechanism in self.mechanisms))
            said.append(f"That is about the values of {columns}: not whether one is missing, and nothing of the other columns.")
        if self.tests:
            said.append(
                f"Drawn from a chosen seed, which is for tests: {_listed(self.tests)}. Whoever tries such seeds undoes it: no epsilon is "
                "claimed there, and nobody is protected."
            )
        return tuple(said)

    def _total(self) -> str:
        record = f"epsilon {number(self.per_record)} for every record"
        if self.flaws:
            return f"Differential privacy: no guarantee: {'; '.join(self.flaws)}. The recipe asks for {record}."
        total = self.per_person
        if total is None:
            return f"Differential privacy: {UNBOUNDED}. It is {record}; say person and records_per_person in the recipe."
        if self.person is None:
            return (
                f"Differential privacy: epsilon {number(total)} in total for every person, if every record belongs to a different person, "
                "which is assumed."
            )
        return (
            f"Differential privacy: epsilon {number(total)} in total for every person: {number(self.per_record)} for every record, of "
            f"which nobody ({self.person!r}) has more than {self.records_per_person:,}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; `exact` has the total as a fraction."""
        total = self.per_person
        return {
            "epsilon_per_person": None if total is None else float(number(total)),
            "exact": None if total is None else str(total),
            "epsilon_per_record": float(number(self.per_record)) if self.mechanisms else None,
            "person": self.person,
            "records_per_person": self.records_per_person,
            "mechanisms": [{"column": m.column, "mechanism": m.name, "epsilon": str(m.epsilon)} for m in self.mechanisms],
            "for_tests": list(self.tests),
            "flaws": list(self.flaws),
            "sentences": list(self.sentences()),
        }


def privacy_loss_of(content: Mapping[str, Any]) -> PrivacyLoss:
    """Return what a manifest says of it; raise ValueError, KeyError or TypeError if that means nothing."""
    bound = content["records_per_person"]
    if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int) or bound < 1):
        raise ValueError("a bound is a whole number")
    return PrivacyLoss(
        mechanisms=tuple(Mechanism(str(m["column"]), str(m["mechanism"]), _positive(m["epsilon"])) for m in content["mechanisms"]),
        tests=tuple(map(str, content["for_tests"])),
        flaws=tuple(map(str, content["flaws"])),
        person=None if content["person"] is None else str(content["person"]),
        records_per_person=bound,
    )


def epsilon_of(written: float) -> Fraction:
    """Return an epsilon exactly as it is written."""
    return Fraction(repr(written))


def number(value: Fraction) -> str:
    """Return a fraction in decimal digits: all of them if they are few, else rounded up."""
    if value <= 0:
        return "0"
    digits = _DIGITS - 1 - floor(log10(value))
    scale = Fraction(10) ** digits
    rounded = Fraction(ceil(value * scale)) / scale
    return f"{float(rounded):.{_DIGITS}g}" if rounded < 10**_DIGITS else f"{ceil(value)}"


def _positive(text: Any) -> Fraction:
    found = fraction_of(str(text))
    if found <= 0:
        raise ValueError("an epsilon is above 0")
    return found


def _listed(columns: Sequence[str] | Mapping[str, None]) -> str:
    return ", ".join(repr(column) for column in columns)

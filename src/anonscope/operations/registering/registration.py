"""A release that is registered as it is published: held against the register first, and added to it before it is placed."""

import os
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from anonscope.errors import NotPublished, OptionError, shown
from anonscope.operations.read import Data
from anonscope.operations.registering.chain import Chain, Entry, append, check_whole, day, locked, read_chain
from anonscope.operations.registering.composing import Composed, NewRelease, check_counted, composed
from anonscope.risk.privacy_loss import number
from anonscope.synthesis.ledger import Loss


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """Into which register, as a release of whom, to whom, and until when."""

    folder: Path
    population: str
    recipient: str | None = None
    review: str | None = None
    expires: str | None = None
    accepted: str | None = None  # why a release goes though it was not measured together with the earlier ones

    def __post_init__(self) -> None:
        if not self.population.strip():
            raise OptionError("A register needs the name of the population that a release is of (--population-name NAME).")
        day(self.review, "The day of the review")
        day(self.expires, "The day of the expiry")

    @contextmanager
    def under_way(self) -> "Iterator[Registering]":
        """Hold the register while a release is checked, placed and added, so that nobody else comes between."""
        with locked(self.folder):
            chain = read_chain(self.folder)
            check_whole(chain, self.folder)
            yield Registering(self, chain)


class Registering:
    """One release on its way into a register."""

    def __init__(self, asked: Registration, chain: Chain) -> None:
        self.asked = asked
        self.earlier = [entry for entry in chain.entries if same_population(entry.population) == same_population(asked.population)]
        self.beside: list[NewRelease] = []  # of the same set, which were looked at already
        self._wanted = Fraction()  # epsilons of the same set

    def check_budget(self, epsilon: Fraction | None) -> None:
        """Raise where a person of the population would lose more than the budget allows."""
        budget = budget_of(self.earlier)
        if budget is None or epsilon is None:
            return
        spent = sum((entry.lost for entry in self.earlier if entry.kind == "release"), self._wanted)
        self._wanted += epsilon
        if spent + epsilon > budget:
            raise NotPublished(
                f"Not published: it would cost every person of {shown(self.asked.population)} an epsilon of {number(epsilon)}, and of "
                f"their budget of {number(budget)}, {number(spent)} is spent. Nothing was written."
            )

    def check(self, new: NewRelease, people: Data | None, name: str) -> Composed:
        """Return what a release tells together with the earlier ones; raise where that is too much, or not known."""
        uncounted = check_counted(new, self.earlier, self.asked.folder, name)
        found = composed(new, self.earlier, self.asked.folder, people, self.asked.accepted, self.beside)
        counted = [entry for entry in self.earlier if entry.kind == "release"]
        lost = sum((Loss(entry.lost, Fraction(entry.delta or 0)) for entry in counted), new.lost) if new.lost is not None else None
        unknown = sum(not entry.by_epsilon or entry.delta is None for entry in counted)
        found = replace(found, uncounted=uncounted, lost=lost, without_guarantee=unknown)
        self.beside.append(new)
        if not found.holds and not (found.accepted and not found.measured):
            ask = "" if found.measured else " Bring the earlier releases back, or say why it goes anyway (--accept-unmeasured REASON)."
            raise NotPublished(f"{shown(name)} is not published. {found.sentence} Nothing was written.{ask}")
        return found

    def add(self, **told: object) -> Entry:
        """Add the release: before anybody can have it, so that none is out that the register does not know."""
        asked = self.asked
        entry = Entry(
            kind="release",
            population=asked.population,
            added=datetime.now(UTC).isoformat(timespec="seconds"),
            recipient=asked.recipient,
            review=asked.review,
            expires=asked.expires,
            **told,  # type: ignore[arg-type]
        )
        append(asked.folder, entry)
        return entry


def same_population(name: str) -> str:
    """Return what names of one population have in common: case, blanks and ways to write a letter make no other people."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def budget_of(entries: Sequence[Entry]) -> Fraction | None:
    """Return the last budget that was set for a population."""
    found = [entry.lost for entry in entries if entry.kind == "budget"]
    return found[-1] if found else None


def seen_from(folder: Path, path: Path) -> str:
    """Return where a file is, seen from the folder of a register."""
    return os.path.relpath(path.resolve(), folder.resolve())
